use crate::{
    CallNumber, Capability, Code, DispatchOutcome, Event, EventKind, ExecutorGeneration, FenceEpoch, LockStatement,
    ObservationId, ObservationResult, ObservationStart, ServiceReason, SessionId, Source, Standing, Target, Voter,
    WindowKey,
};

/// Starts generations of the executor. Held by whoever spawns the process.
#[derive(Debug)]
pub struct Executors {
    newest: ExecutorGeneration,
}

impl Executors {
    pub(super) fn new() -> Self {
        Self { newest: ExecutorGeneration::default() }
    }

    /// An executor answered its handshake.
    pub fn started(&mut self) -> (Executor, Event) {
        self.newest = self.newest.next();
        let generation = self.newest;
        let source = Source::ExecutorService { generation, reason: ServiceReason::HandshakeAnswered };
        (Executor { generation }, Event::new(source, EventKind::ExecutorStarted { generation }))
    }
}

/// One generation of the executor, for as long as it runs.
#[derive(Debug)]
pub struct Executor {
    generation: ExecutorGeneration,
}

impl Executor {
    pub const fn generation(&self) -> ExecutorGeneration {
        self.generation
    }

    /// The request with this id was answered, or is about to be sent.
    pub const fn call(&self, call: CallNumber) -> ExecutorCall {
        ExecutorCall { generation: self.generation, call }
    }

    /// It ended, or was killed and reaped. Nothing can be said in its name by this handle any more.
    pub fn released(self, reason: ServiceReason) -> Event {
        let generation = self.generation;
        Event::new(Source::ExecutorService { generation, reason }, EventKind::ExecutorReleased { generation })
    }
}

/// One call to the executor: the evidence of everything the executor says.
#[derive(Debug)]
pub struct ExecutorCall {
    generation: ExecutorGeneration,
    call: CallNumber,
}

impl ExecutorCall {
    fn event(&self, kind: EventKind) -> Event {
        Event::new(Source::Executor { generation: self.generation, call: self.call }, kind)
    }

    /// A look begins: minted before the executor can have read anything.
    pub fn observation_began(&self, start: ObservationStart, observation: ObservationId) -> Event {
        self.event(EventKind::ObservationBegan { session: start.session, observation })
    }

    /// The look that began under this id read this target.
    pub fn observation_read(&self, session: SessionId, observation: ObservationId, target: Target) -> Event {
        let result = ObservationResult::Read { target: Box::new(target) };
        self.event(EventKind::ObservationEnded { session, observation, result })
    }

    /// The look that began under this id read nothing.
    pub fn observation_failed(&self, session: SessionId, observation: ObservationId, code: Code) -> Event {
        self.event(EventKind::ObservationEnded { session, observation, result: ObservationResult::Failed { code } })
    }

    /// A dispatch was answered.
    pub fn dispatch_outcome(&self, session: SessionId, window: WindowKey, outcome: DispatchOutcome) -> Event {
        self.event(EventKind::DispatchOutcome { session, window, outcome })
    }

    /// The executor raised this fence, and named the calls that had passed it.
    pub fn fence_acknowledged(&self, epoch: FenceEpoch) -> Event {
        self.event(EventKind::FenceAcknowledged { epoch })
    }

    /// The page turned to an address that policy blocks.
    pub fn blocked_url(&self, session: SessionId) -> Event {
        self.event(EventKind::BlockedUrl { session })
    }

    /// The executor answered whether it finds the screen locked.
    pub fn screen_lock(&self, locked: bool) -> Event {
        let voter = Voter::executor(self.generation);
        let statement = if locked { LockStatement::Locked { voter } } else { LockStatement::Unlocked { voter } };
        self.event(EventKind::LockVote { statement })
    }

    /// The application changed what it shows.
    pub fn content_changed(&self, window: WindowKey) -> Event {
        self.event(EventKind::ContentChanged { window })
    }

    /// What the executor proved that it can do on this machine.
    pub fn capability(&self, capability: ExecutorCapability, standing: Standing) -> Event {
        self.event(EventKind::ClaimChanged { capability: capability.into(), standing })
    }
}

/// The capabilities whose producer is the executor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutorCapability {
    Accessibility,
    Pictures,
    Fence,
    ProcessIdentity,
}

impl From<ExecutorCapability> for Capability {
    fn from(capability: ExecutorCapability) -> Self {
        match capability {
            ExecutorCapability::Accessibility => Self::Accessibility,
            ExecutorCapability::Pictures => Self::Pictures,
            ExecutorCapability::Fence => Self::Fence,
            ExecutorCapability::ProcessIdentity => Self::ProcessIdentity,
        }
    }
}
