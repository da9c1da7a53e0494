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
        let Some(record) = self.sessions.get(&session).and_then(|known| known.record(observation)) else {
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
        if let Some(known) = self.sessions.get_mut(&session) {
            known.drop_look(observation, None, RecordState::Dropped);
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
        let stale = ObservationStanding::Dropped { refusal: Refusal::of(Code::StaleObservation) };
        let window = WindowKey::of(&target);
        let Some(record) = self.sessions.get(&session).and_then(|known| known.record(observation)) else {
            return stale;
        };
        let dropped = self.why_dropped(now, record, &window);
        let is_trusted = self.is_trusted(session, record, &window);
        let Some(known) = self.sessions.get_mut(&session) else { return stale };
        known.last_activity = now;
        let bound = Bound { window, target };
        if let Some((state, refusal)) = dropped {
            known.drop_look(observation, Some(bound), state);
            return ObservationStanding::Dropped { refusal };
        }
        known.bind(observation, bound, now);
        match is_trusted && known.make_live(observation) {
            true => ObservationStanding::Live,
            false => ObservationStanding::NotActionable,
        }
    }

    /// Why what was read must not even be shown.
    fn why_dropped(&self, now: Moment, record: &Record, window: &WindowKey) -> Option<(RecordState, Refusal)> {
        if let Some(why) = self.lock.why(now) {
            Some((RecordState::Dropped, why.refusal(now)))
        } else if record.began_at_generation < self.raises.locked() {
            Some((RecordState::Dropped, Refusal::of(Code::ScreenLocked)))
        } else if self.gone.since(record.began_at_generation, window) == Since::Gone {
            Some((RecordState::TargetGone, Refusal::of(Code::TargetMissing)))
        } else {
            None
        }
    }

    /// Whether nothing that refuses happened to the window since the look began, or was in force then.
    fn is_trusted(&self, session: SessionId, record: &Record, window: &WindowKey) -> bool {
        self.generation(session, window) <= record.began_at_generation
            && self.last_intervention(&window.application()) <= record.began
            && self.gone.since(record.began_at_generation, window) == Since::Alive
    }
}
