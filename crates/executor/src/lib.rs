//! The executor: snapshots, element tokens and digests, lanes, the fence, dispatch and verdicts. It knows the
//! desktop only through [`Desktop`].
#![forbid(unsafe_code)]

pub mod bounds;
mod core;
mod desktop;
mod digest;
mod dispatch;
#[cfg(test)]
mod drawn;
mod effect;
mod fence;
mod host_watch;
mod images;
mod inbox;
mod judge;
mod lane;
mod limits;
mod mint;
mod obligation;
mod observe;
mod outbox;
mod serve;
mod snapshot;
mod stable_id;
mod twins;
mod wire_form;

pub use desktop::*;
pub use digest::{element_digest, element_digests, lineage, text_digest, window_digest, witnessed_digest};
pub use fence::{Fence, FenceScope, Fenced, Gate, Refusal};
pub use judge::{Judgement, Seen, SeenElement, SeenWindow, judge, judge_closed};
pub use mint::NoRandomness;
pub use serve::{Ended, StartError, serve, terminated};
