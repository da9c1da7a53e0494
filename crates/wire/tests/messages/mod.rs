//! Every message of the protocol: any of each kind, and one of each kind with every field set.
#![allow(clippy::unwrap_used, dead_code, unused_imports, unreachable_pub)] // Each test file uses its part of it.

mod any;
mod full;

pub use any::*;
pub use full::*;
