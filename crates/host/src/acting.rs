//! One action, from its lease to its verdict.

use crate::{
    bounds::FENCED_ATTEMPTS,
    executor::{Answered, CallFailure, Connection},
    lanes::LaneFull,
    observing::same_window,
    refusal::{Detail, Refusal},
    request::{ActRequest, Acted, Answer, Observed},
    task::{Task, look_failed},
    view::{View, takes},
};
use sha2::{Digest as _, Sha256};
use std::sync::Arc;
use surehand_contract::{
    ActionFingerprint, ClaimEnding, Code, Delivery, Digest, DispatchOutcome, Happened, Lease, ObservationId,
    ObservationStanding, Route, Status, Verdict, WindowKey, producer::ExecutorCall,
};
use surehand_wire::{
    Action, DispatchElement, DispatchReport, Element, FiniteNumber, SetValue, ToolCallId, Value, Verb,
    bounds::REQUEST_DEADLINE,
};

/// An action whose arguments are fixed: what it acts on, and what it is recognised by when it is repeated.
struct Bound {
    view: Arc<View>,
    element: u64,
    action: Action,
    fingerprint: ActionFingerprint,
}

/// A dispatch as it ended, whatever the way.
struct Dispatched {
    verdict: Verdict,
    route: surehand_wire::Route,
    detail: Option<Detail>,
    settled: Option<surehand_wire::SettleReason>,
    fresh: Option<Observed>,
    /// Why there is no fresh observation.
    no_fresh: Option<Code>,
}

impl Task {
    pub(crate) async fn act(mut self, request: ActRequest) -> Answer<Acted> {
        self.record.named = Some(request.observation);
        self.record.element = Some(request.element);
        let observation = request.observation;
        let outcome = self.try_act(request).await;
        match &outcome {
            Ok(acted) => {
                self.note_verdict(acted);
                self.note_observed(acted.fresh.as_ref());
            }
            Err(refusal) if has_moved_on(refusal) => {
                self.fresh = self.look_again(observation).await;
                self.note_observed(self.fresh.clone().as_ref());
            }
            Err(_) => {}
        }
        self.answer(outcome, |acted, nonce| acted.text(nonce))
    }

    /// Spares the model the look it would have to ask for. A newer observation that it holds already stays.
    async fn look_again(&self, observation: ObservationId) -> Option<Observed> {
        let session = self.state.id;
        let known = self.host.keeper.seat(|seat, now| {
            let known = seat.observation(session, observation)?;
            let is_named = seat.lease(now, session, observation, Route::Semantic).is_ok();
            let is_ready = seat.status(now, session, &WindowKey::of(&known.target)) == Status::Ready;
            (is_named || !is_ready).then_some(known)
        })?;
        let connection = self.host.supervisor.current()?;
        self.state.begin_at_executor(&connection, self.call.cancelled.clone()).await.ok()?;
        let base = self.state.view(observation).map(|view| (observation, view));
        let fresh = self.look(&connection, known.target).await.ok().filter(|fresh| fresh.actionable)?;
        Some(Observed { base, ..fresh })
    }

    fn note_verdict(&mut self, acted: &Acted) {
        self.record.code = acted.verdict.code;
        self.record.delivery = Some(acted.verdict.delivery);
        self.record.effect = Some(acted.verdict.effect);
        self.record.method = Some(acted.verdict.method);
        self.record.route = Some(crate::kept::Route(acted.route));
    }

    async fn try_act(&mut self, request: ActRequest) -> Result<Acted, Refusal> {
        // Fixed before anything is awaited; what the seat refuses comes first all the same.
        let observation = request.observation;
        let bound = self.bind(request);
        let lease = self.lease(observation).await?;
        let bound = bound?;
        self.call.rests_on_executor();
        self.record.pid = Some(lease.window.process().pid);
        self.call.concerns(&lease.window.application());

        let place = self.host.lanes.queue(&lease.window.application()).map_err(|LaneFull| lane_full())?;
        let _lane = self.call.cancelled.or(place.turn()).await.map_err(Refusal::of)?;

        let mut attempts = 1..=FENCED_ATTEMPTS;
        loop {
            let last = attempts.next().is_none_or(|attempt| attempt == FENCED_ATTEMPTS);
            let dispatched = self.attempt(&lease, &bound).await?;
            if last || !dispatched.was_fenced() || self.call.cancelled.is_cancelled() {
                return self.conclude(&lease, dispatched);
            }
        }
    }

    /// One claim and what became of it. A fence that was raised for somebody else stops a dispatch before its
    /// write; its claim is then released and its lease still holds, so the same call may go out again.
    async fn attempt(&mut self, lease: &Lease, bound: &Bound) -> Result<Dispatched, Refusal> {
        let keeper = &self.host.keeper;
        let claiming = keeper.once_placed(|seat, now| seat.claim(now, lease, bound.fingerprint));
        let claim = self.call.cancelled.or(claiming).await.map_err(Refusal::of)??;
        let dispatched = match self.ready(lease, bound) {
            Ok(connection) => self.dispatch(&connection, lease, bound).await,
            Err(refusal) => Dispatched::not_sent(refusal.code, refusal.detail),
        };
        let ending = ClaimEnding::of(&dispatched.verdict);
        self.host.keeper.seat(|seat, now| seat.settle(now, claim, ending));
        Ok(dispatched)
    }

    /// The first of the lease's four checks; the claim repeats it inside the lane.
    async fn lease(&mut self, observation: ObservationId) -> Result<Lease, Refusal> {
        let session = self.state.id;
        let leasing = self.host.keeper.once_placed(|seat, now| seat.lease(now, session, observation, Route::Semantic));
        Ok(self.call.cancelled.or(leasing).await.map_err(Refusal::of)??)
    }

    fn bind(&self, request: ActRequest) -> Result<Bound, Refusal> {
        let view = self.state.view(request.observation).ok_or(Refusal::of(Code::StaleObservation))?;
        let action = match view.element(request.element) {
            Some(element) => fitted(request.action, element),
            None => {
                let fate = surehand_wire::SnapshotFate::NoSuchElement;
                return Err(Refusal::with(Code::StaleObservation, Detail::Observation(fate)));
            }
        };
        let fingerprint = fingerprint(&(request.element, &action));
        Ok(Bound { view, element: request.element, action, fingerprint })
    }

    /// What refuses an action for what it is, before anything leaves, and whom it would be sent to.
    fn ready(&self, lease: &Lease, bound: &Bound) -> Result<Arc<Connection>, Refusal> {
        if !offers(bound.element(), &bound.action) {
            // Qt offers nothing on what is disabled: that it is disabled says what to do about it.
            let is_disabled = bound.view.is_disabled(bound.element());
            return Err(Refusal::of(if is_disabled { Code::NotActionable } else { Code::UnsupportedAction }));
        }
        let current = self.host.supervisor.current();
        let connection = current.filter(|current| current.generation() == Some(lease.executor_generation));
        connection.ok_or(Refusal::of(Code::ServiceUnavailable))
    }

    async fn dispatch(&self, connection: &Connection, lease: &Lease, bound: &Bound) -> Dispatched {
        let tool_call = tool_call_id(self.host.ids.next());
        let fresh = self.host.ids.observation();
        let asked = connection.call(REQUEST_DEADLINE, self.call.cancelled.clone(), |call| {
            self.leave(call, lease, bound, &tool_call, fresh)
        });
        match asked.await {
            Ok(Answered { answer, call }) if answer.tool_call_id == tool_call => {
                self.take_report(connection, call, lease, fresh, answer)
            }
            Ok(Answered { call, .. }) => {
                self.contradicted(connection, "another_tool_call");
                self.lost(Some(call), lease, fresh, Code::OutcomeUnknown)
            }
            Err(failed) => match failed.failure {
                CallFailure::Lost(code) => self.lost(failed.call, lease, fresh, code),
                CallFailure::Refused(_) | CallFailure::Unsent(_) | CallFailure::Rpc(_) => {
                    let code = failed.failure.refusal().code;
                    look_failed(&self.host, failed.call.as_ref(), self.state.id, fresh, code);
                    Dispatched::not_sent(code, None)
                }
            },
        }
    }

    /// The second check, at the moment the dispatch leaves; nothing is awaited between it and the queue. What
    /// leaves carries the newest fence, which the executor compares before each write: the third.
    fn leave(
        &self,
        call: &ExecutorCall,
        lease: &Lease,
        bound: &Bound,
        tool_call: &ToolCallId,
        fresh: ObservationId,
    ) -> Result<DispatchElement, surehand_contract::Refusal> {
        let (epoch, start) = self.host.keeper.seat(|seat, now| {
            let epoch = seat.check(now, lease)?;
            Ok::<_, surehand_contract::Refusal>((epoch, seat.may_observe(now, lease.session)?))
        })?;
        // The window is looked at once more after the write, and that look is part of this request.
        let began = self.host.keeper.step(call.observation_began(start, fresh));
        if let Some(ObservationStanding::Dropped { refusal }) = began.standing(fresh) {
            return Err(refusal);
        }
        let element = bound.element();
        Ok(DispatchElement {
            session: self.state.wire_id.clone(),
            snapshot_id: bound.view.snapshot.snapshot_id.clone(),
            tool_call_id: tool_call.clone(),
            element_token: element.token.clone(),
            expect_element_digest: element.digest,
            target: bound.view.snapshot.target.clone(),
            fence_epoch: epoch.number(),
            action: bound.action.clone(),
        })
    }

    fn take_report(
        &self,
        connection: &Connection,
        call: ExecutorCall,
        lease: &Lease,
        fresh: ObservationId,
        report: DispatchReport,
    ) -> Dispatched {
        self.report_outcome(&call, lease, &report.verdict);
        let asked = self.state.view(lease.observation).map(|view| view.snapshot.target.clone());
        let (fresh, no_fresh) = match report.snapshot {
            Some(snapshot) if asked.is_some_and(|asked| !same_window(&asked, &snapshot.target)) => {
                look_failed(&self.host, Some(&call), self.state.id, fresh, Code::ServiceMismatch);
                self.contradicted(connection, "another_window");
                (None, Some(Code::ServiceMismatch))
            }
            Some(snapshot) => match self.take_in(&call, fresh, snapshot) {
                Ok(observed) => {
                    let base = self.state.view(lease.observation).map(|view| (lease.observation, view));
                    (Some(Observed { base, ..observed }), None)
                }
                Err(refusal) => (None, Some(refusal.code)),
            },
            None => {
                let error = report.post_observation_error.map(|error| error.code);
                let code = error.or(report.verdict.code).unwrap_or(Code::NeedsObservation);
                look_failed(&self.host, Some(&call), self.state.id, fresh, code);
                (None, error)
            }
        };
        Dispatched {
            verdict: report.verdict,
            route: report.route,
            detail: report.detail.map(Detail::from),
            settled: report.settle.map(|settled| settled.reason),
            fresh,
            no_fresh,
        }
    }

    /// The generation ended under the call: what had begun to leave may have been done.
    fn lost(&self, call: Option<ExecutorCall>, lease: &Lease, fresh: ObservationId, code: Code) -> Dispatched {
        let verdict = if code.happened() == Happened::Perhaps { Verdict::unknown() } else { Verdict::not_sent(code) };
        if let Some(call) = call {
            self.report_outcome(&call, lease, &verdict);
            look_failed(&self.host, Some(&call), self.state.id, fresh, code);
        }
        Dispatched { verdict, ..Dispatched::not_sent(code, None) }
    }

    fn report_outcome(&self, call: &ExecutorCall, lease: &Lease, verdict: &Verdict) {
        let outcome = DispatchOutcome { verdict: verdict.clone(), quiet_in_ms: None };
        self.host.keeper.step(call.dispatch_outcome(self.state.id, lease.window.clone(), outcome));
    }

    /// The fourth check: what came back after a stop, a lock or an intervention is not shown as success. That
    /// something was or may have been sent is reported all the same.
    fn conclude(&self, lease: &Lease, dispatched: Dispatched) -> Result<Acted, Refusal> {
        let Dispatched { mut verdict, route, detail, settled, mut fresh, no_fresh } = dispatched;
        if verdict.delivery == Delivery::NotSent {
            let code = verdict.code.unwrap_or(Code::ServiceMismatch);
            let mut refusal = Refusal { code, wait_ms: None, detail };
            let standing = self.host.keeper.seat(|seat, now| seat.check(now, lease));
            match standing {
                // What stopped it at the fence says more than that something did.
                Err(held) if code == Code::Aborted && !self.call.cancelled.is_cancelled() => refusal = held.into(),
                Ok(_) if refusal.detail.is_none() && !has_moved_on(&refusal) => {
                    refusal.detail = Some(Detail::StillCurrent(lease.observation))
                }
                Err(held) if held.code == code => refusal.wait_ms = held.wait_ms,
                _ => {}
            }
            return Err(refusal);
        }
        let window_is_gone = fresh.is_none() && no_fresh == Some(Code::TargetMissing);
        let (returned, input_is_lost) =
            self.host.keeper.seat(|seat, now| (seat.check_returned(now, lease), seat.input_is_lost()));
        if returned.is_err() && verdict.delivery == Delivery::Delivered {
            verdict = verdict.overtaken();
            fresh = None;
        } else if fresh.is_none() && verdict.code.is_none() && !window_is_gone {
            // Delivered, and the window could not be read again: locked or unresponsive since.
            verdict.code = no_fresh;
        }
        Ok(Acted { verdict, route, settled, fresh, input_is_lost, window_is_gone })
    }
}

/// Refused because what was observed is no longer so. What a person, a lock or a bound refuses is not looked past.
fn has_moved_on(refusal: &Refusal) -> bool {
    let moved = matches!(
        refusal.code,
        Code::TargetChanged
            | Code::TargetMissing
            | Code::StaleObservation
            | Code::NeedsObservation
            | Code::DuplicateAction
            | Code::AmbiguousTarget
    );
    moved && refusal.detail != Some(Detail::Observation(surehand_wire::SnapshotFate::NoSuchElement))
}

impl Bound {
    fn element(&self) -> &Element {
        self.view.element(self.element).expect("it was there when the action was bound, and views do not change")
    }
}

impl Dispatched {
    /// The executor's fence, or the check before it, stopped it, and not a byte was written.
    fn was_fenced(&self) -> bool {
        self.verdict.delivery == Delivery::NotSent && matches!(self.verdict.code, Some(Code::Aborted | Code::Held))
    }

    fn not_sent(code: Code, detail: Option<Detail>) -> Self {
        Self {
            verdict: Verdict::not_sent(code),
            route: surehand_wire::Route::None,
            detail,
            settled: None,
            fresh: None,
            no_fresh: None,
        }
    }
}

/// A number written as text is a number to an element whose value is one.
fn fitted(action: Action, element: &Element) -> Action {
    let Action::SetValue { value: SetValue::Text { text } } = &action else { return action };
    if !matches!(element.value, Some(Value::Number { .. })) {
        return action;
    }
    match text.expose().trim().parse().map(FiniteNumber::new) {
        Ok(Ok(number)) => Action::SetValue { value: SetValue::Number { number } },
        Ok(Err(_)) | Err(_) => action,
    }
}

/// Whether the observed element offers the action at all.
fn offers(element: &Element, action: &Action) -> bool {
    match action {
        Action::Click {} => takes(element, Verb::Click),
        Action::SetValue { .. } => takes(element, Verb::SetValue),
        Action::Select {} => takes(element, Verb::Select),
        Action::Scroll { .. } => takes(element, Verb::Scroll),
        Action::Perform { name } => element.actions.contains(name),
    }
}

/// Recognises a repeat of the same arguments.
pub(crate) fn fingerprint(arguments: &impl serde::Serialize) -> ActionFingerprint {
    let written = serde_json::to_vec(arguments).expect("arguments have text keys and finite numbers");
    ActionFingerprint(Digest::from_bytes(Sha256::digest(written).into()))
}

pub(crate) fn tool_call_id(number: u64) -> ToolCallId {
    ToolCallId::new(format!("t{number:x}")).expect("a hexadecimal number is short visible ASCII")
}

fn lane_full() -> Refusal {
    Refusal::with(Code::Unresponsive, Detail::LaneFull)
}
