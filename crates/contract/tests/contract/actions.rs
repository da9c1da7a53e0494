//! Observation and action: one live look at each window, at most one write for each claim.

use crate::desktop::*;
use surehand_contract::*;

fn call_id(text: &str) -> LaunchCallId {
    LaunchCallId::new(text).expect("a good name")
}

#[test]
fn a_look_at_one_window_leaves_the_look_at_another_alive() {
    let (mut desktop, session) = Desktop::with_session();
    let in_editor = desktop.observe(session, &editor());
    let in_browser = desktop.observe(session, &browser());
    assert!(desktop.lease(session, in_editor).is_ok());
    assert!(desktop.lease(session, in_browser).is_ok());
}

#[test]
fn a_new_look_replaces_the_look_before_at_the_same_window() {
    let (mut desktop, session) = Desktop::with_session();
    let first = desktop.observe(session, &editor());
    let second = desktop.observe(session, &editor());
    assert_eq!(desktop.lease(session, first), Err(Code::StaleObservation));
    assert!(desktop.lease(session, second).is_ok());
}

#[test]
fn a_look_that_began_earlier_replaces_no_later_one() {
    let (mut desktop, session) = Desktop::with_session();
    let slow = desktop.begin_look(session);
    let fresh = desktop.observe(session, &editor());
    assert_eq!(desktop.end_look(session, slow, &editor()), ObservationStanding::NotActionable);
    assert!(desktop.lease(session, fresh).is_ok());
}

#[test]
fn a_look_is_just_made_for_a_while() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let lease = desktop.lease(session, observation).unwrap();
    desktop.pass_ms(bounds::OBSERVATION_TTL_MS - 1);
    assert!(desktop.check(&lease).is_ok());
    desktop.pass_ms(1);
    assert_eq!(desktop.check(&lease), Err(Code::StaleObservation));
    assert_eq!(desktop.status(session, &editor()), Status::NeedsObservation);
}

#[test]
fn a_failed_look_says_why_and_leaves_the_look_before() {
    let (mut desktop, session) = Desktop::with_session();
    let before = desktop.observe(session, &editor());
    let failing = desktop.begin_look(session);
    let event = desktop.call().observation_failed(session, failing, Code::Unresponsive);
    let responses = desktop.step(event);
    assert_eq!(dropped(standing(&responses, failing)), Code::Unresponsive);
    assert_eq!(desktop.lease(session, failing), Err(Code::StaleObservation));
    assert!(desktop.lease(session, before).is_ok());
}

#[test]
fn an_observation_that_was_used_is_used_up_for_every_action() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let lease = desktop.lease(session, observation).unwrap();
    let claim = desktop.claim(&lease, 1).unwrap();
    desktop.settle(claim, ClaimEnding::Consumed);
    assert_eq!(desktop.lease(session, observation), Err(Code::DuplicateAction));
    assert_eq!(desktop.claim(&lease, 1).unwrap_err(), Code::DuplicateAction);
    assert_eq!(desktop.claim(&lease, 2).unwrap_err(), Code::DuplicateAction);
    assert_eq!(desktop.status(session, &editor()), Status::NeedsObservation);
    desktop.observe(session, &editor());
    assert_eq!(desktop.lease(session, observation), Err(Code::DuplicateAction), "also once there is a newer look");
}

#[test]
fn a_refused_action_is_refused_again_and_another_may_be_tried() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let lease = desktop.lease(session, observation).unwrap();
    let claim = desktop.claim(&lease, 1).unwrap();
    desktop.settle(claim, ClaimEnding::Retired);
    assert_eq!(desktop.claim(&lease, 1).unwrap_err(), Code::AlreadyRefused);
    let claim = desktop.claim(&lease, 2).unwrap();
    desktop.settle(claim, ClaimEnding::Consumed);
}

#[test]
fn a_released_claim_is_as_if_never_made() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let lease = desktop.lease(session, observation).unwrap();
    for _ in 0..3 {
        let claim = desktop.claim(&lease, 1).unwrap();
        assert_eq!(desktop.seat.open_claims(session), 1);
        desktop.settle(claim, ClaimEnding::Released);
        assert_eq!(desktop.seat.open_claims(session), 0);
    }
}

#[test]
fn one_claim_is_open_at_a_time() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let lease = desktop.lease(session, observation).unwrap();
    let open = desktop.claim(&lease, 1).unwrap();
    assert_eq!(desktop.claim(&lease, 2).unwrap_err(), Code::DuplicateAction);
    desktop.settle(open, ClaimEnding::Released);
    let open = desktop.claim(&lease, 2).unwrap();
    desktop.settle(open, ClaimEnding::Released);
}

#[test]
fn a_lost_claim_keeps_its_observation_from_acting_again() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let lease = desktop.lease(session, observation).unwrap();
    drop(desktop.claim(&lease, 1).unwrap());
    assert_eq!(desktop.claim(&lease, 1).unwrap_err(), Code::DuplicateAction);
}

#[test]
fn a_claim_is_settled_as_its_verdict_says() {
    let sent = [
        Verdict::delivered(Effect::Confirmed, Method::ValueReadback),
        Verdict::delivered(Effect::SuspectedNoop, Method::TreeDelta),
        Verdict::refused(Code::DispatchRefused),
        Verdict::unknown(),
    ];
    for verdict in sent {
        assert_eq!(ClaimEnding::of(&verdict), ClaimEnding::Consumed, "{verdict:?}");
    }
    for code in [Code::UnsupportedAction, Code::TargetChanged, Code::NotActionable, Code::AmbiguousTarget] {
        assert_eq!(ClaimEnding::of(&Verdict::not_sent(code)), ClaimEnding::Retired, "{code}");
    }
    for code in [Code::Held, Code::UserIntervened, Code::ServiceUnavailable, Code::Aborted, Code::Unresponsive] {
        assert_eq!(ClaimEnding::of(&Verdict::not_sent(code)), ClaimEnding::Released, "{code}");
    }
}

#[test]
fn what_one_session_did_makes_the_others_look_again() {
    let (mut desktop, first) = Desktop::with_session();
    let second = desktop.open("other agent");
    let of_first = desktop.observe(first, &editor());
    let of_second = desktop.observe(second, &editor());
    let elsewhere = desktop.observe(second, &browser());
    let looking = desktop.begin_look(second);
    desktop.act(first, of_first).unwrap();

    assert_eq!(desktop.lease(second, of_second), Err(Code::NeedsObservation));
    assert_eq!(desktop.status(second, &editor()), Status::NeedsObservation);
    assert_eq!(desktop.end_look(second, looking, &editor()), ObservationStanding::NotActionable);
    assert!(desktop.lease(second, elsewhere).is_ok());
}

#[test]
fn what_a_session_did_itself_leaves_its_other_windows_alone() {
    let (mut desktop, session) = Desktop::with_session();
    let other = desktop.open("other agent");
    let dialog = window(100, 0x40_0002);
    let (in_editor, in_dialog) = (desktop.observe(session, &editor()), desktop.observe(session, &dialog));
    let after = desktop.begin_look(session);
    desktop.act(session, in_editor).unwrap();
    assert_eq!(desktop.end_look(session, after, &editor()), ObservationStanding::Live);
    assert!(desktop.lease(session, in_dialog).is_ok());

    let of_other = desktop.observe(other, &editor());
    desktop.act(other, of_other).unwrap();
    assert_eq!(desktop.lease(session, in_dialog), Err(Code::NeedsObservation));
    let again = desktop.observe(session, &dialog);
    desktop.act(session, again).unwrap();
    assert_eq!(desktop.lease(session, after), Err(Code::NeedsObservation), "the other's act still counts");
}

#[test]
fn what_was_not_sent_makes_nobody_look_again() {
    for ending in [ClaimEnding::Released, ClaimEnding::Retired] {
        let (mut desktop, first) = Desktop::with_session();
        let second = desktop.open("other agent");
        let of_first = desktop.observe(first, &editor());
        let of_second = desktop.observe(second, &editor());
        let lease = desktop.lease(first, of_first).unwrap();
        let claim = desktop.claim(&lease, 1).unwrap();
        desktop.settle(claim, ending);
        assert!(desktop.lease(second, of_second).is_ok());
    }
}

#[test]
fn a_claim_settled_after_its_session_ended_still_counts_for_the_others() {
    let (mut desktop, first) = Desktop::with_session();
    let second = desktop.open("other agent");
    let of_first = desktop.observe(first, &editor());
    let lease = desktop.lease(first, of_first).unwrap();
    let claim = desktop.claim(&lease, 1).unwrap();
    let event = desktop.client().session_ended(first);
    desktop.step(event);
    let of_second = desktop.observe(second, &editor());
    desktop.settle(claim, ClaimEnding::Consumed);
    assert_eq!(desktop.lease(second, of_second), Err(Code::NeedsObservation));
}

#[test]
fn a_reused_pid_or_window_id_is_another_target() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let mut other_run = editor();
    other_run.process.pidfd_inode = Some(1);
    let mut other_program = editor();
    other_program.process.exe.inode = 1;
    let mut other_window = editor();
    other_window.window = WindowIdentity::X11 { window: 0x40_0001, incarnation: 1 };
    for other in [other_run, other_program, other_window] {
        assert_eq!(desktop.status(session, &other), Status::Unobserved);
        desktop.observe(session, &other);
        let lease = desktop.lease(session, observation).unwrap();
        assert_eq!(lease.window, WindowKey::of(&editor()));
        assert_ne!(lease.window, WindowKey::of(&other));
    }
}

#[test]
fn a_touch_counts_for_a_program_that_was_replaced_in_the_same_process() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let mut replaced = process(100);
    replaced.exe.path = "/usr/bin/viewer".into();
    replaced.exe.inode = 4;
    desktop.person_types(InputScope::Application(ApplicationKey::of(&replaced)));
    assert_eq!(desktop.lease(session, observation), Err(Code::UserIntervened));
}

#[test]
fn a_target_needs_no_x_window() {
    let (mut desktop, session) = Desktop::with_session();
    let mut target = editor();
    target.window = WindowIdentity::Accessible {
        bus_guid: "b7".into(),
        unique_name: ":1.41".into(),
        path: "/org/a11y/atspi/accessible/7".into(),
    };
    let observation = desktop.observe(session, &target);
    desktop.act(session, observation).unwrap();
    let bound = desktop.seat.observation(session, observation).unwrap();
    assert_eq!(bound.target, target);
}

#[test]
fn a_result_that_a_stop_a_lock_or_a_person_overtook_is_no_success() {
    let overtakers: [fn(&mut Desktop); 3] = [
        |desktop| drop(desktop.stop()),
        |desktop| drop(desktop.vote(&login_hint(), true)),
        |desktop| drop(desktop.person_types(InputScope::Application(application(&editor())))),
    ];
    for overtake in overtakers {
        let (mut desktop, session) = Desktop::with_session();
        let observation = desktop.observe(session, &editor());
        let lease = desktop.lease(session, observation).unwrap();
        let claim = desktop.claim(&lease, 1).unwrap();
        overtake(&mut desktop);
        desktop.settle(claim, ClaimEnding::Consumed);
        assert!(desktop.seat.check_returned(desktop.now(), &lease).is_err());
    }
}

#[test]
fn a_result_whose_own_window_closed_meanwhile_may_be_a_success() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let lease = desktop.lease(session, observation).unwrap();
    let claim = desktop.claim(&lease, 1).unwrap();
    let event = desktop.say.window_server.destroyed(WindowKey::of(&editor()));
    desktop.step(event);
    desktop.settle(claim, ClaimEnding::Consumed);
    assert_eq!(desktop.seat.check_returned(desktop.now(), &lease), Ok(()));
    assert_eq!(desktop.lease(session, observation), Err(Code::DuplicateAction));
}

#[test]
fn an_overtaken_verdict_keeps_what_was_sent_and_claims_no_effect() {
    let success = Verdict::delivered(Effect::Confirmed, Method::ValueReadback).overtaken();
    assert_eq!((success.delivery, success.effect), (Delivery::Delivered, Effect::Unverifiable));
    assert_eq!(success.code, Some(Code::OutcomeUnknown));
    assert_eq!(Verdict::unknown().overtaken(), Verdict::unknown());
    let refusal = Verdict::not_sent(Code::Held);
    assert_eq!(refusal.clone().overtaken(), refusal);
}

#[test]
fn a_launch_is_made_once_for_each_call_id() {
    let (mut desktop, session) = Desktop::with_session();
    let now = desktop.now();
    let launch = |desktop: &mut Desktop, id: &str, action| {
        desktop.seat.claim_launch(now, session, call_id(id), fingerprint(action))
    };
    let Ok(LaunchStanding::New(claim)) = launch(&mut desktop, "one", 1) else { panic!("the first call starts it") };
    assert!(desktop.seat.check_launch(now, &claim).is_ok());
    assert!(matches!(launch(&mut desktop, "one", 1), Ok(LaunchStanding::UnderWay)));
    let verdict = Verdict::delivered(Effect::Confirmed, Method::WindowAppeared);
    desktop.seat.settle_launch(now, claim, verdict.clone());
    let Ok(LaunchStanding::Answered(first)) = launch(&mut desktop, "one", 1) else { panic!("it was answered") };
    assert_eq!(first, verdict);
    assert_eq!(launch(&mut desktop, "one", 2).unwrap_err().code, Code::InvalidArgument);
    assert!(matches!(launch(&mut desktop, "two", 1), Ok(LaunchStanding::New(_))));
}

#[test]
fn a_launch_that_was_not_sent_may_be_asked_again() {
    let (mut desktop, session) = Desktop::with_session();
    let now = desktop.now();
    for _ in 0..2 {
        let standing = desktop.seat.claim_launch(now, session, call_id("one"), fingerprint(1));
        let Ok(LaunchStanding::New(claim)) = standing else { panic!("nothing was started") };
        desktop.seat.settle_launch(now, claim, Verdict::not_sent(Code::TargetMissing));
    }
    let standing = desktop.seat.claim_launch(now, session, call_id("one"), fingerprint(1));
    let Ok(LaunchStanding::New(claim)) = standing else { panic!("nothing was started") };
    desktop.seat.settle_launch(now, claim, Verdict::unknown());
    let standing = desktop.seat.claim_launch(now, session, call_id("one"), fingerprint(1));
    assert!(matches!(standing, Ok(LaunchStanding::Answered(_))), "what may have started is not started again");
}

#[test]
fn what_came_and_went_since_a_launch_was_claimed_stops_it() {
    let (mut desktop, session) = Desktop::with_session();
    let standing = desktop.seat.claim_launch(desktop.now(), session, call_id("one"), fingerprint(1));
    let Ok(LaunchStanding::New(claim)) = standing else { panic!("nothing was started") };
    let (held, event) = desktop.say.input_devices.held(4, device(), 1);
    desktop.step(event);
    assert_eq!(desktop.seat.check_launch(desktop.now(), &claim).unwrap_err().code, Code::Held);
    desktop.step(held.scoped(InputScope::Nowhere));
    assert!(desktop.seat.check_launch(desktop.now(), &claim).is_ok());
    desktop.vote(&login_hint(), true);
    assert_eq!(desktop.seat.check_launch(desktop.now(), &claim).unwrap_err().code, Code::ScreenLocked);
    desktop.vote(&login_hint(), false);
    assert_eq!(desktop.seat.check_launch(desktop.now(), &claim).unwrap_err().code, Code::Aborted);
    desktop.seat.settle_launch(desktop.now(), claim, Verdict::not_sent(Code::Aborted));
}
