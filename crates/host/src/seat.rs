//! The seat behind its lock, and the hands that do what its responses say.

use crate::{
    bounds::HOLD_WAIT,
    calls::Calls,
    clock::Clock,
    executor::{Connection, Supervisor},
    host::{DesktopProducers, Inner},
    session::SessionState,
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};
use surehand_contract::{
    Code, Event, FenceEpoch, FenceScope, Moment, Notice, ObservationId, ObservationStanding, Refusal, Response, Seat,
    SeatConfiguration, ServiceReason, SessionId,
    producer::{Clients, Executors},
};
use surehand_wire::{RaiseFence, bounds::REQUEST_DEADLINE};
use tokio::{
    runtime::Handle,
    sync::{Notify, broadcast, watch},
};

/// Holds the seat. Its lock is never held across an await, nor while another lock is taken.
pub(crate) struct SeatKeeper(Arc<Keeper>);

struct Keeper {
    clock: Clock,
    locked: Mutex<Locked>,
    calls: Arc<Calls>,
    supervisor: Arc<Supervisor>,
    sessions: Mutex<HashMap<SessionId, Weak<SessionState>>>,
    notices: broadcast::Sender<Notice>,
    /// Counts events, so that whoever waits for a fact to change looks again.
    steps: watch::Sender<u64>,
    /// Wakes the task that keeps the seat's deadlines.
    stepped: Notify,
    /// A session may be dropped outside the runtime.
    runtime: Handle,
}

struct Locked {
    seat: Seat,
    producers: HostProducers,
    desktop: Option<DesktopProducers>,
}

/// The producers that the host itself is.
pub(crate) struct HostProducers {
    pub(crate) executors: Executors,
    pub(crate) clients: Clients,
}

/// What came of one event.
pub(crate) struct Stepped {
    keeper: Arc<Keeper>,
    fences: Vec<FenceEpoch>,
    observations: Vec<(ObservationId, ObservationStanding)>,
}

impl SeatKeeper {
    pub(crate) fn new(
        clock: Clock,
        configuration: SeatConfiguration,
        calls: Arc<Calls>,
        supervisor: Arc<Supervisor>,
        notices: broadcast::Sender<Notice>,
    ) -> Self {
        let (seat, producers) = Seat::new(configuration);
        let (executors, clients, desktop) = DesktopProducers::split(producers);
        let locked = Locked { seat, producers: HostProducers { executors, clients }, desktop: Some(desktop) };
        Self(Arc::new(Keeper {
            clock,
            locked: Mutex::new(locked),
            calls,
            supervisor,
            sessions: Mutex::default(),
            notices,
            steps: watch::Sender::new(0),
            stepped: Notify::new(),
            runtime: Handle::current(),
        }))
    }

    /// Asks the seat something.
    pub(crate) fn seat<T>(&self, ask: impl FnOnce(&mut Seat, Moment) -> T) -> T {
        let now = self.0.clock.now();
        ask(&mut self.0.locked().seat, now)
    }

    /// Asks the seat something again, as events come in, while it answers that input is still to be placed: that
    /// takes milliseconds, and holds without refusing.
    pub(crate) async fn once_placed<T>(
        &self,
        mut ask: impl FnMut(&mut Seat, Moment) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let mut steps = self.0.steps.subscribe();
        let until = tokio::time::Instant::now() + HOLD_WAIT;
        loop {
            steps.borrow_and_update();
            match self.seat(&mut ask) {
                Err(refusal) if refusal.code == Code::Held => {
                    if tokio::time::timeout_at(until, steps.changed()).await.is_err() {
                        return Err(refusal);
                    }
                }
                answered => return answered,
            }
        }
    }

    pub(crate) fn with_producers<T>(&self, make: impl FnOnce(&mut HostProducers) -> T) -> T {
        make(&mut self.0.locked().producers)
    }

    pub(crate) fn take_desktop_producers(&self) -> Option<DesktopProducers> {
        self.0.locked().desktop.take()
    }

    pub(crate) fn notices(&self) -> broadcast::Receiver<Notice> {
        self.0.notices.subscribe()
    }

    /// From now on the session is told when it is cleared.
    pub(crate) fn attend(&self, session: &Arc<SessionState>) {
        let mut sessions = self.0.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|_, session| session.strong_count() > 0);
        sessions.insert(session.id, Arc::downgrade(session));
    }

    /// Takes in one event: the facts first, then everything they ask for.
    pub(crate) fn step(&self, event: Event) -> Stepped {
        Keeper::step(&self.0, event)
    }

    /// Wakes the seat at the deadlines it has declared, as long as the host lives.
    pub(crate) fn keep_deadlines(&self, host: Weak<Inner>) {
        let keeper = Arc::clone(&self.0);
        tokio::spawn(async move {
            while host.strong_count() > 0 {
                let next = keeper.locked().seat.next_deadline();
                let due = async {
                    match next {
                        Some(next) => tokio::time::sleep(keeper.clock.until(next)).await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! {
                    () = due => keeper.step_due(),
                    () = keeper.stepped.notified() => {}
                }
            }
        });
    }
}

impl Drop for SeatKeeper {
    fn drop(&mut self) {
        // Lets the task of `keep_deadlines` see that its host is gone.
        self.0.stepped.notify_one();
    }
}

impl Keeper {
    fn locked(&self) -> MutexGuard<'_, Locked> {
        // The seat's methods keep its facts consistent at every point where they could panic.
        self.locked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn step(self: &Arc<Self>, event: Event) -> Stepped {
        let now = self.clock.now();
        let responses = self.locked().seat.step(now, event);
        self.stepped.notify_one();
        self.steps.send_modify(|count| *count += 1);
        let mut stepped = Stepped { keeper: Arc::clone(self), fences: Vec::new(), observations: Vec::new() };
        for response in responses {
            self.carry_out(response, &mut stepped);
        }
        stepped
    }

    fn step_due(self: &Arc<Self>) {
        loop {
            let now = self.clock.now();
            let Some(event) = self.locked().seat.due(now) else { return };
            self.step(event);
        }
    }

    /// Starts what a response asks for. Nothing here waits, and nothing takes a connection's lock.
    fn carry_out(self: &Arc<Self>, response: Response, stepped: &mut Stepped) {
        match response {
            Response::Fence { epoch, scope, acknowledge_by } => {
                stepped.fences.push(epoch);
                if let Some(connection) = self.supervisor.current() {
                    self.runtime.spawn(Arc::clone(self).raise_fence(connection, epoch, scope, acknowledge_by));
                }
            }
            // Whoever waits for it is woken by the step itself.
            Response::Accepted { .. } => {}
            Response::EndExecutor { generation } => {
                let keeper = Arc::clone(self);
                self.runtime.spawn(async move {
                    let current = keeper.supervisor.current();
                    if let Some(connection) = current.filter(|current| current.generation() == Some(generation)) {
                        connection.kill(ServiceReason::NotAcknowledged);
                    }
                });
            }
            Response::CancelCalls { scope, code } => self.calls.cancel(&scope, code),
            Response::ClearSession { session, acknowledge_by } => self.clear_session(session, acknowledge_by),
            // No lock source but the executor's typed answers reports to this host yet.
            Response::ReadLockSources => {}
            Response::Observation { observation, standing, .. } => stepped.observations.push((observation, standing)),
            Response::Tell(notice) => {
                // Nobody watching is no loss.
                let _ = self.notices.send(notice);
            }
        }
    }

    async fn raise_fence(
        self: Arc<Self>,
        connection: Arc<Connection>,
        epoch: FenceEpoch,
        scope: FenceScope,
        acknowledge_by: Moment,
    ) {
        let raise = RaiseFence { epoch: epoch.number(), scope: wire_scope(&scope) };
        let asked = connection.call(REQUEST_DEADLINE, crate::cancel::Cancelled::never(), |_| Ok(raise));
        let answered = tokio::time::timeout(self.clock.until(acknowledge_by), asked).await;
        match answered {
            Ok(Ok(answered)) if answered.answer.as_ref().is_ok_and(|answer| answer.epoch == epoch.number()) => {
                self.step(answered.call.fence_acknowledged(epoch));
            }
            // The release of the executor, once it is reaped, accepts every fence.
            Ok(_) | Err(_) => {
                connection.kill(ServiceReason::NotAcknowledged);
                connection.ended().await;
            }
        }
    }

    /// Drops what the host keeps for the session, then has the executor drop its part.
    fn clear_session(self: &Arc<Self>, session: SessionId, acknowledge_by: Moment) {
        let state = {
            let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            sessions.get(&session).and_then(Weak::upgrade)
        };
        let Some(state) = state else { return };
        state.forget_views();
        let Some(connection) = self.supervisor.current() else { return };
        let within = self.clock.until(acknowledge_by).max(Duration::from_millis(1));
        self.runtime.spawn(async move {
            if !state.end_at_executor(&connection, within).await {
                connection.kill(ServiceReason::NotAcknowledged);
            }
        });
    }
}

impl Stepped {
    /// What the event made of this observation.
    pub(crate) fn standing(&self, observation: ObservationId) -> Option<ObservationStanding> {
        self.observations.iter().find(|(of, _)| *of == observation).map(|(_, standing)| *standing)
    }

    /// Returns when every fence that the event raised is accepted.
    pub(crate) async fn accepted(self) {
        let mut steps = self.keeper.steps.subscribe();
        loop {
            steps.borrow_and_update();
            let accepted = {
                let locked = self.keeper.locked();
                self.fences.iter().all(|epoch| locked.seat.is_accepted(*epoch))
            };
            // The sender lives in the keeper, which this holds.
            if accepted || steps.changed().await.is_err() {
                return;
            }
        }
    }
}

/// This executor's fence knows no sessions, so one session's fence is the seat's: what that stops wrongly was not
/// sent, and its lease still holds.
fn wire_scope(scope: &FenceScope) -> surehand_wire::FenceScope {
    match scope {
        FenceScope::Seat | FenceScope::Session(_) => surehand_wire::FenceScope::Seat {},
        FenceScope::Application(application) => {
            surehand_wire::FenceScope::Application { pid: application.process().pid }
        }
    }
}
