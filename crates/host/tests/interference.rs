//! A person, a lock, a stop and other sessions, at every point of a call.
#![allow(clippy::unwrap_used)]

mod far_end;

use far_end::*;
use std::time::{Duration, Instant};
use surehand_contract::{
    ApplicationKey, Code, Delivery, DeviceName, Effect, InputScope, LockMechanism, Verdict, Voter, VoterOwner,
};
use surehand_host::*;
use surehand_wire::{Call, DispatchElement, FenceScope, Method, Reply};

fn voter() -> Voter {
    let process = ApplicationKey::of(&process(900));
    Voter { mechanism: LockMechanism::WatchedProcess, owner: VoterOwner::Process { process } }
}

/// A person's input arrives and is found to have gone to this application.
async fn touch(host: &Host, producers: &mut DesktopProducers, pid: u32) {
    let device = DeviceName::new("keyboard").unwrap();
    let (held, event) = producers.input_devices.held(9, device, 1);
    let holding = host.report(event);
    let scoped = host.report(held.scoped(InputScope::Application(ApplicationKey::of(&process(pid)))));
    patient(async { tokio::join!(holding, scoped) }).await;
}

fn dispatched(held: &Held) -> &DispatchElement {
    match &held.request.call {
        Call::DispatchElement(dispatch) => dispatch,
        other => panic!("{other:?}"),
    }
}

impl FarEnd {
    fn carry_out(&self, held: &Held) {
        let report = self.desk().dispatch(dispatched(held).clone());
        held.answer(Reply::DispatchElement(report));
    }
}

#[tokio::test]
async fn what_refuses_before_the_call_lets_nothing_leave() {
    let far = FarEnd::embedded();
    let host = far.host();
    let mut producers = host.take_producers().unwrap();
    let session = host.open_session(&client()).unwrap();

    let seen = observed(&session, "calculator").await.observation;
    touch(&host, &mut producers, 100).await;
    let refused = session.act(click(seen, 2)).await;
    assert_eq!(code(&refused), Code::UserIntervened);
    assert!(refused.outcome.unwrap_err().wait_ms.is_some());

    let editor = observed(&session, "editor").await.observation;
    host.report(producers.lockers.vote(voter(), true)).await;
    assert_eq!(code(&session.act(click(editor, 2)).await), Code::ScreenLocked);
    assert_eq!(code(&session.observe(app("editor")).await), Code::ScreenLocked);
    assert_eq!(code(&session.applications(None).await), Code::ScreenLocked);
    host.report(producers.lockers.vote(voter(), false)).await;
    assert_eq!(code(&session.act(click(editor, 2)).await), Code::NeedsObservation);

    let editor = observed(&session, "editor").await.observation;
    patient(session.stop()).await;
    assert_eq!(code(&session.act(click(editor, 2)).await), Code::Halted);
    assert_eq!(host.open_session(&client()).unwrap_err().code, Code::Halted);
    assert_eq!(far.count(Method::DispatchElement), 0);
}

#[tokio::test]
async fn input_to_another_application_stops_nothing_here() {
    let far = FarEnd::embedded();
    let host = far.host();
    let mut producers = host.take_producers().unwrap();
    let session = host.open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    touch(&host, &mut producers, 200).await;
    session.act(click(seen, 2)).await.outcome.unwrap();
}

#[tokio::test]
async fn a_call_that_waits_for_its_lane_is_refused_when_its_turn_comes() {
    let far = FarEnd::embedded();
    let host = far.host();
    let producers = host.take_producers().unwrap();
    let session = host.open_session(&client()).unwrap();
    let other = host.open_session(&client()).unwrap();
    let (seen, theirs) = (observed(&session, "calculator").await, observed(&other, "calculator").await);
    far.hold(Method::DispatchElement);
    let first = tokio::spawn(async move { session.act(click(seen.observation, 2)).await });
    let held = far.next_held().await;
    let second = tokio::spawn(async move { other.act(click(theirs.observation, 2)).await });
    tokio::task::yield_now().await;
    patient(host.report(producers.lockers.vote(voter(), true))).await;
    assert_eq!(code(&patient(second).await.unwrap()), Code::ScreenLocked);
    far.carry_out(&held);
    patient(first).await.unwrap();
    assert_eq!(far.count(Method::DispatchElement), 1);
}

#[tokio::test]
async fn a_dispatch_carries_the_newest_fence_and_a_later_fence_is_newer() {
    let far = FarEnd::embedded();
    let host = far.host();
    let mut producers = host.take_producers().unwrap();
    let session = host.open_session(&client()).unwrap();
    observed(&session, "editor").await;
    touch(&host, &mut producers, 200).await;
    let before = far.count(Method::Fence);
    assert!(before > 0);
    let seen = observed(&session, "calculator").await.observation;
    far.hold(Method::DispatchElement);
    let acting = tokio::spawn(async move { session.act(click(seen, 2)).await });
    let held = far.next_held().await;
    assert_eq!(dispatched(&held).fence_epoch as usize, before);

    far.hold(Method::Fence);
    let stopping = tokio::spawn(async move { touch(&host, &mut producers, 100).await });
    let fence = far.next_held().await;
    let Call::Fence(raised) = fence.request.call else { panic!() };
    assert!(raised.epoch > dispatched(&held).fence_epoch);
    fence.answer(acknowledged(raised.epoch));
    let fence = far.next_held().await;
    let Call::Fence(raised) = fence.request.call else { panic!() };
    assert_eq!(raised.scope, FenceScope::Application { pid: 100 });
    fence.answer(acknowledged(raised.epoch));
    patient(stopping).await.unwrap();
    far.carry_out(&held);
    patient(acting).await.unwrap();
}

fn acknowledged(epoch: u64) -> Reply {
    Reply::Fence(Ok(surehand_wire::FenceAcknowledged { epoch, passed: Vec::new() }))
}

#[tokio::test]
async fn an_action_waits_for_input_to_be_placed_and_goes_on_when_it_went_elsewhere() {
    let far = FarEnd::embedded();
    let host = far.host();
    let mut producers = host.take_producers().unwrap();
    let session = host.open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    let (held, event) = producers.input_devices.held(9, DeviceName::new("mouse").unwrap(), 1);
    patient(host.report(event)).await;
    let mut acting = tokio::spawn(async move { session.act(click(seen, 2)).await });
    tokio::task::yield_now().await;
    assert!(tokio::time::timeout(Duration::from_millis(50), &mut acting).await.is_err(), "held, not refused");
    assert_eq!(far.count(Method::DispatchElement), 0);
    host.report(held.scoped(InputScope::Nowhere)).await;
    patient(acting).await.unwrap().outcome.unwrap();
    assert_eq!(far.count(Method::DispatchElement), 1);
}

#[tokio::test]
async fn input_that_is_never_placed_refuses_in_the_end() {
    let far = FarEnd::embedded();
    let host = far.host();
    let mut producers = host.take_producers().unwrap();
    let session = host.open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    let (_held, event) = producers.input_devices.held(9, DeviceName::new("mouse").unwrap(), 1);
    patient(host.report(event)).await;
    assert_eq!(code(&patient(session.act(click(seen, 2))).await), Code::Held);
}

#[tokio::test]
async fn what_a_fence_for_somebody_else_stopped_goes_out_again() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    far.desk().verdicts.push(Verdict::not_sent(Code::Aborted));
    session.act(click(seen, 2)).await.outcome.unwrap();
    assert_eq!(far.count(Method::DispatchElement), 2);

    let seen = observed(&session, "calculator").await.observation;
    far.desk().verdicts.extend(vec![Verdict::not_sent(Code::Aborted); bounds::FENCED_ATTEMPTS]);
    let refused = session.act(click(seen, 2)).await;
    assert_eq!(code(&refused), Code::Aborted);
    assert_eq!(far.count(Method::DispatchElement), 2 + bounds::FENCED_ATTEMPTS);
    session.act(click(seen, 2)).await.outcome.unwrap();
}

#[tokio::test]
async fn a_dispatch_that_a_person_stopped_at_the_fence_says_so() {
    let far = FarEnd::embedded();
    let host = far.host();
    let mut producers = host.take_producers().unwrap();
    let session = host.open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    far.hold(Method::DispatchElement);
    let acting = tokio::spawn(async move { session.act(click(seen, 2)).await });
    let held = far.next_held().await;
    touch(&host, &mut producers, 100).await;
    far.desk().verdicts.push(Verdict::not_sent(Code::Aborted));
    far.carry_out(&held);
    assert_eq!(code(&patient(acting).await.unwrap()), Code::UserIntervened);
    assert_eq!(far.count(Method::DispatchElement), 1);
}

#[tokio::test]
async fn a_result_that_comes_back_after_a_touch_is_no_success() {
    let far = FarEnd::embedded();
    let host = far.host();
    let mut producers = host.take_producers().unwrap();
    let session = host.open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    far.hold(Method::DispatchElement);
    let acting = tokio::spawn(async move { session.act(click(seen, 2)).await });
    let held = far.next_held().await;
    touch(&host, &mut producers, 100).await;
    far.carry_out(&held);
    let acted = patient(acting).await.unwrap();
    assert!(!acted.model.expose().starts_with("ok"), "{}", acted.model.expose());
    assert!(!acted.model.expose().contains("untrusted"));
    let acted = acted.outcome.unwrap();
    assert_eq!(acted.verdict.delivery, Delivery::Delivered);
    assert_eq!((acted.verdict.effect, acted.verdict.code), (Effect::Unverifiable, Some(Code::OutcomeUnknown)));
    assert!(acted.fresh.is_none());
}

#[tokio::test]
async fn a_look_that_a_lock_overtakes_shows_nothing() {
    let far = FarEnd::embedded();
    let host = far.host();
    let producers = host.take_producers().unwrap();
    let session = host.open_session(&client()).unwrap();
    for method in [Method::Observe, Method::AppsList] {
        far.hold(method);
        let (looking, call) = (session.clone(), method);
        let looking = tokio::spawn(async move {
            match call {
                Method::Observe => looking.observe(app("calculator")).await.model,
                _ => looking.applications(None).await.model,
            }
        });
        let held = far.next_held().await;
        patient(host.report(producers.lockers.vote(voter(), true))).await;
        far.release(method);
        let reply = far.desk().answer(held.request.call.clone()).unwrap();
        held.answer(reply);
        let text = patient(looking).await.unwrap();
        assert!(text.expose().starts_with("refused: screen_locked"), "{}", text.expose());
        assert!(!text.expose().contains("Calculator"));
        host.report(producers.lockers.vote(voter(), false)).await;
    }
}

#[tokio::test]
async fn one_may_look_while_a_person_works_but_not_act_on_it() {
    let far = FarEnd::embedded();
    let host = far.host();
    let mut producers = host.take_producers().unwrap();
    let session = host.open_session(&client()).unwrap();
    touch(&host, &mut producers, 100).await;
    let seen = session.observe(app("calculator")).await;
    assert!(seen.model.expose().contains("\nnot_actionable: "));
    assert!(!seen.outcome.unwrap().actionable);
}

#[tokio::test]
async fn actions_of_one_application_go_in_turn_and_others_beside_them() {
    let far = FarEnd::embedded();
    let host = far.host();
    let (one, other) = (host.open_session(&client()).unwrap(), host.open_session(&client()).unwrap());
    let (first, second) = (observed(&one, "calculator").await, observed(&other, "calculator").await);
    let elsewhere = observed(&one, "editor").await;
    far.hold(Method::DispatchElement);
    let (a, b) = (one.clone(), one.clone());
    let acting = tokio::spawn(async move { a.act(click(first.observation, 2)).await });
    let in_lane = far.next_held().await;
    let waiting = tokio::spawn(async move { other.act(click(second.observation, 2)).await });
    tokio::task::yield_now().await;
    let beside = tokio::spawn(async move { b.act(click(elsewhere.observation, 2)).await });
    let parallel = far.next_held().await;
    assert_eq!(dispatched(&parallel).target.process.pid, 200);
    far.carry_out(&parallel);
    patient(beside).await.unwrap().outcome.unwrap();

    // The second is let go when the first is done, and refused then: the first changed what it had seen.
    assert_eq!(far.count(Method::DispatchElement), 2);
    far.carry_out(&in_lane);
    patient(acting).await.unwrap().outcome.unwrap();
    assert_eq!(code(&patient(waiting).await.unwrap()), Code::NeedsObservation);
    assert_eq!(far.count(Method::DispatchElement), 2);
}

#[tokio::test]
async fn of_two_equal_calls_at_once_one_is_sent() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    far.hold(Method::DispatchElement);
    let acting = |session: Session| tokio::spawn(async move { session.act(click(seen, 2)).await });
    let (first, second) = (acting(session.clone()), acting(session.clone()));
    let held = far.next_held().await;
    far.carry_out(&held);
    let (first, second) = patient(async { (first.await.unwrap(), second.await.unwrap()) }).await;
    let mut codes = [first.kept.code, second.kept.code];
    codes.sort();
    assert_eq!(codes, [None, Some(Code::DuplicateAction)]);
    assert_eq!(far.count(Method::DispatchElement), 1);
}

#[tokio::test]
async fn a_stop_is_answered_when_the_fence_is_acknowledged() {
    let far = FarEnd::embedded();
    let host = far.host();
    let session = host.open_session(&client()).unwrap();
    observed(&session, "calculator").await;
    far.hold(Method::Fence);
    let stopping = session.stop();
    tokio::pin!(stopping);
    let held = tokio::select! {
        held = far.next_held() => held,
        () = &mut stopping => panic!("accepted without an acknowledgement"),
    };
    // In the host's memory it holds already.
    assert_eq!(code(&session.observe(app("calculator")).await), Code::Halted);
    let Call::Fence(raised) = held.request.call else { panic!() };
    assert_eq!(raised.scope, FenceScope::Seat {});
    held.answer(acknowledged(raised.epoch));
    patient(stopping).await;
}

#[tokio::test]
async fn a_stop_without_acknowledgement_is_answered_when_the_executor_is_reaped() {
    let far = FarEnd::process(env!("CARGO_BIN_EXE_relay-executor"));
    let host = far.host();
    let session = host.open_session(&client()).unwrap();
    observed(&session, "calculator").await;
    let generation = far.next_generation().await;
    let pid = generation.pid.unwrap();
    far.hold(Method::Fence);
    let started = Instant::now();
    patient(session.stop()).await;
    assert!(started.elapsed() >= Duration::from_millis(240), "it waited for the acknowledgement");
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "it was reaped before the answer");
}

#[tokio::test]
async fn a_wait_ends_with_the_stop() {
    let far = FarEnd::embedded();
    let host = far.host();
    let session = host.open_session(&client()).unwrap();
    let waiting = session.clone();
    let request = WaitRequest {
        window: WindowChoice::Application("calculator".into()),
        condition: Condition::Text(surehand_contract::UiText::new("never")),
        timeout: bounds::WAIT_LONGEST,
    };
    far.hold(Method::ChangesWait);
    let waiting = tokio::spawn(async move { waiting.wait(request, |_| {}).await });
    far.next_held().await;
    patient(session.stop()).await;
    assert_eq!(code(&patient(waiting).await.unwrap()), Code::Halted);
}

#[tokio::test]
async fn a_dropped_call_that_has_not_left_never_leaves() {
    let far = FarEnd::embedded();
    let host = far.host();
    let (session, other) = (host.open_session(&client()).unwrap(), host.open_session(&client()).unwrap());
    let (seen, theirs) = (observed(&session, "calculator").await, observed(&other, "calculator").await);
    far.hold(Method::DispatchElement);
    let acting = tokio::spawn(async move { session.act(click(seen.observation, 2)).await });
    let held = far.next_held().await;
    {
        let dropped = other.act(click(theirs.observation, 2));
        tokio::pin!(dropped);
        tokio::select! {
            biased;
            _ = &mut dropped => panic!("its lane is taken"),
            () = tokio::task::yield_now() => {}
        }
    }
    far.carry_out(&held);
    patient(acting).await.unwrap().outcome.unwrap();
    far.release(Method::DispatchElement);
    let third = observed(&other, "calculator").await.observation;
    other.act(click(third, 2)).await.outcome.unwrap();
    assert_eq!(far.count(Method::DispatchElement), 2);
}

#[tokio::test]
async fn a_dropped_call_that_has_left_is_cancelled_and_settled_all_the_same() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    far.hold(Method::DispatchElement);
    let acting = session.clone();
    let acting = tokio::spawn(async move { acting.act(click(seen, 2)).await });
    let held = far.next_held().await;
    acting.abort();
    far.next_cancel().await;
    far.carry_out(&held);
    let again = patient(session.act(click(seen, 2))).await;
    assert_eq!(code(&again), Code::DuplicateAction);
    assert_eq!(far.count(Method::DispatchElement), 1);
}

#[tokio::test]
async fn a_finished_turn_gives_up_its_observations_here_and_at_the_executor() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    patient(session.finish()).await;
    assert_eq!(code(&session.act(click(seen, 2)).await), Code::StaleObservation);
    let page = ObserveRequest { window: WindowChoice::Observation(seen), query: None, page: Some(1) };
    assert_eq!(code(&session.observe(page).await), Code::StaleObservation);
    observed(&session, "calculator").await;
    assert_eq!((far.count(Method::SessionEnd), far.count(Method::SessionBegin)), (1, 2));
}

#[tokio::test]
async fn the_last_handle_ends_the_session() {
    let far = FarEnd::embedded();
    let host = far.host();
    let session = host.open_session(&client()).unwrap();
    observed(&session, "calculator").await;
    let mut notices = host.notices();
    far.hold(Method::SessionEnd);
    drop(session);
    far.next_held().await;
    let ended = async {
        loop {
            if let surehand_contract::Notice::SessionEnded { .. } = notices.recv().await.unwrap() {
                return;
            }
        }
    };
    patient(ended).await;
}
