use crate::cancel::{Cancel, Cancelled, cancellation};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};
use surehand_contract::{ApplicationKey, Code, FenceScope, SessionId};

/// Every call that is under way, so that what the contract cancels ends at once.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    next: AtomicU64,
    live: Mutex<HashMap<u64, Live>>,
}

#[derive(Debug)]
struct Live {
    session: SessionId,
    application: Option<ApplicationKey>,
    /// It rests on the executor that runs, so that executor's end is its own.
    rests_on_executor: bool,
    cancel: Cancel,
}

/// One call. It is under way until this is dropped.
#[derive(Debug)]
pub(crate) struct Call {
    calls: Arc<Calls>,
    number: u64,
    pub(crate) cancelled: Cancelled,
}

impl Calls {
    pub(crate) fn begin(self: &Arc<Self>, session: SessionId) -> (Call, Cancel) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (cancel, cancelled) = cancellation();
        self.lock()
            .insert(number, Live { session, application: None, rests_on_executor: false, cancel: cancel.clone() });
        (Call { calls: Arc::clone(self), number, cancelled }, cancel)
    }

    pub(crate) fn cancel(&self, scope: &FenceScope, code: Code) {
        for live in self.lock().values() {
            let in_scope = match scope {
                FenceScope::Seat => true,
                FenceScope::Application(application) => live.application.as_ref() == Some(application),
                FenceScope::Session(session) => live.session == *session,
            };
            // A call that still waits for an executor to start has lost nothing with the one before.
            let is_affected = code != Code::ServiceUnavailable || live.rests_on_executor;
            if in_scope && is_affected {
                live.cancel.cancel(code);
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Call {
    /// From now on the end of the running executor cancels it.
    pub(crate) fn rests_on_executor(&self) {
        if let Some(live) = self.calls.lock().get_mut(&self.number) {
            live.rests_on_executor = true;
        }
    }

    /// From now on it is in the scope of what happens to this application.
    pub(crate) fn concerns(&self, application: &ApplicationKey) {
        if let Some(live) = self.calls.lock().get_mut(&self.number) {
            live.application = Some(application.clone());
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.calls.lock().remove(&self.number);
    }
}
