//! The executor: snapshots, element tokens and digests, lanes, the fence, dispatch and verdicts. It knows the
//! desktop only through [`Desktop`].
#![forbid(unsafe_code)]

mod desktop;
mod fence;

pub use desktop::*;
pub use fence::{Fence, FenceScope, Fenced, Gate};
