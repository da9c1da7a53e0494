use super::{Raises, Seat, launching::Launches};
use crate::{
    ActionFingerprint, ClaimEnding, ClaimId, Code, EndReason, ExecutorGeneration, Generation, GoneTarget, Moment,
    ObservationId, Principal, Refusal, SessionId, Target, WindowKey,
    bounds::{
        ENDED_SESSIONS, OBSERVATIONS_PER_SESSION, OPEN_SESSIONS, RETIRED_ACTIONS_PER_OBSERVATION, WINDOWS_PER_SESSION,
    },
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// One open session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) principal: Principal,
    pub(super) raise: Generation,
    pub(super) last_activity: Moment,
    has_observed: bool,
    windows: BTreeMap<WindowKey, Window>,
    /// The newest raise of any window that was forgotten since.
    forgotten_windows: Generation,
    observations: BTreeMap<ObservationId, Record>,
    began_in_order: VecDeque<ObservationId>,
    /// Looks that have not ended.
    looking: BTreeSet<ObservationId>,
    /// Observations with an open claim.
    claimed: BTreeSet<ObservationId>,
    pub(super) launches: Launches,
}

/// One window as one session knows it.
#[derive(Debug, Default)]
pub(super) struct Window {
    pub(super) raise: Generation,
    pub(super) live: Option<ObservationId>,
    /// What may be shown of it; some may have been spent or replaced since.
    in_use: Vec<ObservationId>,
    last_observed: Moment,
    /// The order of the latest-begun look that was ever live here.
    newest_look: u64,
}

/// One observation of one session.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) state: RecordState,
    /// The newest raise of all when the look began: what was raised since makes it untrusted.
    pub(super) began_at_generation: Generation,
    pub(super) executor_generation: ExecutorGeneration,
    pub(super) began: Moment,
    pub(super) bound: Option<Bound>,
    /// Looks in the order in which they began.
    pub(super) order: u64,
    pub(super) claim: Option<OpenClaim>,
    pub(super) retired: Vec<ActionFingerprint>,
}

/// What an ended observation is bound to.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) window: WindowKey,
    pub(super) target: Box<Target>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OpenClaim {
    pub(super) id: ClaimId,
    pub(super) fingerprint: ActionFingerprint,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordState {
    Looking,
    Live,
    NotActionable,
    Consumed,
    /// Replaced, given up, or over a bound.
    Stale,
    TargetGone,
    /// Its executor or its display is gone.
    Dropped,
}

impl RecordState {
    /// The code for acting on an observation in this state; none while it is live.
    pub(super) const fn code(self) -> Option<Code> {
        match self {
            Self::Live => None,
            Self::Consumed => Some(Code::DuplicateAction),
            Self::TargetGone => Some(Code::TargetMissing),
            Self::NotActionable | Self::Dropped => Some(Code::NeedsObservation),
            Self::Looking | Self::Stale => Some(Code::StaleObservation),
        }
    }
}

impl Record {
    const fn is_in_use(&self) -> bool {
        matches!(self.state, RecordState::Live | RecordState::NotActionable)
    }
}

impl Session {
    pub(super) fn new(principal: Principal, now: Moment) -> Self {
        Self {
            principal,
            raise: Generation::default(),
            last_activity: now,
            has_observed: false,
            windows: BTreeMap::new(),
            forgotten_windows: Generation::default(),
            observations: BTreeMap::new(),
            began_in_order: VecDeque::new(),
            looking: BTreeSet::new(),
            claimed: BTreeSet::new(),
            launches: Launches::default(),
        }
    }

    pub(super) fn record(&self, observation: ObservationId) -> Option<&Record> {
        self.observations.get(&observation)
    }

    /// The window, if an observation of it was ever live.
    pub(super) fn observed(&self, key: &WindowKey) -> Option<&Window> {
        self.windows.get(key).filter(|window| window.newest_look > 0)
    }

    pub(super) const fn has_observed_anything(&self) -> bool {
        self.has_observed
    }

    pub(super) fn open_claims(&self) -> usize {
        self.claimed.len() + self.launches.under_way()
    }

    /// The newest raise of this session that counts for the window.
    pub(super) fn raise_at(&self, key: &WindowKey) -> Generation {
        let of_window = self.windows.get(key).map_or(self.forgotten_windows, |window| window.raise);
        self.raise.max(of_window)
    }

    pub(super) fn raise_window(&mut self, key: &WindowKey, raises: &mut Raises) {
        let raise = raises.next();
        Self::slot(&mut self.windows, &mut self.observations, &mut self.forgotten_windows, key).raise = raise;
    }

    /// Registers a look, forgetting the oldest that nobody can act on; false when all are still needed.
    pub(super) fn begin(&mut self, observation: ObservationId, record: Record) -> bool {
        if self.observations.contains_key(&observation) {
            return false;
        }
        if self.observations.len() >= OBSERVATIONS_PER_SESSION && !self.forget_one_observation() {
            return false;
        }
        self.observations.insert(observation, record);
        self.looking.insert(observation);
        self.began_in_order.push_back(observation);
        true
    }

    fn forget_one_observation(&mut self) -> bool {
        let observations = &self.observations;
        let is_over = |id: &ObservationId| {
            observations.get(id).is_none_or(|record| {
                !matches!(record.state, RecordState::Live | RecordState::Looking) && record.claim.is_none()
            })
        };
        let Some(index) = self.began_in_order.iter().position(is_over) else { return false };
        if let Some(oldest) = self.began_in_order.remove(index) {
            self.observations.remove(&oldest);
        }
        true
    }

    /// Binds an ended look to what it read. It may be shown from now on.
    pub(super) fn bind(&mut self, observation: ObservationId, bound: Bound, now: Moment) {
        let observations = &mut self.observations;
        let Some(record) = observations.get_mut(&observation) else { return };
        record.state = RecordState::NotActionable;
        self.looking.remove(&observation);
        let window = bound.window.clone();
        record.bound = Some(bound);
        let slot = Self::slot(&mut self.windows, observations, &mut self.forgotten_windows, &window);
        slot.last_observed = now;
        slot.in_use.retain(|id| observations.get(id).is_some_and(Record::is_in_use));
        slot.in_use.push(observation);
    }

    /// Ends a look that must not be shown. What it read, if anything, is kept so that acting on it says why.
    pub(super) fn drop_look(&mut self, observation: ObservationId, bound: Option<Bound>, state: RecordState) {
        self.looking.remove(&observation);
        if let Some(record) = self.observations.get_mut(&observation) {
            record.bound = bound;
            record.state = state;
        }
    }

    /// Opens a claim on a live observation.
    pub(super) fn claim(&mut self, observation: ObservationId, claim: OpenClaim) -> Result<(), Code> {
        let record = self.observations.get_mut(&observation).ok_or(Code::StaleObservation)?;
        if record.claim.is_some() {
            return Err(Code::DuplicateAction);
        }
        if record.retired.contains(&claim.fingerprint) {
            return Err(Code::AlreadyRefused);
        }
        record.claim = Some(claim);
        self.claimed.insert(observation);
        Ok(())
    }

    pub(super) fn settle(&mut self, observation: ObservationId, claim: ClaimId, ending: ClaimEnding) {
        let Some(record) = self.observations.get_mut(&observation) else { return };
        let Some(open) = record.claim.take_if(|open| open.id == claim) else { return };
        self.claimed.remove(&observation);
        match ending {
            ClaimEnding::Consumed => self.spend(observation),
            ClaimEnding::Retired if record.retired.len() >= RETIRED_ACTIONS_PER_OBSERVATION => {
                record.state = RecordState::Stale;
            }
            ClaimEnding::Retired => record.retired.push(open.fingerprint),
            ClaimEnding::Released => {}
        }
    }

    /// Makes a bound observation the live one of its window, in place of the one before; false when the one there
    /// began later.
    pub(super) fn make_live(&mut self, observation: ObservationId) -> bool {
        let Some(record) = self.observations.get_mut(&observation) else { return false };
        let Some(bound) = &record.bound else { return false };
        let Some(slot) = self.windows.get_mut(&bound.window) else { return false };
        if record.order <= slot.newest_look {
            return false;
        }
        record.state = RecordState::Live;
        slot.newest_look = record.order;
        self.has_observed = true;
        let earlier = slot.live.replace(observation);
        if let Some(record) = earlier.and_then(|earlier| self.observations.get_mut(&earlier))
            && record.state == RecordState::Live
        {
            record.state = RecordState::Stale;
        }
        true
    }

    /// Takes every observation from use, and says how many there were.
    pub(super) fn withdraw_all(&mut self, state: RecordState) -> usize {
        let observations = &mut self.observations;
        self.windows.values_mut().map(|slot| slot.withdraw(state, observations)).sum()
    }

    /// Takes the observations of what is gone from use, and says how many there were.
    pub(super) fn withdraw_gone(&mut self, target: &GoneTarget) -> usize {
        let observations = &mut self.observations;
        let state = RecordState::TargetGone;
        match target {
            GoneTarget::Window(window) => {
                self.windows.get_mut(window).map_or(0, |slot| slot.withdraw(state, observations))
            }
            GoneTarget::Process(process) => {
                let of_process = self.windows.iter_mut().filter(|(key, _)| key.belongs_to(process));
                of_process.map(|(_, slot)| slot.withdraw(state, observations)).sum()
            }
        }
    }

    /// Whether an observation of what is gone is in use.
    pub(super) fn uses(&self, target: &GoneTarget) -> bool {
        let is_used = |slot: &Window| slot.in_use.iter().any(|id| self.record(*id).is_some_and(Record::is_in_use));
        match target {
            GoneTarget::Window(window) => self.windows.get(window).is_some_and(is_used),
            GoneTarget::Process(process) => {
                self.windows.iter().any(|(key, slot)| key.belongs_to(process) && is_used(slot))
            }
        }
    }

    fn spend(&mut self, observation: ObservationId) {
        let Some(record) = self.observations.get_mut(&observation) else { return };
        record.state = RecordState::Consumed;
        if let Some(window) = record.bound.as_ref().and_then(|bound| self.windows.get_mut(&bound.window))
            && window.live == Some(observation)
        {
            window.live = None;
        }
    }

    /// Ends every look that has not ended, and says which there were.
    pub(super) fn drop_looks(&mut self) -> Vec<ObservationId> {
        let looking: Vec<_> = std::mem::take(&mut self.looking).into_iter().collect();
        looking.iter().for_each(|look| self.drop_look(*look, None, RecordState::Dropped));
        looking
    }

    /// Whether there is anything to give up, and nothing under way.
    pub(super) fn is_idle_with_something_held(&self) -> bool {
        let is_busy = self.open_claims() > 0 || !self.looking.is_empty();
        !is_busy && self.windows.values().any(|window| window.live.is_some())
    }

    fn slot<'windows>(
        windows: &'windows mut BTreeMap<WindowKey, Window>,
        observations: &mut BTreeMap<ObservationId, Record>,
        forgotten: &mut Generation,
        key: &WindowKey,
    ) -> &'windows mut Window {
        if windows.len() >= WINDOWS_PER_SESSION && !windows.contains_key(key) {
            let oldest = windows.iter().min_by_key(|(_, window)| window.last_observed).map(|(key, _)| key.clone());
            if let Some(mut window) = oldest.and_then(|key| windows.remove(&key)) {
                *forgotten = window.raise.max(*forgotten);
                window.withdraw(RecordState::Stale, observations);
            }
        }
        let raise = *forgotten;
        windows.entry(key.clone()).or_insert_with(|| Window { raise, ..Window::default() })
    }
}

impl Window {
    fn withdraw(&mut self, state: RecordState, observations: &mut BTreeMap<ObservationId, Record>) -> usize {
        self.live = None;
        let mut count = 0;
        for id in self.in_use.drain(..) {
            if let Some(record) = observations.get_mut(&id).filter(|record| record.is_in_use()) {
                record.state = state;
                count += 1;
            }
        }
        count
    }
}

/// Sessions that ended, with their first reason.
#[derive(Debug, Default)]
pub(super) struct Ended {
    known: BTreeMap<SessionId, (EndReason, Principal)>,
    in_order: VecDeque<SessionId>,
}

impl Ended {
    pub(super) fn add(&mut self, session: SessionId, reason: EndReason, principal: Principal) {
        if self.in_order.len() >= ENDED_SESSIONS
            && let Some(oldest) = self.in_order.pop_front()
        {
            self.known.remove(&oldest);
        }
        self.known.insert(session, (reason, principal));
        self.in_order.push_back(session);
    }

    /// A session nobody remembers reads as closed.
    pub(super) fn reason(&self, session: SessionId) -> EndReason {
        self.known.get(&session).map_or(EndReason::Closed, |(reason, _)| *reason)
    }

    pub(super) fn principal(&self, session: SessionId) -> Option<&Principal> {
        self.known.get(&session).map(|(_, principal)| principal)
    }

    fn contains(&self, session: SessionId) -> bool {
        self.known.contains_key(&session)
    }
}

impl Seat {
    /// Opens a session under an id that was never used before.
    ///
    /// Refused while the seat is halted, while the principal is blocked, and at the bound of open sessions.
    pub fn open_session(&mut self, now: Moment, session: SessionId, principal: Principal) -> Result<(), Refusal> {
        let now = self.advance(now);
        if self.halted {
            return Err(Refusal::of(Code::Halted));
        }
        if self.everyone_blocked || self.blocked.contains(&principal) {
            return Err(Refusal::of(Code::BlockedUrl));
        }
        if self.ended.contains(session) {
            return Err(Refusal::of(self.ended.reason(session).code()));
        }
        if self.sessions.contains_key(&session) {
            return Err(Refusal::of(Code::InvalidArgument));
        }
        if self.sessions.len() >= OPEN_SESSIONS {
            return Err(Refusal::of(Code::LimitReached));
        }
        self.sessions.insert(session, Session::new(principal, now));
        Ok(())
    }
}
