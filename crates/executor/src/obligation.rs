//! Exactly one answer for each request.

use crate::{Fence, Gate, bounds, outbox::Outbox};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use surehand_contract::Code;
use surehand_wire::{Refusals, Reply, RequestId, RpcCode, RpcError, SessionId, encode_answer, encode_rpc_error};
use tokio::sync::watch;

/// The requests that wait for their answer.
#[derive(Debug)]
pub(crate) struct Book {
    calls: Mutex<BTreeMap<RequestId, Entry>>,
    fence: Arc<Fence>,
    outbox: Arc<Outbox>,
}

#[derive(Debug)]
struct Entry {
    session: Option<SessionId>,
    cancel: watch::Sender<bool>,
}

impl Book {
    pub(crate) fn new(fence: Arc<Fence>, outbox: Arc<Outbox>) -> Arc<Self> {
        Arc::new(Self { calls: Mutex::default(), fence, outbox })
    }

    /// Takes a request on. `gate` is there for those that may write.
    pub(crate) fn take_on(
        self: &Arc<Self>,
        id: RequestId,
        session: Option<SessionId>,
        refusals: Refusals,
        gate: Option<Gate>,
    ) -> (Obligation, Cancelled) {
        let (cancel, cancelled) = watch::channel(false);
        self.lock().insert(id, Entry { session, cancel });
        (Obligation { id, refusals, gate, book: Arc::clone(self), answered: false }, Cancelled(cancelled))
    }

    /// The caller gave up. Whatever the call has not written by now, it never will.
    pub(crate) fn cancel(&self, id: RequestId) {
        if let Some(entry) = self.lock().get(&id) {
            self.cancel_entry(id, entry);
        }
    }

    pub(crate) fn cancel_session(&self, session: &SessionId) -> u64 {
        let calls = self.lock();
        let own = calls.iter().filter(|(_, entry)| entry.session.as_ref() == Some(session));
        own.map(|(id, entry)| self.cancel_entry(*id, entry)).count() as u64
    }

    pub(crate) fn cancel_all(&self) {
        self.lock().iter().for_each(|(id, entry)| self.cancel_entry(*id, entry));
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    fn cancel_entry(&self, id: RequestId, entry: &Entry) {
        self.fence.cancel(id.get());
        entry.cancel.send_replace(true);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<RequestId, Entry>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Resolves when the caller has given up.
#[derive(Debug, Clone)]
pub(crate) struct Cancelled(watch::Receiver<bool>);

impl Cancelled {
    pub(crate) async fn wait(&mut self) {
        if self.0.wait_for(|cancelled| *cancelled).await.is_err() {
            // The request has been answered: nobody can give up on it any more.
            std::future::pending::<()>().await;
        }
    }

    pub(crate) fn is_set(&self) -> bool {
        *self.0.borrow()
    }

    /// Resolves when a cancelled call that may write is to be left: at once if it has not written, and never will;
    /// else when its truth is overdue.
    pub(crate) async fn give_up(&mut self, gate: &Gate) {
        self.wait().await;
        if gate.has_passed() {
            tokio::time::sleep(bounds::CANCELLED_ANSWER).await;
        }
    }
}

/// The duty to answer one request. Dropped unanswered, it answers itself: with what is true of a call that was
/// given up, or with an internal error after a panic.
#[derive(Debug)]
pub(crate) struct Obligation {
    id: RequestId,
    refusals: Refusals,
    gate: Option<Gate>,
    book: Arc<Book>,
    answered: bool,
}

impl Obligation {
    pub(crate) fn answer(mut self, answer: Result<Reply, RpcError>) {
        self.send(answer);
    }

    pub(crate) fn gate(&self) -> Option<&Gate> {
        self.gate.as_ref()
    }

    pub(crate) fn refusals(&self) -> &Refusals {
        &self.refusals
    }

    fn send(&mut self, answer: Result<Reply, RpcError>) {
        let line = match &answer {
            Ok(reply) => encode_answer(self.id, reply),
            Err(error) => encode_rpc_error(self.id, *error),
        };
        self.book.outbox.push(line, self.gate.take());
        self.book.lock().remove(&self.id);
        self.answered = true;
    }
}

impl Drop for Obligation {
    fn drop(&mut self) {
        if self.answered {
            return;
        }
        let answer = if self.gate.as_ref().is_some_and(Gate::has_passed) {
            Ok(self.refusals.reply(Code::OutcomeUnknown.into()))
        } else if std::thread::panicking() {
            Err(RpcError(RpcCode::Internal))
        } else {
            Ok(self.refusals.reply(Code::Aborted.into()))
        };
        self.send(answer);
    }
}
