//! The seat's answers beside the history's.

use super::*;

impl World {
    /// Every answer of the seat is the one that the history gives.
    pub(crate) fn verify(&mut self) -> Result<(), TestCaseError> {
        prop_assert_eq!(self.seat.is_halted(), self.history.is_halted());
        prop_assert_eq!(self.seat.is_held(), self.history.is_held());
        prop_assert_eq!(self.seat.locked(self.now).is_some(), self.history.is_locked(self.now));
        prop_assert_eq!(self.seat.executor().is_some(), self.executor.is_some());
        for session in self.sessions.clone() {
            prop_assert_eq!(self.seat.ended(session), self.history.ended(session));
            let looking = self.seat.may_look(self.now, session).map_err(|refusal| refusal.code);
            prop_assert_eq!(looking, self.history.may_look(session, self.now));
            self.verify_looks(session)?;
            self.verify_status(session)?;
        }
        self.verify_opening()
    }

    /// Of another session's looks the newest stands for all: none is this session's.
    pub(super) fn verify_looks(&self, session: SessionId) -> Result<(), TestCaseError> {
        let foreign = self.history.looks().filter(|look| look.session != session).last();
        let own = self.history.looks().filter(|look| look.session == session);
        for look in own.chain(foreign) {
            for (route, pointer) in [(Route::Semantic, false), (Route::PointerOrKeyboard, true)] {
                let expected = self.expected(session, look.id, pointer);
                let actual = self.seat.may_act(self.now, session, look.id, route);
                let actual = actual.map(|_| ()).map_err(|refusal| refusal.code);
                prop_assert_eq!(actual, expected, "{:?} by {:?} on {:?}", route, session, look);
            }
        }
        Ok(())
    }

    pub(super) fn verify_status(&self, session: SessionId) -> Result<(), TestCaseError> {
        for window in &self.windows {
            let status = self.seat.status(self.now, session, self.key(*window));
            let looks =
                || self.history.looks().filter(|look| look.session == session && look.window() == Some(*window));
            let is_usable = looks().any(|look| self.expected(session, look.id, false).is_ok());
            let was_live = looks().any(|look| matches!(look.ended, Some(Ended::Live(_))));
            let expected = match self.history.may_look(session, self.now) {
                Err(Code::Halted) => "halted",
                Err(_) if self.history.ended(session).is_some() => "ended",
                Err(_) => "locked",
                Ok(()) if self.history.intervention(*window, self.now).is_some() => "intervention",
                Ok(()) if self.history.is_held() => "held",
                Ok(()) if !was_live => "unobserved",
                Ok(()) if is_usable => "ready",
                Ok(()) => "needs_observation",
            };
            prop_assert_eq!(status.name(), expected, "{:?} at {}", session, window);
        }
        Ok(())
    }

    pub(crate) fn verify_opening(&mut self) -> Result<(), TestCaseError> {
        for principal in 0..PRINCIPALS.len() {
            let is_refused = self.history.is_halted() || self.history.is_blocked(principal);
            let spent = self.sessions[0];
            if self.history.ended(spent).is_some() || is_refused {
                let opened = self.seat.open_session(self.now, spent, named(principal));
                prop_assert!(opened.is_err(), "{:?} was opened twice or for a blocked principal", spent);
            }
        }
        Ok(())
    }

    pub(super) fn expected(&self, session: SessionId, look: ObservationId, pointer: bool) -> Result<(), Code> {
        self.history.may_act(session, look, pointer, &self.configuration, self.now)
    }
}
