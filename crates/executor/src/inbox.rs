//! The reading thread: it alone reads from the host, and does at once, by itself, what must not wait: the fence,
//! cancellations and the greeting.

use crate::{
    Ended, Fence, FenceScope, bounds, host_watch,
    images::ImageFolder,
    limits,
    obligation::{Book, Cancelled, Obligation},
    outbox::Outbox,
};
use std::{
    io::Read,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use surehand_wire::{
    Call, FenceAcknowledged, FenceScope as WireScope, Framer, FromHost, Hello, Nature, RaiseFence, Reply, Request,
    RequestId, RpcCode, RpcError, Violation, ViolationCount, encode_answer, encode_complaint, encode_rpc_error,
    parse_from_host,
};
use tokio::sync::mpsc::UnboundedSender;

/// What the reading thread hands on. The requests are bounded by [`surehand_wire::bounds::REQUESTS_IN_FLIGHT`].
#[derive(Debug)]
pub(crate) enum Incoming {
    Greeted(ImageFolder),
    Request(Box<Work>),
    Ended(Ended),
}

/// One request for the workers.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) call: Call,
    pub(crate) obligation: Obligation,
    pub(crate) cancelled: Cancelled,
}

#[derive(Debug)]
pub(crate) struct Inbox {
    pub(crate) fence: Arc<Fence>,
    pub(crate) book: Arc<Book>,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) incoming: UnboundedSender<Incoming>,
    /// Set once the executor is ending: fences and cancellations are still read.
    pub(crate) closing: Arc<AtomicBool>,
    greeted: bool,
    highest: u64,
    violations: ViolationCount,
}

impl Inbox {
    pub(crate) fn new(
        fence: Arc<Fence>,
        book: Arc<Book>,
        outbox: Arc<Outbox>,
        incoming: UnboundedSender<Incoming>,
        closing: Arc<AtomicBool>,
    ) -> Self {
        let violations = ViolationCount::default();
        Self { fence, book, outbox, incoming, closing, greeted: false, highest: 0, violations }
    }

    /// Reads until the host closes the stream or breaks the protocol.
    pub(crate) fn read_from(mut self, mut input: impl Read) {
        let mut framer = Framer::default();
        let mut buffer = vec![0; bounds::READ_BYTES];
        loop {
            let read = match input.read(&mut buffer) {
                Ok(0) => return self.end(Ended::InputClosed),
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(_) => return self.end(Ended::InputClosed),
            };
            framer.feed(&buffer[..read]);
            while let Some(line) = framer.next_line() {
                let taken = match line {
                    Ok(line) => self.take_line(line),
                    Err(violation) => self.complain(violation, RpcCode::Parse),
                };
                if let Err(ended) = taken {
                    return self.end(ended);
                }
            }
        }
    }

    fn take_line(&mut self, line: &[u8]) -> Result<(), Ended> {
        match parse_from_host(line) {
            Ok(FromHost::Request(request)) => self.take_request(*request),
            Ok(FromHost::Cancel(id)) => {
                self.book.cancel(id);
                Ok(())
            }
            Ok(FromHost::Unusable(unusable)) => {
                self.take_id(unusable.id)?;
                self.refuse(unusable.id, unusable.error.0);
                let mismatch = unusable.error.0 == RpcCode::ProtocolMismatch && !self.greeted;
                if mismatch { Err(Ended::ProtocolMismatch) } else { Ok(()) }
            }
            Err(complaint) => self.complain(complaint.violation, complaint.error.0),
        }
    }

    fn take_request(&mut self, Request { id, call }: Request) -> Result<(), Ended> {
        self.take_id(id)?;
        match call {
            Call::Hello(hello) if !self.greeted => self.greet(id, &hello),
            Call::Hello(_) => self.refuse(id, RpcCode::HelloFirst),
            _ if !self.greeted => self.refuse(id, RpcCode::HelloFirst),
            Call::Fence(raise) => self.raise(id, raise),
            _ if self.closing.load(Ordering::SeqCst) => self.refuse(id, RpcCode::ShuttingDown),
            _ if self.book.len() >= surehand_wire::bounds::REQUESTS_IN_FLIGHT => self.refuse(id, RpcCode::TooMany),
            call => self.hand_on(id, call),
        }
        Ok(())
    }

    /// An id is never used twice, so that no answer can be taken for another's.
    fn take_id(&mut self, id: RequestId) -> Result<(), Ended> {
        if id.get() <= self.highest {
            return self.complain(Violation::IdNotHigher, RpcCode::InvalidRequest);
        }
        self.highest = id.get();
        Ok(())
    }

    fn greet(&mut self, id: RequestId, hello: &Hello) {
        let folder = match ImageFolder::open(&hello.image_dir) {
            Ok(folder) => folder,
            Err(_) => return self.refuse(id, RpcCode::InvalidParams),
        };
        let incoming = self.incoming.clone();
        let ended = move || drop(incoming.send(Incoming::Ended(Ended::HostGone)));
        if host_watch::watch(hello.host_pid, Arc::clone(&self.fence), ended).is_err() {
            return self.refuse(id, RpcCode::InvalidParams);
        }
        self.greeted = true;
        self.hand(Incoming::Greeted(folder));
        self.outbox.push(encode_answer(id, &Reply::Hello(Ok(limits::welcome()))), None);
    }

    fn raise(&self, id: RequestId, RaiseFence { epoch, scope }: RaiseFence) {
        let scope = match scope {
            WireScope::Seat {} => FenceScope::Seat,
            WireScope::Application { pid } => FenceScope::Application { pid },
        };
        let passed = self.fence.raise(epoch, scope).into_iter().filter_map(RequestId::new).collect();
        let acknowledged = FenceAcknowledged { epoch, passed };
        self.outbox.push_urgent(encode_answer(id, &Reply::Fence(Ok(acknowledged))));
    }

    /// A call that may write gets its way through the fence here, so that from now on it can be cancelled.
    fn hand_on(&self, id: RequestId, call: Call) {
        let permission = match &call {
            Call::DispatchElement(dispatch) => Some((dispatch.fence_epoch, dispatch.target.process.pid)),
            // What is not started yet has no process: only a fence of the whole seat stops it.
            Call::AppsLaunch(launch) => Some((launch.fence_epoch, NO_PROCESS)),
            _ => None,
        };
        debug_assert_eq!(permission.is_some(), call.method().nature() == Nature::Mutation);
        let gate = permission.map(|(epoch, pid)| self.fence.admit(id.get(), epoch, pid));
        let (obligation, cancelled) = self.book.take_on(id, call.session().cloned(), call.refusals(), gate);
        self.hand(Incoming::Request(Box::new(Work { call, obligation, cancelled })));
    }

    fn refuse(&self, id: RequestId, code: RpcCode) {
        self.outbox.push(encode_rpc_error(id, RpcError(code)), None);
    }

    fn complain(&mut self, violation: Violation, code: RpcCode) -> Result<(), Ended> {
        tracing::warn!(%violation, "the host broke the protocol");
        self.outbox.push(encode_complaint(RpcError(code)), None);
        if self.violations.add(violation) { Err(Ended::ProtocolViolation) } else { Ok(()) }
    }

    fn end(&self, ended: Ended) {
        self.hand(Incoming::Ended(ended));
    }

    fn hand(&self, incoming: Incoming) {
        // Without a receiver the executor has ended already; an unanswered obligation answers itself.
        drop(self.incoming.send(incoming));
    }
}

const NO_PROCESS: u32 = 0;
