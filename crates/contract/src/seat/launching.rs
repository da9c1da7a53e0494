use super::Seat;
use crate::{
    ActionFingerprint, Code, FenceEpoch, Generation, LaunchCallId, LaunchClaim, LaunchStanding, Moment, Refusal,
    SessionId, Verdict,
    bounds::{HELD_WAIT_MS, LAUNCH_CALLS_PER_SESSION},
};
use std::collections::BTreeMap;

/// The call ids of one session.
#[derive(Debug, Default)]
pub(super) struct Launches {
    calls: BTreeMap<LaunchCallId, Launch>,
    under_way: usize,
}

impl Launches {
    pub(super) const fn under_way(&self) -> usize {
        self.under_way
    }

    /// False at the bound: forgetting a call id could start its application twice.
    fn begin(&mut self, call: LaunchCallId, fingerprint: ActionFingerprint) -> bool {
        if self.calls.len() >= LAUNCH_CALLS_PER_SESSION {
            return false;
        }
        self.calls.insert(call, Launch { fingerprint, answer: None });
        self.under_way += 1;
        true
    }

    fn end(&mut self, call: &LaunchCallId, verdict: Verdict) {
        let Some(launch) = self.calls.get_mut(call) else { return };
        self.under_way -= 1;
        if verdict.may_have_reached_the_application() {
            launch.answer = Some(verdict);
        } else {
            self.calls.remove(call);
        }
    }
}

/// One call id of a client, and what was asked under it.
#[derive(Debug)]
struct Launch {
    fingerprint: ActionFingerprint,
    answer: Option<Verdict>,
}

impl Launch {
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
        if let Some(first) = self.sessions.get(&session).and_then(|known| known.launches.calls.get(&call)) {
            return first.repeated(fingerprint);
        }
        self.launch_allowed(now, session)?;
        let generation = self.launch_generation(session);
        let executor_generation = self.running.ok_or(Refusal::of(Code::ServiceUnavailable))?;
        let known = self.sessions.get_mut(&session).ok_or(Refusal::of(Code::SessionEnded))?;
        known.last_activity = now;
        if !known.launches.begin(call.clone(), fingerprint) {
            return Err(Refusal::of(Code::LimitReached));
        }
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
        known.launches.end(&claim.call, verdict);
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
