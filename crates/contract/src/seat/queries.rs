use super::Seat;
use crate::{
    Capability, EndReason, ExecutorGeneration, FenceEpoch, LockedWhy, Moment, Observation, ObservationId, Principal,
    SessionId, Standing,
};

impl Seat {
    /// Whether a stop is in force.
    pub const fn is_halted(&self) -> bool {
        self.halted
    }

    /// Why the seat counts as locked, if it does.
    pub fn locked(&self, now: Moment) -> Option<LockedWhy> {
        self.lock.why(self.latest.max(now))
    }

    /// Whether input waits to be placed.
    pub fn is_held(&self) -> bool {
        !self.input.holds.is_empty()
    }

    /// The generation that runs.
    pub const fn executor(&self) -> Option<ExecutorGeneration> {
        self.running
    }

    /// Whether what raised that fence is accepted.
    pub fn is_accepted(&self, epoch: FenceEpoch) -> bool {
        self.fences.is_accepted(epoch)
    }

    /// Why the session ended; none while it is open.
    pub fn ended(&self, session: SessionId) -> Option<EndReason> {
        (!self.sessions.contains_key(&session)).then(|| self.ended.reason(session))
    }

    /// Whom an open session acts for.
    pub fn principal(&self, session: SessionId) -> Option<&Principal> {
        self.sessions.get(&session).map(|known| &known.principal)
    }

    /// The open sessions.
    pub fn sessions(&self) -> impl Iterator<Item = SessionId> {
        self.sessions.keys().copied()
    }

    /// Claims and launches of this session that nobody has settled.
    pub fn open_claims(&self, session: SessionId) -> usize {
        self.sessions.get(&session).map_or(0, |known| known.open_claims())
    }

    /// What an observation of this session is bound to, also when it can no longer be acted on.
    pub fn observation(&self, session: SessionId, observation: ObservationId) -> Option<Observation> {
        let record = self.sessions.get(&session)?.record(observation)?;
        Some(Observation {
            session,
            target: (*record.bound.as_ref()?.target).clone(),
            generation: record.began_at_generation,
            executor_generation: record.executor_generation,
            began: record.began,
        })
    }

    /// What is claimed about this machine, as far as producers have said.
    pub fn capabilities(&self) -> impl Iterator<Item = (Capability, Standing)> {
        self.capabilities.iter().map(|(capability, standing)| (*capability, *standing))
    }

    /// Whether a person's input is seen at all: what pointer and keyboard routes need.
    pub fn sees_input(&self) -> bool {
        let standing = self.capabilities.get(&Capability::PhysicalInput);
        matches!(standing, Some(Standing::Claimed | Standing::Degraded(_)))
    }

    /// Whether every verdict must say that a person's input is no longer seen.
    pub const fn input_is_lost(&self) -> bool {
        self.input.lost
    }
}
