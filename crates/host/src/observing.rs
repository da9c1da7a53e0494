use crate::{
    choosing::window_label,
    executor::{Answered, Connection},
    ids::nonce,
    refusal::{ArgumentRule, Refusal},
    request::{Answer, ModelText, ObserveRequest, Observed, WindowChoice},
    session::lowered,
    task::{Task, look_failed},
    text::{Facts, NoSuchPage, difference_text, observation_text},
    view::View,
};
use std::sync::Arc;
use surehand_contract::{Code, ObservationId, ObservationStanding, Target, UiText, WindowKey, producer::ExecutorCall};
use surehand_wire::{Observe, ObserveTarget, Snapshot, bounds::REQUEST_DEADLINE};

impl Task {
    pub(crate) async fn observe(mut self, request: ObserveRequest) -> Answer<Observed> {
        let outcome = self.try_observe(&request).await;
        self.note_observed(outcome.as_ref().ok());
        let (query, page) = (request.query, request.page.unwrap_or(1));
        self.answer(outcome, |observed, nonce| observed.text(query.as_ref(), page, nonce))
    }

    async fn try_observe(&mut self, request: &ObserveRequest) -> Result<Observed, Refusal> {
        if request.page.is_some() {
            return self.another_page(&request.window);
        }
        let connection = self.connection().await?;
        let target = self.target(&connection, &request.window).await?;
        self.look(&connection, target).await
    }

    /// An observation that was made, again. It shows what it showed, however things stand by now.
    fn another_page(&mut self, window: &WindowChoice) -> Result<Observed, Refusal> {
        let WindowChoice::Observation(observation) = window else {
            return Err(Refusal::argument("page", ArgumentRule::Needs("observation")));
        };
        self.may_look()?;
        self.record.named = Some(*observation);
        let view = self.state.view(*observation).ok_or(Refusal::of(Code::StaleObservation))?;
        let lease = self
            .host
            .keeper
            .seat(|seat, now| seat.lease(now, self.state.id, *observation, surehand_contract::Route::Semantic));
        Ok(Observed {
            observation: *observation,
            actionable: lease.is_ok(),
            window: window_label(&view.snapshot.target.window),
            view,
            base: None,
        })
    }

    /// Looks at exactly this window.
    pub(crate) async fn look(&self, connection: &Connection, target: Target) -> Result<Observed, Refusal> {
        let session = self.state.id;
        let observation = self.host.ids.observation();
        let start = self.host.keeper.seat(|seat, now| seat.may_observe(now, session))?;
        let asked = connection.call(REQUEST_DEADLINE, self.call.cancelled.clone(), |call| {
            let began = self.host.keeper.step(call.observation_began(start, observation));
            match began.standing(observation) {
                Some(ObservationStanding::Dropped { refusal }) => Err(refusal),
                _ => Ok(Observe {
                    session: self.state.wire_id.clone(),
                    target: ObserveTarget::Window { target: Box::new(target.clone()) },
                    max_elements: None,
                }),
            }
        });
        match asked.await {
            Ok(Answered { answer: Ok(observed), call }) => {
                if !same_window(&target, &observed.snapshot.target) {
                    look_failed(&self.host, Some(&call), session, observation, Code::ServiceMismatch);
                    return Err(self.contradicted(connection, "another_window"));
                }
                self.take_in(&call, observation, observed.snapshot)
            }
            Ok(Answered { answer: Err(error), call }) => {
                look_failed(&self.host, Some(&call), session, observation, error.code);
                Err(error.into())
            }
            Err(failed) => {
                let refusal = Refusal::from(failed.failure.refusal());
                look_failed(&self.host, failed.call.as_ref(), session, observation, refusal.code);
                Err(refusal)
            }
        }
    }

    /// Registers what was read under an observation that began before it was read.
    pub(crate) fn take_in(
        &self,
        call: &ExecutorCall,
        observation: ObservationId,
        snapshot: Snapshot,
    ) -> Result<Observed, Refusal> {
        let read = call.observation_read(self.state.id, observation, snapshot.target.clone());
        let actionable = match self.host.keeper.step(read).standing(observation) {
            Some(ObservationStanding::Live) => true,
            Some(ObservationStanding::NotActionable) => false,
            Some(ObservationStanding::Dropped { refusal }) => return Err(refusal.into()),
            // The executor's release has settled it meanwhile.
            None => return Err(Refusal::of(Code::ServiceUnavailable)),
        };
        let window = window_label(&snapshot.target.window);
        let view = Arc::new(View::new(snapshot));
        self.state.keep_view(observation, &view);
        Ok(Observed { observation, actionable, window, view, base: None })
    }

    pub(crate) fn note_observed(&mut self, observed: Option<&Observed>) {
        if let Some(observed) = observed {
            self.record.made = Some(observed.observation);
            self.record.pid = Some(observed.view.snapshot.target.process.pid);
            self.record.count = Some(observed.view.elements().len() as u64);
        }
    }
}

impl Observed {
    /// The same observation for the model, under another query or on another page.
    pub fn model(&self, query: Option<&UiText>, page: usize) -> Result<ModelText, Refusal> {
        self.text(query, page, &nonce()).map(ModelText::new)
    }

    /// The same for whoever has read the observation before it: what differs, where that says it better.
    pub(crate) fn text_after(&self, nonce: &str) -> Result<String, Refusal> {
        let observation = self.observation.to_string();
        let facts = self.facts(&observation, None, 1);
        let difference =
            self.base.as_ref().and_then(|(id, base)| difference_text(base, &id.to_string(), &self.view, facts, nonce));
        difference.map_or_else(|| self.text(None, 1, nonce), Ok)
    }

    fn facts<'a>(&'a self, observation: &'a str, query: Option<&'a str>, page: usize) -> Facts<'a> {
        Facts { observation, window: &self.window, not_actionable: !self.actionable, page, query }
    }

    pub(crate) fn text(&self, query: Option<&UiText>, page: usize, nonce: &str) -> Result<String, Refusal> {
        let query = lowered(query);
        let observation = self.observation.to_string();
        let facts = self.facts(&observation, query.as_deref(), page);
        observation_text(&self.view, facts, nonce).map_err(|NoSuchPage { pages }| {
            Refusal::argument("page", ArgumentRule::Range { least: 1, most: i64::try_from(pages).unwrap_or(i64::MAX) })
        })
    }
}

/// Whether an answer is about the window that was asked for: the same window of the same run.
pub(crate) fn same_window(asked: &Target, answered: &Target) -> bool {
    WindowKey::of(asked).application() == WindowKey::of(answered).application() && asked.window == answered.window
}
