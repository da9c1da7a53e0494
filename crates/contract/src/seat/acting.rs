use super::{
    Seat,
    sessions::{OpenClaim, RecordState},
};
use crate::{
    ActionFingerprint, Claim, ClaimEnding, Code, FenceEpoch, Generation, Lease, Moment, ObservationId, Refusal, Route,
    SessionId, Status, WindowKey, bounds::HELD_WAIT_MS,
};

impl Seat {
    /// Leave to act on an observation.
    pub fn lease(
        &mut self,
        now: Moment,
        session: SessionId,
        observation: ObservationId,
        route: Route,
    ) -> Result<Lease, Refusal> {
        let now = self.advance(now);
        let lease = self.may_act(now, session, observation, route)?;
        if let Some(known) = self.sessions.get_mut(&session) {
            known.last_activity = now;
        }
        Ok(lease)
    }

    /// The same answer without counting as the session's activity.
    pub fn may_act(
        &self,
        now: Moment,
        session: SessionId,
        observation: ObservationId,
        route: Route,
    ) -> Result<Lease, Refusal> {
        let now = self.latest.max(now);
        self.may_look(now, session)?;
        let known = self.sessions.get(&session).ok_or(Refusal::of(Code::SessionEnded))?;
        let record = known.record(observation);
        let Some((record, bound)) = record.and_then(|record| Some((record, record.bound.as_ref()?))) else {
            let code = if known.has_observed_anything() { Code::StaleObservation } else { Code::Unobserved };
            return Err(Refusal::of(code));
        };
        let lease = Lease {
            session,
            window: bound.window.clone(),
            generation: self.generation(session, &bound.window),
            executor_generation: record.executor_generation,
            observation,
            route,
        };
        self.check(now, &lease).map(|_| lease)
    }

    /// Whether the lease still holds: before presentation, and at the moment the dispatch leaves. What leaves
    /// carries the epoch, and the executor's fence compares it before each write.
    pub fn check(&self, now: Moment, lease: &Lease) -> Result<FenceEpoch, Refusal> {
        let now = self.latest.max(now);
        self.facts_allow(now, lease.session, &lease.window, lease.route)?;
        let record = self
            .sessions
            .get(&lease.session)
            .and_then(|known| known.record(lease.observation))
            .ok_or(Refusal::of(Code::StaleObservation))?;
        if let Some(code) = record.state.code() {
            return Err(Refusal::of(code));
        }
        let generation = self.generation(lease.session, &lease.window);
        if generation != lease.generation || generation > record.began_at_generation {
            return Err(Refusal::of(Code::NeedsObservation));
        }
        if self.running != Some(record.executor_generation) {
            return Err(Refusal::of(Code::ServiceUnavailable));
        }
        if self.is_expired(now, record.began) {
            return Err(Refusal::of(Code::StaleObservation));
        }
        Ok(self.fences.newest())
    }

    /// Whether a result that came back may be shown as what it says. Only what refuses counts: an observation that
    /// was spent, replaced or outlived its target meanwhile does not.
    pub fn check_returned(&self, now: Moment, lease: &Lease) -> Result<(), Refusal> {
        let now = self.latest.max(now);
        match self.facts_allow(now, lease.session, &lease.window, Route::Semantic) {
            Err(Refusal { code: Code::Held, .. }) | Ok(()) => {}
            Err(refusal) => return Err(refusal),
        }
        if self.generation(lease.session, &lease.window) > lease.generation {
            return Err(Refusal::of(Code::NeedsObservation));
        }
        Ok(())
    }

    /// Claims the lease's observation for one action, inside the lane and before anything is sent.
    pub fn claim(&mut self, now: Moment, lease: &Lease, fingerprint: ActionFingerprint) -> Result<Claim, Refusal> {
        let now = self.advance(now);
        self.check(now, lease)?;
        let id = self.newest_claim.next();
        let known = self.sessions.get_mut(&lease.session).ok_or(Refusal::of(Code::SessionEnded))?;
        known.last_activity = now;
        known.claim(lease.observation, OpenClaim { id, fingerprint }).map_err(Refusal::of)?;
        self.newest_claim = id;
        Ok(Claim {
            id,
            session: lease.session,
            observation: lease.observation,
            application: lease.window.application(),
        })
    }

    /// Ends a claim. What was or may have been sent makes every other session look at the application again.
    pub fn settle(&mut self, now: Moment, claim: Claim, ending: ClaimEnding) {
        let now = self.advance(now);
        let Claim { id, session, observation, application } = claim;
        if ending == ClaimEnding::Consumed {
            self.raise_application(&application, Some(session));
        }
        if let Some(known) = self.sessions.get_mut(&session) {
            known.last_activity = now;
            known.settle(observation, id, ending);
        }
    }

    /// What holds for this session at this window: the first fact that applies.
    pub fn status(&self, now: Moment, session: SessionId, window: &WindowKey) -> Status {
        let now = self.latest.max(now);
        if self.halted {
            return Status::Halted;
        }
        let Some(known) = self.sessions.get(&session) else {
            return Status::Ended { reason: self.ended.reason(session) };
        };
        if let Some(why) = self.lock.why(now) {
            return Status::Locked { why };
        }
        if let Some(until) = self.intervention_at(now, &window.application()) {
            return Status::Intervention { until };
        }
        if !self.input.holds.is_empty() {
            return Status::Held;
        }
        let Some(slot) = known.observed(window) else { return Status::Unobserved };
        let live = slot.live.and_then(|live| known.record(live));
        let is_ready = live.is_some_and(|record| {
            record.state == RecordState::Live
                && self.generation(session, window) <= record.began_at_generation
                && !self.is_expired(now, record.began)
        });
        if is_ready { Status::Ready } else { Status::NeedsObservation }
    }

    /// The generation of a session at a window: the newest raise that applies to the pair.
    pub fn generation(&self, session: SessionId, window: &WindowKey) -> Generation {
        let of_session = self.sessions.get(&session).map(|known| known.raise_at(window)).unwrap_or_default();
        let of_application = self.application_raise(&window.application(), session);
        self.raises.seat().max(of_session).max(of_application)
    }

    /// The facts in the order of the derived status, without what concerns one observation.
    fn facts_allow(&self, now: Moment, session: SessionId, window: &WindowKey, route: Route) -> Result<(), Refusal> {
        self.may_look(now, session)?;
        let intervention = match route {
            Route::Semantic => self.intervention_at(now, &window.application()),
            Route::PointerOrKeyboard => Some(self.input.anywhere_until).filter(|until| now < *until),
        };
        if let Some(until) = intervention {
            return Err(Refusal::until(Code::UserIntervened, now, until));
        }
        if !self.input.holds.is_empty() {
            return Err(Refusal { code: Code::Held, wait_ms: Some(HELD_WAIT_MS) });
        }
        if route == Route::PointerOrKeyboard && !self.sees_input() {
            return Err(Refusal::of(Code::CapabilityMissing));
        }
        Ok(())
    }

    pub(super) fn is_expired(&self, now: Moment, began: Moment) -> bool {
        began.plus_ms(self.configuration.observation_ttl_ms) <= now
    }
}
