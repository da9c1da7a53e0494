//! The writing thread: it alone writes to the host, and takes a fence's acknowledgement before anything else.

use crate::Gate;
use std::{
    collections::VecDeque,
    io::Write,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Lines on their way to the host.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    urgent: VecDeque<Vec<u8>>,
    /// A call's gate is kept until its answer has left, so that no acknowledgement overtakes an answer it should
    /// have announced.
    ordinary: VecDeque<(Vec<u8>, Option<Gate>)>,
    closed: bool,
    finished: bool,
}

enum Line {
    Urgent(Vec<u8>),
    Ordinary(Vec<u8>, Option<Gate>),
}

impl Outbox {
    pub(crate) fn push(&self, line: Vec<u8>, gate: Option<Gate>) {
        self.lock().ordinary.push_back((line, gate));
        self.changed.notify_all();
    }

    pub(crate) fn push_urgent(&self, line: Vec<u8>) {
        self.lock().urgent.push_back(line);
        self.changed.notify_all();
    }

    /// No more lines come; the thread ends once it has written those it has.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Waits until the thread has ended, at most `limit`.
    pub(crate) fn wait_until_finished(&self, limit: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.lock(), limit, |queue| !queue.finished);
        waited.unwrap_or_else(PoisonError::into_inner).0.finished
    }

    /// Writes lines until the outbox is closed and empty. Calls `broken` once if the host no longer reads.
    pub(crate) fn write_to(self: &Arc<Self>, mut output: impl Write, broken: impl FnOnce()) {
        let mut broken = Some(broken);
        while let Some(line) = self.next() {
            let (bytes, gate) = match line {
                Line::Urgent(bytes) => (bytes, None),
                Line::Ordinary(bytes, gate) => (bytes, gate),
            };
            let written = output.write_all(&bytes).and_then(|()| output.flush());
            drop(gate);
            if written.is_err()
                && let Some(broken) = broken.take()
            {
                broken();
            }
        }
        self.lock().finished = true;
        self.changed.notify_all();
    }

    fn next(&self) -> Option<Line> {
        let mut queue = self.lock();
        loop {
            if let Some(line) = queue.urgent.pop_front() {
                return Some(Line::Urgent(line));
            }
            if let Some((line, gate)) = queue.ordinary.pop_front() {
                return Some(Line::Ordinary(line, gate));
            }
            if queue.closed {
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
