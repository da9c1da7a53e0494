//! A host, an executor and a desktop around the production seat, as simple as they can be.

use super::{
    history::{Ended, Happening, History, Look, Scope, Tick, Window, process_of},
    operation::Operation,
};
use crate::desktop::{bus_name, device, fingerprint, process};
use proptest::{prop_assert, prop_assert_eq, test_runner::TestCaseError};
use std::collections::BTreeMap;
use surehand_contract::{
    producer::{Executor, ExecutorCall, HeldInput, Producers},
    *,
};

const PRINCIPALS: [&str; 2] = ["first agent", "second agent"];
/// Windows that exist at once; a destroyed one makes place for a new one.
const WINDOWS: usize = 4;
const SESSIONS: usize = 4;
/// Leases that somebody may still use.
const LEASES: usize = 6;

pub(crate) struct World {
    pub(crate) seat: Seat,
    say: Producers,
    pub(crate) now: Moment,
    pub(crate) history: History,
    pub(crate) journal: Vec<Write>,
    /// How often the seat said that a look ended.
    pub(crate) looks_ended: BTreeMap<ObservationId, usize>,
    /// Sessions that the seat asked to clear with the last operation.
    pub(crate) cleared: Vec<SessionId>,
    fenced: usize,
    configuration: SeatConfiguration,
    tick: Tick,
    newest_id: u64,
    sessions: Vec<SessionId>,
    windows: Vec<Window>,
    keys: Vec<WindowKey>,
    looking: Vec<(ObservationId, SessionId, ExecutorCall)>,
    leases: Vec<Lease>,
    actions: Vec<Action>,
    held: Vec<(usize, HeldInput, Moment)>,
    holds: usize,
    executor: Option<RunningExecutor>,
    generations: usize,
}

/// What reached an application.
#[derive(Debug)]
pub(crate) struct Write {
    pub(crate) claim: ClaimId,
    pub(crate) session: SessionId,
    pub(crate) observation: ObservationId,
    pub(crate) window: Window,
    pub(crate) left: Tick,
    pub(crate) written: Tick,
    pub(crate) was_allowed_by_the_history: bool,
}

struct Action {
    claim: Claim,
    lease: Lease,
    fingerprint: u8,
    state: ActionState,
    was_allowed_by_the_history: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ActionState {
    Claimed,
    /// In the executor, under this permission.
    Left {
        at: Tick,
        epoch: FenceEpoch,
    },
    Written,
    Fenced,
    /// It was with an executor that is gone.
    Lost,
}

struct RunningExecutor {
    handle: Executor,
    /// Fences asked for, and those up, with what they close.
    asked: Vec<(FenceEpoch, FenceScope)>,
    up: Vec<(FenceEpoch, FenceScope)>,
    unacknowledged: Vec<FenceEpoch>,
}

impl World {
    pub(crate) fn new() -> Self {
        let configuration = SeatConfiguration { idle_ms: 30_000, ..SeatConfiguration::default() };
        let (seat, say) = Seat::new(configuration);
        let mut world = Self {
            seat,
            say,
            now: Moment(5_000),
            history: History::default(),
            journal: Vec::new(),
            looks_ended: BTreeMap::new(),
            cleared: Vec::new(),
            fenced: 0,
            configuration,
            tick: 0,
            newest_id: 0,
            sessions: Vec::new(),
            windows: Vec::new(),
            keys: Vec::new(),
            looking: Vec::new(),
            leases: Vec::new(),
            actions: Vec::new(),
            held: Vec::new(),
            holds: 0,
            executor: None,
            generations: 0,
        };
        (0..WINDOWS).for_each(|_| world.make_window());
        world.start_executor();
        world.input_claim(true);
        world.open(0);
        world.open(1);
        world
    }

    pub(crate) fn every_session(&self) -> Vec<SessionId> {
        self.sessions.clone()
    }

    pub(crate) fn key(&self, window: Window) -> &WindowKey {
        &self.keys[window]
    }

    pub(crate) fn a_living_window(&self) -> Window {
        self.windows[0]
    }

    pub(crate) fn perform(&mut self, operation: &Operation) {
        self.tick += 1;
        self.cleared.clear();
        match *operation {
            Operation::Open { principal } => self.open(usize::from(principal) % PRINCIPALS.len()),
            Operation::EndSession(n) => self.end_session(n),
            Operation::EndTurn(n) => self.end_turn(n),
            Operation::Stop => self.stop(),
            Operation::ResumeSeat => self.resume(Resume::Seat, Happening::Resumed),
            Operation::ResumePrincipal(n) => {
                let principal = usize::from(n) % PRINCIPALS.len();
                let resume = Resume::Principal { principal: named(principal) };
                self.resume(resume, Happening::Unblocked { principal });
            }
            Operation::BlockUrl(n) => self.block_url(n),
            Operation::Deny(n) => self.deny(usize::from(n) % PRINCIPALS.len()),
            Operation::StricterPolicy => {
                let event = self.client().stricter_policy();
                self.refusing(Scope::Seat, Happening::StricterPolicy, event);
            }
            Operation::StartExecutor => self.start_executor(),
            Operation::ReleaseExecutor => self.release_executor(),
            Operation::BeginLook(n) => self.begin_look(n),
            Operation::EndLook { look, window } => self.end_look(look, window),
            Operation::FailLook(n) => self.fail_look(n),
            Operation::Look { session, window } => {
                self.begin_look(session);
                let newest = self.looking.len().saturating_sub(1);
                self.end_look(newest as u8, window);
            }
            Operation::Prepare { session, action, pointer } => self.prepare(session, action % 3, pointer),
            Operation::CalmDown => {
                self.calm_down(1_500);
                self.open(0);
                self.open(1);
            }
            Operation::Lease { session, look, pointer } => self.lease(session, look, pointer),
            Operation::Claim { lease, action } => self.claim(lease, action % 3),
            Operation::Leave(n) => self.leave(n),
            Operation::Write(n) => self.write(n),
            Operation::Settle { claim, retire } => self.settle(claim, retire),
            Operation::Outcome { session, window, code, quiet } => self.outcome(session, window, code, quiet),
            Operation::RaiseFence(n) => self.raise_fence(n),
            Operation::AcknowledgeFence(n) => self.acknowledge_fence(n),
            Operation::Hold => self.hold(),
            Operation::Place { hold, window, scope } => self.place(hold, window, scope),
            Operation::Compositor => {
                let event = self.say.compositor.active(CompositorProtocol::MutterIdleMonitor);
                self.touch(None, self.now, event);
            }
            Operation::Vote { voter, locked } => self.vote(usize::from(voter) % 4, locked),
            Operation::VoterVanishes(n) => {
                let voter = usize::from(n) % 4;
                let event = self.say.lockers.vanished(a_voter(voter));
                self.lock_step(Happening::Vanished { voter }, event);
            }
            Operation::LiftVote(n) => self.lift_vote(usize::from(n) % 4),
            Operation::RequestLock => {
                let until = self.now.plus_ms(bounds::LOCK_REQUEST_MS);
                let event = self.say.login_manager.lock_requested(bus_name(":1.2"));
                self.lock_step(Happening::LockRequested { until }, event);
            }
            Operation::RequestUnlock => {
                let event = self.say.login_manager.unlock_requested(bus_name(":1.2"));
                self.step(event);
            }
            Operation::Sleep(asleep) => {
                let event = self.say.login_manager.sleep(bus_name(":1.2"), asleep);
                self.lock_step(Happening::Asleep(asleep), event);
            }
            Operation::SessionActive(active) => {
                let event = self.say.login_manager.session_active(bus_name(":1.2"), active);
                self.lock_step(Happening::Active(active), event);
            }
            Operation::ExecutorAnswersLock(locked) => self.executor_answers_lock(locked),
            Operation::LockClaim(claimed) => {
                let event = self.say.lockers.claim(standing(claimed));
                self.lock_step(Happening::LockClaimed(claimed), event);
            }
            Operation::InputClaim(claimed) => self.input_claim(claimed),
            Operation::WindowGone(n) => self.window_gone(usize::from(n) % WINDOWS),
            Operation::ProcessGone(n) => self.process_gone(usize::from(n) % WINDOWS),
            Operation::DisplayLost => {
                let event = self.say.window_server.display_lost();
                self.refusing(Scope::Seat, Happening::DisplayLost, event);
                self.history.befall(Code::NeedsObservation, |_| true);
            }
            Operation::ContentChanged(n) => {
                let window = self.windows[usize::from(n) % WINDOWS];
                if let Some(call) = self.call() {
                    let event = call.content_changed(self.keys[window].clone());
                    assert_eq!(self.step(event), []);
                }
            }
            Operation::Pass { ms } => self.now = self.now.plus_ms(u64::from(ms)),
            Operation::PassLong => self.now = self.now.plus_ms(40_000),
            Operation::ClockSpeaks => self.let_clock_speak(),
        }
    }

    // Verifying.

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
    fn verify_looks(&self, session: SessionId) -> Result<(), TestCaseError> {
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

    fn verify_status(&self, session: SessionId) -> Result<(), TestCaseError> {
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

    fn expected(&self, session: SessionId, look: ObservationId, pointer: bool) -> Result<(), Code> {
        self.history.may_act(session, look, pointer, &self.configuration, self.now)
    }

    // Sessions and people.

    fn open(&mut self, principal: usize) {
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

    fn end_session(&mut self, n: u8) {
        let session = self.session(n);
        let event = self.client().session_ended(session);
        self.end(session, EndReason::Closed, event);
    }

    fn end(&mut self, session: SessionId, reason: EndReason, event: Event) {
        if self.history.ended(session).is_some() {
            self.step(event);
            return;
        }
        self.refusing(Scope::Session(session), Happening::Ended { session, reason }, event);
        assert!(self.cleared.contains(&session));
    }

    fn end_turn(&mut self, n: u8) {
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

    fn stop(&mut self) {
        let open: Vec<_> = self.sessions.iter().copied().filter(|s| self.history.ended(*s).is_none()).collect();
        let event = self.client().stop();
        self.refusing(Scope::Seat, Happening::Halted, event);
        for session in open {
            self.history.add(self.now, Happening::Ended { session, reason: EndReason::UserStopped });
            assert!(self.cleared.contains(&session));
        }
    }

    fn resume(&mut self, resume: Resume, happening: Happening) {
        let press = self.say.input_devices.press(4, device(), 9);
        let event = self.say.person_controls.resume(press, resume);
        self.history.add(self.now, happening);
        self.step(event);
    }

    fn lift_vote(&mut self, voter: usize) {
        let press = self.say.input_devices.press(4, device(), 9);
        let event = self.say.person_controls.resume(press, Resume::Vote { voter: a_voter(voter) });
        self.lock_step(Happening::Lifted { voter }, event);
    }

    fn block_url(&mut self, n: u8) {
        let session = self.session(n);
        let Some(call) = self.call() else { return };
        let event = call.blocked_url(session);
        self.end(session, EndReason::BlockedUrl, event);
        let principal = self.history.principal(session).expect("it was opened");
        self.history.add(self.now, Happening::Blocked { principal });
    }

    fn deny(&mut self, principal: usize) {
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

    fn let_clock_speak(&mut self) {
        while let Some(event) = self.seat.due(self.now) {
            if let EventKind::SessionIdle { session } = *event.kind() {
                self.history.add(self.now, Happening::GaveUp { session });
                self.history.befall(Code::StaleObservation, |look| look.session == session);
            }
            self.step(event);
        }
    }

    // Looking and acting.

    fn begin_look(&mut self, n: u8) {
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

    fn end_look(&mut self, n: u8, window: u8) {
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

    fn fail_look(&mut self, n: u8) {
        let Some(index) = chosen(n, self.looking.len()) else { return };
        let (observation, session, call) = self.looking.swap_remove(index);
        let event = call.observation_failed(session, observation, Code::Unresponsive);
        self.step(event);
        self.history.end_look(observation, Ended::Failed);
    }

    fn lease(&mut self, session: u8, look: u8, pointer: bool) {
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

    fn prepare(&mut self, n: u8, action: u8, pointer: bool) {
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

    fn claim(&mut self, n: u8, action: u8) {
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
    fn leave(&mut self, n: u8) {
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
    fn write(&mut self, n: u8) {
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

    fn settle(&mut self, n: u8, retire: bool) {
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

    fn action(&self, n: u8, is_meant: impl Fn(ActionState) -> bool) -> Option<usize> {
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

    fn outcome(&mut self, session: u8, window: u8, code: u8, quiet: bool) {
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

    // The executor.

    fn start_executor(&mut self) {
        if self.executor.is_some() {
            return;
        }
        let (handle, event) = self.say.executors.started();
        self.generations += 1;
        self.executor = Some(RunningExecutor { handle, asked: Vec::new(), up: Vec::new(), unacknowledged: Vec::new() });
        self.history.add(self.now, Happening::ExecutorStarted);
        self.step(event);
    }

    fn release_executor(&mut self) {
        let Some(executor) = self.executor.take() else { return };
        for action in &mut self.actions {
            if matches!(action.state, ActionState::Left { .. }) {
                action.state = ActionState::Lost;
            }
        }
        let under_way: Vec<_> = self.looking.drain(..).map(|(look, session, _)| (look, session)).collect();
        for (look, session) in under_way {
            if self.history.ended(session).is_none() {
                self.history.end_look(look, Ended::Failed);
            }
        }
        self.history.add(self.now, Happening::ExecutorReleased);
        self.history.befall(Code::NeedsObservation, |_| true);
        let voter = 3 + self.generations;
        let event = executor.handle.released(ServiceReason::Exited { status: 1 });
        self.lock_step(Happening::Vanished { voter }, event);
    }

    fn raise_fence(&mut self, n: u8) {
        let Some(executor) = &mut self.executor else { return };
        let Some(index) = chosen(n, executor.asked.len()) else { return };
        let (epoch, scope) = executor.asked.remove(index);
        executor.up.push((epoch, scope));
        executor.unacknowledged.push(epoch);
    }

    fn acknowledge_fence(&mut self, n: u8) {
        let Some(call) = self.call() else { return };
        let Some(executor) = &mut self.executor else { return };
        let Some(index) = chosen(n, executor.unacknowledged.len()) else { return };
        let epoch = executor.unacknowledged.remove(index);
        let responses = self.step(call.fence_acknowledged(epoch));
        assert!(responses.contains(&Response::Accepted { epoch }));
    }

    // Input and locks.

    fn hold(&mut self) {
        let is_first = !self.history.is_held();
        let hold = self.holds;
        self.holds += 1;
        let (held, event) = self.say.input_devices.held(4, device(), 1);
        self.history.add(self.now, Happening::Held { hold });
        let responses = self.step(event);
        let fences = epochs(&responses);
        if is_first {
            assert!(!fences.is_empty() || has_accepted(&responses), "the first hold raises the fence");
            self.history.refuse(self.tick, Scope::Seat, outstanding(&fences, &responses));
        }
        self.held.push((hold, held, self.now));
    }

    fn place(&mut self, n: u8, window: u8, scope: u8) {
        let Some(index) = chosen(n, self.held.len()) else { return };
        let (hold, held, received) = self.held.swap_remove(index);
        let window = self.windows[usize::from(window) % WINDOWS];
        // Input that a lost producer left behind was placed by the seat.
        let is_known = !self.was_placed(hold);
        let received = if is_known { received } else { self.now };
        self.history.add(self.now, Happening::Placed { hold });
        match scope % 4 {
            0 => {
                let event = held.scoped(InputScope::Nowhere);
                self.step(event);
            }
            1 => {
                let event = held.scoped(InputScope::Anywhere);
                self.touch(None, received, event);
            }
            _ => {
                let event = held.scoped(InputScope::Application(self.keys[window].application()));
                self.touch(Some(process_of(window)), received, event);
            }
        }
    }

    fn was_placed(&self, hold: usize) -> bool {
        self.history.was_placed(hold)
    }

    fn touch(&mut self, process: Option<usize>, received: Moment, event: Event) {
        self.touch_until(process, received.plus_ms(self.configuration.quiet_ms), event);
    }

    /// Input that finds its intervention in force moves it later; other input begins one, and is fenced.
    fn touch_until(&mut self, process: Option<usize>, until: Moment, event: Event) {
        let goes_on = self.history.is_touched(process, self.now);
        let happening = Happening::Touched { process, until };
        if goes_on {
            self.history.add(self.now, happening);
            self.step(event);
        } else {
            self.refusing(process.map_or(Scope::Seat, Scope::Process), happening, event);
        }
    }

    fn input_claim(&mut self, claimed: bool) {
        let event = self.say.input_devices.claim(standing(claimed));
        self.history.add(self.now, Happening::InputClaimed(claimed));
        let left: Vec<_> = self.held.iter().filter(|(hold, ..)| !self.was_placed(*hold)).collect();
        let last = left.iter().map(|(_, _, received)| *received).max();
        let holds: Vec<_> = left.iter().map(|(hold, ..)| *hold).collect();
        let Some(received) = last.filter(|_| !claimed) else {
            self.step(event);
            return;
        };
        for hold in holds {
            self.history.add(self.now, Happening::Placed { hold });
        }
        self.touch(None, received, event);
    }

    fn vote(&mut self, voter: usize, locked: bool) {
        let event = self.say.lockers.vote(a_voter(voter), locked);
        self.lock_step(Happening::Answered { voter, locked }, event);
    }

    fn executor_answers_lock(&mut self, locked: bool) {
        let Some(call) = self.call() else { return };
        let voter = 3 + self.generations;
        self.lock_step(Happening::Answered { voter, locked }, call.screen_lock(locked));
    }

    fn lock_step(&mut self, happening: Happening, event: Event) {
        let was_locked = self.history.is_locked(self.now);
        self.history.add(self.now, happening);
        let is_locked = self.history.is_locked(self.now);
        if is_locked && !was_locked {
            self.refusing(Scope::Seat, Happening::BecameLocked, event);
        } else {
            self.step(event);
        }
    }

    // Targets.

    fn window_gone(&mut self, slot: usize) {
        let window = self.windows[slot];
        let event = self.say.window_server.destroyed(self.keys[window].clone());
        self.gone(Happening::WindowGone { window }, event, |of| of == window);
        self.replace_windows(|of| of == window);
    }

    fn process_gone(&mut self, slot: usize) {
        let process = process_of(self.windows[slot]);
        let event = self.say.processes.exited(self.keys[self.windows[slot]].application());
        self.gone(Happening::ProcessGone { process }, event, |of| process_of(of) == process);
        self.replace_windows(|of| process_of(of) == process);
    }

    fn gone(&mut self, happening: Happening, event: Event, is_gone: impl Fn(Window) -> bool) {
        self.history.add(self.now, happening);
        self.history.befall(Code::TargetMissing, |look| look.window().is_some_and(&is_gone));
        self.step(event);
    }

    fn replace_windows(&mut self, is_gone: impl Fn(Window) -> bool) {
        let before = self.windows.len();
        self.windows.retain(|window| !is_gone(*window));
        (self.windows.len()..before).for_each(|_| self.make_window());
    }

    /// Each new process reuses a pid, and each new window an id.
    fn make_window(&mut self) {
        let number = self.keys.len();
        let mut instance = process(100 + (process_of(number) % 2) as u32);
        instance.start_time_ticks += process_of(number) as u64;
        instance.pidfd_inode = Some(9_000 + process_of(number) as u64);
        let window = WindowIdentity::X11 { window: (number % 2) as u32, incarnation: 0 };
        self.keys.push(WindowKey::new(instance, window));
        self.windows.push(number);
    }

    fn target(&self, window: Window) -> Target {
        let key = self.key(window);
        Target { process: key.process().clone(), window: key.window().clone(), content: None, page: None }
    }

    fn number_of(&self, key: &WindowKey) -> Window {
        self.keys.iter().position(|known| known == key).expect("a window of this world")
    }

    // Calm.

    /// Lifts everything that refuses, as people and time would.
    pub(crate) fn calm_down(&mut self, pass_ms: u64) {
        self.resume(Resume::Seat, Happening::Resumed);
        for principal in 0..PRINCIPALS.len() {
            self.resume(Resume::Principal { principal: named(principal) }, Happening::Unblocked { principal });
        }
        while !self.held.is_empty() {
            self.place(0, 0, 0);
        }
        for wakes in [Operation::Sleep(false), Operation::SessionActive(true), Operation::LockClaim(true)] {
            self.perform(&wakes);
        }
        self.start_executor();
        self.executor_answers_lock(false);
        (0..4).for_each(|voter| self.vote(voter, false));
        self.now = self.now.plus_ms(pass_ms);
        self.let_clock_speak();
    }

    // The seat.

    fn refusing(&mut self, scope: Scope, happening: Happening, event: Event) {
        self.history.add(self.now, happening);
        let responses = self.step(event);
        let fences = epochs(&responses);
        assert!(!fences.is_empty() || has_accepted(&responses), "a refusing event raises the fence");
        self.history.refuse(self.tick, scope, outstanding(&fences, &responses));
    }

    fn step(&mut self, event: Event) -> Vec<Response> {
        let responses = self.seat.step(self.now, event);
        for response in &responses {
            match response {
                Response::Fence { epoch, scope, .. } => {
                    let executor = self.executor.as_mut().expect("a fence is asked of a running executor");
                    executor.asked.push((*epoch, scope.clone()));
                }
                Response::Accepted { epoch } => self.history.accept(self.tick, *epoch),
                Response::ClearSession { session, .. } => self.cleared.push(*session),
                Response::Observation { observation, .. } => *self.looks_ended.entry(*observation).or_default() += 1,
                _ => {}
            }
        }
        responses
    }

    fn client(&self) -> producer::ClientConnection {
        self.say.clients.connected(Peer {
            connection: ConnectionId::new(1),
            principal: named(0),
            process: ApplicationKey::of(&process(900)),
        })
    }

    fn call(&mut self) -> Option<ExecutorCall> {
        let number = CallNumber::new(self.next_id());
        Some(self.executor.as_ref()?.handle.call(number))
    }

    fn session(&self, n: u8) -> SessionId {
        let from = self.sessions.len().saturating_sub(SESSIONS);
        let recent = &self.sessions[from..];
        let open: Vec<_> = recent.iter().filter(|session| self.history.ended(**session).is_none()).collect();
        // Now and then an ended one, if there is one.
        match chosen(n / 8, open.len()) {
            Some(index) if !n.is_multiple_of(8) => *open[index],
            _ => recent[usize::from(n / 8) % recent.len()],
        }
    }

    fn next_id(&mut self) -> u64 {
        self.newest_id += 1;
        self.newest_id
    }
}

/// How much happened in many worlds.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    writes: usize,
    fenced: usize,
    lost: usize,
    live: usize,
    not_actionable: usize,
    dropped: usize,
    accepted: usize,
    ended_sessions: usize,
    consumed: usize,
    retired: usize,
}

impl Reached {
    pub(crate) fn add(&mut self, world: &World) {
        let looks = || world.history.looks();
        self.writes += world.journal.len();
        self.fenced += world.fenced;
        self.lost += world.actions.iter().filter(|action| action.state == ActionState::Lost).count();
        self.live += looks().filter(|look| matches!(look.ended, Some(Ended::Live(_)))).count();
        self.not_actionable += looks().filter(|look| matches!(look.ended, Some(Ended::NotActionable(_)))).count();
        self.dropped += looks().filter(|look| matches!(look.ended, Some(Ended::Dropped(..)))).count();
        self.accepted += world.history.accepted_refusals();
        self.ended_sessions += world.sessions.iter().filter(|s| world.history.ended(**s).is_some()).count();
        self.consumed += looks().filter(|look| look.fates.contains(&Code::DuplicateAction)).count();
        self.retired += looks().map(|look| look.retired.len()).sum::<usize>();
    }

    pub(crate) fn assert_all(&self) {
        let Self { writes, fenced, lost, live, not_actionable, dropped, accepted, ended_sessions, consumed, retired } =
            *self;
        let counts = [writes, fenced, lost, live, not_actionable, dropped, accepted, ended_sessions, consumed, retired];
        assert!(counts.iter().all(|count| *count > 0), "{self:?}");
    }
}

fn chosen(n: u8, count: usize) -> Option<usize> {
    (count > 0).then(|| usize::from(n) % count)
}

fn named(principal: usize) -> Principal {
    Principal::new(PRINCIPALS[principal]).expect("a good name")
}

fn a_voter(voter: usize) -> Voter {
    let mechanism = [LockMechanism::LockedHint, LockMechanism::GnomeScreenSaver][voter / 2];
    let owner = VoterOwner::Bus { name: bus_name(&format!(":1.{voter}")), process: None };
    Voter { mechanism, owner }
}

fn standing(claimed: bool) -> Standing {
    if claimed { Standing::Claimed } else { Standing::NotClaimed("taken away by the test") }
}

fn epochs(responses: &[Response]) -> Vec<FenceEpoch> {
    let epoch = |response: &Response| match response {
        Response::Fence { epoch, .. } => Some(*epoch),
        _ => None,
    };
    responses.iter().filter_map(epoch).collect()
}

fn outstanding(fences: &[FenceEpoch], responses: &[Response]) -> Vec<FenceEpoch> {
    fences.iter().filter(|epoch| !responses.contains(&Response::Accepted { epoch: **epoch })).copied().collect()
}

fn has_accepted(responses: &[Response]) -> bool {
    responses.iter().any(|response| matches!(response, Response::Accepted { .. }))
}
