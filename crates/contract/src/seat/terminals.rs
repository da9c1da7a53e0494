use super::{Seat, sessions::RecordState};
use crate::{
    Code, EndReason, EventKind, FenceScope, GoneTarget, Moment, Notice, Principal, Response, Resume, SessionId,
    bounds::{ACKNOWLEDGEMENT_MS, BLOCKED_PRINCIPALS},
};

impl Seat {
    pub(super) fn stop(&mut self, now: Moment, out: &mut Vec<Response>) {
        self.refuse_seat(now, out);
        let newly = !std::mem::replace(&mut self.halted, true);
        out.push(Response::CancelCalls { scope: FenceScope::Seat, code: Code::Halted });
        let sessions: Vec<SessionId> = self.sessions.keys().copied().collect();
        for session in sessions {
            self.forget_session(now, session, EndReason::UserStopped, out);
        }
        if newly {
            out.push(Response::Tell(Notice::Halted));
        }
    }

    pub(super) fn resume(&mut self, now: Moment, resume: Resume, out: &mut Vec<Response>) {
        let lifted = match resume {
            Resume::Seat => std::mem::replace(&mut self.halted, false).then_some(Notice::Resumed),
            Resume::Principal { principal } => {
                let everyone = std::mem::replace(&mut self.everyone_blocked, false);
                let one = self.blocked.remove(&principal);
                (everyone || one).then_some(Notice::PrincipalResumed { principal })
            }
            Resume::Vote { voter } => {
                let mut lifted = false;
                self.change_lock(now, out, |lock| lifted = lock.lift(&voter));
                lifted.then_some(Notice::VoteTakenOver { voter })
            }
        };
        out.push(Response::Tell(lifted.unwrap_or(Notice::Ignored)));
    }

    pub(super) fn blocked_url(&mut self, now: Moment, session: SessionId, out: &mut Vec<Response>) {
        let Some(principal) = self.sessions.get(&session).map(|known| known.principal.clone()) else {
            out.push(Response::Tell(Notice::Ignored));
            return;
        };
        self.end_session(now, session, EndReason::BlockedUrl, out);
        self.block(principal, out);
    }

    fn block(&mut self, principal: Principal, out: &mut Vec<Response>) {
        if self.blocked.len() >= BLOCKED_PRINCIPALS && !self.blocked.contains(&principal) {
            self.everyone_blocked = true;
        } else {
            self.blocked.insert(principal.clone());
        }
        out.push(Response::Tell(Notice::PrincipalBlocked { principal }));
    }

    pub(super) fn end_session(&mut self, now: Moment, session: SessionId, reason: EndReason, out: &mut Vec<Response>) {
        if !self.sessions.contains_key(&session) {
            out.push(Response::Tell(Notice::Ignored));
            return;
        }
        self.fence(now, FenceScope::Session(session), out);
        out.push(Response::CancelCalls { scope: FenceScope::Session(session), code: reason.code() });
        self.forget_session(now, session, reason, out);
    }

    fn forget_session(&mut self, now: Moment, session: SessionId, reason: EndReason, out: &mut Vec<Response>) {
        if self.sessions.remove(&session).is_none() {
            return;
        }
        self.ended.add(session, reason);
        out.push(Response::ClearSession { session, acknowledge_by: now.plus_ms(ACKNOWLEDGEMENT_MS) });
        out.push(Response::Tell(Notice::SessionEnded { session, reason }));
    }

    pub(super) fn turn_ended(&mut self, now: Moment, session: SessionId, out: &mut Vec<Response>) {
        if !self.sessions.contains_key(&session) {
            out.push(Response::Tell(Notice::Ignored));
            return;
        }
        self.fence(now, FenceScope::Session(session), out);
        out.push(Response::CancelCalls { scope: FenceScope::Session(session), code: Code::Aborted });
        self.give_up(now, session, out);
    }

    pub(super) fn session_idle(&mut self, now: Moment, session: SessionId, out: &mut Vec<Response>) {
        if self.idle_at(session).is_some_and(|idle_at| idle_at <= now) {
            self.give_up(now, session, out);
        } else {
            out.push(Response::Tell(Notice::Ignored));
        }
    }

    /// When the session counts as idle, if it holds anything.
    pub(super) fn idle_at(&self, session: SessionId) -> Option<Moment> {
        let known = self.sessions.get(&session)?;
        known.is_idle_with_something_held().then(|| known.last_activity.plus_ms(self.configuration.idle_ms))
    }

    fn give_up(&mut self, now: Moment, session: SessionId, out: &mut Vec<Response>) {
        let Some(known) = self.sessions.get_mut(&session) else { return };
        known.raise = self.raises.next();
        let observations = known.withdraw(RecordState::Stale, |_| true);
        out.push(Response::ClearSession { session, acknowledge_by: now.plus_ms(ACKNOWLEDGEMENT_MS) });
        out.push(Response::Tell(Notice::SessionCleared { session, observations }));
    }

    pub(super) fn target_gone(&mut self, now: Moment, target: &GoneTarget, out: &mut Vec<Response>) {
        let application = match target {
            GoneTarget::Process(application) => application.clone(),
            GoneTarget::Window(window) => window.application(),
        };
        if self.sessions.values().any(|known| known.works_in(&application)) {
            self.fence(now, FenceScope::Application(application.clone()), out);
        }
        let mut observations = 0;
        for known in self.sessions.values_mut() {
            observations += known.withdraw(RecordState::TargetGone, |record| {
                record.bound.as_ref().is_some_and(|bound| match target {
                    GoneTarget::Process(process) => bound.window.application() == *process,
                    GoneTarget::Window(window) => bound.window == *window,
                })
            });
        }
        out.push(Response::Tell(Notice::TargetGone { observations }));
    }

    pub(super) fn display_lost(&mut self, now: Moment, out: &mut Vec<Response>) {
        self.refuse_seat(now, out);
        out.push(Response::CancelCalls { scope: FenceScope::Seat, code: Code::DesktopUnavailable });
        self.drop_every_observation(out);
    }

    pub(super) fn drop_every_observation(&mut self, out: &mut Vec<Response>) {
        for (session, known) in &mut self.sessions {
            if known.withdraw(RecordState::Dropped, |_| true) > 0 {
                out.push(Response::Tell(Notice::NeedsObservation { session: *session }));
            }
        }
    }

    /// The next moment at which [`Seat::due`] has something, if nothing else happens.
    pub fn next_deadline(&self) -> Option<Moment> {
        let everywhere = self.input.everywhere;
        let interventions = self.applications.values().map(|known| known.intervention).chain([everywhere]);
        let quiet = interventions.filter(|known| known.unannounced).map(|known| known.until).min();
        let idle = self.sessions.keys().filter_map(|session| self.idle_at(*session)).min();
        [quiet, idle, self.lock.request_ends()].into_iter().flatten().min()
    }

    /// A deadline that has passed, as an event of the clock. Call until there is none.
    pub fn due(&self, now: Moment) -> Option<crate::Event> {
        let now = self.latest.max(now);
        let kind = self.quiet_due(now).or_else(|| self.lapse_due(now)).or_else(|| self.idle_due(now))?;
        Some(crate::Event::new(crate::Source::Clock, kind))
    }

    fn quiet_due(&self, now: Moment) -> Option<EventKind> {
        let is_due = |known: &super::Intervention| known.unannounced && known.until <= now;
        if is_due(&self.input.everywhere) {
            return Some(EventKind::InterventionQuiet { scope: None });
        }
        let (application, _) = self.applications.iter().find(|(_, known)| is_due(&known.intervention))?;
        Some(EventKind::InterventionQuiet { scope: Some(application.clone()) })
    }

    fn lapse_due(&self, now: Moment) -> Option<EventKind> {
        self.lock.request_ends().filter(|until| *until <= now)?;
        Some(EventKind::LockVote { statement: crate::LockStatement::RequestLapsed })
    }

    fn idle_due(&self, now: Moment) -> Option<EventKind> {
        let is_due = |session: &SessionId| self.idle_at(*session).is_some_and(|idle_at| idle_at <= now);
        self.sessions.keys().copied().find(is_due).map(|session| EventKind::SessionIdle { session })
    }
}
