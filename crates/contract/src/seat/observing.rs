use super::{
    Seat,
    sessions::{Bound, Record, RecordState},
    speaking,
    targets::Since,
};
use crate::{
    Code, Moment, Notice, ObservationId, ObservationResult, ObservationStanding, ObservationStart, Refusal, Response,
    SessionId, Source, Target, WindowKey,
};

impl Seat {
    /// Leave to look. Looking is allowed while a person intervenes or input is held, and never shows a locked or
    /// halted seat.
    pub fn may_observe(&mut self, now: Moment, session: SessionId) -> Result<ObservationStart, Refusal> {
        let now = self.advance(now);
        self.may_look(now, session)?;
        if let Some(known) = self.sessions.get_mut(&session) {
            known.last_activity = now;
        }
        Ok(ObservationStart { session })
    }

    /// The same check without a start: for what is read and not kept as an observation, and before anything that
    /// was read is shown.
    pub fn may_look(&self, now: Moment, session: SessionId) -> Result<(), Refusal> {
        let now = self.latest.max(now);
        if self.halted {
            return Err(Refusal::of(Code::Halted));
        }
        if !self.sessions.contains_key(&session) {
            return Err(Refusal::of(self.ended.reason(session).code()));
        }
        self.lock.why(now).map_or(Ok(()), |why| Err(why.refusal(now)))
    }

    pub(super) fn observation_began(
        &mut self,
        now: Moment,
        source: &Source,
        session: SessionId,
        observation: ObservationId,
        out: &mut Vec<Response>,
    ) {
        self.looks += 1;
        let refusal = self.may_look(now, session).err();
        let refusal = refusal.or_else(|| {
            let generation = speaking(source).filter(|generation| Some(*generation) == self.running);
            let Some(executor_generation) = generation else { return Some(Refusal::of(Code::ServiceUnavailable)) };
            let record = Record {
                state: RecordState::Looking,
                began_at_generation: self.raises.newest(),
                executor_generation,
                began: now,
                order: self.looks,
                bound: None,
                claim: None,
                retired: Vec::new(),
            };
            let known = self.sessions.get_mut(&session)?;
            (!known.begin(observation, record)).then_some(Refusal::of(Code::LimitReached))
        });
        if let Some(refusal) = refusal {
            let standing = ObservationStanding::Dropped { refusal };
            out.push(Response::Observation { session, observation, standing });
        }
    }

    pub(super) fn observation_ended(
        &mut self,
        now: Moment,
        source: &Source,
        session: SessionId,
        observation: ObservationId,
        result: ObservationResult,
        out: &mut Vec<Response>,
    ) {
        let Some(record) = self.sessions.get_mut(&session).and_then(|known| known.record_mut(observation)) else {
            let refusal = self.may_look(now, session).err().unwrap_or(Refusal::of(Code::StaleObservation));
            let standing = ObservationStanding::Dropped { refusal };
            out.push(Response::Observation { session, observation, standing });
            return;
        };
        if record.state != RecordState::Looking || speaking(source) != Some(record.executor_generation) {
            out.push(Response::Tell(Notice::Ignored));
            return;
        }
        let standing = match result {
            ObservationResult::Failed { code } => self.drop_look(session, observation, Refusal::of(code)),
            ObservationResult::Read { target } => self.end_look(now, session, observation, target),
        };
        out.push(Response::Observation { session, observation, standing });
    }

    fn drop_look(&mut self, session: SessionId, observation: ObservationId, refusal: Refusal) -> ObservationStanding {
        if let Some(record) = self.sessions.get_mut(&session).and_then(|known| known.record_mut(observation)) {
            record.state = RecordState::Dropped;
        }
        ObservationStanding::Dropped { refusal }
    }

    /// Decides what a look that read its target is worth.
    fn end_look(
        &mut self,
        now: Moment,
        session: SessionId,
        observation: ObservationId,
        target: Box<Target>,
    ) -> ObservationStanding {
        let window = WindowKey::of(&target);
        let generation = self.generation(session, &window);
        let locked = self.lock.why(now);
        let last_intervention = self.last_intervention(&window.application());
        let lock_raise = self.raises.locked();
        let gone = &self.gone;
        let Some(known) = self.sessions.get_mut(&session) else {
            return ObservationStanding::Dropped { refusal: Refusal::of(Code::SessionEnded) };
        };
        let Some(record) = known.record_mut(observation) else {
            return ObservationStanding::Dropped { refusal: Refusal::of(Code::StaleObservation) };
        };
        record.bound = Some(Bound { window: window.clone(), target });
        if let Some(why) = locked {
            record.state = RecordState::Dropped;
            return ObservationStanding::Dropped { refusal: why.refusal(now) };
        }
        if record.began_at_generation < lock_raise {
            record.state = RecordState::Dropped;
            return ObservationStanding::Dropped { refusal: Refusal::of(Code::ScreenLocked) };
        }
        let since = gone.since(record.began_at_generation, &window);
        if since == Since::Gone {
            record.state = RecordState::TargetGone;
            return ObservationStanding::Dropped { refusal: Refusal::of(Code::TargetMissing) };
        }
        let is_undisturbed = generation <= record.began_at_generation && last_intervention <= record.began;
        record.state = RecordState::NotActionable;
        known.last_activity = now;
        if is_undisturbed && since == Since::Alive && known.make_live(observation, &window, now) {
            ObservationStanding::Live
        } else {
            ObservationStanding::NotActionable
        }
    }
}
