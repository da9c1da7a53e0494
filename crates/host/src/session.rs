use crate::{
    bounds::OBSERVATIONS_PER_SESSION,
    cancel::{AbortOnDrop, Cancelled},
    executor::Connection,
    host::Inner,
    kept::CallKind,
    refusal::Refusal,
    request::{
        ActRequest, Acted, Answer, LaunchRequest, Launched, Listed, ObserveRequest, Observed, Pictured, WaitRequest,
        Waited, WindowChoice,
    },
    task::Task,
    view::View,
};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use surehand_contract::{
    Code, ExecutorGeneration, LaunchCallId, ObservationId, SessionId, UiText, producer::ClientConnection,
};
use surehand_wire::{Action, BeginSession, EndSession, RpcCode, bounds::REQUEST_DEADLINE};

/// One agent's stretch of work. Clones are the same session; dropping the last one ends it.
///
/// Every call may be dropped: what no byte has left of is then never sent, and what has left is settled all the same.
#[derive(Clone)]
pub struct Session(Arc<Handle>);

struct Handle {
    host: Arc<Inner>,
    state: Arc<SessionState>,
    connection: ClientConnection,
}

impl Session {
    pub(crate) fn new(host: Arc<Inner>, state: Arc<SessionState>, connection: ClientConnection) -> Self {
        Self(Arc::new(Handle { host, state, connection }))
    }

    pub fn id(&self) -> SessionId {
        self.0.state.id
    }

    /// Applications that own a window; with a filter, those whose id or name fits it, with or without a window.
    pub async fn applications(&self, filter: Option<String>) -> Answer<Listed> {
        self.run(CallKind::ListApplications, |task| task.list(filter)).await
    }

    pub async fn observe(&self, request: ObserveRequest) -> Answer<Observed> {
        self.run(CallKind::Observe, |task| task.observe(request)).await
    }

    pub async fn screenshot(&self, window: WindowChoice) -> Answer<Pictured> {
        self.run(CallKind::Screenshot, |task| task.screenshot(window)).await
    }

    /// One action on one element, at most once an observation.
    pub async fn act(&self, request: ActRequest) -> Answer<Acted> {
        let kind = match request.action {
            Action::Click {} => CallKind::Click,
            Action::SetValue { .. } => CallKind::SetValue,
            Action::Select {} => CallKind::Select,
            Action::Scroll { .. } => CallKind::Scroll,
            Action::Perform { .. } => CallKind::Perform,
        };
        self.run(kind, |task| task.act(request)).await
    }

    pub async fn launch(&self, request: LaunchRequest) -> Answer<Launched> {
        self.run(CallKind::Launch, |task| task.launch(request)).await
    }

    /// Waits until the condition holds or the time is over. `progress` hears each look at the window, with the
    /// time waited so far.
    pub async fn wait(&self, request: WaitRequest, progress: impl FnMut(Duration) + Send + 'static) -> Answer<Waited> {
        self.run(CallKind::Wait, |task| task.wait(request, progress)).await
    }

    /// The client's turn ended: the session gives up its observations and what it owns on the desktop. Returns
    /// when that is accepted (contract 5.9).
    pub fn finish(&self) -> impl Future<Output = ()> + Send + use<> {
        self.0.host.keeper.step(self.0.connection.turn_ended(self.id())).accepted()
    }

    /// Ends the session. Returns when that is accepted.
    pub fn close(&self) -> impl Future<Output = ()> + Send + use<> {
        self.0.host.keeper.step(self.0.connection.session_ended(self.id())).accepted()
    }

    /// Stops every agent on this desktop until a person resumes. Returns when that is accepted.
    pub fn stop(&self) -> impl Future<Output = ()> + Send + use<> {
        self.0.host.keeper.step(self.0.connection.stop()).accepted()
    }

    async fn run<T, Work>(&self, kind: CallKind, work: impl FnOnce(Task) -> Work) -> Answer<T>
    where
        T: Send + 'static,
        Work: Future<Output = Answer<T>> + Send + 'static,
    {
        let (call, cancel) = self.0.host.calls.begin(self.id());
        let task = Task::new(Arc::clone(&self.0.host), Arc::clone(&self.0.state), call, kind);
        let _abort = AbortOnDrop(cancel);
        match tokio::spawn(work(task)).await {
            Ok(answer) => answer,
            Err(failed) => match failed.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // The runtime is shutting down: nobody will poll this again.
                Err(_) => std::future::pending().await,
            },
        }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Session({})", self.id())
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.host.keeper.step(self.connection.session_ended(self.state.id));
    }
}

/// What the host keeps for one session beside the seat's facts.
pub(crate) struct SessionState {
    pub(crate) id: SessionId,
    pub(crate) wire_id: surehand_wire::SessionId,
    /// The executor generation that knows the session.
    begun: tokio::sync::Mutex<Option<ExecutorGeneration>>,
    kept: Mutex<KeptForModel>,
}

/// What the model may still ask about. It goes with the session's observations.
#[derive(Default)]
struct KeptForModel {
    views: VecDeque<(ObservationId, Arc<View>)>,
    launches: HashMap<LaunchCallId, Arc<surehand_wire::Launched>>,
}

impl SessionState {
    pub(crate) fn new(id: SessionId) -> Self {
        let wire_id = surehand_wire::SessionId::new(id.to_string()).expect("a session id is short visible ASCII");
        Self { id, wire_id, begun: tokio::sync::Mutex::default(), kept: Mutex::default() }
    }

    /// Makes sure that this executor knows the session.
    pub(crate) async fn begin_at_executor(&self, connection: &Connection, cancelled: Cancelled) -> Result<(), Refusal> {
        let mut begun = self.begun.lock().await;
        let generation = connection.generation().ok_or(Refusal::of(Code::ServiceUnavailable))?;
        if *begun == Some(generation) {
            return Ok(());
        }
        let begin = BeginSession { session: self.wire_id.clone() };
        let answered = connection.call(REQUEST_DEADLINE, cancelled, |_| Ok(begin)).await;
        answered.map_err(|failed| Refusal::from(failed.failure.refusal()))?.answer?;
        *begun = Some(generation);
        Ok(())
    }

    /// Has the executor drop what it keeps for the session; false if it did not say in time that it has.
    pub(crate) async fn end_at_executor(&self, connection: &Connection, within: Duration) -> bool {
        let ending = async {
            let mut begun = self.begun.lock().await;
            if connection.generation().is_none() || begun.take() != connection.generation() {
                return true;
            }
            let end = EndSession { session: self.wire_id.clone() };
            match connection.call(REQUEST_DEADLINE, Cancelled::never(), |_| Ok(end)).await {
                Ok(answered) => answered.answer.is_ok(),
                // What it does not know it holds nothing of; an executor that ended holds nothing at all.
                Err(failed) => {
                    connection.is_over() || failed.failure == crate::executor::CallFailure::Rpc(RpcCode::SessionUnknown)
                }
            }
        };
        tokio::time::timeout(within, ending).await.unwrap_or(false)
    }

    pub(crate) fn keep_view(&self, observation: ObservationId, view: &Arc<View>) {
        let mut kept = self.kept();
        let same_window = |kept: &Arc<View>| kept.snapshot.target.window == view.snapshot.target.window;
        let of_window: Vec<_> = kept.views.iter().filter(|(_, kept)| same_window(kept)).map(|(id, _)| *id).collect();
        if let [oldest, .., _] = of_window.as_slice() {
            // A wait looks often, and must not push out what was seen of other windows.
            let oldest = *oldest;
            kept.views.retain(|(id, _)| *id != oldest);
        }
        if kept.views.len() >= OBSERVATIONS_PER_SESSION {
            kept.views.pop_front();
        }
        kept.views.push_back((observation, Arc::clone(view)));
    }

    pub(crate) fn view(&self, observation: ObservationId) -> Option<Arc<View>> {
        let kept = self.kept();
        kept.views.iter().find(|(id, _)| *id == observation).map(|(_, view)| Arc::clone(view))
    }

    pub(crate) fn forget_views(&self) {
        self.kept().views.clear();
    }

    pub(crate) fn keep_launch(&self, call: LaunchCallId, launched: Arc<surehand_wire::Launched>) {
        self.kept().launches.insert(call, launched);
    }

    pub(crate) fn launched(&self, call: &LaunchCallId) -> Option<Arc<surehand_wire::Launched>> {
        self.kept().launches.get(call).cloned()
    }

    fn kept(&self) -> MutexGuard<'_, KeptForModel> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The query as it is compared: in lower case, and absent when it is empty.
pub(crate) fn lowered(query: Option<&UiText>) -> Option<String> {
    query.map(|query| query.expose().to_lowercase()).filter(|query| !query.is_empty())
}
