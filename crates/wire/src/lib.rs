//! `surehand.executor/1`: what the host and the executor say to each other over the executor's stdio.
//!
//! JSON-RPC 2.0, one object a line, camelCase fields, closed sets, unknown fields refused both ways. Everything
//! here is sans-I/O: [`Framer`] takes bytes, [`parse_from_host`] and [`parse_from_executor`] take lines,
//! [`Pending`] takes the time. The reference page is `docs/reference/executor-wire.md`.
#![forbid(unsafe_code)]

mod answer;
mod applications;
pub mod bounds;
mod capture;
mod changes;
mod dispatch;
mod element;
mod envelope;
mod error;
mod fence;
mod framer;
mod health;
mod hello;
mod identifier;
mod method;
mod number;
mod observe;
mod pending;
mod session;
pub mod text;
mod violation;

pub use applications::{
    Accessibility, Application, ApplicationIdentity, Applications, LaunchApplication, LaunchWait, LaunchWaitReason,
    Launched, ListApplications, ListWindows, Rect, Toolkit, ToolkitFamily, Visibility, Window, Windows,
};
pub use capture::{Capture, Captured, Image};
pub use changes::{ChangeReason, Changes, WaitForChanges};
pub use dispatch::{
    Action, Direction, DispatchElement, DispatchReport, InconsistentReport, PostObservationError, Route, SetValue,
    SettleReason, Settled,
};
pub use element::{Element, State, TextField, Value, Verb};
pub use envelope::{
    Complaint, FromExecutor, FromHost, RawAnswer, Request, Unusable, encode_answer, encode_cancel, encode_complaint,
    encode_request, encode_rpc_error, parse_from_executor, parse_from_host,
};
pub use error::{DesktopPart, Detail, DomainError, RpcCode, RpcError, SnapshotFate};
pub use fence::{FenceAcknowledged, FenceScope, RaiseFence};
pub use framer::Framer;
pub use health::{Capability, Claim, Health, ReadHealth};
pub use hello::{Abilities, ExecutorName, Hello, HostName, ImageFormat, Limits, PROTOCOL, Welcome};
pub use identifier::{ElementToken, MalformedIdentifier, RequestId, SessionId, SnapshotId, ToolCallId};
pub use method::{Call, Method, Nature, Params, Refusals, Reply};
pub use number::{FiniteNumber, NotFinite};
pub use observe::{CapturedAt, Observe, ObserveTarget, Observed, Omission, Snapshot};
pub use pending::{Abandoned, CancelStep, Due, Pending, SettledRequest, Stage};
pub use session::{BeginSession, EndSession, Released, SessionBegun, SessionReleased};
pub use violation::{Severity, Violation, ViolationCount};
