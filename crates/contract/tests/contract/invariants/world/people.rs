//! Sessions, people and the clock.

use super::*;

impl World {
    pub(super) fn open(&mut self, principal: usize) {
        let open = self.sessions.iter().filter(|session| self.history.ended(**session).is_none());
        if open.count() >= SESSIONS {
            return;
        }
        let session = SessionId::new(self.next_id());
        let opened = self.seat.open_session(self.now, session, named(principal));
        let is_refused = self.history.is_halted() || self.history.is_blocked(principal);
        assert_eq!(opened.is_err(), is_refused);
        if opened.is_ok() {
            self.history.add(self.now, Happening::Opened { session, principal });
            self.sessions.push(session);
        }
    }

    pub(super) fn end_session(&mut self, n: u8) {
        let session = self.session(n);
        let event = self.client().session_ended(session);
        self.end(session, EndReason::Closed, event);
    }

    pub(super) fn end(&mut self, session: SessionId, reason: EndReason, event: Event) {
        if self.history.ended(session).is_some() {
            self.step(event);
            return;
        }
        self.refusing(Scope::Session(session), Happening::Ended { session, reason }, event);
        assert!(self.cleared.contains(&session));
    }

    pub(super) fn end_turn(&mut self, n: u8) {
        let session = self.session(n);
        let event = self.client().turn_ended(session);
        if self.history.ended(session).is_some() {
            self.step(event);
            return;
        }
        self.refusing(Scope::Session(session), Happening::GaveUp { session }, event);
        self.history.befall(Code::StaleObservation, |look| look.session == session);
        assert!(self.cleared.contains(&session));
    }

    pub(super) fn stop(&mut self) {
        let open: Vec<_> = self.sessions.iter().copied().filter(|s| self.history.ended(*s).is_none()).collect();
        let event = self.client().stop();
        self.refusing(Scope::Seat, Happening::Halted, event);
        for session in open {
            self.history.add(self.now, Happening::Ended { session, reason: EndReason::UserStopped });
            assert!(self.cleared.contains(&session));
        }
    }

    pub(super) fn resume(&mut self, resume: Resume, happening: Happening) {
        let press = self.say.input_devices.press(4, device(), 9);
        let event = self.say.person_controls.resume(press, resume);
        self.history.add(self.now, happening);
        self.step(event);
    }

    pub(super) fn lift_vote(&mut self, voter: usize) {
        let press = self.say.input_devices.press(4, device(), 9);
        let event = self.say.person_controls.resume(press, Resume::Vote { voter: a_voter(voter) });
        self.lock_step(Happening::Lifted { voter }, event);
    }

    pub(super) fn block_url(&mut self, n: u8) {
        let session = self.session(n);
        let Some(call) = self.call() else { return };
        let event = call.blocked_url(session);
        self.end(session, EndReason::BlockedUrl, event);
        let principal = self.history.principal(session).expect("it was opened");
        self.history.add(self.now, Happening::Blocked { principal });
    }

    pub(super) fn deny(&mut self, principal: usize) {
        let application = ApplicationIdentity::Executable { path: "/usr/bin/editor".into() };
        let event = self.client().deny(named(principal), application);
        self.history.add(self.now, Happening::Denied { principal });
        let fences = epochs(&self.step(event));
        let of_principal = |session: &&SessionId| {
            self.history.principal(**session) == Some(principal) && self.history.ended(**session).is_none()
        };
        let sessions: Vec<_> = self.sessions.iter().filter(of_principal).copied().collect();
        for session in sessions {
            self.history.refuse(self.tick, Scope::Session(session), fences.clone());
        }
    }

    pub(super) fn let_clock_speak(&mut self) {
        while let Some(event) = self.seat.due(self.now) {
            if let EventKind::SessionIdle { session } = *event.kind() {
                self.history.add(self.now, Happening::GaveUp { session });
                self.history.befall(Code::StaleObservation, |look| look.session == session);
            }
            self.step(event);
        }
    }
}
