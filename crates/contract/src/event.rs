use crate::{
    ApplicationIdentity, ApplicationKey, BusName, Capability, Code, ConnectionId, EndReason, ExecutorGeneration,
    FenceEpoch, HoldId, LockMechanism, ObservationId, Principal, SessionId, Source, Standing, Target, Verdict,
    VoterOwner, WindowKey,
};
use serde::Serialize;

/// One thing that happened on the machine, and who said so.
///
/// Only a producer makes one, it cannot be copied or read from a wire, and the seat takes it once.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    pub(crate) source: Source,
    pub(crate) kind: EventKind,
}

impl Event {
    pub(crate) const fn new(source: Source, kind: EventKind) -> Self {
        Self { source, kind }
    }

    /// Who said it, with evidence.
    pub const fn source(&self) -> &Source {
        &self.source
    }

    /// What was said.
    pub const fn kind(&self) -> &EventKind {
        &self.kind
    }
}

macro_rules! event_kinds {
    ($($(#[$doc:meta])* $name:ident $({ $($field:ident: $type:ty),+ $(,)? })?, $means:literal;)+) => {
        /// The closed list of what can happen.
        #[derive(Debug, PartialEq, Eq, Serialize)]
        #[serde(tag = "event", rename_all_fields = "camelCase")]
        pub enum EventKind { $($(#[$doc])* $name $({ $($field: $type),+ })?,)+ }

        impl EventKind {
            /// Every event by name with what it does, in the order of the document.
            pub const LIST: &'static [(&'static str, &'static str)] = &[$((stringify!($name), $means),)+];

            /// The event as the document writes it.
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$name $({ $($field: _),+ })? => stringify!($name),)+ }
            }
        }
    };
}

event_kinds! {
    InputHeld { hold: HoldId }, "Holds every dispatch of the seat until the input is placed.";
    InputScoped { hold: Option<HoldId>, scope: InputScope }, "Ends its hold; in scope, an intervention begins or moves later.";
    InterventionQuiet { scope: Option<ApplicationKey> }, "Announces that an intervention's time was reached; it shortens nothing.";
    LockVote { statement: LockStatement }, "Sets, withdraws or takes over one voter's vote.";
    SleepChanged { asleep: bool }, "Counts as locked from falling asleep until awake and every lock source read again.";
    SessionActiveChanged { active: bool }, "Counts as locked while the desktop's session is another user's, and until every lock source was read again.";
    BlockedUrl { session: SessionId }, "Ends the session and blocks its principal.";
    StopRequested, "Halts the seat and ends every session.";
    Resumed { resume: Resume }, "Lifts a halt, a block, or a vote that nobody is left to withdraw.";
    ExecutorStarted { generation: ExecutorGeneration }, "Makes that generation the only one believed.";
    ExecutorReleased { generation: ExecutorGeneration }, "Drops every observation; what was in flight settles.";
    FenceAcknowledged { epoch: FenceEpoch }, "Completes the acceptance of what raised that fence.";
    DispatchOutcome { session: SessionId, window: WindowKey, outcome: DispatchOutcome }, "Sets what the outcome's code says: an intervention, a lock vote, a block, or the need to look again.";
    TargetGone { target: GoneTarget }, "Drops the observations of what is gone.";
    ObservationBegan { session: SessionId, observation: ObservationId }, "Notes the generation at which a look began.";
    ObservationEnded { session: SessionId, observation: ObservationId, result: ObservationResult }, "Makes the observation live, marks it not actionable, or drops it.";
    TurnEnded { session: SessionId }, "Gives up the session's observations and everything it owns on the desktop.";
    SessionEnded { session: SessionId, reason: EndReason }, "Ends the session for good.";
    SessionIdle { session: SessionId }, "Gives up what an idle session still holds.";
    GrantChanged { principal: Principal, change: GrantChange }, "Records a grant or a denial; a denial fences its principal's sessions.";
    PolicyChanged { change: PolicyChange }, "A stricter policy fences the seat and asks for a new look; a looser one changes nothing here.";
    ClaimChanged { capability: Capability, standing: Standing }, "Records a claim; a lost lock refuses everything, lost input the pointer and keyboard.";
    DisplayLost, "Drops every observation.";
    ContentChanged { window: WindowKey }, "Nothing, by definition.";
}

/// Where a person's input went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "application", rename_all = "snake_case")]
pub enum InputScope {
    /// The server delivered it to this application, or to a grab that it opened.
    Application(ApplicationKey),
    /// Unknown, the root window, a foreign grab, or not paired in time: it counts for everything.
    Anywhere,
    /// Bare motion that ended without touching an application.
    Nowhere,
}

/// One voter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Voter {
    pub mechanism: LockMechanism,
    pub owner: VoterOwner,
}

/// What was said about the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum LockStatement {
    Locked {
        voter: Voter,
    },
    Unlocked {
        voter: Voter,
    },
    /// The voter is gone. Its vote stays.
    Vanished {
        voter: Voter,
    },
    /// The login manager asks for a lock: believed for a while.
    LockRequested {
        owner: BusName,
    },
    /// The login manager asks for an unlock: clears nothing.
    UnlockRequested {
        owner: BusName,
    },
    /// No vote followed a request to lock.
    RequestLapsed,
}

/// What a person lifts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Resume {
    /// The halt of the seat.
    Seat,
    /// The block of one principal.
    Principal { principal: Principal },
    /// The vote of a voter that is gone.
    Vote { voter: Voter },
}

/// How one dispatch ended, as the executor's typed answer says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DispatchOutcome {
    pub verdict: Verdict,
    /// With `user_intervened`: how long the executor says the person will be left alone, if it says so.
    pub quiet_in_ms: Option<u64>,
}

/// What no longer exists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "target", rename_all = "snake_case")]
pub enum GoneTarget {
    Process(ApplicationKey),
    Window(WindowKey),
}

/// How one look ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ObservationResult {
    Read { target: Box<Target> },
    Failed { code: Code },
}

/// A change of what one principal may do with one application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "application", rename_all = "snake_case")]
pub enum GrantChange {
    Allowed(ApplicationIdentity),
    Denied(ApplicationIdentity),
}

/// Which way the policy changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyChange {
    Stricter,
    Looser,
}

impl Voter {
    pub(crate) fn executor(generation: ExecutorGeneration) -> Self {
        Self { mechanism: LockMechanism::Executor, owner: VoterOwner::Executor { generation } }
    }
}

/// A connected client, as the host knows its peer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    pub connection: ConnectionId,
    pub principal: Principal,
    pub process: ApplicationKey,
}
