use crate::bounds;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::OwnedMutexGuard;

/// One lane an application: what is done with one application is done in order, and never waits for another.
#[derive(Debug, Default)]
pub(crate) struct Lanes(Mutex<HashMap<u32, Arc<tokio::sync::Mutex<()>>>>);

/// The application's lane did not become free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LaneBusy;

impl Lanes {
    /// Held until the guard is dropped. Waiters are served in the order they came.
    pub(crate) async fn enter(&self, pid: u32) -> Result<OwnedMutexGuard<()>, LaneBusy> {
        let lane = {
            let mut lanes = self.lock();
            lanes.retain(|_, lane| Arc::strong_count(lane) > 1);
            Arc::clone(lanes.entry(pid).or_default())
        };
        tokio::time::timeout(bounds::LANE_WAIT, lane.lock_owned()).await.map_err(|_| LaneBusy)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, Arc<tokio::sync::Mutex<()>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
