//! One action on one element: found by its token, seen again, unchanged, and then written to once.

use crate::{
    Acted, Action, Desktop, Gate, Lineage, Node, Refusal, State, Verbs, Witness, bounds,
    core::{Core, bounded, refusal},
    digest::{lineage, witnessed_digest},
    effect::{Before, Followed},
    judge::SeenElement,
    obligation::Cancelled,
    observe::{is_same_window, tree_bounds},
    snapshot::{Look, Snapshot},
    wire_form,
};
use std::{sync::Arc, time::Instant};
use surehand_contract::{Code, Delivery, Digest, Happened, Target, Verdict};
use surehand_wire::{Detail, DispatchElement, DispatchReport, DomainError, Route, SnapshotFate, ToolCallId};

impl<D: Desktop> Core<D> {
    /// Bounded by [`bounds::DISPATCH_TIME`], and by the caller's patience.
    pub(crate) async fn dispatch(
        &self,
        dispatch: DispatchElement,
        gate: &Gate,
        mut cancelled: Cancelled,
    ) -> DispatchReport {
        let call = dispatch.tool_call_id.clone();
        let attempt = self.attempt(&dispatch, gate, cancelled.clone());
        let attempted = tokio::select! {
            biased;
            () = cancelled.give_up(gate) => Err(Code::Aborted),
            attempted = tokio::time::timeout(bounds::DISPATCH_TIME, attempt) => attempted.map_err(|_| Code::Unresponsive),
        };
        match attempted {
            Ok(Ok(report)) => report,
            Ok(Err(error)) => DispatchReport::unsent(call, error),
            Err(_) if gate.has_passed() => DispatchReport::unsent(call, Code::OutcomeUnknown.into()),
            Err(code) => DispatchReport::unsent(call, code.into()),
        }
    }

    async fn attempt(
        &self,
        dispatch: &DispatchElement,
        gate: &Gate,
        cancelled: Cancelled,
    ) -> Result<DispatchReport, DomainError> {
        let _lane = self.lanes.enter(dispatch.target.process.pid).await.map_err(|_| Code::Unresponsive)?;
        let (snapshot, position) = self.find(dispatch)?;
        let action = wire_form::action(dispatch.action.clone());
        check_arguments(&action)?;
        let _spending = SpentOnceWritten { core: self, dispatch, gate };
        let limits = tree_bounds(bounds::ELEMENTS, bounds::LOOK_TIME);
        let look = match action {
            // A value is read back by itself.
            Action::SetValue(_) => None,
            // What the others change is only known by a look from just before.
            _ => Some(self.look(&dispatch.session, &dispatch.target, limits).await.map_err(refusal)?),
        };
        let windows = self.windows_of(&dispatch.target.process).await;
        let Sent { acted, element, announcements, written_at } = self.send(&snapshot, position, &action, gate).await?;
        match known_delivery(&acted, gate) {
            Delivery::NotSent => Err(why_not_sent(acted, gate)),
            Delivery::Refused => Ok(refused(dispatch.tool_call_id.clone(), &acted)),
            Delivery::Unknown => Err(Code::OutcomeUnknown.into()),
            Delivery::Delivered => {
                let stable_id = snapshot.look.stable_ids[position];
                let window = look.as_ref().map(Look::seen);
                let before = Before { element, window, windows, stable_id, announcements, written_at };
                let followed = self.follow(dispatch, &action, before, &cancelled).await;
                Ok(delivered(dispatch.tool_call_id.clone(), wire_form::route(&acted), followed))
            }
        }
    }

    /// The element by its token in a snapshot that may still be acted on.
    fn find(&self, dispatch: &DispatchElement) -> Result<Found<D::Reference>, DomainError> {
        let snapshot = self.table().live(Instant::now(), &dispatch.session, &dispatch.snapshot_id).map_err(fate)?;
        let position = snapshot.tokens.get(&dispatch.element_token).copied();
        let position = position.ok_or_else(|| fate(SnapshotFate::NoSuchElement))?;
        let is_as_quoted = snapshot.look.digests[position] == dispatch.expect_element_digest;
        if !is_as_quoted || snapshot.target != dispatch.target {
            return Err(fate(SnapshotFate::NoSuchElement));
        }
        Ok((snapshot, position))
    }

    /// Sees the element again and writes, with nothing in between. What was read too long ago when the write is
    /// ready is read once more.
    async fn send(
        &self,
        snapshot: &Snapshot<D::Reference>,
        position: usize,
        action: &Action,
        gate: &Gate,
    ) -> Result<Sent, DomainError> {
        let target = &snapshot.target;
        let lineage = lineage(&snapshot.look.tree, position);
        for _ in 0..bounds::WITNESSES {
            let witness = bounded(bounds::WITNESS_TIME, self.desktop.witness(target, &lineage)).await;
            let witness = witness.map_err(refusal)?;
            let node = unchanged(&witness, target, &lineage, snapshot.look.digests[position])?;
            check_takes(node, action)?;
            gate.rest_on(witness.read_at);
            let announcements = self.desktop.announcements(&target.process);
            let written_at = Instant::now();
            let acting = self.desktop.act(target, node, action, gate);
            let acted = match tokio::time::timeout(bounds::ACT_TIME, acting).await {
                Ok(acted) => acted,
                Err(_) if gate.has_passed() => return Err(Code::OutcomeUnknown.into()),
                Err(_) => return Err(Code::Unresponsive.into()),
            };
            if gate.has_passed() || gate.refusal() != Some(Refusal::Stale) {
                let element = SeenElement::from(node);
                return Ok(Sent { acted, element, announcements, written_at });
            }
        }
        Err(Code::Unresponsive.into())
    }
}

/// A snapshot, and the element's position in it.
type Found<R> = (Arc<Snapshot<R>>, usize);

/// What is known of a write that was let go.
struct Sent {
    acted: Acted,
    /// As it was just before.
    element: SeenElement,
    announcements: u64,
    written_at: Instant,
}

/// However a dispatch ends, a snapshot that a write rested on is used up.
struct SpentOnceWritten<'a, D: Desktop> {
    core: &'a Core<D>,
    dispatch: &'a DispatchElement,
    gate: &'a Gate,
}

impl<D: Desktop> Drop for SpentOnceWritten<'_, D> {
    fn drop(&mut self) {
        if self.gate.has_passed() {
            self.core.table().spend(&self.dispatch.session, &self.dispatch.snapshot_id);
        }
    }
}

fn fate(fate: SnapshotFate) -> DomainError {
    let code = match fate {
        SnapshotFate::Spent => Code::DuplicateAction,
        _ => Code::StaleObservation,
    };
    DomainError { code, detail: Some(Detail::Snapshot { fate }) }
}

fn check_arguments(action: &Action) -> Result<(), DomainError> {
    let fits = match action {
        Action::Scroll { pages, .. } => (1..=bounds::SCROLL_PAGES).contains(pages),
        Action::Perform { name } => !name.is_empty(),
        Action::Click | Action::SetValue(_) | Action::Select => true,
    };
    if fits { Ok(()) } else { Err(Code::InvalidArgument.into()) }
}

/// The element, if it is what it was when it was observed.
fn unchanged<'a, R>(
    witness: &'a Witness<R>,
    target: &Target,
    lineage: &Lineage<R>,
    observed: Digest,
) -> Result<&'a Node<R>, DomainError> {
    let shown = &witness.tree.window.target;
    if !is_same_window(shown, target) {
        return Err(Code::TargetMissing.into());
    }
    let node = witness.tree.nodes.get(witness.element).ok_or(Code::TargetMissing)?;
    if shown != target || witnessed_digest(witness, lineage) != observed {
        return Err(Code::TargetChanged.into());
    }
    Ok(node)
}

const PASSWORD_ROLE: &str = "password text";

fn check_takes<R>(node: &Node<R>, action: &Action) -> Result<(), DomainError> {
    let Verbs { click, set_value, select, scroll } = node.verbs;
    let is_password = node.states.has(State::Protected) || node.role == PASSWORD_ROLE;
    let could_write = matches!(action, Action::SetValue(_) | Action::Perform { .. });
    let is_offered = match action {
        Action::Click => click,
        Action::SetValue(_) => set_value,
        Action::Select => select,
        Action::Scroll { .. } => scroll,
        Action::Perform { name } => node.actions.contains(name),
    };
    if is_password && could_write {
        Err(Code::GrantMissing.into())
    } else if !node.states.has(State::Enabled) {
        Err(Code::NotActionable.into())
    } else if !is_offered {
        Err(Code::UnsupportedAction.into())
    } else {
        Ok(())
    }
}

/// The gate saw whether anything was written. Where the desktop says otherwise, nothing is sure.
fn known_delivery(acted: &Acted, gate: &Gate) -> Delivery {
    let said_nothing_sent = acted.delivery == Delivery::NotSent;
    let names_a_route = acted.route != crate::Route::None;
    if said_nothing_sent == gate.has_passed() || (!said_nothing_sent && !names_a_route) {
        tracing::error!("the desktop's account of a write is not the gate's");
        return Delivery::Unknown;
    }
    acted.delivery
}

fn why_not_sent(acted: Acted, gate: &Gate) -> DomainError {
    match gate.refusal() {
        Some(Refusal::Fenced | Refusal::Cancelled) => Code::Aborted.into(),
        Some(Refusal::Stale) => Code::Unresponsive.into(),
        None => match acted.failure {
            Some(failure) if failure.code.happened() == Happened::Nothing => wire_form::domain_error(failure),
            _ => Code::NotActionable.into(),
        },
    }
}

fn refused(call: ToolCallId, acted: &Acted) -> DispatchReport {
    DispatchReport {
        verdict: Verdict::refused(Code::DispatchRefused),
        route: wire_form::route(acted),
        ..DispatchReport::unsent(call, Code::DispatchRefused.into())
    }
}

fn delivered(call: ToolCallId, route: Route, followed: Followed) -> DispatchReport {
    let Followed { judgement, settled, snapshot } = followed;
    let (snapshot, post_observation_error) = match snapshot {
        Ok(snapshot) => (Some(*snapshot), None),
        Err(error) => (None, Some(error)),
    };
    DispatchReport {
        tool_call_id: call,
        verdict: Verdict::delivered(judgement.effect, judgement.method),
        route,
        detail: None,
        settle: Some(settled),
        snapshot,
        post_observation_error,
    }
}
