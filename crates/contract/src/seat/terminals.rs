use super::{Seat, sessions::RecordState};
use crate::{
    Code, EndReason, FenceScope, Moment, Notice, Principal, Response, Resume, SessionId,
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
                let lifted = self.change_lock(now, out, |lock| lock.lift(&voter));
                lifted.then_some(Notice::VoteTakenOver { voter })
            }
        };
        out.push(Response::Tell(lifted.unwrap_or(Notice::Ignored)));
    }

    pub(super) fn blocked_url(&mut self, now: Moment, session: SessionId, out: &mut Vec<Response>) {
        let open = self.sessions.get(&session).map(|known| &known.principal);
        let Some(principal) = open.or_else(|| self.ended.principal(session)).cloned() else {
            out.push(Response::Tell(Notice::Ignored));
            return;
        };
        if self.sessions.contains_key(&session) {
            self.end_session(now, session, EndReason::BlockedUrl, out);
        }
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
        let Some(known) = self.sessions.remove(&session) else { return };
        self.ended.add(session, reason, known.principal);
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
        let observations = known.withdraw_all(RecordState::Stale);
        out.push(Response::ClearSession { session, acknowledge_by: now.plus_ms(ACKNOWLEDGEMENT_MS) });
        out.push(Response::Tell(Notice::SessionCleared { session, observations }));
    }

    pub(super) fn display_lost(&mut self, now: Moment, out: &mut Vec<Response>) {
        self.refuse_seat(now, out);
        out.push(Response::CancelCalls { scope: FenceScope::Seat, code: Code::DesktopUnavailable });
        self.drop_every_observation(out);
    }

    pub(super) fn drop_every_observation(&mut self, out: &mut Vec<Response>) {
        for (session, known) in &mut self.sessions {
            if known.withdraw_all(RecordState::Dropped) > 0 {
                out.push(Response::Tell(Notice::NeedsObservation { session: *session }));
            }
        }
    }
}
