//! The `surehand` program on private desktops with real applications, as an ordinary user, judged by oracles outside it
//! (evidence class `real`): journals, the X server, the process table, a monitor on the accessibility bus.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod accessibility_off;
mod bad_input;
mod commands;
mod forbidden_calls;
mod lifecycle;
mod official_client;
mod pictures;
mod refusals;
mod stage;
mod third_party;
mod verbs;
