//! The table of snapshots: for each session and window at most one that may be acted on.

use crate::{Tree, Window, bounds, stable_id::KnownElements};
use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
    sync::Arc,
    time::Instant,
};
use surehand_contract::{Digest, ProcessInstance, Target, WindowIdentity};
use surehand_wire::{ElementToken, SessionId, SnapshotFate, SnapshotId};

/// One look at a window, with everything an action on it needs.
#[derive(Debug)]
pub(crate) struct Snapshot<R> {
    pub(crate) id: SnapshotId,
    pub(crate) target: Target,
    pub(crate) look: Arc<Look<R>>,
    pub(crate) tokens: HashMap<ElementToken, usize>,
    pub(crate) captured: Instant,
}

/// What a window showed.
#[derive(Debug)]
pub(crate) struct Look<R> {
    pub(crate) tree: Tree<R>,
    pub(crate) digests: Vec<Digest>,
    pub(crate) stable_ids: Vec<u64>,
    pub(crate) window_digest: Digest,
}

impl<R> Look<R> {
    pub(crate) fn window(&self) -> &Window {
        &self.tree.window
    }

    pub(crate) fn position_of(&self, stable_id: u64) -> Option<usize> {
        self.stable_ids.iter().position(|id| *id == stable_id)
    }
}

/// A window, whatever document it shows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct WindowKey {
    process: ProcessInstance,
    window: WindowIdentity,
}

impl From<&Target> for WindowKey {
    fn from(target: &Target) -> Self {
        Self { process: target.process.clone(), window: target.window.clone() }
    }
}

#[derive(Debug)]
pub(crate) struct SnapshotTable<R> {
    sessions: HashMap<SessionId, Session<R>>,
}

#[derive(Debug)]
struct Session<R> {
    windows: HashMap<WindowKey, SeenWindow<R>>,
    /// Snapshots that can no longer be acted on, oldest first.
    fates: VecDeque<(SnapshotId, SnapshotFate)>,
}

#[derive(Debug)]
struct SeenWindow<R> {
    live: Option<Arc<Snapshot<R>>>,
    known: KnownElements<R>,
    last_seen: Instant,
}

/// There is no such session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoSession;

/// The session is there already, or there are too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotBegun {
    Live,
    TooMany,
}

impl<R> Default for SnapshotTable<R> {
    fn default() -> Self {
        Self { sessions: HashMap::new() }
    }
}

impl<R: Clone + Eq + Hash> SnapshotTable<R> {
    pub(crate) fn begin(&mut self, session: &SessionId) -> Result<(), NotBegun> {
        if self.sessions.contains_key(session) {
            return Err(NotBegun::Live);
        }
        if self.sessions.len() >= bounds::SESSIONS {
            return Err(NotBegun::TooMany);
        }
        self.sessions.insert(session.clone(), Session { windows: HashMap::new(), fates: VecDeque::new() });
        Ok(())
    }

    /// Forgets the session; says how many live snapshots it had.
    pub(crate) fn end(&mut self, session: &SessionId) -> u64 {
        self.sessions.remove(session).map_or(0, |session| session.live().count() as u64)
    }

    pub(crate) fn has(&self, session: &SessionId) -> bool {
        self.sessions.contains_key(session)
    }

    pub(crate) fn sessions(&self) -> u64 {
        self.sessions.len() as u64
    }

    pub(crate) fn live_snapshots(&self) -> u64 {
        self.sessions.values().map(|session| session.live().count() as u64).sum()
    }

    /// The stable ids of what `tree` shows, and from now on of what this session knows of that window.
    pub(crate) fn assign_ids(
        &mut self,
        now: Instant,
        session: &SessionId,
        target: &Target,
        tree: &Tree<R>,
    ) -> Result<Vec<u64>, NoSession> {
        let session = self.sessions.get_mut(session).ok_or(NoSession)?;
        let seen = session.seen(now, target);
        Ok(seen.known.assign(tree))
    }

    /// Makes `snapshot` the live one of its session and window.
    pub(crate) fn register(&mut self, session: &SessionId, snapshot: Arc<Snapshot<R>>) -> Result<(), NoSession> {
        let session = self.sessions.get_mut(session).ok_or(NoSession)?;
        let seen = session.seen(snapshot.captured, &snapshot.target);
        let replaced = seen.live.replace(snapshot);
        if let Some(replaced) = replaced {
            session.remember(replaced.id.clone(), SnapshotFate::Superseded);
        }
        Ok(())
    }

    /// The snapshot, if it may still be acted on.
    pub(crate) fn live(
        &mut self,
        now: Instant,
        session: &SessionId,
        id: &SnapshotId,
    ) -> Result<Arc<Snapshot<R>>, SnapshotFate> {
        let session = self.sessions.get_mut(session).ok_or(SnapshotFate::Unknown)?;
        if let Some((_, fate)) = session.fates.iter().find(|(ended, _)| ended == id) {
            return Err(*fate);
        }
        let found = session.live().find(|snapshot| snapshot.id == *id).cloned().ok_or(SnapshotFate::Unknown)?;
        if now.saturating_duration_since(found.captured) >= bounds::SNAPSHOT_TTL {
            session.end_snapshot(id, SnapshotFate::Expired);
            return Err(SnapshotFate::Expired);
        }
        Ok(found)
    }

    /// Something was or may have been sent on it.
    pub(crate) fn spend(&mut self, session: &SessionId, id: &SnapshotId) {
        if let Some(session) = self.sessions.get_mut(session) {
            session.end_snapshot(id, SnapshotFate::Spent);
        }
    }
}

impl<R> Session<R> {
    fn live(&self) -> impl Iterator<Item = &Arc<Snapshot<R>>> {
        self.windows.values().filter_map(|seen| seen.live.as_ref())
    }

    /// Looking at one window more than the session may hold makes room of the one seen longest ago.
    fn seen(&mut self, now: Instant, target: &Target) -> &mut SeenWindow<R> {
        let key = WindowKey::from(target);
        if !self.windows.contains_key(&key) && self.windows.len() >= bounds::SNAPSHOTS_PER_SESSION {
            let oldest = self.windows.iter().min_by_key(|(_, seen)| seen.last_seen).map(|(key, _)| key.clone());
            let evicted = oldest.and_then(|key| self.windows.remove(&key)).and_then(|seen| seen.live);
            if let Some(snapshot) = evicted {
                self.remember(snapshot.id.clone(), SnapshotFate::Evicted);
            }
        }
        let seen = self.windows.entry(key).or_insert_with(|| SeenWindow {
            live: None,
            known: KnownElements::default(),
            last_seen: now,
        });
        seen.last_seen = now;
        seen
    }

    fn end_snapshot(&mut self, id: &SnapshotId, fate: SnapshotFate) {
        for seen in self.windows.values_mut() {
            if seen.live.as_ref().is_some_and(|live| live.id == *id) {
                seen.live = None;
                return self.remember(id.clone(), fate);
            }
        }
        // Superseded while its action was under way: that it was used matters more.
        if let Some((_, known)) = self.fates.iter_mut().find(|(ended, _)| ended == id) {
            *known = fate;
        }
    }

    fn remember(&mut self, id: SnapshotId, fate: SnapshotFate) {
        if self.fates.len() >= bounds::REMEMBERED_FATES {
            self.fates.pop_front();
        }
        self.fates.push_back((id, fate));
    }
}
