//! One generation's conversation: requests out in the order of their ids, answers in, each settled exactly once.

use super::process::{Control, Exit, Process, Reader, Writer};
use crate::{bounds::DIAGNOSTICS_BYTES, cancel::Cancelled};
use std::{
    collections::{HashMap, VecDeque},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use surehand_contract::{
    CallNumber, Code, ExecutorGeneration, Refusal, ServiceReason,
    producer::{Executor, ExecutorCall},
};
use surehand_wire::{
    CancelStep, Due, Framer, Params, Pending, Reply, Request, RequestId, RpcCode, RpcError, Violation, ViolationCount,
    encode_cancel, encode_request,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::{Notify, mpsc, oneshot},
};

const READ_BYTES: usize = 64 * 1024;

pub(crate) struct Connection {
    book: Mutex<Book>,
    outgoing: mpsc::UnboundedSender<Outgoing>,
    /// A request was booked whose deadline may be the next one.
    booked: Notify,
    control: Control,
    diagnostics: Mutex<VecDeque<u8>>,
    folder: OnceLock<PathBuf>,
    generation: OnceLock<ExecutorGeneration>,
    /// It is ending or has ended. Read without the book, which is held while a request leaves.
    is_over: AtomicBool,
}

#[derive(Default)]
struct Book {
    pending: Pending,
    waiting: HashMap<RequestId, oneshot::Sender<Outcome>>,
    /// Who speaks, once the handshake was answered.
    executor: Option<Executor>,
    violations: ViolationCount,
    /// Why it is being ended; the first reason stays.
    ending: Option<ServiceReason>,
}

type Outcome = Result<Reply, CallFailure>;

enum Outgoing {
    Request(RequestId, Vec<u8>),
    Cancel(Vec<u8>),
    /// Closes the executor's input, which asks it to end.
    Close,
}

/// A method's answer, with the evidence of what was said in it.
pub(crate) struct Answered<A> {
    pub(crate) answer: A,
    pub(crate) call: ExecutorCall,
}

/// A call without an answer, with the evidence that it was asked, once it was.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) failure: CallFailure,
    pub(crate) call: Option<ExecutorCall>,
}

/// Why a request has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallFailure {
    /// It was refused at the point of leaving.
    Refused(Refusal),
    /// It was withdrawn before a byte left.
    Unsent(Code),
    /// The generation ended. The code says what that means for what was asked.
    Lost(Code),
    /// The executor could not use it.
    Rpc(RpcCode),
}

impl CallFailure {
    pub(crate) fn refusal(self) -> Refusal {
        match self {
            Self::Refused(refusal) => refusal,
            Self::Unsent(code) | Self::Lost(code) => Refusal::of(code),
            Self::Rpc(code) => Refusal::of(match code {
                RpcCode::SessionUnknown => Code::StaleObservation,
                RpcCode::ShuttingDown | RpcCode::TooMany => Code::ServiceUnavailable,
                RpcCode::Parse
                | RpcCode::InvalidRequest
                | RpcCode::UnknownMethod
                | RpcCode::InvalidParams
                | RpcCode::Internal
                | RpcCode::ProtocolMismatch
                | RpcCode::HelloFirst => Code::ServiceMismatch,
            }),
        }
    }
}

impl Connection {
    /// Begins the conversation. `on_end` is called once, after the process was reaped and before the calls that
    /// it leaves unanswered are settled.
    pub(crate) fn open(
        process: Process,
        on_end: impl FnOnce(ServiceReason, Option<Executor>) + Send + 'static,
    ) -> Arc<Self> {
        let (outgoing, queue) = mpsc::unbounded_channel();
        let connection = Arc::new(Self {
            book: Mutex::default(),
            outgoing,
            booked: Notify::new(),
            control: process.control.clone(),
            diagnostics: Mutex::default(),
            folder: OnceLock::new(),
            generation: OnceLock::new(),
            is_over: AtomicBool::new(false),
        });
        tokio::spawn(Arc::clone(&connection).write(process.input, queue));
        tokio::spawn(Arc::clone(&connection).read(process.output));
        tokio::spawn(Arc::clone(&connection).keep_time());
        if let Some(stream) = process.diagnostics {
            tokio::spawn(Arc::clone(&connection).keep_diagnostics(stream));
        }
        tokio::spawn(Arc::clone(&connection).see_end(on_end));
        connection
    }

    /// The handshake was answered: from now on what is answered can be believed.
    pub(crate) fn believe(&self, executor: Executor) {
        // Set once, by the handshake.
        let _ = self.generation.set(executor.generation());
        self.book().executor = Some(executor);
    }

    /// Where this generation puts its pictures.
    pub(crate) fn use_folder(&self, folder: PathBuf) {
        // Set once, by the handshake.
        let _ = self.folder.set(folder);
    }

    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.get().map(PathBuf::as_path)
    }

    pub(crate) fn generation(&self) -> Option<ExecutorGeneration> {
        self.generation.get().copied()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    /// Ends the generation with SIGKILL.
    pub(crate) fn kill(&self, reason: ServiceReason) {
        self.book().ending.get_or_insert(reason);
        self.end();
    }

    fn end(&self) {
        self.is_over.store(true, Ordering::Release);
        self.control.kill();
    }

    /// Asks the executor to end, by closing its input.
    pub(crate) fn close(&self) {
        self.book().ending.get_or_insert(ServiceReason::Ended);
        self.is_over.store(true, Ordering::Release);
        // The writer is gone only when the generation is.
        let _ = self.outgoing.send(Outgoing::Close);
    }

    /// Returns when the process was reaped.
    pub(crate) async fn ended(&self) {
        self.control.ended().await;
    }

    /// The last of what it wrote to standard error. For a person, never for a model.
    pub(crate) fn diagnostics(&self) -> String {
        let kept = self.diagnostics.lock().unwrap_or_else(PoisonError::into_inner);
        let (front, back) = kept.as_slices();
        String::from_utf8_lossy(&[front, back].concat()).into_owned()
    }

    /// The first request, before anything said can be believed.
    pub(crate) async fn handshake<P: Params>(&self, params: P, deadline: Duration) -> Result<P::Answer, CallFailure> {
        let (id, answer) = self.book_request::<P>(deadline, |_, _| Ok(params))?;
        let reply = self.await_answer(id, answer, Cancelled::never()).await?;
        P::answer(reply).ok_or(CallFailure::Rpc(RpcCode::Internal))
    }

    /// Sends one request and waits for its answer.
    ///
    /// `leave` is the last word before the request is queued, with nothing awaited in between: it makes the
    /// parameters, or refuses. A cancelled or dropped call that no byte has left of is withdrawn; one that has left
    /// is cancelled at the executor and, when waited for, still settled by its answer.
    pub(crate) async fn call<P: Params>(
        &self,
        deadline: Duration,
        cancelled: Cancelled,
        leave: impl FnOnce(&ExecutorCall) -> Result<P, Refusal>,
    ) -> Result<Answered<P::Answer>, Failed> {
        let mut evidence = None;
        let booked = self.book_request::<P>(deadline, |executor, number| {
            let call = executor.ok_or(Refusal::of(Code::ServiceUnavailable))?.call(number);
            leave(evidence.insert(call))
        });
        let reply = match booked {
            Ok((id, answer)) => self.await_answer(id, answer, cancelled).await,
            Err(failure) => Err(failure),
        };
        match (reply, evidence) {
            (Ok(reply), Some(call)) => {
                let answer = P::answer(reply).expect("the book reads each answer as its own method's");
                Ok(Answered { answer, call })
            }
            (Ok(_), None) => Err(Failed { failure: CallFailure::Lost(Code::ServiceUnavailable), call: None }),
            (Err(failure), call) => Err(Failed { failure, call }),
        }
    }

    /// Ids must leave in rising order, so the request is queued before the book is let go.
    fn book_request<P: Params>(
        &self,
        deadline: Duration,
        leave: impl FnOnce(Option<&Executor>, CallNumber) -> Result<P, Refusal>,
    ) -> Result<(RequestId, oneshot::Receiver<Outcome>), CallFailure> {
        let mut book = self.book();
        if self.is_over() {
            return Err(CallFailure::Unsent(Code::ServiceUnavailable));
        }
        let now = Instant::now();
        let id = book.pending.issue(now, P::METHOD, deadline).ok_or(CallFailure::Unsent(Code::ServiceUnavailable))?;
        let params = match leave(book.executor.as_ref(), CallNumber::new(id.get())) {
            Ok(params) => params,
            Err(refusal) => {
                book.pending.cancel(now, id);
                return Err(CallFailure::Refused(refusal));
            }
        };
        let line = encode_request(&Request { id, call: params.into() });
        let (settled, answer) = oneshot::channel();
        book.waiting.insert(id, settled);
        // The writer is gone only when the generation is, which settles what waits.
        let _ = self.outgoing.send(Outgoing::Request(id, line));
        drop(book);
        self.booked.notify_one();
        Ok((id, answer))
    }

    async fn await_answer(
        &self,
        id: RequestId,
        answer: oneshot::Receiver<Outcome>,
        mut cancelled: Cancelled,
    ) -> Outcome {
        let given_up = GiveUp { connection: self, id };
        tokio::pin!(answer);
        let outcome = tokio::select! {
            biased;
            outcome = &mut answer => outcome,
            code = cancelled.wait() => {
                self.cancel(id, code);
                answer.await
            }
        };
        std::mem::forget(given_up);
        outcome.unwrap_or(Err(CallFailure::Lost(Code::ServiceUnavailable)))
    }

    fn cancel(&self, id: RequestId, code: Code) {
        let mut book = self.book();
        match book.pending.cancel(Instant::now(), id) {
            CancelStep::SettledUnsent => book.settle(id, Err(CallFailure::Unsent(code))),
            CancelStep::SendCancel => {
                let _ = self.outgoing.send(Outgoing::Cancel(encode_cancel(id)));
                drop(book);
                self.booked.notify_one();
            }
            CancelStep::Nothing => {}
        }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        // A panic while it is held leaves a request that nobody settles; its deadline does.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn write(self: Arc<Self>, mut input: Writer, mut queue: mpsc::UnboundedReceiver<Outgoing>) {
        while let Some(outgoing) = queue.recv().await {
            let line = match outgoing {
                Outgoing::Request(id, line) if self.book().pending.begin_writing(id) => line,
                Outgoing::Request(..) => continue,
                Outgoing::Cancel(line) => line,
                Outgoing::Close => return,
            };
            if input.write_all(&line).await.is_err() || input.flush().await.is_err() {
                // It closed its input: it is ending, and its end settles what waits. One that lives on without
                // reading can do nothing more.
                self.end();
                return;
            }
        }
    }

    async fn read(self: Arc<Self>, mut output: Reader) {
        let mut framer = Framer::default();
        let mut bytes = vec![0; READ_BYTES];
        loop {
            match output.read(&mut bytes).await {
                Ok(0) | Err(_) => break,
                Ok(read) => framer.feed(&bytes[..read]),
            }
            while let Some(line) = framer.next_line() {
                if let Err(violation) = line.and_then(|line| self.accept(line))
                    && self.book().violations.add(violation)
                {
                    tracing::warn!(%violation, "the executor broke its protocol");
                    self.kill(ServiceReason::ProtocolBroken { rule: rule(violation) });
                    return;
                }
            }
        }
        // Without an output it can answer nothing more.
        self.end();
    }

    fn accept(&self, line: &[u8]) -> Result<(), Violation> {
        let mut book = self.book();
        let settled = book.pending.accept(line)?;
        book.settle(settled.id, settled.answer.map_err(|RpcError(code)| CallFailure::Rpc(code)));
        Ok(())
    }

    async fn keep_time(self: Arc<Self>) {
        loop {
            let next = self.book().pending.next_due();
            let due = async {
                match next {
                    Some(due) => tokio::time::sleep_until(due.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = due => self.act_on_deadlines(),
                () = self.booked.notified() => {}
                _ = self.control.ended() => return,
            }
        }
    }

    fn act_on_deadlines(&self) {
        let mut book = self.book();
        for due in book.pending.due(Instant::now()) {
            match due {
                Due::Unsent(id) => book.settle(id, Err(CallFailure::Unsent(Code::Timeout))),
                Due::Cancel(id) => {
                    let _ = self.outgoing.send(Outgoing::Cancel(encode_cancel(id)));
                }
                Due::Kill(_) => {
                    let deadline_ms = surehand_wire::bounds::CANCEL_GRACE.as_millis() as u64;
                    book.ending.get_or_insert(ServiceReason::DeadlinePassed { deadline_ms });
                    self.end();
                }
            }
        }
    }

    async fn keep_diagnostics(self: Arc<Self>, mut stream: Reader) {
        let mut bytes = vec![0; DIAGNOSTICS_BYTES];
        while let Ok(read @ 1..) = stream.read(&mut bytes).await {
            let mut kept = self.diagnostics.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(&bytes[..read]);
            let excess = kept.len().saturating_sub(DIAGNOSTICS_BYTES);
            kept.drain(..excess);
        }
    }

    async fn see_end(self: Arc<Self>, on_end: impl FnOnce(ServiceReason, Option<Executor>)) {
        let exit = self.control.ended().await;
        let (reason, executor) = {
            let mut book = self.book();
            self.is_over.store(true, Ordering::Release);
            (book.ending.unwrap_or_else(|| reason_of(exit)), book.executor.take())
        };
        on_end(reason, executor);
        let mut book = self.book();
        for abandoned in book.pending.abandon() {
            book.settle(abandoned.id, Err(CallFailure::Lost(abandoned.code())));
        }
        // Wakes a writer that waits for more.
        let _ = self.outgoing.send(Outgoing::Close);
    }
}

impl Book {
    fn settle(&mut self, id: RequestId, outcome: Outcome) {
        if let Some(waiting) = self.waiting.remove(&id) {
            // Nobody waits any more: the call was dropped.
            let _ = waiting.send(outcome);
        }
    }
}

/// Cancels a call whose future is dropped before its answer.
struct GiveUp<'a> {
    connection: &'a Connection,
    id: RequestId,
}

impl Drop for GiveUp<'_> {
    fn drop(&mut self) {
        self.connection.cancel(self.id, Code::Aborted);
    }
}

fn reason_of(exit: Exit) -> ServiceReason {
    match exit {
        Exit::Status(status) => ServiceReason::Exited { status },
        Exit::Signal(signal) => ServiceReason::Signalled { signal },
        Exit::Unstated => ServiceReason::Ended,
    }
}

fn rule(violation: Violation) -> &'static str {
    match violation {
        Violation::LineTooLong => "line_too_long",
        Violation::NotUtf8 => "not_utf8",
        Violation::NotJson => "not_json",
        Violation::NotAMessage => "not_a_message",
        Violation::Complained => "complained",
        Violation::IdNotHigher => "id_not_higher",
        Violation::AnswerWithoutRequest => "answer_without_request",
        Violation::MalformedAnswer(_) => "malformed_answer",
    }
}
