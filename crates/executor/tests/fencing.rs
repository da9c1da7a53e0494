//! Class `protocol`: the fence, cancellation and lanes, over the real wire, on a scripted desktop.
#![allow(clippy::unwrap_used)] // The whole file is tests.

mod scripted;

use scripted::*;
use std::time::{Duration, Instant};
use surehand_contract::{Code, Delivery};
use surehand_executor as executor;
use surehand_wire::*;

/// Two applications with a button each.
fn two_applications() -> Scripted {
    let button = |reference| vec![node(reference, Some(0), "push button", "Go")];
    Scripted::with(vec![window(10, 1, button(1)), window(20, 2, button(2))])
}

/// A dispatch that has its permission, has seen its element, and stands before its write.
fn at_the_gate(desktop: &Scripted, host: &mut Host) -> (RequestId, Snapshot) {
    let snapshot = host.observe(10, 1);
    desktop.world().hold_before_write = true;
    let id = host.send(host.dispatch_params("s", &snapshot, "Go", Action::Click {}));
    desktop.wait_at_the_gate();
    (id, snapshot)
}

fn release(desktop: &Scripted) {
    desktop.world().hold_before_write = false;
    desktop.release.notify_one();
}

fn fence(host: &mut Host, epoch: u64, scope: FenceScope) -> FenceAcknowledged {
    host.call(RaiseFence { epoch, scope }).unwrap().unwrap()
}

fn report(host: &mut Host, id: RequestId) -> DispatchReport {
    host.answer::<DispatchElement>(id).unwrap()
}

#[test]
fn a_fence_raised_between_the_witness_and_the_write_lets_nothing_through() {
    for scope in [FenceScope::Seat {}, FenceScope::Application { pid: 10 }] {
        let desktop = two_applications();
        let mut host = Host::greet(desktop.clone());
        let (id, snapshot) = at_the_gate(&desktop, &mut host);
        assert_eq!(fence(&mut host, 1, scope).passed, []);
        release(&desktop);
        let report = report(&mut host, id);
        assert_eq!((report.verdict.delivery, report.verdict.code), (Delivery::NotSent, Some(Code::Aborted)));
        assert!(desktop.world().writes.is_empty());
        let mut again = host.dispatch_params("s", &snapshot, "Go", Action::Click {});
        assert_eq!(host.call(again.clone()).unwrap().verdict.code, Some(Code::Aborted), "the old permission is void");
        again.fence_epoch = 1;
        assert_eq!(host.call(again).unwrap().verdict.delivery, Delivery::Delivered, "a new one is not");
    }
}

#[test]
fn a_fence_of_another_application_stops_nothing_here() {
    let desktop = two_applications();
    let mut host = Host::greet(desktop.clone());
    let (id, _) = at_the_gate(&desktop, &mut host);
    assert_eq!(fence(&mut host, 1, FenceScope::Application { pid: 20 }).passed, []);
    release(&desktop);
    assert_eq!(report(&mut host, id).verdict.delivery, Delivery::Delivered);
}

#[test]
fn the_acknowledgement_names_what_had_passed() {
    let desktop = two_applications();
    desktop.world().mute.insert(10);
    let mut host = Host::greet(desktop.clone());
    let snapshot = host.observe(10, 1);
    let id = host.send(host.dispatch_params("s", &snapshot, "Go", Action::Click {}));
    desktop.wait_until_written();
    assert_eq!(fence(&mut host, 1, FenceScope::Application { pid: 20 }).passed, []);
    assert_eq!(fence(&mut host, 2, FenceScope::Application { pid: 10 }).passed, [id]);
    assert_eq!(fence(&mut host, 3, FenceScope::Seat {}).passed, [id]);
    host.cancel(id);
    assert_eq!(report(&mut host, id).verdict.code, Some(Code::OutcomeUnknown));
    let started = Instant::now();
    // An answered call is in flight no more, once its answer has wholly left the executor.
    let epochs = (4..).take_while(|_| started.elapsed() < Duration::from_secs(10));
    let empty = epochs.map(|epoch| fence(&mut host, epoch, FenceScope::Seat {})).any(|fence| fence.passed.is_empty());
    assert!(empty);
}

#[test]
fn the_fence_waits_for_no_worker() {
    let desktop = two_applications();
    let mut host = Host::greet(desktop.clone());
    desktop.world().stuck.insert(10);
    let target = ObserveTarget::Window { target: Box::new(target(10, 1)) };
    let slow: Vec<RequestId> = (0..40)
        .map(|_| host.send(Observe { session: session("s"), target: target.clone(), max_elements: None }))
        .collect();
    fence(&mut host, 1, FenceScope::Seat {});
    assert!(slow.iter().all(|id| !host.was_answered(*id)));
}

#[test]
fn a_launch_is_fenced_with_the_seat() {
    let desktop = two_applications();
    desktop.world().hold_before_write = true;
    let mut host = Host::greet(desktop.clone());
    let launch = LaunchApplication {
        session: session("s"),
        tool_call_id: ToolCallId::new("call").unwrap(),
        fence_epoch: 0,
        application: "org.example.App".to_owned(),
        wait_for_window_ms: 0,
    };
    let id = host.send(launch.clone());
    desktop.wait_at_the_gate();
    fence(&mut host, 1, FenceScope::Seat {});
    release(&desktop);
    assert_eq!(host.answer::<LaunchApplication>(id).unwrap(), Err(Code::Aborted.into()));
    assert!(desktop.world().launches.is_empty());
    let launched = host.call(LaunchApplication { fence_epoch: 1, ..launch }).unwrap().unwrap();
    assert_eq!(launched.waited.reason, LaunchWaitReason::NotRequested);
    assert_eq!(desktop.world().launches, ["org.example.App"]);
}

#[test]
fn a_call_cancelled_before_its_write_is_aborted_and_never_written() {
    let desktop = two_applications();
    let mut host = Host::greet(desktop.clone());
    let (id, snapshot) = at_the_gate(&desktop, &mut host);
    host.cancel(id);
    let report = report(&mut host, id);
    assert_eq!((report.verdict.delivery, report.verdict.code), (Delivery::NotSent, Some(Code::Aborted)));
    release(&desktop);
    assert_eq!(host.dispatch(&snapshot, "Go", Action::Click {}).verdict.delivery, Delivery::Delivered);
    assert_eq!(desktop.world().writes.len(), 1, "only the second");
}

#[test]
fn a_call_cancelled_after_its_write_answers_the_truth_within_the_hosts_grace() {
    let desktop = two_applications();
    desktop.world().mute.insert(10);
    let mut host = Host::greet(desktop.clone());
    let snapshot = host.observe(10, 1);
    let id = host.send(host.dispatch_params("s", &snapshot, "Go", Action::Click {}));
    desktop.wait_until_written();
    let cancelled = Instant::now();
    host.cancel(id);
    assert_eq!(report(&mut host, id).verdict.code, Some(Code::OutcomeUnknown));
    assert!(cancelled.elapsed() < surehand_wire::bounds::CANCEL_GRACE);
    assert_eq!(host.dispatch(&snapshot, "Go", Action::Click {}).verdict.code, Some(Code::DuplicateAction));
}

/// An action that has written its first part, and stands before its second.
fn between_two_parts(desktop: &Scripted, host: &mut Host) -> RequestId {
    desktop.world().writes_in_two_parts = true;
    let snapshot = host.observe(10, 1);
    let id = host.send(host.dispatch_params("s", &snapshot, "Go", Action::Click {}));
    desktop.wait_until_written();
    id
}

#[test]
fn a_fence_between_two_parts_of_an_action_stops_the_second() {
    let desktop = two_applications();
    let mut host = Host::greet(desktop.clone());
    let id = between_two_parts(&desktop, &mut host);
    assert_eq!(fence(&mut host, 1, FenceScope::Seat {}).passed, [id]);
    desktop.release.notify_one();
    assert_eq!(report(&mut host, id).verdict.code, Some(Code::OutcomeUnknown));
    assert_eq!(desktop.world().writes.len(), 1);
}

#[test]
fn a_cancellation_between_two_parts_of_an_action_stops_the_second() {
    let desktop = two_applications();
    let mut host = Host::greet(desktop.clone());
    let id = between_two_parts(&desktop, &mut host);
    host.cancel(id);
    // Its answer shows that the cancellation, which came before, has been taken in.
    fence(&mut host, 0, FenceScope::Seat {});
    desktop.release.notify_one();
    assert_eq!(report(&mut host, id).verdict.code, Some(Code::OutcomeUnknown));
    assert_eq!(desktop.world().writes.len(), 1);
}

#[test]
fn a_delivered_action_whose_caller_gave_up_is_still_reported_delivered() {
    let desktop = two_applications();
    let mut host = Host::greet(desktop.clone());
    let snapshot = host.observe(10, 1);
    let id = host.send(host.dispatch_params("s", &snapshot, "Go", Action::Click {}));
    desktop.wait_until_written();
    host.cancel(id);
    let report = report(&mut host, id);
    assert_eq!(report.verdict.delivery, Delivery::Delivered);
    assert_eq!(report.settle.unwrap().reason, SettleReason::Ceiling, "it settles no longer than it must");
}

#[test]
fn a_cancelled_reading_is_aborted_at_once() {
    let desktop = two_applications();
    let mut host = Host::greet(desktop.clone());
    desktop.world().stuck.insert(10);
    let target = ObserveTarget::Window { target: Box::new(target(10, 1)) };
    let id = host.send(Observe { session: session("s"), target, max_elements: None });
    let cancelled = Instant::now();
    host.cancel(id);
    assert_eq!(host.answer::<Observe>(id).unwrap(), Err(Code::Aborted.into()));
    assert!(cancelled.elapsed() < executor::bounds::TREE_TIME, "before the desktop's own time is over");
    host.cancel(id);
    host.cancel(RequestId::new(9_999).unwrap());
    assert!(host.call(ReadHealth {}).unwrap().is_ok(), "cancelling what is not there is no error");
}

#[test]
fn an_application_that_hangs_holds_up_no_other() {
    let desktop = two_applications();
    let mut host = Host::greet(desktop.clone());
    let (hung, well) = (host.observe(10, 1), host.observe(20, 2));
    desktop.world().stuck.insert(10);
    let waiting = host.send(host.dispatch_params("s", &hung, "Go", Action::Click {}));
    let report = host.dispatch(&well, "Go", Action::Click {});
    assert_eq!(report.verdict.delivery, Delivery::Delivered);
    assert!(!host.was_answered(waiting), "the hung one is still being asked");
    let report = self::report(&mut host, waiting);
    assert_eq!((report.verdict.delivery, report.verdict.code), (Delivery::NotSent, Some(Code::Unresponsive)));
    assert_eq!(desktop.world().writes.len(), 1);
}

#[test]
fn actions_of_one_application_are_in_order_whoever_asks() {
    let desktop = two_applications();
    let mut host = Host::greet(desktop.clone());
    host.begin("t");
    let others = host.try_observe("t", target(10, 1)).unwrap();
    let (first, _) = at_the_gate(&desktop, &mut host);
    let second = host.send(host.dispatch_params("t", &others, "Go", Action::Click {}));
    let elsewhere = host.observe(20, 2);
    assert_eq!(elsewhere.target, target(20, 2), "another application's lane is free");
    assert_eq!(desktop.world().witnesses, 1, "the second waits for the first");
    release(&desktop);
    assert_eq!(report(&mut host, first).verdict.delivery, Delivery::Delivered);
    assert_eq!(report(&mut host, second).verdict.delivery, Delivery::Delivered);
    let answered = |id| host.order.iter().position(|answered| *answered == id).unwrap();
    assert!(answered(first) < answered(second));
}

#[test]
fn an_application_is_not_looked_at_in_the_middle_of_an_action() {
    let desktop = two_applications();
    let mut host = Host::greet(desktop.clone());
    let (action, _) = at_the_gate(&desktop, &mut host);
    let trees = desktop.world().trees;
    let target = ObserveTarget::Window { target: Box::new(target(10, 1)) };
    let observation = host.send(Observe { session: session("s"), target, max_elements: None });
    host.observe(20, 2);
    assert!(!host.was_answered(observation));
    assert_eq!(desktop.world().trees, trees + 1, "only the other application's");
    release(&desktop);
    assert_eq!(report(&mut host, action).verdict.delivery, Delivery::Delivered);
    assert!(host.answer::<Observe>(observation).unwrap().is_ok());
}

#[test]
fn an_ended_session_takes_its_calls_with_it() {
    let desktop = two_applications();
    let mut host = Host::greet(desktop.clone());
    let (id, _) = at_the_gate(&desktop, &mut host);
    let released = host.call(EndSession { session: session("s") }).unwrap().unwrap().released;
    assert_eq!((released.snapshots, released.calls), (1, 1));
    assert_eq!(report(&mut host, id).verdict.code, Some(Code::Aborted));
    release(&desktop);
    let health = host.call(ReadHealth {}).unwrap().unwrap();
    assert_eq!((health.sessions, health.live_snapshots), (0, 0));
    assert!(desktop.world().writes.is_empty());
}

#[test]
fn the_bounds_of_waiting_stay_under_the_hosts_own() {
    use executor::bounds as own;
    use surehand_wire::bounds as wire;
    assert!(own::DISPATCH_TIME < wire::REQUEST_DEADLINE);
    assert!(own::LANE_WAIT + own::TREE_TIME + own::DESKTOP_MARGIN < wire::REQUEST_DEADLINE);
    assert!(own::LAUNCH_WAIT + own::LIST_TIME <= wire::REQUEST_DEADLINE);
    assert!(own::CHANGES_WAIT + own::DESKTOP_MARGIN < wire::REQUEST_DEADLINE);
    assert!(own::CANCELLED_ANSWER < wire::CANCEL_GRACE);
    assert!(own::SHUTDOWN_GRACE + own::FLUSH_TIME < wire::SHUTDOWN_GRACE);
}
