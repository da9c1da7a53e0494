//! What is known of a request that its executor leaves unanswered: nothing left, or something may have.

use super::{
    connection::{CallFailure, Connection},
    process::{Exit, Process, controlled},
};
use crate::cancel::{Cancelled, cancellation};
use std::{sync::Arc, time::Duration};
use surehand_contract::{
    Code, Digest, ExeIdentity, ProcessInstance, Seat, SeatConfiguration, ServiceReason, Target, WindowIdentity,
};
use surehand_wire::{
    Action, DispatchElement, ElementToken, ListWindows, SessionId, SnapshotId, ToolCallId, bounds::REQUEST_DEADLINE,
};
use tokio::io::{AsyncReadExt, DuplexStream};

/// A connection to an executor whose input takes a few bytes and is never read.
struct Deaf {
    connection: Arc<Connection>,
    input: DuplexStream,
    _output: DuplexStream,
}

const INPUT_BYTES: usize = 16;

impl Deaf {
    fn new() -> Self {
        let (input, executor_input) = tokio::io::duplex(INPUT_BYTES);
        let (executor_output, output) = tokio::io::duplex(INPUT_BYTES);
        let control = controlled(|mut kill| async move {
            kill.recv().await;
            Exit::Signal(9)
        });
        let process = Process { input: Box::new(input), output: Box::new(output), diagnostics: None, control };
        let connection = Connection::open(process, |_, _| {});
        let (_, mut producers) = Seat::new(SeatConfiguration::default());
        connection.believe(producers.executors.started().0);
        Self { connection, input: executor_input, _output: executor_output }
    }

    fn dispatch(&self, cancelled: Cancelled) -> tokio::task::JoinHandle<CallFailure> {
        let connection = Arc::clone(&self.connection);
        tokio::spawn(async move {
            let asked = connection.call(REQUEST_DEADLINE, cancelled, |_| Ok(dispatch()));
            asked.await.err().expect("nobody answers").failure
        })
    }

    /// Returns when the first byte of a request has left.
    async fn first_byte(&mut self) {
        self.input.read_u8().await.unwrap();
    }
}

fn dispatch() -> DispatchElement {
    let exe = ExeIdentity { path: "/x".into(), device: 1, inode: 1 };
    let process = ProcessInstance { pid: 1, pidfd_inode: None, start_time_ticks: 1, boot_id: "b".into(), exe };
    DispatchElement {
        session: SessionId::new("s1").unwrap(),
        snapshot_id: SnapshotId::new("n").unwrap(),
        tool_call_id: ToolCallId::new("t").unwrap(),
        element_token: ElementToken::new("e").unwrap(),
        expect_element_digest: Digest::from_bytes([0; 32]),
        target: Target {
            process,
            window: WindowIdentity::X11 { window: 1, incarnation: 0 },
            content: None,
            page: None,
        },
        fence_epoch: 0,
        action: Action::Click {},
    }
}

async fn settled(calling: tokio::task::JoinHandle<CallFailure>) -> CallFailure {
    tokio::time::timeout(Duration::from_secs(10), calling).await.unwrap().unwrap()
}

#[tokio::test]
async fn what_began_to_leave_is_unknown_and_what_did_not_was_never_sent() {
    let mut deaf = Deaf::new();
    let writing = deaf.dispatch(Cancelled::never());
    deaf.first_byte().await;
    let queued = deaf.dispatch(Cancelled::never());
    tokio::task::yield_now().await;
    deaf.connection.kill(ServiceReason::Ended);
    assert_eq!(settled(writing).await, CallFailure::Lost(Code::OutcomeUnknown));
    let queued = settled(queued).await;
    assert!(
        matches!(queued, CallFailure::Lost(Code::ServiceUnavailable) | CallFailure::Unsent(Code::ServiceUnavailable)),
        "{queued:?}"
    );
}

#[tokio::test]
async fn what_is_cancelled_before_a_byte_left_is_withdrawn_at_once() {
    let mut deaf = Deaf::new();
    let _writing = deaf.dispatch(Cancelled::never());
    deaf.first_byte().await;
    let (cancel, cancelled) = cancellation();
    let queued = deaf.dispatch(cancelled);
    tokio::task::yield_now().await;
    cancel.cancel(Code::Halted);
    assert_eq!(settled(queued).await, CallFailure::Unsent(Code::Halted));
}

#[tokio::test]
async fn a_reading_that_is_lost_is_never_unknown() {
    let mut deaf = Deaf::new();
    let connection = Arc::clone(&deaf.connection);
    let reading = tokio::spawn(async move {
        let asked = connection.call(REQUEST_DEADLINE, Cancelled::never(), |_| Ok(ListWindows {}));
        asked.await.err().map(|failed| failed.failure)
    });
    deaf.first_byte().await;
    deaf.connection.kill(ServiceReason::Ended);
    assert_eq!(reading.await.unwrap(), Some(CallFailure::Lost(Code::ServiceUnavailable)));
}

#[tokio::test]
async fn what_is_refused_at_the_point_of_leaving_leaves_nothing_behind() {
    let deaf = Deaf::new();
    let refusal = surehand_contract::Refusal::of(Code::UserIntervened);
    let refused = deaf.connection.call::<ListWindows>(REQUEST_DEADLINE, Cancelled::never(), |_| Err(refusal)).await;
    assert_eq!(refused.err().map(|failed| failed.failure), Some(CallFailure::Refused(refusal)));
}

#[tokio::test]
async fn an_ended_connection_takes_nothing() {
    let deaf = Deaf::new();
    deaf.connection.kill(ServiceReason::Ended);
    deaf.connection.ended().await;
    assert_eq!(settled(deaf.dispatch(Cancelled::never())).await, CallFailure::Unsent(Code::ServiceUnavailable));
}
