//! Every bound of the testbed, in one place. Whatever passes one becomes a typed error that names what was awaited.

use std::time::Duration;

/// How long the keeper may take to make the directory and the user, its wait for other keepers included.
pub const KEEPER_START: Duration = Duration::from_secs(30);
/// How long the keeper may take to end every process and to remove what it made.
pub const KEEPER_END: Duration = Duration::from_secs(30);
/// How long the X server may take to say its display number.
pub const DISPLAY_START: Duration = Duration::from_secs(20);
/// How long a bus may take to listen, and one of its services to own its name.
pub const BUS_START: Duration = Duration::from_secs(20);
/// How long the window manager may take to announce itself.
pub const WINDOW_MANAGER_START: Duration = Duration::from_secs(20);
/// The longest line a service may say at its start, in bytes.
pub const LINE_BYTES: usize = 64 * 1024;
/// How much of the services' complaints an error carries, in bytes.
pub const LOG_TAIL_BYTES: usize = 4 * 1024;
/// How long a fixture may take to show its window.
pub const FIXTURE_START: Duration = Duration::from_secs(30);
/// How long a window manager may take to give a new window the focus, if it does.
pub const FIRST_FOCUS: Duration = Duration::from_secs(2);
/// How long a fixture may take to carry out an order.
pub const ORDER: Duration = Duration::from_secs(20);
/// How long an application may take to appear on the accessibility bus.
pub const REGISTRATION: Duration = Duration::from_secs(60);
/// How long a bus may take to pass a message on.
pub const BUS_ANSWER: Duration = Duration::from_secs(20);
/// How long an application of others may take to show its first window, on a loaded machine and without any cache.
pub const APPLICATION_START: Duration = Duration::from_secs(90);

/// How long a scripted agent waits for one answer.
pub const AGENT_ANSWER: Duration = Duration::from_secs(30);
/// How often a window is observed between two readings until those are equal.
pub const SETTLED_LOOKS: usize = 8;
