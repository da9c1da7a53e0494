//! Looking at a window, and making what was seen something to act on.

use crate::{
    Desktop, Failure, Rect, Tree, TreeBounds, bounds,
    core::{Core, bounded, refusal},
    digest::{element_digests, window_digest},
    snapshot::{Look, Snapshot},
    wire_form,
};
use rustix::time::{ClockId, clock_gettime};
use std::{
    collections::{BTreeSet, HashMap},
    io,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};
use surehand_contract::{Code, Target};
use surehand_wire::{
    CapturedAt, Detail, DomainError, ElementToken, Observe, ObserveTarget, Observed, SessionId, SnapshotId,
    bounds as wire_bounds,
};

/// What is read before a look begins, so that nothing that happens during it is missed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    pub(crate) began: Instant,
    at: CapturedAt,
    announcements: u64,
}

impl<D: Desktop> Core<D> {
    pub(crate) async fn observe(&self, observe: Observe) -> Result<Observed, DomainError> {
        let target = match observe.target {
            ObserveTarget::Window { target } => *target,
            ObserveTarget::Application { process } => {
                let windows = bounded(bounds::LIST_TIME, self.desktop.windows()).await.map_err(refusal)?;
                let mut own = windows.into_iter().filter(|window| window.target.process == process);
                own.next().ok_or(Code::TargetMissing)?.target
            }
        };
        let _lane = self.lanes.enter(target.process.pid).await.map_err(|_| Code::Unresponsive)?;
        let elements = observe.max_elements.map_or(bounds::ELEMENTS, |wanted| wanted.get() as usize);
        let start = self.start(&target);
        let limits = tree_bounds(elements.min(bounds::ELEMENTS), bounds::TREE_TIME);
        let look = self.look(&observe.session, &target, limits).await.map_err(refusal)?;
        let snapshot = self.register_to_fit(&observe.session, Arc::new(look), start, elements)?;
        Ok(Observed { snapshot })
    }

    pub(crate) fn start(&self, target: &Target) -> Start {
        let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let monotonic = clock_gettime(ClockId::Monotonic);
        let monotonic_ms = monotonic.tv_sec.unsigned_abs() * 1_000 + monotonic.tv_nsec.unsigned_abs() / 1_000_000;
        Start {
            began: Instant::now(),
            at: CapturedAt { monotonic_ms, unix_ms: crate::core::milliseconds(unix) },
            announcements: self.desktop.announcements(&target.process),
        }
    }

    /// Reads the window once.
    pub(crate) async fn look(
        &self,
        session: &SessionId,
        target: &Target,
        limits: TreeBounds,
    ) -> Result<Look<D::Reference>, Failure> {
        let tree = bounded(limits.time + bounds::DESKTOP_MARGIN, self.desktop.tree(target, limits)).await?;
        if !is_same_window(&tree.window.target, target) {
            return Err(Code::TargetMissing.into());
        }
        let ids = self.table().assign_ids(Instant::now(), session, target, &tree);
        let stable_ids = ids.map_err(|_| Failure::from(Code::Aborted))?;
        let digests = element_digests(&tree);
        let window_digest = window_digest(&tree, &digests);
        Ok(Look { tree, digests, stable_ids, window_digest })
    }

    /// Makes the look the session's live snapshot of its window, with as many elements as one response holds.
    pub(crate) fn register_to_fit(
        &self,
        session: &SessionId,
        look: Arc<Look<D::Reference>>,
        start: Start,
        elements: usize,
    ) -> Result<surehand_wire::Snapshot, DomainError> {
        let limit = wire_bounds::RESPONSE_BYTES - bounds::ENVELOPE_BYTES;
        let mut elements = elements.min(look.tree.nodes.len());
        let mut bytes = 0;
        for _ in 0..=bounds::HALVINGS {
            let id = SnapshotId::new(self.mint.mint()).expect("minted text is an identifier");
            let tokens = self.tokens(shown_first(&look.tree, elements));
            let written = wire_form::snapshot(&id, start.at, start.announcements, &look, &tokens);
            bytes = serialised_bytes(&written);
            if bytes <= limit {
                let snapshot = Snapshot {
                    id,
                    target: look.window().target.clone(),
                    look,
                    tokens: tokens.into_iter().map(|(position, token)| (token, position)).collect(),
                    captured: start.began,
                };
                let registered = self.table().register(session, Arc::new(snapshot));
                return registered.map(|()| written).map_err(|_| Code::Aborted.into());
            }
            elements = elements.div_ceil(2);
        }
        let detail = Some(Detail::ResponseBytes { bytes: bytes as u64, limit: limit as u64 });
        Err(DomainError { code: Code::ResponseTooLarge, detail })
    }

    fn tokens(&self, shown: BTreeSet<usize>) -> HashMap<usize, ElementToken> {
        let token = || ElementToken::new(self.mint.mint()).expect("minted text is an identifier");
        shown.into_iter().map(|position| (position, token())).collect()
    }
}

pub(crate) const fn tree_bounds(elements: usize, time: Duration) -> TreeBounds {
    TreeBounds { elements, depth: bounds::DEPTH, text_characters: bounds::TREE_TEXT_CHARACTERS, time }
}

/// Another document in the same window is still the same window.
pub(crate) fn is_same_window(shown: &Target, wanted: &Target) -> bool {
    shown.process == wanted.process && shown.window == wanted.window
}

/// At most `limit` positions, each with its ancestors: first what stands in the window's own area.
fn shown_first<R>(tree: &Tree<R>, limit: usize) -> BTreeSet<usize> {
    let area = Rect { x: 0, y: 0, ..tree.window.bounds };
    let (inside, outside): (Vec<usize>, Vec<usize>) = (0..tree.nodes.len())
        .partition(|position| tree.nodes[*position].bounds.is_some_and(|place| place.intersects(&area)));
    let mut shown = BTreeSet::new();
    for position in inside.into_iter().chain(outside) {
        let outwards = |child: &usize| tree.nodes[*child].parent.filter(|parent| parent < child);
        let missing: Vec<usize> =
            std::iter::successors(Some(position), outwards).take_while(|node| !shown.contains(node)).collect();
        if shown.len() + missing.len() <= limit {
            shown.extend(missing);
        }
    }
    shown
}

fn serialised_bytes(snapshot: &surehand_wire::Snapshot) -> usize {
    struct Counter(usize);
    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    serde_json::to_writer(&mut counter, snapshot).expect("snapshots have text keys and finite numbers");
    counter.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawn::{Drawn, tree};

    const ON_SCREEN: Rect = Rect { x: 10, y: 10, width: 5, height: 5 };
    const OFF_SCREEN: Rect = Rect { x: 10, y: 900, width: 5, height: 5 };

    #[test]
    fn what_is_on_screen_comes_first_with_its_ancestors_and_within_the_limit() {
        let drawn: [Drawn; 5] = [
            (1, None, "frame", "", 0),
            (2, Some(0), "label", "", 0),
            (3, Some(0), "panel", "", 1),
            (4, Some(2), "panel", "", 0),
            (5, Some(3), "label", "", 0),
        ];
        let mut tree = tree(&drawn);
        let places = [None, Some(OFF_SCREEN), None, None, Some(ON_SCREEN)];
        tree.nodes.iter_mut().zip(places).for_each(|(node, place)| node.bounds = place);
        let shown = |limit| shown_first(&tree, limit).into_iter().collect::<Vec<usize>>();
        assert_eq!(shown(5), [0, 1, 2, 3, 4]);
        assert_eq!(shown(4), [0, 2, 3, 4]);
        assert_eq!(shown(3), [0, 1, 2], "its ancestors leave no room for it");
        assert_eq!(shown(1), [0]);
        assert!(shown(0).is_empty());
    }
}
