use super::Seat;
use crate::{
    ActionFingerprint, Code, FenceEpoch, Generation, LaunchCallId, LaunchClaim, LaunchStanding, Moment, Refusal,
    SessionId, Verdict,
    bounds::{HELD_WAIT_MS, LAUNCH_CALLS_PER_SESSION},
};

/// One call id of a client, and what was asked under it.
#[derive(Debug)]
pub(super) struct Launch {
    fingerprint: ActionFingerprint,
    answer: Option<Verdict>,
}

impl Launch {
    pub(super) const fn is_under_way(&self) -> bool {
        self.answer.is_none()
    }

    fn repeated(&self, fingerprint: ActionFingerprint) -> Result<LaunchStanding, Refusal> {
        if self.fingerprint != fingerprint {
            return Err(Refusal::of(Code::InvalidArgument));
        }
        Ok(self.answer.clone().map_or(LaunchStanding::UnderWay, LaunchStanding::Answered))
    }
}

impl Seat {
    /// Claims a client's call id for `launch_app`, which has no observation to claim. A repeat starts nothing;
    /// another request under the same id is `invalid_argument`.
    pub fn claim_launch(
        &mut self,
        now: Moment,
        session: SessionId,
        call: LaunchCallId,
        fingerprint: ActionFingerprint,
    ) -> Result<LaunchStanding, Refusal> {
        let now = self.advance(now);
        self.may_look(now, session)?;
        if let Some(first) = self.sessions.get(&session).and_then(|known| known.launches.get(&call)) {
            return first.repeated(fingerprint);
        }
        self.launch_allowed(now, session)?;
        let generation = self.launch_generation(session);
        let executor_generation = self.running.ok_or(Refusal::of(Code::ServiceUnavailable))?;
        let known = self.sessions.get_mut(&session).ok_or(Refusal::of(Code::SessionEnded))?;
        known.last_activity = now;
        if known.launches.len() >= LAUNCH_CALLS_PER_SESSION {
            return Err(Refusal::of(Code::LimitReached));
        }
        known.launches.insert(call.clone(), Launch { fingerprint, answer: None });
        Ok(LaunchStanding::New(LaunchClaim { session, call, generation, executor_generation }))
    }

    /// Whether the launch may leave, and the epoch it carries.
    pub fn check_launch(&self, now: Moment, claim: &LaunchClaim) -> Result<FenceEpoch, Refusal> {
        let now = self.latest.max(now);
        self.launch_allowed(now, claim.session)?;
        if self.launch_generation(claim.session) != claim.generation {
            return Err(Refusal::of(Code::Aborted));
        }
        if self.running != Some(claim.executor_generation) {
            return Err(Refusal::of(Code::ServiceUnavailable));
        }
        Ok(self.fences.newest())
    }

    /// Ends a launch. One that was certainly not sent frees its call id; any other keeps it for ever.
    pub fn settle_launch(&mut self, now: Moment, claim: LaunchClaim, verdict: Verdict) {
        let now = self.advance(now);
        let Some(known) = self.sessions.get_mut(&claim.session) else { return };
        known.last_activity = now;
        if verdict.may_have_reached_the_application() {
            if let Some(launch) = known.launches.get_mut(&claim.call) {
                launch.answer = Some(verdict);
            }
        } else {
            known.launches.remove(&claim.call);
        }
    }

    fn launch_allowed(&self, now: Moment, session: SessionId) -> Result<(), Refusal> {
        self.may_look(now, session)?;
        let everywhere = self.input.everywhere.until;
        if now < everywhere {
            return Err(Refusal::until(Code::UserIntervened, now, everywhere));
        }
        if !self.input.holds.is_empty() {
            return Err(Refusal { code: Code::Held, wait_ms: Some(HELD_WAIT_MS) });
        }
        Ok(())
    }

    fn launch_generation(&self, session: SessionId) -> Generation {
        let of_session = self.sessions.get(&session).map(|known| known.raise).unwrap_or_default();
        self.raises.seat().max(of_session)
    }
}
