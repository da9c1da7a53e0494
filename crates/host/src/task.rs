use crate::{
    bounds::CANDIDATES,
    calls::Call,
    choosing::choose,
    executor::{Connection, Failed},
    host::Inner,
    ids::nonce,
    kept::{CallKind, Record},
    refusal::{Candidate, Detail, Refusal},
    request::{Answer, ModelText, Observed, WindowChoice},
    session::SessionState,
};
use std::{sync::Arc, time::Instant};
use surehand_contract::{Code, ObservationId, ServiceReason, Target, producer::ExecutorCall};
use surehand_wire::{
    Application, DomainError, ListApplications, ListWindows, Params, Window, bounds::REQUEST_DEADLINE,
};

/// One call of a session while it runs.
pub(crate) struct Task {
    pub(crate) host: Arc<Inner>,
    pub(crate) state: Arc<SessionState>,
    pub(crate) call: Call,
    pub(crate) record: Record,
    /// What a refusal because things have moved on is answered with.
    pub(crate) fresh: Option<Observed>,
    started: Instant,
}

impl Task {
    pub(crate) fn new(host: Arc<Inner>, state: Arc<SessionState>, call: Call, kind: CallKind) -> Self {
        let record = Record::of(kind, state.id);
        Self { host, state, call, record, fresh: None, started: Instant::now() }
    }

    /// The answer in both projections. `describe` writes what the model reads of a success.
    pub(crate) fn answer<T>(
        mut self,
        outcome: Result<T, Refusal>,
        describe: impl FnOnce(&T, &str) -> Result<String, Refusal>,
    ) -> Answer<T> {
        let nonce = nonce();
        let described = outcome.and_then(|done| describe(&done, &nonce).map(|text| (done, text)));
        let (outcome, text) = match described {
            Ok((done, text)) => (Ok(done), text),
            Err(refusal) => {
                self.record.code = Some(refusal.code);
                let mut text = refusal.model_text(&nonce);
                if let Some(Ok(fresh)) = self.fresh.as_ref().map(|fresh| fresh.text_after(&nonce)) {
                    text.push_str("Fresh observation:\n");
                    text.push_str(&fresh);
                }
                (Err(refusal), text)
            }
        };
        self.record.duration_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::debug!(
            call = ?self.record.call, session = %self.record.session, code = ?self.record.code,
            duration_ms = self.record.duration_ms, "answered"
        );
        Answer { outcome, model: ModelText::new(text), kept: self.record, fresh: self.fresh }
    }

    /// The seat shows nothing while it is locked or halted, or after the session's end.
    pub(crate) fn may_look(&self) -> Result<(), Refusal> {
        Ok(self.host.keeper.seat(|seat, now| seat.may_look(now, self.state.id))?)
    }

    /// A running executor that knows this session.
    pub(crate) async fn connection(&mut self) -> Result<Arc<Connection>, Refusal> {
        self.may_look()?;
        let connection = self.host.supervisor.connection(&mut self.call.cancelled).await?;
        self.call.rests_on_executor();
        self.state.begin_at_executor(&connection, self.call.cancelled.clone()).await?;
        Ok(connection)
    }

    /// Asks what needs no evidence of its own.
    pub(crate) async fn ask<P, Found>(&self, connection: &Connection, params: P) -> Result<Found, Refusal>
    where
        P: Params<Answer = Result<Found, DomainError>>,
    {
        let asked = connection.call(REQUEST_DEADLINE, self.call.cancelled.clone(), |_| Ok(params)).await;
        Ok(asked.map_err(Refusal::from)?.answer?)
    }

    pub(crate) async fn windows(&self, connection: &Connection) -> Result<Vec<Window>, Refusal> {
        Ok(self.ask(connection, ListWindows {}).await?.windows)
    }

    pub(crate) async fn everything(&self, connection: &Connection) -> Result<(Vec<Application>, Vec<Window>), Refusal> {
        let (applications, windows) =
            tokio::join!(self.ask(connection, ListApplications {}), self.ask(connection, ListWindows {}));
        Ok((applications?.applications, windows?.windows))
    }

    /// The one window that is meant.
    pub(crate) async fn target(&self, connection: &Connection, choice: &WindowChoice) -> Result<Target, Refusal> {
        let target = match choice {
            WindowChoice::Observation(observation) => self.observed_target(*observation)?,
            WindowChoice::Application(name) => {
                let (applications, windows) = self.everything(connection).await?;
                choose::by_application(name, &applications, &windows)?
            }
            WindowChoice::Pid(pid) => choose::by_pid(*pid, &self.windows(connection).await?)?,
            WindowChoice::Window(label) => choose::by_label(label, &self.windows(connection).await?)?,
        };
        self.call.concerns(&surehand_contract::ApplicationKey::of(&target.process));
        Ok(target)
    }

    /// What an observation of this session is bound to, also when it can no longer be acted on.
    pub(crate) fn observed_target(&self, observation: ObservationId) -> Result<Target, Refusal> {
        let known = self.host.keeper.seat(|seat, _| seat.observation(self.state.id, observation));
        Ok(known.ok_or(Refusal::of(Code::StaleObservation))?.target)
    }

    /// The executor answered something that cannot be an answer to what was asked.
    pub(crate) fn contradicted(&self, connection: &Connection, rule: &'static str) -> Refusal {
        connection.kill(ServiceReason::ProtocolBroken { rule });
        Refusal::of(Code::ServiceMismatch)
    }
}

impl From<Failed> for Refusal {
    fn from(failed: Failed) -> Self {
        failed.failure.refusal().into()
    }
}

/// A refusal that names what there is instead.
pub(crate) fn with_candidates(code: Code, mut candidates: Vec<Candidate>) -> Refusal {
    let more = candidates.len().saturating_sub(CANDIDATES);
    candidates.truncate(CANDIDATES);
    Refusal::with(code, Detail::Candidates { candidates, more })
}

/// Says of one observation that its look read nothing.
pub(crate) fn look_failed(
    host: &Inner,
    call: Option<&ExecutorCall>,
    session: surehand_contract::SessionId,
    observation: surehand_contract::ObservationId,
    code: Code,
) {
    if let Some(call) = call {
        host.keeper.step(call.observation_failed(session, observation, code));
    }
}
