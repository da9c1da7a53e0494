//! What a session sees and does, against an executor in the test's hands.
#![allow(clippy::unwrap_used)]

mod far_end;

use far_end::*;
use surehand_contract::{Code, Delivery, Effect, Method as EffectMethod, ObservationId, UiText, Verdict};
use surehand_host::*;
use surehand_wire::Method;

#[tokio::test]
async fn list_observe_and_click() {
    let far = FarEnd::embedded();
    let host = far.host();
    let session = host.open_session(&client()).unwrap();

    let listed = session.applications(None).await;
    assert_eq!(listed.outcome.unwrap().applications.len(), 2);
    assert!(
        listed.model.expose().contains("app=org.example.App100 pid=100 \"Calculator\"\n window=0x10 \"Calculator\"\n")
    );

    let seen = session.observe(app("calculator")).await;
    let text = seen.model.expose().to_owned();
    let seen = seen.outcome.unwrap();
    assert!(seen.actionable);
    assert!(text.starts_with(&format!("observation={} pid=100 window=0x10", seen.observation)));
    assert!(
        text.contains("\n 2 push button \"7\" +menu @1,2 30x20\n 3 entry \"Display\" =\"42\" @1,2 30x20\n"),
        "{text}"
    );

    let acted = session.act(click(seen.observation, 2)).await;
    assert_eq!(far.count(Method::DispatchElement), 1);
    assert!(acted.model.expose().starts_with("ok: delivered (effect confirmed by tree_delta)\n"));
    let acted = acted.outcome.unwrap();
    assert_eq!((acted.verdict.delivery, acted.verdict.effect), (Delivery::Delivered, Effect::Confirmed));
    let fresh = acted.fresh.unwrap();
    assert!(fresh.actionable && fresh.observation != seen.observation);

    let dispatched = far.desk().dispatches.remove(0);
    assert_eq!(dispatched.element_token.as_str(), "token-2");
    assert_eq!(dispatched.target, target(100, 0x10));
}

#[tokio::test]
async fn a_used_observation_is_a_duplicate_and_the_fresh_one_works() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await;
    let first = session.act(click(seen.observation, 2)).await.outcome.unwrap();
    assert_eq!(code(&session.act(click(seen.observation, 2)).await), Code::DuplicateAction);
    assert_eq!(far.count(Method::DispatchElement), 1);
    let fresh = first.fresh.unwrap().observation;
    session.act(click(fresh, 2)).await.outcome.unwrap();
    assert_eq!(far.count(Method::DispatchElement), 2);
}

#[tokio::test]
async fn after_an_action_the_model_reads_what_changed_and_can_have_the_whole() {
    let far = FarEnd::embedded();
    far.desk().elements(100).extend((10..30).map(|id| button(id, "same")));
    let session = far.host().open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    far.hold(Method::DispatchElement);
    let acting = session.clone();
    let acting = tokio::spawn(async move { acting.act(click(seen, 2)).await });
    let held = far.next_held().await;
    far.desk().elements(100)[2] = entry(3, "Display", "43");
    let surehand_wire::Call::DispatchElement(dispatch) = held.request.call.clone() else { panic!() };
    let report = far.desk().dispatch(dispatch);
    held.answer(surehand_wire::Reply::DispatchElement(report));
    let acted = patient(acting).await.unwrap();
    let text = acted.model.expose();
    assert!(text.contains(&format!("\ndifference from {seen}: 1 changed (~) or new (+), 0 gone (-).")), "{text}");
    assert!(text.contains("\n~ 3 entry \"Display\" =\"43\""), "{text}");
    assert!(!text.contains("\"same\""), "{text}");
    let fresh = acted.outcome.unwrap().fresh.unwrap().observation;
    let page = ObserveRequest { window: WindowChoice::Observation(fresh), query: None, page: Some(1) };
    assert!(session.observe(page).await.model.expose().contains("\"same\""));
}

#[tokio::test]
async fn an_action_that_closes_its_window_is_done() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    far.hold(Method::DispatchElement);
    let acting = session.clone();
    let acting = tokio::spawn(async move { acting.act(click(seen, 2)).await });
    let held = far.next_held().await;
    let surehand_wire::Call::DispatchElement(dispatch) = held.request.call.clone() else { panic!() };
    let mut report = far.desk().dispatch(dispatch);
    report.snapshot = None;
    report.post_observation_error = Some(surehand_wire::PostObservationError { code: Code::TargetMissing });
    held.answer(surehand_wire::Reply::DispatchElement(report));
    let acted = patient(acting).await.unwrap();
    assert!(acted.model.expose().starts_with("ok: delivered"));
    assert!(acted.model.expose().contains("The window is gone."));
    let acted = acted.outcome.unwrap();
    assert_eq!((acted.verdict.code, acted.window_is_gone), (None, true));
}

#[tokio::test]
async fn what_is_refused_for_what_it_is_is_retired_and_other_actions_go_on() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    let select = || ActRequest { observation: seen, element: 2, action: Action::Select {} };
    let refused = session.act(select()).await;
    assert_eq!(code(&refused), Code::UnsupportedAction);
    assert!(refused.model.expose().contains(&format!("observation {seen} may still be acted on")));
    assert_eq!(code(&session.act(select()).await), Code::AlreadyRefused);

    far.desk().verdicts.push(Verdict::not_sent(Code::NotActionable));
    assert_eq!(code(&session.act(click(seen, 2)).await), Code::NotActionable);
    assert_eq!(code(&session.act(click(seen, 2)).await), Code::AlreadyRefused);
    assert_eq!(far.count(Method::DispatchElement), 1);

    let perform = Action::Perform { name: "menu".into() };
    session.act(ActRequest { observation: seen, element: 2, action: perform }).await.outcome.unwrap();
}

#[tokio::test]
async fn a_refusal_because_things_moved_on_brings_the_window_as_it_is() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    far.desk().verdicts.push(Verdict::not_sent(Code::TargetChanged));
    far.desk().elements(100).push(button(9, "8"));
    let refused = session.act(click(seen, 2)).await;
    assert_eq!(code(&refused), Code::TargetChanged);
    assert!(refused.model.expose().contains("\nFresh observation:\nobservation="));
    assert!(refused.model.expose().contains("9 push button \"8\""));
    assert!(!refused.model.expose().contains("may still be acted on"), "the fresh one replaced it");
    let acted = session.act(click(refused.fresh.unwrap().observation, 9)).await.outcome.unwrap();

    // What the session holds already is not looked away.
    let late = session.act(click(seen, 9)).await;
    assert_eq!((code(&late), late.fresh.is_none()), (Code::StaleObservation, true));
    session.act(click(acted.fresh.unwrap().observation, 9)).await.outcome.unwrap();
}

#[tokio::test]
async fn what_passes_releases_the_claim() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    far.desk().verdicts.push(Verdict::not_sent(Code::Unresponsive));
    assert_eq!(code(&session.act(click(seen, 2)).await), Code::Unresponsive);
    session.act(click(seen, 2)).await.outcome.unwrap();
}

#[tokio::test]
async fn what_the_application_declined_is_spent() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    far.desk().verdicts.push(Verdict::refused(Code::DispatchRefused));
    let acted = session.act(click(seen, 2)).await;
    assert_eq!(acted.kept.code, Some(Code::DispatchRefused));
    assert_eq!(acted.outcome.unwrap().verdict.delivery, Delivery::Refused);
    assert_eq!(code(&session.act(click(seen, 2)).await), Code::DuplicateAction);
}

#[tokio::test]
async fn a_suspected_noop_does_not_begin_with_ok() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let seen = observed(&session, "calculator").await.observation;
    far.desk().verdicts.push(Verdict::delivered(Effect::SuspectedNoop, EffectMethod::ValueReadback));
    let acted = session.act(click(seen, 2)).await;
    assert!(!acted.model.expose().starts_with("ok"));
    assert!(acted.model.expose().contains("Do not simply repeat it"));
}

#[tokio::test]
async fn ids_that_name_nothing_here_are_refused_before_anything_is_sent() {
    let far = FarEnd::embedded();
    let (host, other) = (far.host(), far.host());
    let session = host.open_session(&client()).unwrap();
    assert_eq!(code(&session.act(click(ObservationId::new(7), 2)).await), Code::Unobserved);
    let seen = observed(&session, "calculator").await.observation;
    assert_eq!(code(&session.act(click(ObservationId::new(7), 2)).await), Code::StaleObservation);
    let unknown = session.act(click(seen, 999)).await;
    assert_eq!(code(&unknown), Code::StaleObservation);
    assert!(unknown.model.expose().contains("no element with that id"));

    let stranger = host.open_session(&client()).unwrap();
    assert_eq!(code(&stranger.act(click(seen, 2)).await), Code::Unobserved);
    let elsewhere = other.open_session(&client()).unwrap();
    assert_eq!(code(&elsewhere.act(click(seen, 2)).await), Code::Unobserved);
    assert_eq!(far.count(Method::DispatchElement), 0);
}

#[tokio::test]
async fn another_sessions_action_makes_this_one_look_again() {
    let far = FarEnd::embedded();
    let host = far.host();
    let (one, other) = (host.open_session(&client()).unwrap(), host.open_session(&client()).unwrap());
    let (seen, theirs) = (observed(&one, "calculator").await, observed(&other, "calculator").await);
    let elsewhere = observed(&one, "editor").await;
    other.act(click(theirs.observation, 2)).await.outcome.unwrap();
    assert_eq!(code(&one.act(click(seen.observation, 2)).await), Code::NeedsObservation);
    one.act(click(elsewhere.observation, 2)).await.outcome.unwrap();
}

#[tokio::test]
async fn a_newer_look_replaces_an_older_one_of_the_same_window_only() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let (older, editor) = (observed(&session, "calculator").await, observed(&session, "editor").await);
    let newer = observed(&session, "calculator").await;
    assert_eq!(code(&session.act(click(older.observation, 2)).await), Code::StaleObservation);
    session.act(click(newer.observation, 2)).await.outcome.unwrap();
    session.act(click(editor.observation, 2)).await.outcome.unwrap();
}

#[tokio::test]
async fn names_choose_one_application_or_list_what_they_may_mean() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    for name in ["org.example.App100", "ORG.EXAMPLE.APP100.desktop", "app100", "Calculator", "calc"] {
        assert_eq!(observed(&session, name).await.snapshot().target, target(100, 0x10), "{name}");
    }
    let ambiguous = session.observe(app("example")).await;
    assert_eq!(code(&ambiguous), Code::AmbiguousTarget);
    assert!(ambiguous.model.expose().contains("app=org.example.App200 pid=200 window=0x20"));
    let missing = session.observe(app("gimp")).await;
    assert_eq!(code(&missing), Code::TargetMissing);
    assert!(missing.model.expose().contains("pid=100"));

    for window in [WindowChoice::Pid(200), WindowChoice::Window("0X20".into())] {
        let request = ObserveRequest { window, query: None, page: None };
        assert_eq!(session.observe(request).await.outcome.unwrap().snapshot().target, target(200, 0x20));
    }
    let request = ObserveRequest { window: WindowChoice::Window("0x99".into()), query: None, page: None };
    assert_eq!(code(&session.observe(request).await), Code::TargetMissing);
}

#[tokio::test]
async fn a_number_written_as_text_is_set_as_a_number_where_the_value_is_one() {
    let far = FarEnd::embedded();
    far.desk().elements(100).push(surehand_wire::Element {
        verbs: vec![surehand_wire::Verb::SetValue],
        value: Some(surehand_wire::Value::Number {
            current: FiniteNumber::new(1.0).unwrap(),
            minimum: None,
            maximum: None,
            increment: None,
        }),
        ..element(9, Some(1), "slider", "Volume")
    });
    let session = far.host().open_session(&client()).unwrap();
    for (target, expect) in [
        (9, SetValue::Number { number: FiniteNumber::new(2.5).unwrap() }),
        (3, SetValue::Text { text: UiText::new("2.5") }),
    ] {
        let observation = observed(&session, "calculator").await.observation;
        let action = Action::SetValue { value: SetValue::Text { text: UiText::new("2.5") } };
        session.act(ActRequest { observation, element: target, action }).await.outcome.unwrap();
        assert_eq!(far.desk().dispatches.pop().unwrap().action, Action::SetValue { value: expect });
    }
}

#[tokio::test]
async fn a_launch_is_done_once_a_call_id() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let launch = |application: &str, call: &str| LaunchRequest {
        application: application.into(),
        call: surehand_contract::LaunchCallId::new(call).unwrap(),
    };
    let first = session.launch(launch("org.example.New", "a")).await;
    assert!(first.model.expose().starts_with("started pid=300 windows=1\n"));
    let again = session.launch(launch("org.example.New", "a")).await;
    assert!(again.outcome.unwrap().repeated);
    assert!(again.model.expose().contains("nothing was started again"));
    assert!(again.model.expose().contains("window=0x30"));
    let reused = session.launch(launch("org.example.Other", "a")).await;
    assert_eq!(code(&reused), Code::InvalidArgument);
    assert!(reused.model.expose().contains("argument call_id: used before, for something else"));
    assert_eq!(far.count(Method::AppsLaunch), 1);
    session.launch(launch("org.example.New", "b")).await.outcome.unwrap();
    assert_eq!(far.desk().launches, ["org.example.New", "org.example.New"]);
}

#[tokio::test]
async fn a_picture_is_what_its_file_holds_or_nothing() {
    let far = FarEnd::embedded();
    let session = far.host().open_session(&client()).unwrap();
    let choice = || WindowChoice::Application("calculator".into());
    let pictured = session.screenshot(choice()).await;
    assert_eq!(pictured.kept.bytes, Some(12));
    assert_eq!(pictured.outcome.unwrap().png, far.desk().picture);

    let twists: [fn(&mut surehand_wire::Image); 3] = [
        |image| image.sha256 = surehand_contract::Digest::from_bytes([1; 32]),
        |image| image.byte_length += 1,
        |image| image.path = "/etc/passwd".into(),
    ];
    for twist in twists {
        far.desk().twist_picture = Some(twist);
        assert_eq!(code(&session.screenshot(choice()).await), Code::ServiceMismatch);
    }
    far.desk().twist_picture = Some(|image| image.byte_length = u64::from(u32::MAX));
    assert_eq!(code(&session.screenshot(choice()).await), Code::CaptureFailed);
}

#[tokio::test]
async fn nothing_of_the_screen_is_kept() {
    let far = FarEnd::embedded();
    far.desk().elements(100).push(entry(9, "canary-name", "canary-value"));
    let session = far.host().open_session(&client()).unwrap();
    let seen = session.observe(app("calculator")).await;
    assert!(seen.model.expose().contains("canary-name") && seen.model.expose().contains("canary-value"));
    let text = UiText::new("canary-typed");
    let action = Action::SetValue { value: SetValue::Text { text } };
    let observation = seen.outcome.as_ref().unwrap().observation;
    let acted = session.act(ActRequest { observation, element: 9, action }).await;
    for kept in [&seen.kept, &acted.kept] {
        let written = serde_json::to_string(kept).unwrap();
        assert!(!written.contains("canary") && !written.contains("Calculator"), "{written}");
        assert!(written.contains("\"call\"") && !written.contains("null"), "{written}");
    }
    assert!(!format!("{seen:?}{acted:?}").contains("canary"));
}
