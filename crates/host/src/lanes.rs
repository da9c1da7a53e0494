use crate::bounds::LANE_QUEUE;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};
use surehand_contract::ApplicationKey;
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

/// One lane an application: its actions go one after another in the order they were asked, whoever asks. Lanes
/// of different applications know nothing of each other.
#[derive(Debug, Default)]
pub(crate) struct Lanes(Mutex<HashMap<ApplicationKey, Weak<Lane>>>);

#[derive(Debug, Default)]
struct Lane {
    turn: Arc<Turn<()>>,
}

/// A place in the queue, taken before the first await so that the order is the order of asking.
#[derive(Debug)]
pub(crate) struct Place(Arc<Lane>);

/// The lane is this call's own until it is dropped.
#[derive(Debug)]
pub(crate) struct InLane {
    _turn: OwnedMutexGuard<()>,
    _lane: Arc<Lane>,
}

/// More calls wait for this application than [`LANE_QUEUE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LaneFull;

impl Lanes {
    pub(crate) fn queue(&self, application: &ApplicationKey) -> Result<Place, LaneFull> {
        let mut lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lanes.retain(|_, lane| lane.strong_count() > 0);
        if let Some(lane) = lanes.get(application).and_then(Weak::upgrade) {
            // The lane's holder, everyone in its queue, and this reference.
            return if Arc::strong_count(&lane) > LANE_QUEUE { Err(LaneFull) } else { Ok(Place(lane)) };
        }
        let lane = Arc::new(Lane::default());
        lanes.insert(application.clone(), Arc::downgrade(&lane));
        Ok(Place(lane))
    }
}

impl Place {
    /// Waits for the turn. The queue is fair: turns come in the order in which this was first polled.
    pub(crate) async fn turn(self) -> InLane {
        let turn = Arc::clone(&self.0.turn).lock_owned().await;
        InLane { _turn: turn, _lane: self.0 }
    }
}
