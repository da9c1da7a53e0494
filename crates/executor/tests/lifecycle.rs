//! Class `protocol`: how a generation of the executor begins and ends.
#![allow(clippy::unwrap_used)] // The whole file is tests.

mod scripted;

use scripted::*;
use std::{
    process::{Command, Stdio},
    time::Instant,
};
use surehand_contract::{Code, Delivery};
use surehand_executor::{Ended, bounds as executor_bounds};
use surehand_wire::*;

fn desktop() -> Scripted {
    Scripted::with(vec![window(10, 1, vec![node(1, Some(0), "push button", "Go")])])
}

#[test]
fn the_greeting_names_every_limit() {
    let mut host = Host::start(desktop());
    let welcome = host.hello().unwrap().unwrap();
    assert_eq!(welcome.protocol, PROTOCOL);
    assert_eq!(welcome.pid, std::process::id());
    assert_eq!(welcome.limits.snapshots_per_session.get(), 8);
    assert_eq!(welcome.limits.snapshot_ttl_ms.get(), 120_000);
    assert_eq!(welcome.limits.max_response_bytes.get(), 1_048_576);
}

#[test]
fn nothing_comes_before_the_greeting_and_no_second_one() {
    let mut host = Host::start(desktop());
    assert_eq!(host.call(ReadHealth {}), Err(RpcError(RpcCode::HelloFirst)));
    assert_eq!(host.call(RaiseFence { epoch: 1, scope: FenceScope::Seat {} }), Err(RpcError(RpcCode::HelloFirst)));
    host.hello().unwrap().unwrap();
    assert_eq!(host.hello(), Err(RpcError(RpcCode::HelloFirst)));
    assert!(host.call(ReadHealth {}).unwrap().is_ok());
}

#[test]
fn another_protocol_is_answered_and_ended() {
    let mut host = Host::start(desktop());
    let mut hello = host.hello_params(std::process::id());
    hello.protocol = "maka.cu/2".to_owned();
    assert_eq!(host.call(hello), Err(RpcError(RpcCode::ProtocolMismatch)));
    assert_eq!(host.ended(), Ended::ProtocolMismatch);
    assert_eq!(Ended::ProtocolMismatch.exit_status(), 78);
}

#[test]
fn a_greeting_without_a_usable_folder_or_a_living_host_is_refused() {
    let mut host = Host::start(desktop());
    let good = host.hello_params(std::process::id());
    let refused = Err(RpcError(RpcCode::InvalidParams));
    let cases = [
        Hello { image_dir: "relative".to_owned(), ..good.clone() },
        Hello { image_dir: "/nonexistent/folder".to_owned(), ..good.clone() },
        Hello { host_pid: 0, ..good.clone() },
        Hello { host_pid: u32::MAX, ..good.clone() },
    ];
    for case in cases {
        assert_eq!(host.call(case), refused);
    }
    assert!(host.call(good).unwrap().is_ok());
}

#[test]
fn lines_that_are_no_requests_are_complained_of_and_the_third_ends_the_generation() {
    let mut host = Host::greet(desktop());
    for line in [&b"null\n"[..], b"{\n", b"\xff\n"] {
        host.write(line);
        let complaint = host.raw_line();
        assert!(complaint.contains("\"id\":null"), "{complaint}");
    }
    assert_eq!(host.ended(), Ended::ProtocolViolation);
    assert_eq!(Ended::ProtocolViolation.exit_status(), 76);
}

#[test]
fn unusable_requests_are_answered_by_number_and_end_nothing() {
    let mut host = Host::greet(desktop());
    let cases = [
        (r#""method":"observe.twice","params":{}"#, RpcCode::UnknownMethod),
        (r#""method":"observe","params":{}"#, RpcCode::InvalidParams),
        (r#""method":"observe","params":[]"#, RpcCode::InvalidParams),
        (r#""method":"health","params":[]"#, RpcCode::InvalidParams),
        (r#""method":"session.begin","params":{"session":"t","more":1}"#, RpcCode::InvalidParams),
        (r#""method":"session.begin""#, RpcCode::InvalidParams),
        (r#""method":"health","params":{},"extra":1"#, RpcCode::InvalidRequest),
    ];
    for (rest, code) in cases {
        let id = host.pending.issue(Instant::now(), Method::Health, bounds::REQUEST_DEADLINE).unwrap();
        assert!(host.pending.begin_writing(id));
        host.write(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{rest}}}\n").as_bytes());
        assert_eq!(host.wait(id), Err(RpcError(code)), "{rest}");
    }
    assert!(host.call(ReadHealth {}).unwrap().is_ok());
}

#[test]
fn a_request_id_is_never_taken_twice() {
    let mut host = Host::greet(desktop());
    host.write(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"health\",\"params\":{}}\n");
    assert!(host.raw_line().contains("\"id\":null"));
    assert_eq!(host.ended(), Ended::ProtocolViolation);
}

#[test]
fn a_line_without_end_is_cut_off_at_its_bound() {
    let mut host = Host::greet(desktop());
    let mut to = host.to.try_clone().unwrap();
    let writer = std::thread::spawn(move || {
        use std::io::Write;
        let chunk = vec![b' '; 1 << 16];
        // The executor stops reading: the pipe breaks or fills.
        to.set_write_timeout(Some(std::time::Duration::from_secs(5))).unwrap();
        (0..200).any(|_| to.write_all(&chunk).is_err())
    });
    assert!(host.raw_line().contains("\"id\":null"));
    assert_eq!(host.ended(), Ended::ProtocolViolation);
    writer.join().unwrap();
}

#[test]
fn a_session_begins_once_and_the_sessions_are_bounded() {
    let mut host = Host::greet(desktop());
    let begin = |name: String| BeginSession { session: session(&name) };
    assert_eq!(host.call(begin("s".to_owned())), Err(RpcError(RpcCode::InvalidParams)));
    for number in 1..executor_bounds::SESSIONS {
        host.call(begin(format!("s{number}"))).unwrap().unwrap();
    }
    assert_eq!(host.call(begin("one more".replace(' ', "-"))), Err(RpcError(RpcCode::TooMany)));
    let unknown = host.call(EndSession { session: session("nobody") }).unwrap().unwrap();
    assert_eq!(unknown.released, Released::default());
}

#[test]
fn requests_beyond_the_limit_are_refused_and_the_fence_is_not() {
    let scripted = desktop();
    let mut host = Host::greet(scripted.clone());
    scripted.world().stuck.insert(10);
    let target = ObserveTarget::Window { target: Box::new(target(10, 1)) };
    for _ in 0..bounds::REQUESTS_IN_FLIGHT {
        host.send(Observe { session: session("s"), target: target.clone(), max_elements: None });
    }
    let fence = host.call(RaiseFence { epoch: 1, scope: FenceScope::Seat {} });
    assert_eq!(fence.unwrap().unwrap().passed, []);
    // The host's own book refuses as well, so this one is written past it.
    host.write(b"{\"jsonrpc\":\"2.0\",\"id\":5000,\"method\":\"health\",\"params\":{}}\n");
    assert!(host.raw_line().contains("-32004"));
}

/// A dispatch that has written, and one behind it in its lane.
fn one_written_and_one_queued(scripted: &Scripted, host: &mut Host) -> (RequestId, RequestId) {
    scripted.world().effect = None;
    host.begin("t");
    let (first, second) = (host.observe(10, 1), host.try_observe("t", target(10, 1)).unwrap());
    let written = host.send(host.dispatch_params("s", &first, "Go", Action::Click {}));
    scripted.wait_until_written();
    let queued = host.send(host.dispatch_params("t", &second, "Go", Action::Click {}));
    // A reply after both: the reader has taken them in.
    host.call(RaiseFence { epoch: 0, scope: FenceScope::Seat {} }).unwrap().unwrap();
    (written, queued)
}

fn assert_orderly_end(end: impl Fn(&mut Host), wanted: Ended) {
    let scripted = desktop();
    let mut host = Host::greet(scripted.clone());
    let (written, queued) = one_written_and_one_queued(&scripted, &mut host);
    end(&mut host);
    let report = host.answer::<DispatchElement>(queued).unwrap();
    assert_eq!((report.verdict.delivery, report.verdict.code), (Delivery::NotSent, Some(Code::Aborted)));
    let report = host.answer::<DispatchElement>(written).unwrap();
    assert_eq!(report.verdict.delivery, Delivery::Delivered, "what was written is finished and told");
    assert_eq!(host.ended(), wanted);
    assert_eq!(scripted.world().writes.len(), 1);
}

#[test]
fn told_to_end_it_aborts_what_is_queued_and_finishes_what_was_written() {
    assert_orderly_end(Host::stop, Ended::Terminated);
}

#[test]
fn it_ends_the_same_way_when_its_input_does() {
    assert_orderly_end(Host::close_input, Ended::InputClosed);
}

#[test]
fn an_action_that_outlasts_the_grace_is_unknown() {
    let scripted = desktop();
    scripted.world().mute.insert(10);
    let mut host = Host::greet(scripted.clone());
    let snapshot = host.observe(10, 1);
    let id = host.send(host.dispatch_params("s", &snapshot, "Go", Action::Click {}));
    scripted.wait_until_written();
    let told = Instant::now();
    host.stop();
    assert_eq!(host.answer::<DispatchElement>(id).unwrap().verdict.code, Some(Code::OutcomeUnknown));
    assert!(told.elapsed() < executor_bounds::ACT_TIME, "the action's own time is not waited for");
    assert_eq!(host.ended(), Ended::Terminated);
}

#[test]
fn while_it_ends_nothing_is_begun_and_the_fence_is_still_answered() {
    let scripted = desktop();
    scripted.world().mute.insert(10);
    let mut host = Host::greet(scripted.clone());
    let snapshot = host.observe(10, 1);
    let id = host.send(host.dispatch_params("s", &snapshot, "Go", Action::Click {}));
    scripted.wait_until_written();
    host.stop();
    let told = Instant::now();
    let refused = |answer: Result<_, RpcError>| answer == Err(RpcError(RpcCode::ShuttingDown));
    while !refused(host.call(BeginSession { session: session("late") })) {
        assert!(told.elapsed() < executor_bounds::SHUTDOWN_GRACE, "it does not say that it ends");
    }
    let fence = host.call(RaiseFence { epoch: 1, scope: FenceScope::Seat {} }).unwrap().unwrap();
    assert_eq!(fence.passed, [id]);
    assert_eq!(host.ended(), Ended::Terminated);
}

#[test]
fn what_a_request_builds_on_is_done_before_it() {
    let mut host = Host::greet(desktop());
    let target = ObserveTarget::Window { target: Box::new(target(10, 1)) };
    for round in 0..50 {
        let session = session(&format!("round-{round}"));
        host.send(BeginSession { session: session.clone() });
        let observed = host.send(Observe { session: session.clone(), target: target.clone(), max_elements: None });
        assert!(host.answer::<Observe>(observed).is_ok(), "the session had begun");
        host.call(EndSession { session }).unwrap().unwrap();
    }
}

#[test]
fn the_executor_ends_with_its_hosts_process_and_writes_nothing_after_it() {
    let scripted = desktop();
    let mut process = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut host = Host::start(scripted.clone());
    let hello = host.hello_params(process.id());
    host.call(hello).unwrap().unwrap();
    host.begin("s");
    let snapshot = host.observe(10, 1);
    scripted.world().hold_before_write = true;
    let id = host.send(host.dispatch_params("s", &snapshot, "Go", Action::Click {}));
    scripted.wait_at_the_gate();
    process.kill().unwrap();
    process.wait().unwrap();
    let report = host.answer::<DispatchElement>(id).unwrap();
    scripted.release.notify_one();
    assert_eq!(report.verdict.code, Some(Code::Aborted));
    assert_eq!(host.ended(), Ended::HostGone);
    assert!(scripted.world().writes.is_empty());
}
