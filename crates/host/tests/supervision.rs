//! The executor's life and death, as a real process.
#![allow(clippy::unwrap_used)]

mod far_end;

use far_end::*;
use surehand_contract::{Code, Delivery, Notice};
use surehand_host::*;
use surehand_wire::{Method, RpcCode, RpcError, encode_rpc_error};

fn far() -> FarEnd {
    FarEnd::process(env!("CARGO_BIN_EXE_relay-executor"))
}

/// Returns when the host has taken the executor's end in.
async fn released(notices: &mut tokio::sync::broadcast::Receiver<Notice>) {
    let released = async { while !matches!(notices.recv().await.unwrap(), Notice::ExecutorReleased { .. }) {} };
    patient(released).await;
}

fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

#[tokio::test]
async fn killed_in_the_middle_of_an_action_it_is_unknown_and_never_replayed() {
    let far = far();
    let session = far.host().open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    let first = far.next_generation().await;
    far.hold(Method::DispatchElement);
    let acting = session.clone();
    let acting = tokio::spawn(async move { acting.act(click(seen, 2)).await });
    far.next_held().await;
    kill(first.pid.unwrap());
    let acted = patient(acting).await.unwrap();
    assert!(acted.model.expose().starts_with("unknown whether it took effect"));
    assert_eq!(acted.outcome.unwrap().verdict.delivery, Delivery::Unknown);

    let again = patient(session.act(click(seen, 2))).await;
    assert_eq!(code(&again), Code::DuplicateAction);
    far.release(Method::DispatchElement);
    let fresh = observed(&session, "calculator").await.observation;
    assert_ne!(far.next_generation().await.pid, first.pid);
    assert_eq!(far.count(Method::DispatchElement), 1);
    session.act(click(fresh, 2)).await.outcome.unwrap();
    assert_eq!(far.count(Method::DispatchElement), 2);
}

#[tokio::test]
async fn an_observation_does_not_outlive_its_executor() {
    let far = far();
    let host = far.host();
    let mut notices = host.notices();
    let session = host.open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    kill(far.next_generation().await.pid.unwrap());
    let released =
        async { while !matches!(notices.recv().await.unwrap(), surehand_contract::Notice::ExecutorReleased { .. }) {} };
    patient(released).await;
    assert_eq!(code(&session.act(click(seen, 2)).await), Code::NeedsObservation);
    observed(&session, "calculator").await;
    assert_eq!(code(&session.act(click(seen, 2)).await), Code::NeedsObservation);
    assert_eq!(far.count(Method::DispatchElement), 0);
}

#[tokio::test]
async fn a_look_that_its_executor_does_not_survive_is_refused() {
    let far = far();
    let session = far.host().open_session(&client()).unwrap();
    far.hold(Method::Observe);
    let looking = session.clone();
    let looking = tokio::spawn(async move { looking.observe(app("calculator")).await });
    far.next_held().await.generation.die();
    assert_eq!(code(&patient(looking).await.unwrap()), Code::ServiceUnavailable);
    far.release(Method::Observe);
    observed(&session, "calculator").await;
}

#[tokio::test]
async fn two_lines_that_are_no_message_are_borne_and_the_third_ends_it() {
    let far = far();
    let host = far.host();
    let session = host.open_session(&client()).unwrap();
    observed(&session, "calculator").await;
    let first = far.next_generation().await;
    first.raw("not json\n\nnull\n");
    observed(&session, "calculator").await;
    first.raw("[]\n");
    first.over().await;
    observed(&session, "calculator").await;
    let second = far.next_generation().await;
    second.raw(encode_rpc_error(surehand_wire::RequestId::new(99_999).unwrap(), RpcError(RpcCode::Internal)));
    second.over().await;
    let health = host.health().await;
    assert_eq!(
        health.executor.latest_end,
        Some(surehand_contract::ServiceReason::ProtocolBroken { rule: "answer_without_request" })
    );
}

#[tokio::test]
async fn an_executor_of_another_protocol_is_started_once() {
    let far = far();
    let host = far.host();
    let session = host.open_session(&client()).unwrap();
    far.hold(Method::Hello);
    let listing = session.clone();
    let listing = tokio::spawn(async move { listing.applications(None).await });
    let hello = far.next_held().await;
    hello.generation.raw(encode_rpc_error(hello.request.id, RpcError(RpcCode::ProtocolMismatch)));
    assert_eq!(code(&patient(listing).await.unwrap()), Code::ServiceMismatch);
    assert_eq!(code(&session.applications(None).await), Code::ServiceMismatch);
    assert_eq!(host.health().await.executor.starts, 1);
}

#[tokio::test]
async fn an_executor_that_cannot_live_spends_the_budget_and_says_when_to_ask_again() {
    let far = far();
    let mut configuration = HostConfiguration::new(ExecutorCommand::program("/bin/false"));
    configuration.image_root = Some(far.image_root.clone());
    let host = Host::start(configuration).unwrap();
    let session = host.open_session(&client()).unwrap();
    let refused = patient(session.applications(None)).await.outcome.unwrap_err();
    assert_eq!(refused.code, Code::ServiceUnavailable);
    assert!(refused.wait_ms.is_some_and(|wait_ms| wait_ms > 1_000), "{refused:?}");
    assert_eq!(host.health().await.executor.starts, bounds::RESTARTS as u64);
}

#[tokio::test]
async fn a_program_that_is_not_there_is_refused() {
    let far = far();
    let mut configuration = HostConfiguration::new(ExecutorCommand::program("/nowhere/surehand"));
    configuration.image_root = Some(far.image_root.clone());
    let session = Host::start(configuration).unwrap().open_session(&client()).unwrap();
    assert_eq!(code(&patient(session.applications(None)).await), Code::ServiceUnavailable);
}

#[tokio::test]
async fn a_cancelled_action_that_is_never_answered_ends_the_generation() {
    let far = far();
    let host = far.host();
    let mut notices = host.notices();
    let session = host.open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    let generation = far.next_generation().await;
    far.hold(Method::DispatchElement);
    let acting = session.clone();
    let acting = tokio::spawn(async move { acting.act(click(seen, 2)).await });
    far.next_held().await;
    acting.abort();
    far.next_cancel().await;
    generation.over().await;
    released(&mut notices).await;
    assert_eq!(code(&patient(session.act(click(seen, 2))).await), Code::DuplicateAction);
}

#[tokio::test]
async fn the_executor_and_its_pictures_go_with_the_host() {
    let far = far();
    let host = far.host();
    let session = host.open_session(&client()).unwrap();
    session.screenshot(WindowChoice::Application("calculator".into())).await.outcome.unwrap();
    let generation = far.next_generation().await;
    assert!(std::fs::read_dir(&far.image_root).unwrap().count() > 0);
    drop((session, host));
    generation.over().await;
}

#[tokio::test]
async fn shutting_down_reaps_the_executor_and_removes_its_pictures() {
    let far = far();
    let host = far.host();
    let session = host.open_session(&client()).unwrap();
    session.screenshot(WindowChoice::Application("calculator".into())).await.outcome.unwrap();
    let pid = far.next_generation().await.pid.unwrap();
    patient(host.shut_down()).await;
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
    assert_eq!(std::fs::read_dir(&far.image_root).unwrap().count(), 0);
    assert_eq!(code(&session.applications(None).await), Code::ServiceUnavailable);
}
