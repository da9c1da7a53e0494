//! What a delivered action did: looks after it until its effect shows and stays, or has had time enough to.

use crate::{
    Action, Desktop, Failure, SettleBounds, bounds,
    core::{Core, bounded, milliseconds, refusal},
    judge::{Judgement, Seen, SeenElement, SeenWindow, judge, judge_closed},
    obligation::Cancelled,
    observe::{Start, tree_bounds},
    snapshot::Look,
};
use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};
use surehand_contract::{Code, Effect, Method, ProcessInstance, WindowIdentity};
use surehand_wire::{DispatchElement, PostObservationError, SettleReason, Settled};

/// How things stood when the action was written.
#[derive(Debug)]
pub(crate) struct Before {
    pub(crate) element: SeenElement,
    pub(crate) window: Option<SeenWindow>,
    /// The process's windows, if they could be listed.
    pub(crate) windows: Option<BTreeSet<WindowIdentity>>,
    pub(crate) stable_id: u64,
    pub(crate) announcements: u64,
    pub(crate) written_at: Instant,
}

/// What came of the action.
#[derive(Debug)]
pub(crate) struct Followed {
    pub(crate) judgement: Judgement,
    pub(crate) settled: Settled,
    pub(crate) snapshot: Result<Box<surehand_wire::Snapshot>, PostObservationError>,
}

/// The last look, and what it says.
struct Watch<R> {
    judgement: Judgement,
    look: Option<(Arc<Look<R>>, Start)>,
    /// The look before it showed the same.
    stays: bool,
}

impl<D: Desktop> Core<D> {
    pub(crate) async fn follow(
        &self,
        dispatch: &DispatchElement,
        action: &Action,
        before: Before,
        cancelled: &Cancelled,
    ) -> Followed {
        let nothing_known = Judgement { effect: Effect::Unverifiable, method: Method::ActionResult };
        let mut watch = Watch { judgement: nothing_known, look: None, stays: false };
        let mut announcements = before.announcements;
        let (reason, error) = loop {
            let quiet = match self.pause(&dispatch.target.process, announcements).await {
                Some(quiet) => quiet,
                None => {
                    watch.judgement = judge_closed(action);
                    break (SettleReason::Gone, Some(Code::TargetMissing));
                }
            };
            announcements = self.desktop.announcements(&dispatch.target.process);
            match self.watch_again(dispatch, action, &before, &mut watch).await {
                Ok(()) => {}
                Err(failure) if failure.code == Code::TargetMissing => {
                    watch.judgement = judge_closed(action);
                    break (SettleReason::Gone, Some(Code::TargetMissing));
                }
                Err(failure) => break (SettleReason::Unresponsive, Some(refusal(failure).code)),
            }
            if cancelled.is_set() {
                break (SettleReason::Ceiling, None);
            }
            if let Some(reason) = enough(&watch, quiet, before.written_at.elapsed()) {
                break (reason, None);
            }
        };
        let settled = Settled { waited_ms: milliseconds(before.written_at.elapsed()), reason };
        let snapshot = match (error, watch.look) {
            (None, Some((look, start))) => self
                .register_to_fit(&dispatch.session, look, start, bounds::ELEMENTS)
                .map(Box::new)
                .map_err(|error| PostObservationError { code: error.code }),
            (error, _) => Err(PostObservationError { code: error.unwrap_or(Code::Unresponsive) }),
        };
        Followed { judgement: watch.judgement, settled, snapshot }
    }

    /// Waits until it is worth looking. Says whether the application was quiet; `None` if it went away.
    async fn pause(&self, process: &ProcessInstance, announcements: u64) -> Option<bool> {
        let settle =
            SettleBounds { quiet: bounds::SETTLE_QUIET, floor: bounds::SETTLE_FLOOR, ceiling: bounds::SETTLE_STEP };
        let settling = self.desktop.settle(process, announcements, settle);
        match tokio::time::timeout(bounds::SETTLE_STEP + bounds::DESKTOP_MARGIN, settling).await {
            Ok(settled) if settled.reason == crate::SettleReason::Gone => None,
            Ok(settled) => Some(settled.reason != crate::SettleReason::Ceiling),
            Err(_) => Some(false),
        }
    }

    async fn watch_again(
        &self,
        dispatch: &DispatchElement,
        action: &Action,
        before: &Before,
        watch: &mut Watch<D::Reference>,
    ) -> Result<(), Failure> {
        let start = self.start(&dispatch.target);
        let limits = tree_bounds(bounds::ELEMENTS, bounds::LOOK_TIME);
        let looking = self.look(&dispatch.session, &dispatch.target, limits);
        let (look, windows) = tokio::join!(looking, self.windows_of(&dispatch.target.process));
        let look = look?;
        let element = look.position_of(before.stable_id).map(|position| &look.tree.nodes[position]);
        // Windows that could not be listed both times are not compared.
        let (windows_before, windows_after) = before.windows.clone().zip(windows).unwrap_or_default();
        let element_before = Some(before.element.clone());
        let was = Seen { element: element_before, window: before.window.clone(), windows: windows_before };
        let is = Seen { element: element.map(SeenElement::from), window: Some(look.seen()), windows: windows_after };
        watch.judgement = judge(action, &was, &is);
        watch.stays = watch.look.as_ref().is_some_and(|(previous, _)| previous.window_digest == look.window_digest);
        watch.look = Some((Arc::new(look), start));
        Ok(())
    }

    /// The windows of one process, if they can be listed.
    pub(crate) async fn windows_of(&self, process: &ProcessInstance) -> Option<BTreeSet<WindowIdentity>> {
        let windows = bounded(bounds::LIST_TIME, self.desktop.windows()).await.ok()?;
        let own = windows.into_iter().filter(|window| window.target.process == *process);
        Some(own.map(|window| window.target.window).collect())
    }
}

/// Why it is not worth looking again, if it is not.
fn enough<R>(watch: &Watch<R>, quiet: bool, waited: Duration) -> Option<SettleReason> {
    let is_confirmed = watch.judgement.effect == Effect::Confirmed;
    if is_confirmed && quiet && watch.stays {
        Some(SettleReason::Quiet)
    } else if is_confirmed && waited >= bounds::CONFIRMED_CEILING {
        Some(SettleReason::Ceiling)
    } else if !is_confirmed && waited >= bounds::EFFECT_WAIT {
        Some(SettleReason::NothingSeen)
    } else {
        None
    }
}

impl<R> Look<R> {
    pub(crate) fn seen(&self) -> SeenWindow {
        let places = self.tree.nodes.iter().map(|node| node.bounds);
        SeenWindow { digest: self.window_digest, places: self.stable_ids.iter().copied().zip(places).collect() }
    }
}

impl<R> From<&crate::Node<R>> for SeenElement {
    fn from(node: &crate::Node<R>) -> Self {
        Self { role: node.role.clone().into_owned(), states: node.states, value: node.value.clone() }
    }
}
