//! The executor process, from its first line to its last.

use crate::{
    Desktop, Fence, NoRandomness, bounds,
    core::Core,
    inbox::{Inbox, Incoming},
    obligation::Book,
    outbox::Outbox,
};
use std::{
    future::Future,
    io::{self, Read, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use surehand_wire::Nature;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    task::JoinSet,
};

/// Why the executor ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ended {
    /// The host closed its end.
    InputClosed,
    /// The host's process is gone.
    HostGone,
    /// It was told to.
    Terminated,
    /// The host speaks another protocol.
    ProtocolMismatch,
    /// The host broke this one.
    ProtocolViolation,
    /// The host no longer reads.
    OutputBroken,
}

impl Ended {
    /// What the process exits with: 0, or one of `sysexits.h`.
    pub const fn exit_status(self) -> u8 {
        match self {
            Ended::InputClosed | Ended::HostGone | Ended::Terminated => 0,
            Ended::ProtocolMismatch => 78,
            Ended::ProtocolViolation => 76,
            Ended::OutputBroken => 74,
        }
    }
}

/// The executor could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error("a thread could not be started")]
    Thread(#[source] io::Error),
}

/// Serves one host over `input` and `output` until either ends or `stop` resolves. Then nothing new is begun, what
/// was not written yet is answered `aborted`, and actions under way are given [`bounds::SHUTDOWN_GRACE`].
pub async fn serve<D: Desktop>(
    desktop: D,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    stop: impl Future<Output = ()>,
) -> Result<Ended, StartError> {
    let fence = Fence::new();
    let outbox = Arc::new(Outbox::default());
    let book = Book::new(Arc::clone(&fence), Arc::clone(&outbox));
    let core = Arc::new(Core::new(desktop, Arc::clone(&fence), Arc::clone(&book))?);
    let closing = Arc::new(AtomicBool::new(false));
    let (incoming, mut received) = unbounded_channel();

    let (writer, broken) = (Arc::clone(&outbox), incoming.clone());
    spawn("write", move || writer.write_to(output, || drop(broken.send(Incoming::Ended(Ended::OutputBroken)))))?;
    let inbox = Inbox::new(fence, Arc::clone(&book), Arc::clone(&outbox), incoming, Arc::clone(&closing));
    spawn("read", move || inbox.read_from(input))?;

    let mut workers = JoinSet::new();
    let ended = tokio::select! {
        ended = take_work(&core, &mut received, &mut workers) => ended,
        () = stop => Ended::Terminated,
    };
    closing.store(true, Ordering::SeqCst);
    received.close();
    // What was queued and not begun answers itself.
    while received.recv().await.is_some() {}
    book.cancel_all();
    let finishing = async { while workers.join_next().await.is_some() {} };
    if tokio::time::timeout(bounds::SHUTDOWN_GRACE, finishing).await.is_err() {
        workers.shutdown().await;
    }
    core.close();
    outbox.close();
    let flushed = tokio::task::spawn_blocking(move || outbox.wait_until_finished(bounds::FLUSH_TIME)).await;
    if !flushed.unwrap_or(false) {
        tracing::warn!("the host did not read the last answers");
    }
    Ok(ended)
}

/// Resolves when the process is told to end.
pub async fn terminated() -> io::Result<()> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

async fn take_work<D: Desktop>(
    core: &Arc<Core<D>>,
    received: &mut UnboundedReceiver<Incoming>,
    workers: &mut JoinSet<()>,
) -> Ended {
    loop {
        tokio::select! {
            incoming = received.recv() => match incoming {
                Some(Incoming::Greeted(folder)) => core.greeted(folder),
                // What the next request may build on is done before that is looked at. It waits for nothing.
                Some(Incoming::Request(work)) if work.call.method().nature() == Nature::Control => {
                    Arc::clone(core).work(*work).await;
                }
                Some(Incoming::Request(work)) => {
                    workers.spawn(Arc::clone(core).work(*work));
                }
                Some(Incoming::Ended(ended)) => return ended,
                None => return Ended::InputClosed,
            },
            Some(_) = workers.join_next() => {}
        }
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), StartError> {
    let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(run);
    spawned.map(drop).map_err(StartError::Thread)
}
