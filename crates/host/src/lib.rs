//! The async shell around the contract: one seat, its sessions, one lane an application, one supervised executor.
//!
//! Everything that decides is in `surehand-contract`; everything that touches an application is in the executor. The
//! host carries events to the seat, does what the seat's responses say, and turns what the executor read into text
//! for the current turn's model and into records that may be kept.
#![forbid(unsafe_code)]

mod acting;
pub mod bounds;
mod calls;
mod cancel;
mod choosing;
mod clock;
mod executor;
mod host;
mod ids;
pub mod kept;
mod lanes;
mod launching;
mod listing;
mod observing;
mod picture;
mod process;
mod refusal;
mod request;
mod seat;
mod session;
mod task;
mod text;
mod view;
mod waiting;

pub use choosing::window_label;
pub use executor::{Embedded, ExecutorCommand, ExecutorStanding, Exit, Program};
pub use host::{ClientInfo, ClientKind, DesktopProducers, Host, HostConfiguration, HostHealth, StartError};
pub use refusal::{ArgumentFault, ArgumentRule, Candidate, Detail, Refusal};
pub use request::{
    ActRequest, Acted, Answer, Condition, ElementState, LaunchRequest, Launched, Listed, ModelText, ObserveRequest,
    Observed, Pictured, WaitRequest, Waited, WindowChoice,
};
pub use session::Session;
pub use surehand_wire::{Action, Direction, FiniteNumber, SetValue};
