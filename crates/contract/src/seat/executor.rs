use super::{Seat, speaking};
use crate::{
    Code, DispatchOutcome, ExecutorGeneration, FenceScope, Moment, Notice, ObservationStanding, Refusal, Response,
    SessionId, Source, WindowKey, YieldScope, bounds::EXECUTOR_QUIET_MS_AT_MOST,
};

impl Seat {
    pub(super) fn executor_started(&mut self, now: Moment, generation: ExecutorGeneration, out: &mut Vec<Response>) {
        if generation <= self.newest_executor {
            out.push(Response::Tell(Notice::Ignored));
            return;
        }
        if let Some(earlier) = self.running {
            self.executor_released(now, earlier, out);
        }
        self.newest_executor = generation;
        self.running = Some(generation);
        out.push(Response::Tell(Notice::ExecutorStarted { generation }));
    }

    pub(super) fn executor_released(&mut self, now: Moment, generation: ExecutorGeneration, out: &mut Vec<Response>) {
        if self.running != Some(generation) {
            out.push(Response::Tell(Notice::Ignored));
            return;
        }
        self.running = None;
        self.accept_every_fence(out);
        self.raises.raise_seat();
        out.push(Response::CancelCalls { scope: FenceScope::Seat, code: Code::ServiceUnavailable });
        self.settle_looks(out);
        self.drop_every_observation(out);
        self.change_lock(now, out, |lock| {
            lock.executor_gone(generation);
        });
        out.push(Response::Tell(Notice::ExecutorReleased { generation }));
    }

    /// The looks that the executor was asked for end with it.
    fn settle_looks(&mut self, out: &mut Vec<Response>) {
        let refusal = Refusal::of(Code::ServiceUnavailable);
        for (session, known) in &mut self.sessions {
            for observation in known.drop_looks() {
                let standing = ObservationStanding::Dropped { refusal };
                out.push(Response::Observation { session: *session, observation, standing });
            }
        }
    }

    pub(super) fn dispatch_outcome(
        &mut self,
        now: Moment,
        source: &Source,
        session: SessionId,
        window: WindowKey,
        outcome: DispatchOutcome,
        out: &mut Vec<Response>,
    ) {
        let Some(generation) = speaking(source).filter(|generation| Some(*generation) == self.running) else {
            self.look_again(session, &window, out);
            return;
        };
        match outcome.verdict.code {
            Some(Code::UserIntervened) => self.executor_saw_a_person(now, &window, outcome.quiet_in_ms, out),
            Some(Code::ScreenLocked) => self.executor_finds_lock(now, generation, out),
            Some(Code::BlockedUrl) => self.blocked_url(now, session, out),
            Some(Code::OutcomeUnknown | Code::ServiceUnavailable | Code::ServiceMismatch) => {
                self.look_again(session, &window, out);
            }
            _ => {}
        }
    }

    /// With the executor's own deadline it is an intervention; without one, only what was seen is untrusted.
    fn executor_saw_a_person(
        &mut self,
        now: Moment,
        window: &WindowKey,
        quiet_in_ms: Option<u64>,
        out: &mut Vec<Response>,
    ) {
        let application = window.application();
        let scope = (self.configuration.yield_scope == YieldScope::Target).then_some(application);
        match (quiet_in_ms, scope) {
            (Some(ms), scope) => {
                self.intervene_until(now, now.plus_ms(ms.min(EXECUTOR_QUIET_MS_AT_MOST)), scope, out);
            }
            (None, Some(application)) => self.refuse_application(now, &application, out),
            (None, None) => self.refuse_seat(now, out),
        }
    }

    fn look_again(&mut self, session: SessionId, window: &WindowKey, out: &mut Vec<Response>) {
        if let Some(known) = self.sessions.get_mut(&session) {
            known.raise_window(window, &mut self.raises);
            out.push(Response::Tell(Notice::NeedsObservation { session }));
        }
    }
}
