//! The fence: the last check before each write, and the first thing a refusing event closes.

use crate::bounds;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

/// What a raised fence stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FenceScope {
    Seat,
    /// One application's process.
    Application {
        pid: u32,
    },
}

/// Refuses every write whose permission is older than the newest fence of its scope.
///
/// One mutex orders raising against writing: a write happens inside it, so an acknowledgement that has been
/// given names every call that wrote, and no later write can come from an older permission.
#[derive(Debug, Default)]
pub struct Fence(Mutex<Raised>);

#[derive(Debug, Default)]
struct Raised {
    seat: u64,
    applications: BTreeMap<u32, u64>,
    in_flight: BTreeMap<u64, Permission>,
}

#[derive(Debug, Clone, Copy)]
struct Permission {
    epoch: u64,
    pid: u32,
    passed: bool,
    cancelled: bool,
    witnessed_at: Option<Instant>,
    refusal: Option<Refusal>,
}

/// The write was not made. [`Gate::refusal`] says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the write")]
pub struct Fenced;

/// Why a write was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// A fence newer than the call's permission is up.
    Fenced,
    /// The caller gave up.
    Cancelled,
    /// What the first write rests on was read longer ago than [`bounds::WITNESS_AGE`].
    Stale,
}

impl Fence {
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Closes the scope to every permission older than `epoch`, and names the calls in flight under it that
    /// had already written.
    pub fn raise(&self, epoch: u64, scope: FenceScope) -> Vec<u64> {
        let mut raised = self.lock();
        match scope {
            FenceScope::Seat => raised.seat = raised.seat.max(epoch),
            FenceScope::Application { pid } => {
                let current = raised.applications.entry(pid).or_default();
                *current = epoch.max(*current);
            }
        }
        let under = |permission: &Permission| match scope {
            FenceScope::Seat => true,
            FenceScope::Application { pid } => permission.pid == pid,
        };
        raised
            .in_flight
            .iter()
            .filter(|(_, permission)| under(permission) && permission.passed)
            .map(|(call, _)| *call)
            .collect()
    }

    /// Admits one call. Its permission is `epoch`, the newest fence epoch the host knew when it let the call go.
    pub fn admit(self: &Arc<Self>, call: u64, epoch: u64, pid: u32) -> Gate {
        let permission = Permission { epoch, pid, passed: false, cancelled: false, witnessed_at: None, refusal: None };
        self.lock().in_flight.insert(call, permission);
        Gate { fence: Arc::clone(self), call }
    }

    /// Closes one call's way to every further write. True if it has written already.
    pub fn cancel(&self, call: u64) -> bool {
        let mut raised = self.lock();
        let Some(permission) = raised.in_flight.get_mut(&call) else { return false };
        permission.cancelled = true;
        permission.passed
    }

    /// The newest epoch of any scope.
    pub fn epoch(&self) -> u64 {
        let raised = self.lock();
        raised.applications.values().copied().fold(raised.seat, u64::max)
    }

    fn lock(&self) -> MutexGuard<'_, Raised> {
        // A panic inside a write leaves the epochs as they were, so the state stays usable.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One call's way through the fence. Dropping it ends the call.
#[derive(Debug)]
pub struct Gate {
    fence: Arc<Fence>,
    call: u64,
}

impl Gate {
    /// Makes one write, unless a fence, a cancellation or the age of the witness closed it. `write` must not block:
    /// it hands the bytes to the kernel and returns.
    pub fn pass<T>(&self, write: impl FnOnce() -> T) -> Result<T, Fenced> {
        let mut raised = self.fence.lock();
        let permission = *raised.in_flight.get(&self.call).ok_or(Fenced)?;
        let refusal = raised.refusal(&permission);
        let entry = raised.in_flight.get_mut(&self.call).ok_or(Fenced)?;
        entry.refusal = refusal;
        if refusal.is_some() {
            return Err(Fenced);
        }
        entry.passed = true;
        Ok(write())
    }

    /// The first write rests on what was read at `witnessed_at`, and is refused once that is too old.
    pub fn rest_on(&self, witnessed_at: Instant) {
        if let Some(permission) = self.fence.lock().in_flight.get_mut(&self.call) {
            permission.witnessed_at = Some(witnessed_at);
        }
    }

    /// Whether this call has written anything yet.
    pub fn has_passed(&self) -> bool {
        self.fence.lock().in_flight.get(&self.call).is_some_and(|permission| permission.passed)
    }

    /// Why the last [`Gate::pass`] was refused.
    pub fn refusal(&self) -> Option<Refusal> {
        self.fence.lock().in_flight.get(&self.call).and_then(|permission| permission.refusal)
    }
}

impl Raised {
    fn refusal(&self, permission: &Permission) -> Option<Refusal> {
        let Permission { epoch, pid, passed, cancelled, witnessed_at, .. } = *permission;
        if epoch < self.seat || self.applications.get(&pid).is_some_and(|fence| epoch < *fence) {
            Some(Refusal::Fenced)
        } else if cancelled {
            Some(Refusal::Cancelled)
        } else if !passed && witnessed_at.is_some_and(|at| at.elapsed() > bounds::WITNESS_AGE) {
            Some(Refusal::Stale)
        } else {
            None
        }
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.fence.lock().in_flight.remove(&self.call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::atomic::Ordering, time::Duration};

    #[test]
    fn a_raised_fence_refuses_older_permissions_of_its_scope_only() {
        let fence = Fence::new();
        let calculator = fence.admit(1, 0, 100);
        let editor = fence.admit(2, 0, 200);
        assert!(fence.raise(1, FenceScope::Application { pid: 100 }).is_empty());
        assert_eq!(calculator.pass(|| ()), Err(Fenced));
        assert_eq!(editor.pass(|| 7), Ok(7));
        assert_eq!(fence.raise(2, FenceScope::Seat), [2]);
        assert_eq!(editor.pass(|| ()), Err(Fenced));
        assert_eq!(fence.admit(3, 2, 100).pass(|| ()), Ok(()));
    }

    #[test]
    fn an_older_fence_never_reopens() {
        let fence = Fence::new();
        fence.raise(5, FenceScope::Seat);
        fence.raise(3, FenceScope::Seat);
        assert_eq!(fence.admit(1, 4, 1).pass(|| ()), Err(Fenced));
        assert_eq!(fence.admit(2, 5, 1).pass(|| ()), Ok(()));
    }

    #[test]
    fn a_cancelled_call_writes_no_more() {
        let fence = Fence::new();
        let unwritten = fence.admit(1, 0, 1);
        assert!(!fence.cancel(1));
        assert_eq!(unwritten.pass(|| ()), Err(Fenced));
        assert_eq!(unwritten.refusal(), Some(Refusal::Cancelled));
        let written = fence.admit(2, 0, 1);
        assert_eq!(written.pass(|| ()), Ok(()));
        assert!(fence.cancel(2));
        assert_eq!(written.pass(|| ()), Err(Fenced));
        assert!(written.has_passed());
    }

    #[test]
    fn the_first_write_alone_rests_on_the_age_of_its_witness() {
        let fence = Fence::new();
        let gate = fence.admit(1, 0, 1);
        let long_ago = Instant::now().checked_sub(bounds::WITNESS_AGE * 2).expect("the machine is up longer");
        gate.rest_on(long_ago);
        assert_eq!(gate.pass(|| ()), Err(Fenced));
        assert_eq!(gate.refusal(), Some(Refusal::Stale));
        gate.rest_on(Instant::now());
        assert_eq!(gate.pass(|| ()), Ok(()));
        gate.rest_on(long_ago);
        assert_eq!(gate.pass(|| ()), Ok(()), "the later parts of one action");
    }

    #[test]
    fn an_acknowledged_fence_is_followed_by_no_older_write() {
        let fence = Fence::new();
        let written = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let gate = fence.admit(1, 0, 1);
        let counter = Arc::clone(&written);
        let writer = std::thread::spawn(move || {
            let begun = Instant::now();
            while gate.pass(|| counter.fetch_add(1, Ordering::SeqCst)).is_ok() {
                assert!(begun.elapsed() < Duration::from_secs(5), "the fence stops the writer");
            }
        });
        while written.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        fence.raise(1, FenceScope::Seat);
        let at_acknowledgement = written.load(Ordering::SeqCst);
        writer.join().expect("the writer ends when it is fenced");
        assert_eq!(written.load(Ordering::SeqCst), at_acknowledgement);
    }
}
