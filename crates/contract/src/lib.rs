//! What surehand promises, without I/O, clock, randomness or async.
#![forbid(unsafe_code)]

mod code;
mod digest;
mod identity;
mod ui_text;
mod verdict;

pub use code::{Code, Happened, Repeat};
pub use digest::{Digest, MalformedDigest};
pub use identity::{ExeIdentity, PageIdentity, ProcessInstance, Target, WindowIdentity};
pub use ui_text::UiText;
pub use verdict::{Delivery, Effect, Method, Verdict};
