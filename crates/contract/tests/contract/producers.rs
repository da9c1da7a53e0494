//! Ends of targets, turns and sessions, decisions, and what an application does itself.

use crate::desktop::*;
use surehand_contract::*;

// Process and window.

#[test]
fn the_end_of_a_window_drops_its_observations_only() {
    let (mut desktop, session) = Desktop::with_session();
    let dialog = window(100, 0x40_0002);
    let (in_dialog, in_editor) = (desktop.observe(session, &dialog), desktop.observe(session, &editor()));
    let event = desktop.say.window_server.destroyed(WindowKey::of(&dialog));
    let responses = desktop.step(event);
    assert!(told(&responses, &Notice::TargetGone { observations: 1 }));
    assert_eq!(desktop.lease(session, in_dialog), Err(Code::TargetMissing));
    assert!(desktop.lease(session, in_editor).is_ok());
}

#[test]
fn the_end_of_a_process_drops_the_observations_of_all_its_windows() {
    let (mut desktop, session) = Desktop::with_session();
    let other = desktop.open("other agent");
    let dialog = window(100, 0x40_0002);
    let in_dialog = desktop.observe(session, &dialog);
    let of_other = desktop.observe(other, &editor());
    let elsewhere = desktop.observe(session, &browser());
    let event = desktop.say.processes.exited(application(&editor()));
    let responses = desktop.step(event);
    assert_eq!(fenced(&responses), [FenceScope::Application(application(&editor()))]);
    assert_eq!(desktop.lease(session, in_dialog), Err(Code::TargetMissing));
    assert_eq!(desktop.lease(other, of_other), Err(Code::TargetMissing));
    assert!(desktop.lease(session, elsewhere).is_ok());
}

#[test]
fn the_end_of_a_window_nobody_works_in_fences_nothing() {
    let (mut desktop, session) = Desktop::with_session();
    desktop.observe(session, &editor());
    let event = desktop.say.window_server.destroyed(WindowKey::of(&window(100, 0x40_0009)));
    assert_eq!(fenced(&desktop.step(event)), []);
    let event = desktop.say.processes.exited(application(&browser()));
    assert_eq!(fenced(&desktop.step(event)), []);
}

#[test]
fn a_look_that_its_window_did_not_outlive_is_dropped() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.begin_look(session);
    let event = desktop.say.window_server.destroyed(WindowKey::of(&editor()));
    desktop.step(event);
    assert_eq!(dropped(desktop.end_look(session, observation, &editor())), Code::TargetMissing);
}

#[test]
fn a_lost_display_drops_every_observation() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let event = desktop.say.window_server.display_lost();
    let responses = desktop.step(event);
    assert_eq!(fenced(&responses), [FenceScope::Seat]);
    assert!(cancels(&responses, FenceScope::Seat, Code::DesktopUnavailable));
    assert!(told(&responses, &Notice::NeedsObservation { session }));
    assert_eq!(desktop.lease(session, observation), Err(Code::NeedsObservation));
}

// Turn and session terminals.

#[test]
fn the_end_of_a_turn_gives_up_what_the_session_holds_and_keeps_the_session() {
    let (mut desktop, session) = Desktop::with_session();
    let other = desktop.open("other agent");
    let observation = desktop.observe(session, &editor());
    let of_other = desktop.observe(other, &editor());
    let lease = desktop.lease(session, observation).unwrap();
    let event = desktop.client().turn_ended(session);
    let responses = desktop.step(event);

    assert_eq!(fenced(&responses), [FenceScope::Session(session)]);
    assert_eq!(cleared(&responses), [session]);
    assert!(cancels(&responses, FenceScope::Session(session), Code::Aborted));
    assert!(told(&responses, &Notice::SessionCleared { session, observations: 1 }));
    assert_eq!(desktop.check(&lease), Err(Code::StaleObservation));
    assert_eq!(desktop.status(session, &editor()), Status::NeedsObservation);
    assert!(desktop.lease(other, of_other).is_ok());
    desktop.observe(session, &editor());
}

#[test]
fn seat_and_session_facts_survive_a_turn() {
    let (mut desktop, session) = Desktop::with_session();
    desktop.vote(&login_hint(), true);
    let event = desktop.client().turn_ended(session);
    desktop.step(event);
    assert!(desktop.seat.locked(desktop.now()).is_some());
    desktop.stop();
    let event = desktop.client().turn_ended(session);
    desktop.step(event);
    assert!(desktop.seat.is_halted());
}

#[test]
fn an_idle_session_gives_up_what_it_holds() {
    let (mut desktop, session) = Desktop::with_session();
    desktop.observe(session, &editor());
    let idle_at = desktop.now().plus_ms(bounds::SESSION_IDLE_MS);
    assert_eq!(desktop.seat.next_deadline(), Some(idle_at));
    desktop.pass_ms(bounds::SESSION_IDLE_MS - 1);
    assert_eq!(desktop.seat.due(desktop.now()), None);
    desktop.pass_ms(1);
    let due = desktop.seat.due(desktop.now()).unwrap();
    assert_eq!((due.kind().name(), due.source().name()), ("SessionIdle", "Clock"));
    assert_eq!(cleared(&desktop.step(due)), [session]);
    assert_eq!(desktop.seat.due(desktop.now()), None);
    assert_eq!(desktop.seat.ended(session), None);
}

#[test]
fn a_session_that_works_is_not_idle() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    desktop.pass_ms(bounds::SESSION_IDLE_MS);
    let stale = desktop.seat.due(desktop.now()).unwrap();
    let lease = desktop.seat.may_observe(desktop.now(), session);
    assert!(lease.is_ok());
    assert_eq!(desktop.step(stale), [Response::Tell(Notice::Ignored)]);
    assert_eq!(desktop.lease(session, observation), Err(Code::StaleObservation), "its time is over all the same");
}

#[test]
fn a_session_with_something_under_way_is_not_idle() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let lease = desktop.lease(session, observation).unwrap();
    let claim = desktop.claim(&lease, 1).unwrap();
    desktop.observe(session, &browser());
    desktop.pass_ms(bounds::SESSION_IDLE_MS);
    assert_eq!(desktop.seat.due(desktop.now()), None);
    desktop.settle(claim, ClaimEnding::Released);
    let idle_at = desktop.now().plus_ms(bounds::SESSION_IDLE_MS);
    assert_eq!(desktop.seat.next_deadline(), Some(idle_at), "settling is work");
    let looking = desktop.begin_look(session);
    desktop.pass_ms(bounds::SESSION_IDLE_MS);
    assert_eq!(desktop.seat.due(desktop.now()), None);
    let event = desktop.call().observation_failed(session, looking, Code::Unresponsive);
    desktop.step(event);
    assert!(desktop.seat.due(desktop.now()).is_some());
}

#[test]
fn a_launch_counts_as_work_until_it_is_settled() {
    let (mut desktop, session) = Desktop::with_session();
    desktop.observe(session, &editor());
    desktop.pass_ms(bounds::SESSION_IDLE_MS - 1);
    let call = LaunchCallId::new("one").unwrap();
    let standing = desktop.seat.claim_launch(desktop.now(), session, call, fingerprint(1));
    let Ok(LaunchStanding::New(claim)) = standing else { panic!("nothing was started") };
    desktop.pass_ms(1);
    assert_eq!(desktop.seat.due(desktop.now()), None);
    desktop.seat.settle_launch(desktop.now(), claim, Verdict::not_sent(Code::TargetMissing));
    assert_eq!(desktop.seat.next_deadline(), Some(desktop.now().plus_ms(bounds::SESSION_IDLE_MS)));
}

#[test]
fn a_terminal_that_comes_twice_or_for_nobody_is_ignored() {
    let (mut desktop, session) = Desktop::with_session();
    let ignored = [Response::Tell(Notice::Ignored)];
    let event = desktop.client().session_ended(session);
    desktop.step(event);
    let late = [
        desktop.client().session_ended(session),
        desktop.client().turn_ended(session),
        desktop.client().session_ended(SessionId::new(999)),
        desktop.call().blocked_url(SessionId::new(999)),
    ];
    for event in late {
        assert_eq!(desktop.step(event), ignored);
    }
    assert_eq!(desktop.person_resumes(Resume::Seat), ignored);
}

#[test]
fn the_end_of_a_session_clears_and_fences_it_alone() {
    let (mut desktop, session) = Desktop::with_session();
    let other = desktop.open("other agent");
    let of_other = desktop.observe(other, &editor());
    let event = desktop.client().session_ended(session);
    let responses = desktop.step(event);
    assert_eq!(fenced(&responses), [FenceScope::Session(session)]);
    assert_eq!(cleared(&responses), [session]);
    assert!(cancels(&responses, FenceScope::Session(session), Code::SessionEnded));
    assert!(desktop.lease(other, of_other).is_ok());
}

// Changes by whoever decides, and by the application itself.

#[test]
fn a_denial_stops_its_principals_sessions() {
    let (mut desktop, session) = Desktop::with_session();
    let other = desktop.open("other agent");
    let (observation, of_other) = (desktop.observe(session, &editor()), desktop.observe(other, &editor()));
    let agent = Principal::new("agent").unwrap();
    let editor_identity = ApplicationIdentity::DesktopEntry { id: "editor".into() };
    let event = desktop.client().deny(agent.clone(), editor_identity.clone());
    let responses = desktop.step(event);
    assert_eq!(fenced(&responses), [FenceScope::Session(session)]);
    assert_eq!(desktop.lease(session, observation), Err(Code::NeedsObservation));
    assert!(desktop.lease(other, of_other).is_ok());
    assert_eq!(desktop.seat.grant(&agent, &editor_identity), Some(false));
}

#[test]
fn a_stricter_policy_stops_everyone_and_a_looser_one_nobody() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let press = desktop.say.input_devices.press(4, device(), 1);
    let event = desktop.say.person_controls.looser_policy(press);
    assert_eq!(desktop.step(event), []);
    assert!(desktop.lease(session, observation).is_ok());
    let event = desktop.client().stricter_policy();
    let responses = desktop.step(event);
    assert_eq!(fenced(&responses), [FenceScope::Seat]);
    assert!(told(&responses, &Notice::PolicyStricter));
    assert_eq!(desktop.lease(session, observation), Err(Code::NeedsObservation));
}

#[test]
fn an_application_that_changes_itself_changes_nothing_here() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let looking = desktop.begin_look(session);
    let generation = desktop.seat.generation(session, &WindowKey::of(&editor()));
    for _ in 0..1_000 {
        let event = desktop.call().content_changed(WindowKey::of(&editor()));
        assert_eq!(desktop.step(event), []);
    }
    assert_eq!(desktop.seat.generation(session, &WindowKey::of(&editor())), generation);
    assert!(desktop.lease(session, observation).is_ok());
    assert_eq!(desktop.end_look(session, looking, &editor()), ObservationStanding::Live);
}
