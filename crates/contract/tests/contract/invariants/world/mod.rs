//! A host, an executor and a desktop around the production seat, as simple as they can be.

mod acting;
mod executor;
mod machine;
mod people;
mod reached;
mod verify;

pub(crate) use reached::Reached;

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
