use std::sync::Arc;
use surehand_contract::Code;
use tokio::sync::watch;

/// Cancels one call, saying why. The first reason stays.
#[derive(Debug, Clone)]
pub(crate) struct Cancel(Arc<watch::Sender<Option<Code>>>);

/// Hears that its call is cancelled.
#[derive(Debug, Clone)]
pub(crate) struct Cancelled(Option<watch::Receiver<Option<Code>>>);

/// Cancels as `aborted` when whoever waits for the answer goes away.
#[derive(Debug)]
pub(crate) struct AbortOnDrop(pub(crate) Cancel);

pub(crate) fn cancellation() -> (Cancel, Cancelled) {
    let (cancel, cancelled) = watch::channel(None);
    (Cancel(Arc::new(cancel)), Cancelled(Some(cancelled)))
}

impl Cancel {
    pub(crate) fn cancel(&self, code: Code) {
        self.0.send_if_modified(|reason| {
            let first = reason.is_none();
            reason.get_or_insert(code);
            first
        });
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.cancel(Code::Aborted);
    }
}

impl Cancelled {
    /// For what nobody can cancel.
    pub(crate) const fn never() -> Self {
        Self(None)
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.as_ref().is_some_and(|reason| reason.borrow().is_some())
    }

    /// Returns when the call is cancelled.
    pub(crate) async fn wait(&mut self) -> Code {
        match &mut self.0 {
            Some(reason) => match reason.wait_for(Option::is_some).await {
                Ok(reason) => reason.unwrap_or(Code::Aborted),
                Err(_) => Code::Aborted,
            },
            None => std::future::pending().await,
        }
    }

    /// Runs `work` unless or until the call is cancelled.
    pub(crate) async fn or<T>(&mut self, work: impl Future<Output = T>) -> Result<T, Code> {
        tokio::select! {
            biased;
            code = self.wait() => Err(code),
            done = work => Ok(done),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_first_reason_stays_and_going_away_aborts() {
        let (cancel, mut cancelled) = cancellation();
        assert_eq!(cancelled.or(async { 7 }).await, Ok(7));
        cancel.cancel(Code::Halted);
        drop(AbortOnDrop(cancel));
        assert_eq!(cancelled.wait().await, Code::Halted);
        assert_eq!(cancelled.or(async { 7 }).await, Err(Code::Halted));

        let (cancel, mut cancelled) = cancellation();
        drop(AbortOnDrop(cancel));
        assert_eq!(cancelled.wait().await, Code::Aborted);
    }
}
