//! The fence: the last check before each write, and the first thing a refusing event closes.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
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
    passed: BTreeSet<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Permission {
    epoch: u64,
    pid: u32,
}

/// The write was not made: a fence newer than its permission is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("fenced before the write")]
pub struct Fenced;

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
            .filter(|(call, permission)| under(permission) && raised.passed.contains(call))
            .map(|(call, _)| *call)
            .collect()
    }

    /// Admits one call. Its permission is `epoch`, the newest fence epoch the host knew when it let the call go.
    pub fn admit(self: &Arc<Self>, call: u64, epoch: u64, pid: u32) -> Gate {
        self.lock().in_flight.insert(call, Permission { epoch, pid });
        Gate { fence: Arc::clone(self), call }
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
    /// Makes one write, unless a fence closed it. `write` must not block: it hands the bytes to the kernel and
    /// returns.
    pub fn pass<T>(&self, write: impl FnOnce() -> T) -> Result<T, Fenced> {
        let mut raised = self.fence.lock();
        let Permission { epoch, pid } = *raised.in_flight.get(&self.call).ok_or(Fenced)?;
        if epoch < raised.seat || raised.applications.get(&pid).is_some_and(|fence| epoch < *fence) {
            return Err(Fenced);
        }
        raised.passed.insert(self.call);
        Ok(write())
    }

    /// Whether this call has written anything yet.
    pub fn has_passed(&self) -> bool {
        self.fence.lock().passed.contains(&self.call)
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        let mut raised = self.fence.lock();
        raised.in_flight.remove(&self.call);
        raised.passed.remove(&self.call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raised_fence_refuses_older_permissions_of_its_scope_only() {
        let fence = Fence::new();
        let calculator = fence.admit(1, 0, 100);
        let editor = fence.admit(2, 0, 200);
        assert_eq!(fence.raise(1, FenceScope::Application { pid: 100 }), []);
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
    fn an_acknowledged_fence_is_followed_by_no_older_write() {
        let fence = Fence::new();
        let written = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let gate = fence.admit(1, 0, 1);
        let counter = Arc::clone(&written);
        let writer = std::thread::spawn(move || {
            while gate.pass(|| counter.fetch_add(1, std::sync::atomic::Ordering::SeqCst)).is_ok() {}
        });
        while written.load(std::sync::atomic::Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        fence.raise(1, FenceScope::Seat);
        let at_acknowledgement = written.load(std::sync::atomic::Ordering::SeqCst);
        writer.join().expect("the writer ends when it is fenced");
        assert_eq!(written.load(std::sync::atomic::Ordering::SeqCst), at_acknowledgement);
    }
}
