use crate::{Code, Moment};
use serde::Serialize;

/// Why something was refused, and how long to wait where waiting helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{code}")]
pub struct Refusal {
    pub code: Code,
    /// Milliseconds; absent where waiting does not help or nobody can say how long.
    pub wait_ms: Option<u64>,
}

impl Refusal {
    /// A refusal for which nobody can say how long to wait.
    pub const fn of(code: Code) -> Self {
        Self { code, wait_ms: None }
    }

    pub(crate) const fn until(code: Code, now: Moment, until: Moment) -> Self {
        Self { code, wait_ms: Some(now.ms_until(until)) }
    }
}

/// What holds for one session at one window. Derived: the first fact that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Status {
    Halted,
    Ended { reason: EndReason },
    Locked { why: LockedWhy },
    Intervention { until: Moment },
    Held,
    Unobserved,
    NeedsObservation,
    Ready,
}

impl Status {
    /// The status as the document writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Halted => "halted",
            Self::Ended { .. } => "ended",
            Self::Locked { .. } => "locked",
            Self::Intervention { .. } => "intervention",
            Self::Held => "held",
            Self::Unobserved => "unobserved",
            Self::NeedsObservation => "needs_observation",
            Self::Ready => "ready",
        }
    }
}

/// Why a session ended. The first reason stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    BlockedUrl,
    UserStopped,
    Closed,
}

impl EndReason {
    /// The code that a call of such a session ends with.
    pub const fn code(self) -> Code {
        match self {
            Self::BlockedUrl => Code::BlockedUrl,
            Self::UserStopped | Self::Closed => Code::SessionEnded,
        }
    }
}

/// What makes the seat count as locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LockedWhy {
    /// At least one voter says so, or vanished while it did.
    Voted,
    Asleep,
    /// The person switched to another user's session.
    SessionInactive,
    /// Awake and active again, but not every lock source has answered since.
    SourcesUnread,
    /// The login manager asked for a lock a moment ago.
    Requested {
        until: Moment,
    },
    /// The lock producer was lost, so nobody can say.
    ProducerLost,
}

impl LockedWhy {
    pub(crate) fn refusal(self, now: Moment) -> Refusal {
        match self {
            Self::ProducerLost => Refusal::of(Code::CapabilityMissing),
            Self::Requested { until } => Refusal::until(Code::ScreenLocked, now, until),
            Self::Voted | Self::Asleep | Self::SessionInactive | Self::SourcesUnread => Refusal::of(Code::ScreenLocked),
        }
    }
}
