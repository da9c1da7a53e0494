//! A desktop that tests write the script of, and a host that speaks the wire to a served executor.
#![allow(clippy::unwrap_used, dead_code, unused_imports, unreachable_pub)] // Each test file uses its part of it.

mod desktop;
mod host;

pub use desktop::*;
pub use host::*;
