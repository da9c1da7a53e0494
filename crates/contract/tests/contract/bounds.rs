//! What happens at each bound.

use crate::desktop::*;
use surehand_contract::*;

#[test]
fn sessions_are_bounded() {
    let mut desktop = Desktop::new();
    let sessions: Vec<_> = (0..bounds::OPEN_SESSIONS).map(|_| desktop.open("agent")).collect();
    assert_eq!(desktop.try_open("agent").unwrap_err().code, Code::LimitReached);
    let event = desktop.client().session_ended(sessions[0]);
    desktop.step(event);
    desktop.open("agent");
}

#[test]
fn an_ended_session_that_nobody_remembers_reads_as_closed() {
    let mut desktop = Desktop::new();
    let first = desktop.open("agent");
    let event = desktop.call().blocked_url(first);
    desktop.step(event);
    for _ in 0..bounds::ENDED_SESSIONS {
        let session = desktop.open("other agent");
        let event = desktop.client().session_ended(session);
        desktop.step(event);
    }
    assert_eq!(desktop.seat.ended(first), Some(EndReason::Closed));
    assert_eq!(desktop.try_open("agent").unwrap_err().code, Code::BlockedUrl, "the block outlives the session");
}

#[test]
fn old_observations_are_forgotten_and_read_as_stale() {
    let (mut desktop, session) = Desktop::with_session();
    let first = desktop.observe(session, &editor());
    desktop.act(session, first).unwrap();
    let kept = desktop.observe(session, &browser());
    for _ in 0..bounds::OBSERVATIONS_PER_SESSION {
        desktop.observe(session, &editor());
    }
    assert_eq!(desktop.lease(session, first), Err(Code::StaleObservation));
    assert!(desktop.lease(session, kept).is_ok(), "one that can be acted on is never forgotten");
}

#[test]
fn looks_under_way_are_bounded() {
    let (mut desktop, session) = Desktop::with_session();
    for _ in 0..bounds::OBSERVATIONS_PER_SESSION {
        desktop.begin_look(session);
    }
    let start = desktop.seat.may_observe(desktop.now(), session).unwrap();
    let observation = ObservationId::new(desktop.next_id());
    let event = desktop.call().observation_began(start, observation);
    assert_eq!(dropped(standing(&desktop.step(event), observation)), Code::LimitReached);
}

#[test]
fn the_window_looked_at_longest_ago_is_forgotten_first() {
    let (mut desktop, session) = Desktop::with_session();
    let windows: Vec<_> = (0..=bounds::WINDOWS_PER_SESSION as u32).map(|id| window(100, id)).collect();
    let mut observations = Vec::new();
    for target in &windows {
        desktop.pass_ms(1);
        observations.push(desktop.observe(session, target));
    }
    assert_eq!(desktop.status(session, &windows[0]), Status::Unobserved);
    assert_eq!(desktop.lease(session, observations[0]), Err(Code::StaleObservation));
    assert!(desktop.lease(session, observations[1]).is_ok());
}

#[test]
fn a_forgotten_window_forgets_no_generation() {
    let (mut desktop, session) = Desktop::with_session();
    let spanning = desktop.begin_look(session);
    desktop.outcome(session, &editor(), Verdict::unknown());
    for id in 0..bounds::WINDOWS_PER_SESSION as u32 {
        desktop.pass_ms(1);
        desktop.observe(session, &window(200, id));
    }
    assert_eq!(desktop.end_look(session, spanning, &editor()), ObservationStanding::NotActionable);
}

#[test]
fn refused_actions_are_bounded() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let lease = desktop.lease(session, observation).unwrap();
    for action in 0..=bounds::RETIRED_ACTIONS_PER_OBSERVATION as u8 {
        let claim = desktop.claim(&lease, action).unwrap();
        desktop.settle(claim, ClaimEnding::Retired);
    }
    assert_eq!(desktop.claim(&lease, 200).unwrap_err(), Code::StaleObservation);
}

#[test]
fn launches_are_bounded() {
    let (mut desktop, session) = Desktop::with_session();
    let now = desktop.now();
    let launch = |desktop: &mut Desktop, call: usize| {
        let call = LaunchCallId::new(&call.to_string()).unwrap();
        desktop.seat.claim_launch(now, session, call, fingerprint(1))
    };
    for call in 0..bounds::LAUNCH_CALLS_PER_SESSION {
        assert!(matches!(launch(&mut desktop, call), Ok(LaunchStanding::New(_))));
    }
    let refusal = launch(&mut desktop, bounds::LAUNCH_CALLS_PER_SESSION).unwrap_err();
    assert_eq!(refusal.code, Code::LimitReached);
    assert!(matches!(launch(&mut desktop, 0), Ok(LaunchStanding::UnderWay)), "none is forgotten");
}

#[test]
fn touched_applications_are_bounded_and_no_touch_is_lost() {
    let (mut desktop, session) = Desktop::with_session();
    let spanning = desktop.begin_look(session);
    desktop.person_types(InputScope::Application(application(&editor())));
    let during = desktop.begin_look(session);
    desktop.pass_ms(QUIET);
    for pid in 0..bounds::APPLICATIONS as u32 {
        desktop.person_types(InputScope::Application(ApplicationKey::of(&process(1_000 + pid))));
    }
    for look in [spanning, during] {
        assert_eq!(desktop.end_look(session, look, &editor()), ObservationStanding::NotActionable);
    }
}

#[test]
fn a_person_in_too_many_applications_is_in_all_of_them() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let call = LaunchCallId::new("one").unwrap();
    let launch = desktop.seat.claim_launch(desktop.now(), session, call, fingerprint(1));
    let Ok(LaunchStanding::New(launch)) = launch else { panic!("nothing was started") };
    for pid in 0..=bounds::APPLICATIONS as u32 {
        desktop.person_types(InputScope::Application(ApplicationKey::of(&process(1_000 + pid))));
    }
    assert_eq!(desktop.lease(session, observation), Err(Code::UserIntervened));
    let refusal = desktop.seat.check_launch(desktop.now(), &launch).unwrap_err();
    assert_eq!((refusal.code, refusal.wait_ms), (Code::UserIntervened, Some(QUIET)));
    desktop.pass_ms(QUIET);
    assert_eq!(desktop.lease(session, observation), Err(Code::NeedsObservation));
    assert_eq!(desktop.seat.check_launch(desktop.now(), &launch).unwrap_err().code, Code::Aborted);
    desktop.seat.settle_launch(desktop.now(), launch, Verdict::not_sent(Code::Aborted));
}

#[test]
fn input_of_unknown_scope_is_bounded() {
    let (mut desktop, session) = Desktop::with_session();
    let mut held = Vec::new();
    for _ in 0..=bounds::HOLDS {
        let (one, event) = desktop.say.input_devices.held(4, device(), 1);
        desktop.step(event);
        held.push(one);
    }
    assert!(matches!(desktop.status(session, &editor()), Status::Intervention { .. }));
    for one in held {
        desktop.step(one.scoped(InputScope::Nowhere));
    }
    desktop.pass_ms(QUIET);
    desktop.observe(session, &editor());
}

#[test]
fn too_many_lock_voters_leave_the_lock_unknown() {
    let mut desktop = Desktop::new();
    for owner in 0..=bounds::LOCK_VOTERS {
        desktop.vote(&screen_saver(&format!(":1.{owner}")), false);
    }
    assert_eq!(desktop.seat.locked(desktop.now()), Some(LockedWhy::ProducerLost));
    let event = desktop.say.lockers.claim(Standing::Claimed);
    desktop.step(event);
    assert_eq!(desktop.seat.locked(desktop.now()), None);
}

#[test]
fn too_many_blocked_principals_shut_everyone_out() {
    let mut desktop = Desktop::new();
    for principal in 0..=bounds::BLOCKED_PRINCIPALS {
        let session = desktop.open(&principal.to_string());
        let event = desktop.call().blocked_url(session);
        desktop.step(event);
    }
    assert_eq!(desktop.try_open("a stranger").unwrap_err().code, Code::BlockedUrl);
    desktop.person_resumes(Resume::Principal { principal: Principal::new("0").unwrap() });
    desktop.open("0");
    desktop.open("a stranger");
}

#[test]
fn many_ended_targets_leave_a_look_under_way_untrusted() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.begin_look(session);
    for id in 0..=bounds::GONE_TARGETS as u32 {
        let event = desktop.say.window_server.destroyed(WindowKey::of(&window(200, id)));
        desktop.step(event);
    }
    assert_eq!(desktop.end_look(session, observation, &editor()), ObservationStanding::NotActionable);
    desktop.observe(session, &editor());
}

#[test]
fn an_executor_that_acknowledges_no_fence_is_ended() {
    let mut desktop = Desktop::new();
    let mut ends = 0;
    for _ in 0..=bounds::OUTSTANDING_FENCES {
        ends += desktop.stop().iter().filter(|response| matches!(response, Response::EndExecutor { .. })).count();
    }
    assert_eq!(ends, 1);
}

#[test]
fn too_many_denials_deny_everything() {
    let mut desktop = Desktop::new();
    let agent = Principal::new("agent").unwrap();
    for id in 0..=bounds::GRANT_DECISIONS {
        let event = desktop.client().deny(agent.clone(), ApplicationIdentity::Snap { id: id.to_string() });
        desktop.step(event);
    }
    let never_named = ApplicationIdentity::Snap { id: "another".into() };
    assert_eq!(desktop.seat.grant(&agent, &never_named), Some(false));
}
