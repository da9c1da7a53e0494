//! Waiting for what the window shows, woken by its application.

#![allow(clippy::unwrap_used)]

mod far_end;

use far_end::*;
use std::time::{Duration, Instant};
use surehand_contract::{Code, UiText};
use surehand_host::*;
use surehand_wire::Method;

fn wait(condition: Condition, timeout: Duration) -> WaitRequest {
    WaitRequest { window: WindowChoice::Application("calculator".into()), condition, timeout }
}

#[tokio::test]
async fn a_wait_is_woken_by_an_announcement_and_its_observation_can_be_acted_on() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let waiting = session.clone();
    let condition = Condition::Text(UiText::new("Ready"));
    let waiting = tokio::spawn(async move { waiting.wait(wait(condition, bounds::WAIT_LONGEST), |_| {}).await });
    far.reached(Method::ChangesWait, 1).await;
    let started = Instant::now();
    far.desk().elements(100).push(button(9, "Now ready"));
    far.announce();
    let waited = patient(waiting).await.unwrap().outcome.unwrap();
    assert!(waited.met);
    assert!(started.elapsed() < bounds::WAIT_RELOOK, "woken, not polled");
    let fresh = waited.observed.unwrap();
    session.act(click(fresh.observation, 9)).await.outcome.unwrap();
}

#[tokio::test]
async fn what_is_not_announced_is_seen_all_the_same() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let condition = Condition::Text(UiText::new("silent"));
    let waiting = tokio::spawn(async move { session.wait(wait(condition, bounds::WAIT_LONGEST), |_| {}).await });
    far.reached(Method::ChangesWait, 1).await;
    far.desk().elements(100).push(button(9, "silent"));
    assert!(patient(waiting).await.unwrap().outcome.unwrap().met);
}

#[tokio::test]
async fn a_timeout_shows_the_window_and_is_no_refusal() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let condition = Condition::ElementGone { element: 2 };
    let answer = patient(session.wait(wait(condition, Duration::from_millis(100)), |_| {})).await;
    assert_eq!(answer.kept.code, Some(Code::Timeout));
    let waited = answer.outcome.unwrap();
    assert!(!waited.met && waited.waited >= Duration::from_millis(100) && waited.observed.is_some());
}

#[tokio::test]
async fn a_window_is_waited_for_before_its_application_is_there() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let later = far.desk().windows.remove(0);
    let name = far.desk().names.remove(0);
    let condition = Condition::Window(UiText::new("CALC"));
    let waiting = tokio::spawn(async move { session.wait(wait(condition, bounds::WAIT_LONGEST), |_| {}).await });
    far.reached(Method::WindowList, 1).await;
    {
        let mut desk = far.desk();
        desk.windows.push(later);
        desk.names.push(name);
    }
    let waited = patient(waiting).await.unwrap().outcome.unwrap();
    assert_eq!(waited.observed.unwrap().snapshot().target, target(100, 0x10));
}

#[tokio::test]
async fn a_text_that_goes_with_its_window_is_gone() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let condition = Condition::TextGone(UiText::new("Display"));
    let waiting = tokio::spawn(async move { session.wait(wait(condition, bounds::WAIT_LONGEST), |_| {}).await });
    far.reached(Method::ChangesWait, 1).await;
    far.desk().windows.remove(0);
    far.announce();
    let answer = patient(waiting).await.unwrap();
    assert!(answer.model.expose().contains("The window is gone."));
    assert!(answer.outcome.unwrap().met);
}

#[tokio::test]
async fn quiet_is_when_nothing_is_announced_for_a_while() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let waiting = tokio::spawn(async move { session.wait(wait(Condition::Quiet, bounds::WAIT_LONGEST), |_| {}).await });
    far.reached(Method::ChangesWait, 1).await;
    far.announce();
    let waited = patient(waiting).await.unwrap().outcome.unwrap();
    assert!(waited.met && waited.waited >= bounds::WAIT_QUIET);
    assert!(far.count(Method::Observe) >= 2, "it looked again after the announcement");
}

#[tokio::test]
async fn what_a_wait_sees_does_not_push_out_what_was_seen_of_other_windows() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let editor = observed(&session, "editor").await.observation;
    for _ in 0..=bounds::OBSERVATIONS_PER_SESSION {
        let condition = Condition::Text(UiText::new("Display"));
        session.wait(wait(condition, Duration::ZERO), |_| {}).await.outcome.unwrap();
    }
    session.act(click(editor, 2)).await.outcome.unwrap();
}
