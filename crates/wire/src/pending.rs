use crate::{FromExecutor, Method, Nature, Reply, RequestId, RpcError, Violation, bounds, parse_from_executor};
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};
use surehand_contract::Code;

/// The client's book of requests: each is settled exactly once. Sans-I/O; the time is passed in.
#[derive(Debug, Default)]
pub struct Pending {
    last: u64,
    waiting: BTreeMap<RequestId, Waiting>,
}

#[derive(Debug, Clone, Copy)]
struct Waiting {
    method: Method,
    stage: Stage,
    deadline: Instant,
    cancelled: Option<Instant>,
}

/// How far a request has got towards the executor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Not one byte has left.
    Queued,
    /// Some or all of it has left.
    Writing,
}

/// What to do for a caller who gave up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelStep {
    /// Nothing was sent: the request is settled as `aborted`, and must not be written any more.
    SettledUnsent,
    /// Write `$/cancel` and go on waiting, at most [`bounds::CANCEL_GRACE`].
    SendCancel,
    /// Already cancelled, or already settled.
    Nothing,
}

/// What the time has brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// A deadline passed before a byte left: the request is settled as `timeout`.
    Unsent(RequestId),
    /// A deadline passed: write `$/cancel` for it.
    Cancel(RequestId),
    /// No answer within [`bounds::CANCEL_GRACE`]: the executor is to be killed.
    Kill(RequestId),
}

/// A request whose generation ended before its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abandoned {
    pub id: RequestId,
    pub method: Method,
    pub stage: Stage,
}

impl Abandoned {
    /// What is known of it: a mutation that had begun to leave may have been made.
    pub const fn code(&self) -> Code {
        match (self.stage, self.method.nature()) {
            (Stage::Writing, Nature::Mutation) => Code::OutcomeUnknown,
            _ => Code::ServiceUnavailable,
        }
    }
}

/// One line of the executor, matched with the request it answers.
#[derive(Debug, Clone, PartialEq)]
pub struct SettledRequest {
    pub id: RequestId,
    pub method: Method,
    pub answer: Result<Reply, RpcError>,
}

impl Pending {
    pub fn new() -> Self {
        Self::default()
    }

    /// Books a request. Its id is higher than every one before. `None` when [`bounds::REQUESTS_IN_FLIGHT`] wait
    /// already; a fence is always booked.
    pub fn issue(&mut self, now: Instant, method: Method, deadline: Duration) -> Option<RequestId> {
        if self.waiting.len() >= bounds::REQUESTS_IN_FLIGHT && method != Method::Fence {
            return None;
        }
        let id = RequestId::new(self.last + 1)?;
        self.last = id.get();
        let waiting = Waiting { method, stage: Stage::Queued, deadline: now + deadline, cancelled: None };
        self.waiting.insert(id, waiting);
        Some(id)
    }

    /// To be called before the first byte is written. False when the request is no longer to be written.
    #[must_use]
    pub fn begin_writing(&mut self, id: RequestId) -> bool {
        match self.waiting.get_mut(&id) {
            Some(waiting) => {
                waiting.stage = Stage::Writing;
                true
            }
            None => false,
        }
    }

    /// Takes in one line of the executor.
    pub fn accept(&mut self, line: &[u8]) -> Result<SettledRequest, Violation> {
        let (id, result) = match parse_from_executor(line)? {
            FromExecutor::Answer { id, result } => (id, result),
            FromExecutor::Complaint(_) => return Err(Violation::Complained),
        };
        let waiting = self.waiting.get(&id).filter(|waiting| waiting.stage == Stage::Writing);
        let method = waiting.ok_or(Violation::AnswerWithoutRequest)?.method;
        let answer = match result {
            Ok(raw) => Ok(raw.read(method)?),
            Err(error) => Err(error),
        };
        self.waiting.remove(&id);
        Ok(SettledRequest { id, method, answer })
    }

    /// The caller gave up.
    pub fn cancel(&mut self, now: Instant, id: RequestId) -> CancelStep {
        match self.waiting.get_mut(&id) {
            Some(Waiting { stage: Stage::Queued, .. }) => {
                self.waiting.remove(&id);
                CancelStep::SettledUnsent
            }
            Some(waiting) if waiting.cancelled.is_none() => {
                waiting.cancelled = Some(now);
                CancelStep::SendCancel
            }
            _ => CancelStep::Nothing,
        }
    }

    /// What is due by `now`. Each is told once, save [`Due::Kill`], after which [`Pending::abandon`] settles the rest.
    pub fn due(&mut self, now: Instant) -> Vec<Due> {
        let mut due = Vec::new();
        self.waiting.retain(|id, waiting| {
            if now < waiting.due_at() {
                return true;
            }
            match (waiting.stage, waiting.cancelled) {
                (Stage::Queued, _) => due.push(Due::Unsent(*id)),
                (Stage::Writing, None) => {
                    waiting.cancelled = Some(now);
                    due.push(Due::Cancel(*id));
                }
                (Stage::Writing, Some(_)) => due.push(Due::Kill(*id)),
            }
            waiting.stage == Stage::Writing
        });
        due
    }

    /// When [`Pending::due`] has something next.
    pub fn next_due(&self) -> Option<Instant> {
        self.waiting.values().map(Waiting::due_at).min()
    }

    /// The generation is over: everything that waited, settled.
    pub fn abandon(&mut self) -> Vec<Abandoned> {
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        waiting.map(|(id, Waiting { method, stage, .. })| Abandoned { id, method, stage }).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn len(&self) -> usize {
        self.waiting.len()
    }
}

impl Waiting {
    fn due_at(&self) -> Instant {
        self.cancelled.map_or(self.deadline, |cancelled| cancelled + bounds::CANCEL_GRACE)
    }
}
