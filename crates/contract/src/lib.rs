//! What surehand promises, without I/O, clock, randomness or async.
//!
//! A [`Seat`] holds every fact of one desktop. Producers make [`Event`]s, [`Seat::step`] takes them one by one and
//! says what the shell must do. Whoever wants to act asks the seat for a [`Lease`] on an observation, and for a
//! [`Claim`] before anything is sent.
#![forbid(unsafe_code)]

pub mod bounds;
mod capability;
mod code;
mod digest;
mod event;
mod fact;
mod id;
mod identity;
mod key;
mod lease;
mod moment;
pub mod producer;
mod response;
mod seat;
mod source;
mod status;
mod ui_text;
mod verdict;

pub use capability::{Capability, Standing};
pub use code::{Code, Happened, Repeat};
pub use digest::{Digest, MalformedDigest};
pub use event::{
    DispatchOutcome, Event, EventKind, GoneTarget, GrantChange, InputScope, LockStatement, ObservationResult, Peer,
    PolicyChange, Resume, Voter,
};
pub use fact::Fact;
pub use id::{
    BusName, CallNumber, ClaimId, ConnectionId, DeviceName, ExecutorGeneration, FenceEpoch, Generation, HoldId,
    LaunchCallId, MalformedId, MalformedName, ObservationId, Principal, SessionId,
};
pub use identity::{ApplicationIdentity, ExeIdentity, PageIdentity, ProcessInstance, Target, WindowIdentity};
pub use key::{ApplicationKey, WindowKey};
pub use lease::{
    ActionFingerprint, Claim, ClaimEnding, LaunchClaim, LaunchStanding, Lease, Observation, ObservationStart, Route,
};
pub use moment::Moment;
pub use response::{FenceScope, Notice, ObservationStanding, Response};
pub use seat::{Seat, SeatConfiguration, YieldScope};
pub use source::{Authority, CompositorProtocol, Control, LockMechanism, ServiceReason, Source, VoterOwner};
pub use status::{EndReason, LockedWhy, Refusal, Status};
pub use ui_text::UiText;
pub use verdict::{Delivery, Effect, Method, Verdict};
