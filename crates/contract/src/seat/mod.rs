//! Every fact of one desktop, and the one function that changes them.

mod acting;
mod deadlines;
mod executor;
mod fences;
mod grants;
mod input;
mod launching;
mod lock;
mod observing;
mod queries;
mod raises;
mod sessions;
mod targets;
mod terminals;

use crate::{
    ApplicationKey, Capability, Event, EventKind, ExecutorGeneration, FenceScope, Moment, Notice, Principal, Response,
    SessionId, Source, Standing,
    bounds::{OBSERVATION_TTL_MS, QUIET_MS, SESSION_IDLE_MS},
    producer::Producers,
};
use fences::Fences;
use grants::Grants;
use input::Input;
use lock::Lock;
use raises::{Raises, SharedRaise};
use sessions::{Ended, Session};
use std::collections::{BTreeMap, BTreeSet};
use targets::Gone;

/// What may differ between installations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeatConfiguration {
    pub observation_ttl_ms: u64,
    pub idle_ms: u64,
    /// How long after a person's last input an agent stays away.
    pub quiet_ms: u64,
    pub yield_scope: YieldScope,
}

impl Default for SeatConfiguration {
    fn default() -> Self {
        Self {
            observation_ttl_ms: OBSERVATION_TTL_MS,
            idle_ms: SESSION_IDLE_MS,
            quiet_ms: QUIET_MS,
            yield_scope: YieldScope::Target,
        }
    }
}

/// Whose input stops an agent. There is no way to turn yielding off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YieldScope {
    /// Input to the agent's own application; input elsewhere only blocks the shared pointer and keyboard.
    Target,
    /// Any input.
    Seat,
}

/// Every fact of one desktop, for all its sessions.
///
/// Every method is synchronous and takes the time; no moment may be earlier than one passed before (an earlier one
/// counts as the latest).
#[derive(Debug)]
pub struct Seat {
    configuration: SeatConfiguration,
    latest: Moment,
    raises: Raises,
    halted: bool,
    blocked: BTreeSet<Principal>,
    everyone_blocked: bool,
    lock: Lock,
    input: Input,
    applications: BTreeMap<ApplicationKey, Application>,
    sessions: BTreeMap<SessionId, Session>,
    ended: Ended,
    gone: Gone,
    looks: u64,
    running: Option<ExecutorGeneration>,
    newest_executor: ExecutorGeneration,
    fences: Fences,
    capabilities: BTreeMap<Capability, Standing>,
    grants: Grants,
    newest_claim: crate::ClaimId,
}

/// What is known of one application, whoever works in it.
#[derive(Debug, Default)]
struct Application {
    raise: SharedRaise,
    intervention: Intervention,
}

/// A person's stay in one application, or in all of them.
#[derive(Debug, Clone, Copy, Default)]
struct Intervention {
    /// In force before this moment.
    until: Moment,
    /// Its end was not announced yet.
    unannounced: bool,
}

impl Seat {
    /// A desktop on which nothing has happened, and the only handles that can make anything happen.
    pub fn new(configuration: SeatConfiguration) -> (Self, Producers) {
        let seat = Self {
            configuration,
            latest: Moment::default(),
            raises: Raises::default(),
            halted: false,
            blocked: BTreeSet::new(),
            everyone_blocked: false,
            lock: Lock::default(),
            input: Input::default(),
            applications: BTreeMap::new(),
            sessions: BTreeMap::new(),
            ended: Ended::default(),
            gone: Gone::default(),
            looks: 0,
            running: None,
            newest_executor: ExecutorGeneration::default(),
            fences: Fences::default(),
            capabilities: BTreeMap::new(),
            grants: Grants::default(),
            newest_claim: crate::ClaimId::default(),
        };
        (seat, Producers::new())
    }

    /// Takes one event in and says what the shell must do about it.
    pub fn step(&mut self, now: Moment, event: Event) -> Vec<Response> {
        let now = self.advance(now);
        let mut out = Vec::new();
        let Event { source, kind } = event;
        match kind {
            EventKind::InputHeld { hold } => self.input_held(now, hold, &mut out),
            EventKind::InputScoped { hold, scope } => self.input_scoped(now, hold, scope, &mut out),
            EventKind::InterventionQuiet { scope } => self.intervention_quiet(now, scope, &mut out),
            EventKind::LockVote { statement } => self.lock_vote(now, &source, statement, &mut out),
            EventKind::SleepChanged { asleep } => self.sleep_changed(now, asleep, &mut out),
            EventKind::SessionActiveChanged { active } => self.session_active_changed(now, active, &mut out),
            EventKind::BlockedUrl { session } => self.blocked_url(now, session, &mut out),
            EventKind::StopRequested => self.stop(now, &mut out),
            EventKind::Resumed { resume } => self.resume(now, resume, &mut out),
            EventKind::ExecutorStarted { generation } => self.executor_started(now, generation, &mut out),
            EventKind::ExecutorReleased { generation } => self.executor_released(now, generation, &mut out),
            EventKind::FenceAcknowledged { epoch } => self.fence_acknowledged(&source, epoch, &mut out),
            EventKind::DispatchOutcome { session, window, outcome } => {
                self.dispatch_outcome(now, &source, session, window, outcome, &mut out);
            }
            EventKind::TargetGone { target } => self.target_gone(now, target, &mut out),
            EventKind::ObservationBegan { session, observation } => {
                self.observation_began(now, &source, session, observation, &mut out);
            }
            EventKind::ObservationEnded { session, observation, result } => {
                self.observation_ended(now, &source, session, observation, result, &mut out);
            }
            EventKind::TurnEnded { session } => self.turn_ended(now, session, &mut out),
            EventKind::SessionEnded { session, reason } => self.end_session(now, session, reason, &mut out),
            EventKind::SessionIdle { session } => self.session_idle(now, session, &mut out),
            EventKind::GrantChanged { principal, change } => self.grant_changed(now, principal, change, &mut out),
            EventKind::PolicyChanged { change } => self.policy_changed(now, change, &mut out),
            EventKind::ClaimChanged { capability, standing } => {
                self.claim_changed(now, capability, standing, &mut out);
            }
            EventKind::DisplayLost => self.display_lost(now, &mut out),
            EventKind::ContentChanged { .. } => {}
        }
        out
    }

    fn advance(&mut self, now: Moment) -> Moment {
        self.latest = self.latest.max(now);
        self.latest
    }

    /// Closes the fence for a fact of the whole seat that refuses, and makes every look so far untrusted.
    fn refuse_seat(&mut self, now: Moment, out: &mut Vec<Response>) {
        self.fence(now, FenceScope::Seat, out);
        self.raises.raise_seat();
    }

    fn claim_changed(&mut self, now: Moment, capability: Capability, standing: Standing, out: &mut Vec<Response>) {
        let before = self.capabilities.insert(capability, standing);
        let held = |standing: Option<Standing>| matches!(standing, Some(Standing::Claimed | Standing::Degraded(_)));
        let is_lost = !held(Some(standing));
        match capability {
            Capability::ScreenLock => {
                let was_held = held(before);
                self.change_lock(now, out, |lock| lock.producer_changed(was_held, is_lost));
            }
            Capability::PhysicalInput if is_lost => self.input_lost(now, held(before), out),
            Capability::PhysicalInput => self.input.lost = false,
            _ => {}
        }
        if held(before) && is_lost {
            out.push(Response::Tell(Notice::CapabilityLost { capability }));
        } else if !is_lost && before != Some(standing) {
            out.push(Response::Tell(Notice::CapabilityClaimed { capability }));
        }
    }
}

/// The generation of the executor that speaks, if one does.
fn speaking(source: &Source) -> Option<ExecutorGeneration> {
    match source {
        Source::Executor { generation, .. } => Some(*generation),
        _ => None,
    }
}
