use crate::{
    ApplicationKey, ClaimId, Code, Delivery, Digest, ExecutorGeneration, Generation, LaunchCallId, Moment,
    ObservationId, SessionId, Target, Verdict, WindowKey,
};

/// What an action needs of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    /// Straight to the application: pointer and focus stay the person's.
    Semantic,
    /// Needs the seat's pointer, keyboard or focus, so any person's input anywhere stops it.
    PointerOrKeyboard,
}

/// Leave to act on one observation, for as long as nothing happens that refuses it.
///
/// The seat checks it before presentation, when the dispatch leaves, and when the result comes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub session: SessionId,
    pub window: WindowKey,
    pub generation: Generation,
    pub executor_generation: ExecutorGeneration,
    pub observation: ObservationId,
    pub route: Route,
}

/// Leave to look. Spent by the event that says the look began.
#[derive(Debug)]
#[must_use]
pub struct ObservationStart {
    pub(crate) session: SessionId,
}

impl ObservationStart {
    pub const fn session(&self) -> SessionId {
        self.session
    }
}

/// A digest of one action's validated arguments, taken before the first await.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionFingerprint(pub Digest);

/// The one open use of an observation.
///
/// It can be neither copied nor settled twice. One that is lost keeps its observation claimed for ever, so
/// nothing is sent a second time.
#[derive(Debug)]
#[must_use = "a claim that is not settled keeps its observation claimed for ever"]
pub struct Claim {
    pub(crate) id: ClaimId,
    pub(crate) session: SessionId,
    pub(crate) observation: ObservationId,
    pub(crate) application: ApplicationKey,
}

impl Claim {
    /// Unique among all claims of the seat.
    pub const fn id(&self) -> ClaimId {
        self.id
    }

    pub const fn observation(&self) -> ObservationId {
        self.observation
    }
}

/// How a claim ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClaimEnding {
    /// Something was or may have been sent. The observation is spent.
    Consumed,
    /// Refused for what the action is. Other actions may still use the observation.
    Retired,
    /// Refused for what passes. As if never asked.
    Released,
}

impl ClaimEnding {
    /// The ending that a verdict asks for.
    pub const fn of(verdict: &Verdict) -> Self {
        match verdict.delivery {
            Delivery::Refused | Delivery::Delivered | Delivery::Unknown => Self::Consumed,
            Delivery::NotSent => match verdict.code {
                Some(code) if code.is_of_the_action() => Self::Retired,
                Some(_) | None => Self::Released,
            },
        }
    }
}

/// What asking for a launch came to.
#[derive(Debug)]
pub enum LaunchStanding {
    /// Nobody asked under this call id before.
    New(LaunchClaim),
    /// The first call under this id is still under way.
    UnderWay,
    /// It ended so; nothing is started again.
    Answered(Verdict),
}

/// The one open use of a client's call id for `launch_app`. Neither copied nor settled twice.
#[derive(Debug)]
#[must_use = "a launch that is not settled keeps its call id claimed for ever"]
pub struct LaunchClaim {
    pub(crate) session: SessionId,
    pub(crate) call: LaunchCallId,
    pub(crate) generation: Generation,
    pub(crate) executor_generation: ExecutorGeneration,
}

impl LaunchClaim {
    pub const fn session(&self) -> SessionId {
        self.session
    }
}

/// One observation as the registry keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    pub session: SessionId,
    pub target: Target,
    /// The generation at which the look began.
    pub generation: Generation,
    pub executor_generation: ExecutorGeneration,
    pub began: Moment,
}

impl Code {
    /// Whether a refusal with this code is for what the action is, so that the same action on the same observation
    /// would be refused again.
    pub const fn is_of_the_action(self) -> bool {
        matches!(
            self,
            Self::InvalidArgument
                | Self::UnsupportedAction
                | Self::NotActionable
                | Self::TargetChanged
                | Self::TargetMissing
                | Self::AmbiguousTarget
        )
    }
}
