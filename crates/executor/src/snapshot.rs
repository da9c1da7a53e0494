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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawn::{target, window as drawn_window};
    use std::time::Duration;

    fn session() -> SessionId {
        SessionId::new("s").expect("an identifier")
    }

    fn snapshot(window: u32, id: &str, captured: Instant) -> Arc<Snapshot<u32>> {
        let shown = drawn_window(window);
        let tree = Tree { window: shown, toolkit: None, nodes: Vec::new(), omissions: Vec::new() };
        let digest = crate::text_digest("");
        let look = Look { tree, digests: Vec::new(), stable_ids: Vec::new(), window_digest: digest };
        let id = SnapshotId::new(id).expect("an identifier");
        Arc::new(Snapshot { id, target: target(window), look: Arc::new(look), tokens: HashMap::new(), captured })
    }

    fn fate(table: &mut SnapshotTable<u32>, now: Instant, id: &str) -> Option<SnapshotFate> {
        table.live(now, &session(), &SnapshotId::new(id).expect("an identifier")).err()
    }

    fn table(snapshots: &[(u32, &str)], now: Instant) -> SnapshotTable<u32> {
        let mut table = SnapshotTable::default();
        table.begin(&session()).expect("a new session");
        for (count, (window, id)) in snapshots.iter().enumerate() {
            let captured = now + Duration::from_secs(count as u64);
            table.register(&session(), snapshot(*window, id, captured)).expect("the session is there");
        }
        table
    }

    #[test]
    fn a_snapshot_expires_and_stays_expired() {
        let now = Instant::now();
        let mut table = table(&[(1, "a")], now);
        let last = now + bounds::SNAPSHOT_TTL - Duration::from_millis(1);
        assert_eq!(fate(&mut table, last, "a"), None);
        assert_eq!(fate(&mut table, now + bounds::SNAPSHOT_TTL, "a"), Some(SnapshotFate::Expired));
        assert_eq!(fate(&mut table, now, "a"), Some(SnapshotFate::Expired));
        assert_eq!(table.live_snapshots(), 0);
    }

    #[test]
    fn each_window_has_its_own_live_snapshot() {
        let now = Instant::now();
        let mut table = table(&[(1, "a"), (2, "b"), (1, "c")], now);
        assert_eq!(fate(&mut table, now, "a"), Some(SnapshotFate::Superseded));
        assert_eq!(fate(&mut table, now, "b"), None);
        assert_eq!(fate(&mut table, now, "c"), None);
    }

    #[test]
    fn the_window_seen_longest_ago_makes_room() {
        let now = Instant::now();
        let mut table = table(&[(1, "a"), (2, "b"), (1, "c")], now);
        let more: Vec<String> = (3..=9).map(|window| format!("w{window}")).collect();
        for (window, id) in (3..=9).zip(&more) {
            let captured = now + Duration::from_secs(10 + u64::from(window));
            table.register(&session(), snapshot(window, id, captured)).expect("the session is there");
        }
        assert_eq!(fate(&mut table, now, "b"), Some(SnapshotFate::Evicted));
        assert_eq!(fate(&mut table, now, "c"), None, "its window was seen again later");
        assert_eq!(table.live_snapshots() as usize, bounds::SNAPSHOTS_PER_SESSION);
    }

    #[test]
    fn a_spent_snapshot_stays_spent_whatever_replaces_it() {
        let now = Instant::now();
        let mut table = table(&[(1, "a")], now);
        let id = SnapshotId::new("a").expect("an identifier");
        table.spend(&session(), &id);
        table.register(&session(), snapshot(1, "b", now)).expect("the session is there");
        assert_eq!(fate(&mut table, now, "a"), Some(SnapshotFate::Spent));
    }

    #[test]
    fn a_snapshot_that_was_superseded_while_it_was_written_on_is_spent() {
        let now = Instant::now();
        let mut table = table(&[(1, "a"), (1, "b")], now);
        table.spend(&session(), &SnapshotId::new("a").expect("an identifier"));
        assert_eq!(fate(&mut table, now, "a"), Some(SnapshotFate::Spent));
        assert_eq!(fate(&mut table, now, "b"), None);
    }

    #[test]
    fn the_fates_that_are_remembered_are_bounded() {
        let now = Instant::now();
        let mut table = table(&[], now);
        for count in 0..bounds::REMEMBERED_FATES + 10 {
            table.register(&session(), snapshot(1, &format!("n{count}"), now)).expect("the session is there");
        }
        assert_eq!(fate(&mut table, now, "n0"), Some(SnapshotFate::Unknown));
        assert_eq!(fate(&mut table, now, "n100"), Some(SnapshotFate::Superseded));
        assert_eq!(table.sessions[&session()].fates.len(), bounds::REMEMBERED_FATES);
    }
}
