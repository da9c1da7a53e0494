//! Looks and actions.

use super::*;

impl World {
    pub(super) fn begin_look(&mut self, n: u8) {
        let session = self.session(n);
        let start = self.seat.may_observe(self.now, session);
        assert_eq!(start.as_ref().err().map(|refusal| refusal.code), self.history.may_look(session, self.now).err());
        let (Ok(start), Some(call)) = (start, self.call()) else { return };
        let observation = ObservationId::new(self.next_id());
        self.history.begin_look(self.now, session, observation);
        let event = call.observation_began(start, observation);
        assert_eq!(self.step(event), []);
        self.looking.push((observation, session, call));
    }

    pub(super) fn end_look(&mut self, n: u8, window: u8) {
        let Some(index) = chosen(n, self.looking.len()) else { return };
        let window = self.windows[usize::from(window) % WINDOWS];
        let (observation, session, call) = self.looking.swap_remove(index);
        let event = call.observation_read(session, observation, self.target(window));
        if self.history.may_look(session, self.now).is_err() && !self.history.is_locked(self.now) {
            self.step(event);
            return;
        }
        if self.history.is_halted() || self.history.ended(session).is_some() {
            self.step(event);
            return;
        }
        let expected = self.history.judge(observation, window, self.now);
        let responses = self.step(event);
        let actual = crate::desktop::standing(&responses, observation);
        let matches = match (expected, actual) {
            (Ended::Live(_), ObservationStanding::Live) => true,
            (Ended::NotActionable(_), ObservationStanding::NotActionable) => true,
            (Ended::Dropped(_, code), ObservationStanding::Dropped { refusal }) => code == refusal.code,
            _ => false,
        };
        assert!(matches, "expected {expected:?} and got {actual:?}");
        self.history.end_look(observation, expected);
    }

    pub(super) fn fail_look(&mut self, n: u8) {
        let Some(index) = chosen(n, self.looking.len()) else { return };
        let (observation, session, call) = self.looking.swap_remove(index);
        let event = call.observation_failed(session, observation, Code::Unresponsive);
        self.step(event);
        self.history.end_look(observation, Ended::Failed);
    }

    pub(super) fn lease(&mut self, session: u8, look: u8, pointer: bool) {
        let session = self.session(session);
        let known: Vec<_> = self.history.looks().filter(|known| known.session == session).map(|look| look.id).collect();
        let Some(index) = chosen(look, known.len()) else { return };
        let route = if pointer { Route::PointerOrKeyboard } else { Route::Semantic };
        let lease = self.seat.lease(self.now, session, known[index], route);
        let expected = self.expected(session, known[index], pointer);
        assert_eq!(lease.as_ref().map(|_| ()).map_err(|refusal| refusal.code), expected);
        self.leases.extend(lease);
        if self.leases.len() > LEASES {
            self.leases.remove(0);
        }
    }

    pub(super) fn prepare(&mut self, n: u8, action: u8, pointer: bool) {
        let session = self.session(n);
        let live = |look: &&Look| look.session == session && matches!(look.ended, Some(Ended::Live(_)));
        let Some(newest) = self.history.looks().filter(live).last().map(|look| look.id) else { return };
        let looks = self.history.looks().filter(|look| look.session == session);
        let index = looks.take_while(|look| look.id != newest).count();
        self.lease(n, index as u8, pointer);
        let is_leased = self.leases.last().is_some_and(|lease| lease.observation == newest);
        if is_leased {
            self.claim((self.leases.len() - 1) as u8, action);
        }
    }

    pub(super) fn claim(&mut self, n: u8, action: u8) {
        let Some(index) = chosen(n, self.leases.len()) else { return };
        let lease = self.leases[index].clone();
        let look = self.history.look(lease.observation);
        let expected = self.expected(lease.session, lease.observation, lease.route == Route::PointerOrKeyboard);
        let expected = match expected {
            Ok(()) if look.has_open_claim => Err(Code::DuplicateAction),
            Ok(()) if look.retired.contains(&action) => Err(Code::AlreadyRefused),
            other => other,
        };
        let claim = self.seat.claim(self.now, &lease, fingerprint(action));
        assert_eq!(claim.as_ref().map(|_| ()).map_err(|refusal| refusal.code), expected);
        let Ok(claim) = claim else { return };
        self.history.look_mut(lease.observation).has_open_claim = true;
        let state = ActionState::Claimed;
        self.actions.push(Action { claim, lease, fingerprint: action, state, was_allowed_by_the_history: false });
    }

    /// The host checks the lease a last time, and hands the frame to the executor.
    pub(super) fn leave(&mut self, n: u8) {
        let Some(index) = self.action(n, |state| state == ActionState::Claimed) else { return };
        let Action { lease, .. } = &self.actions[index];
        if self.executor.is_none() {
            return;
        }
        let expected = self.expected(lease.session, lease.observation, lease.route == Route::PointerOrKeyboard);
        let checked = self.seat.check(self.now, lease);
        assert_eq!(checked.map(|_| ()).map_err(|refusal| refusal.code), expected);
        let Ok(epoch) = checked else { return };
        let action = &mut self.actions[index];
        action.state = ActionState::Left { at: self.tick, epoch };
        action.was_allowed_by_the_history = expected.is_ok();
    }

    /// The executor checks its fence, and writes.
    pub(super) fn write(&mut self, n: u8) {
        let Some(index) = self.action(n, |state| matches!(state, ActionState::Left { .. })) else { return };
        let ActionState::Left { at, epoch } = self.actions[index].state else { return };
        let Some(executor) = &self.executor else { return };
        let Lease { session, window, observation, .. } = self.actions[index].lease.clone();
        let application = window.application();
        let is_fenced = executor.up.iter().any(|(fence, scope)| {
            epoch < *fence
                && match scope {
                    FenceScope::Seat => true,
                    FenceScope::Application(of) => *of == application,
                    FenceScope::Session(of) => *of == session,
                }
        });
        if is_fenced {
            self.actions[index].state = ActionState::Fenced;
            self.fenced += 1;
            return;
        }
        let window = self.number_of(&window);
        let action = &mut self.actions[index];
        action.state = ActionState::Written;
        self.journal.push(Write {
            claim: action.claim.id(),
            session,
            observation,
            window,
            left: at,
            written: self.tick,
            was_allowed_by_the_history: action.was_allowed_by_the_history,
        });
    }

    pub(super) fn settle(&mut self, n: u8, retire: bool) {
        // A claim whose action never leaves is the exception.
        let is_meant = |state| match state {
            ActionState::Claimed => n.is_multiple_of(4),
            ActionState::Left { .. } => false,
            ActionState::Written | ActionState::Fenced | ActionState::Lost => true,
        };
        let Some(index) = self.action(n, is_meant) else { return };
        let action = self.actions.swap_remove(index);
        let ending = match action.state {
            ActionState::Written | ActionState::Lost => ClaimEnding::Consumed,
            _ if retire => ClaimEnding::Retired,
            _ => ClaimEnding::Released,
        };
        let Lease { session, window, observation, .. } = action.lease;
        self.seat.settle(self.now, action.claim, ending);
        let is_open = self.history.ended(session).is_none();
        let look = self.history.look_mut(observation);
        look.has_open_claim = false;
        match ending {
            ClaimEnding::Consumed => {
                look.fates.push(Code::DuplicateAction);
                let process = process_of(self.number_of(&window));
                self.history.add(self.now, Happening::Mutated { session, process });
            }
            ClaimEnding::Retired if is_open => look.retired.push(action.fingerprint),
            ClaimEnding::Retired | ClaimEnding::Released => {}
        }
    }

    pub(super) fn action(&self, n: u8, is_meant: impl Fn(ActionState) -> bool) -> Option<usize> {
        let meant: Vec<_> = (0..self.actions.len()).filter(|index| is_meant(self.actions[*index].state)).collect();
        chosen(n, meant.len()).map(|index| meant[index])
    }

    pub(crate) fn settle_everything(&mut self) {
        while self.executor.is_some() && self.actions.iter().any(|a| matches!(a.state, ActionState::Left { .. })) {
            (0..self.actions.len()).for_each(|index| self.write(index as u8));
        }
        for action in &mut self.actions {
            if matches!(action.state, ActionState::Left { .. }) {
                action.state = ActionState::Lost;
            }
        }
        while !self.actions.is_empty() {
            self.settle(0, false);
        }
    }

    pub(super) fn outcome(&mut self, session: u8, window: u8, code: u8, quiet: bool) {
        let session = self.session(session);
        let window = self.windows[usize::from(window) % WINDOWS];
        let Some(call) = self.call() else { return };
        let code = Code::ALL[usize::from(code) % Code::ALL.len()];
        let quiet_in_ms = quiet.then_some(400);
        let outcome = DispatchOutcome { verdict: Verdict { code: Some(code), ..Verdict::unknown() }, quiet_in_ms };
        let event = call.dispatch_outcome(session, self.keys[window].clone(), outcome);
        let process = process_of(window);
        let is_open = self.history.ended(session).is_none();
        match code {
            Code::UserIntervened if quiet => self.touch_until(Some(process), self.now.plus_ms(400), event),
            Code::UserIntervened => self.refusing(Scope::Process(process), Happening::Doubted { process }, event),
            Code::ScreenLocked => {
                let voter = 3 + self.generations;
                self.lock_step(Happening::Answered { voter, locked: true }, event);
            }
            Code::BlockedUrl => {
                self.end(session, EndReason::BlockedUrl, event);
                let principal = self.history.principal(session).expect("it was opened");
                self.history.add(self.now, Happening::Blocked { principal });
            }
            Code::OutcomeUnknown | Code::ServiceUnavailable | Code::ServiceMismatch if is_open => {
                self.history.add(self.now, Happening::LookAgain { session, window });
                self.step(event);
            }
            _ => {
                self.step(event);
            }
        }
    }

    pub(crate) fn look_once(&mut self, session: SessionId, window: Window) -> ObservationId {
        let start = self.seat.may_observe(self.now, session).expect("nothing refuses a look");
        let call = self.call().expect("an executor runs");
        let observation = ObservationId::new(self.next_id());
        self.step(call.observation_began(start, observation));
        self.step(call.observation_read(session, observation, self.target(window)));
        observation
    }
}
