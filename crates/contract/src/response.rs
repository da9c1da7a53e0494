use crate::{
    ApplicationKey, Capability, Code, EndReason, ExecutorGeneration, FenceEpoch, LockedWhy, Moment, ObservationId,
    Principal, Refusal, SessionId, Voter,
};
use serde::Serialize;

/// What the shell must do because of an event, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "response", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Response {
    /// Close the executor's fence. Without its acknowledgement by then: kill and reap the executor.
    Fence { epoch: FenceEpoch, scope: FenceScope, acknowledge_by: Moment },
    /// What raised that fence is accepted: a reply that waited for it may be sent.
    Accepted { epoch: FenceEpoch },
    /// Too many fences wait for acknowledgement: kill and reap the executor.
    EndExecutor { generation: ExecutorGeneration },
    /// Settle and cancel what is in flight or waiting in this scope; waits end at once.
    CancelCalls { scope: FenceScope, code: Code },
    /// Ask executor and overlay at once to drop what this session owns. Without their counts by then: kill.
    ClearSession { session: SessionId, acknowledge_by: Moment },
    /// Ask every lock source for its state.
    ReadLockSources,
    /// What became of an observation.
    Observation { session: SessionId, observation: ObservationId, standing: ObservationStanding },
    /// Report it: events, notices, kept records.
    Tell(Notice),
}

/// What a fence closes.
///
/// An executor whose fence knows no sessions is fenced for the whole seat instead: what that stops wrongly was not
/// sent, and its lease still holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "of", rename_all = "snake_case")]
pub enum FenceScope {
    Seat,
    Application(ApplicationKey),
    Session(SessionId),
}

/// What an ended look is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ObservationStanding {
    /// It may be acted on.
    Live,
    /// It may be shown, and not acted on: something happened since it began.
    NotActionable,
    /// It must not be shown.
    Dropped { refusal: Refusal },
}

/// What changed, for whoever watches. Holds no text from a screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "notice", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Notice {
    Halted,
    Resumed,
    PrincipalBlocked {
        principal: Principal,
    },
    PrincipalResumed {
        principal: Principal,
    },
    SessionEnded {
        session: SessionId,
        reason: EndReason,
    },
    SessionCleared {
        session: SessionId,
        observations: usize,
    },
    Locked {
        why: LockedWhy,
    },
    Unlocked,
    LockRequestLapsed,
    VoterVanished {
        voter: Voter,
    },
    VoteTakenOver {
        voter: Voter,
    },
    InterventionBegan {
        application: Option<ApplicationKey>,
        until: Moment,
    },
    InterventionQuiet {
        application: Option<ApplicationKey>,
    },
    Held,
    HoldEnded,
    NeedsObservation {
        session: SessionId,
    },
    ExecutorStarted {
        generation: ExecutorGeneration,
    },
    ExecutorReleased {
        generation: ExecutorGeneration,
    },
    TargetGone {
        observations: usize,
    },
    CapabilityLost {
        capability: Capability,
    },
    CapabilityClaimed {
        capability: Capability,
    },
    GrantDenied {
        principal: Principal,
    },
    PolicyStricter,
    /// The event changed nothing: it came late, twice, or from a generation that is over.
    Ignored,
}
