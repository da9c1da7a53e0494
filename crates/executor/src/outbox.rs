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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fence, FenceScope};
    use std::{
        io,
        sync::mpsc::{Receiver, Sender, channel},
    };

    /// An output whose every write waits to be let through.
    struct Held {
        started: Sender<Vec<u8>>,
        let_through: Receiver<io::Result<()>>,
    }

    impl Write for Held {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.started.send(bytes.to_vec()).expect("the test listens");
            self.let_through.recv().expect("the test lets it through")?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Scene {
        outbox: Arc<Outbox>,
        started: Receiver<Vec<u8>>,
        let_through: Sender<io::Result<()>>,
        broken: Receiver<()>,
    }

    impl Scene {
        fn new() -> Self {
            let outbox = Arc::new(Outbox::default());
            let ((started, seen), (let_through, held)) = (channel(), channel());
            let (breaking, broken) = channel();
            let writer = Arc::clone(&outbox);
            std::thread::spawn(move || {
                let output = Held { started, let_through: held };
                writer.write_to(output, || breaking.send(()).expect("the test listens"));
            });
            Self { outbox, started: seen, let_through, broken }
        }

        fn starts(&self) -> String {
            let bytes = self.started.recv_timeout(Duration::from_secs(5)).expect("a line is being written");
            String::from_utf8(bytes).expect("text")
        }

        fn release(&self) {
            self.let_through.send(Ok(())).expect("the writer waits");
        }
    }

    #[test]
    fn an_acknowledgement_goes_before_every_answer_that_has_not_begun_to_leave() {
        let scene = Scene::new();
        scene.outbox.push(b"a".to_vec(), None);
        assert_eq!(scene.starts(), "a");
        scene.outbox.push(b"b".to_vec(), None);
        scene.outbox.push_urgent(b"fence".to_vec());
        scene.release();
        assert_eq!(scene.starts(), "fence");
        scene.release();
        assert_eq!(scene.starts(), "b");
        scene.release();
        scene.outbox.close();
        assert!(scene.outbox.wait_until_finished(Duration::from_secs(5)));
    }

    #[test]
    fn a_call_that_wrote_is_in_flight_until_its_answer_has_left() {
        let scene = Scene::new();
        let fence = Fence::new();
        let gate = fence.admit(7, 0, 1);
        gate.pass(|| ()).expect("nothing is fenced");
        scene.outbox.push(b"answer".to_vec(), Some(gate));
        assert_eq!(scene.starts(), "answer");
        assert_eq!(fence.raise(1, FenceScope::Seat), [7]);
        scene.release();
        scene.outbox.close();
        assert!(scene.outbox.wait_until_finished(Duration::from_secs(5)));
        assert!(fence.raise(2, FenceScope::Seat).is_empty());
    }

    #[test]
    fn a_host_that_no_longer_reads_is_noticed_once_and_holds_nothing_up() {
        let scene = Scene::new();
        for line in ["a", "b"] {
            scene.outbox.push(line.into(), None);
            assert_eq!(scene.starts(), line);
            scene.let_through.send(Err(io::ErrorKind::BrokenPipe.into())).expect("the writer waits");
        }
        scene.outbox.close();
        assert!(scene.outbox.wait_until_finished(Duration::from_secs(5)));
        assert_eq!(scene.broken.iter().count(), 1);
    }

    #[test]
    fn waiting_for_a_host_that_does_not_read_is_bounded() {
        let scene = Scene::new();
        scene.outbox.push(b"a".to_vec(), None);
        scene.outbox.close();
        assert!(!scene.outbox.wait_until_finished(Duration::from_millis(20)));
    }
}
