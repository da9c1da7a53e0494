//! One story for each producer: what its events do, and what they must not do.

use crate::desktop::*;
use surehand_contract::*;

// Typed dispatch outcomes.

#[test]
fn an_executor_that_met_a_person_and_says_how_long_starts_an_intervention() {
    let (mut desktop, session) = Desktop::with_session();
    desktop.observe(session, &editor());
    let verdict = Verdict::not_sent(Code::UserIntervened);
    let responses = desktop.outcome_with_quiet(session, &editor(), verdict, Some(300));
    assert_eq!(fenced(&responses), [FenceScope::Application(application(&editor()))]);
    assert_eq!(desktop.status(session, &editor()), Status::Intervention { until: desktop.now().plus_ms(300) });
    desktop.pass_ms(300);
    assert_eq!(desktop.status(session, &editor()), Status::NeedsObservation);
}

#[test]
fn an_executor_that_met_a_person_and_says_no_time_only_asks_for_a_new_look() {
    let (mut desktop, session) = Desktop::with_session();
    let other = desktop.open("other agent");
    desktop.observe(session, &editor());
    desktop.observe(other, &editor());
    desktop.outcome(session, &editor(), Verdict::not_sent(Code::UserIntervened));
    assert_eq!(desktop.status(session, &editor()), Status::NeedsObservation);
    assert_eq!(desktop.status(other, &editor()), Status::NeedsObservation);
    desktop.observe(session, &editor());
}

#[test]
fn an_executor_cannot_keep_an_agent_away_for_ever() {
    let (mut desktop, session) = Desktop::with_session();
    let verdict = Verdict::not_sent(Code::UserIntervened);
    desktop.outcome_with_quiet(session, &editor(), verdict, Some(u64::MAX));
    desktop.pass_ms(bounds::EXECUTOR_QUIET_MS_AT_MOST);
    desktop.observe(session, &editor());
}

#[test]
fn an_executor_that_finds_the_screen_locked_locks_the_seat() {
    let (mut desktop, session) = Desktop::with_session();
    desktop.outcome(session, &editor(), Verdict::not_sent(Code::ScreenLocked));
    assert_eq!(desktop.status(session, &editor()), Status::Locked { why: LockedWhy::Voted });
    let event = desktop.call().screen_lock(false);
    desktop.step(event);
    assert_eq!(desktop.seat.locked(desktop.now()), None);
}

#[test]
fn an_executor_that_meets_a_blocked_address_ends_the_session() {
    let (mut desktop, session) = Desktop::with_session();
    desktop.outcome(session, &editor(), Verdict::not_sent(Code::BlockedUrl));
    assert_eq!(desktop.seat.ended(session), Some(EndReason::BlockedUrl));
    assert_eq!(desktop.try_open("agent").unwrap_err().code, Code::BlockedUrl);
}

#[test]
fn an_unknown_outcome_or_a_lost_service_asks_for_a_new_look() {
    for code in [Code::OutcomeUnknown, Code::ServiceUnavailable, Code::ServiceMismatch] {
        let (mut desktop, session) = Desktop::with_session();
        desktop.observe(session, &editor());
        let verdict = Verdict { code: Some(code), ..Verdict::unknown() };
        desktop.outcome(session, &editor(), verdict);
        assert_eq!(desktop.status(session, &editor()), Status::NeedsObservation, "{code}");
    }
}

#[test]
fn every_other_outcome_changes_no_fact() {
    let setting = [
        Code::UserIntervened,
        Code::ScreenLocked,
        Code::BlockedUrl,
        Code::OutcomeUnknown,
        Code::ServiceUnavailable,
        Code::ServiceMismatch,
    ];
    for code in Code::ALL.iter().filter(|code| !setting.contains(code)) {
        let (mut desktop, session) = Desktop::with_session();
        desktop.observe(session, &editor());
        let responses = desktop.outcome(session, &editor(), Verdict::not_sent(*code));
        assert_eq!(responses, [], "{code}");
        assert_eq!(desktop.status(session, &editor()), Status::Ready, "{code}");
    }
}

#[test]
fn a_late_outcome_of_an_ended_generation_only_asks_for_a_new_look() {
    for code in [Code::UserIntervened, Code::ScreenLocked, Code::BlockedUrl] {
        let (mut desktop, session) = Desktop::with_session();
        let late = desktop.call();
        desktop.release_executor();
        desktop.start_executor();
        desktop.observe(session, &editor());
        let outcome = DispatchOutcome { verdict: Verdict::not_sent(code), quiet_in_ms: Some(500) };
        desktop.step(late.dispatch_outcome(session, WindowKey::of(&editor()), outcome));
        assert_eq!(desktop.status(session, &editor()), Status::NeedsObservation, "{code}");
    }
}

// Executor service.

#[test]
fn a_released_executor_takes_its_observations_and_looks_with_it() {
    let (mut desktop, session) = Desktop::with_session();
    let other = desktop.open("other agent");
    desktop.observe(session, &editor());
    desktop.observe(other, &browser());
    let looking = desktop.begin_look(session);
    let responses = desktop.release_executor();

    assert_eq!(dropped(standing(&responses, looking)), Code::ServiceUnavailable);
    let settles = Response::CancelCalls { scope: FenceScope::Seat, code: Code::ServiceUnavailable };
    assert!(responses.contains(&settles));
    assert_eq!(desktop.status(session, &editor()), Status::NeedsObservation);
    assert_eq!(desktop.status(other, &browser()), Status::NeedsObservation);
}

#[test]
fn a_look_of_an_ended_generation_never_ends_twice() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.begin_look(session);
    let late = desktop.call();
    desktop.release_executor();
    desktop.start_executor();
    let responses = desktop.step(late.observation_read(session, observation, editor()));
    assert_eq!(responses, [Response::Tell(Notice::Ignored)]);
    assert_eq!(desktop.status(session, &editor()), Status::Unobserved);
}

#[test]
fn a_look_cannot_begin_through_an_ended_generation() {
    let (mut desktop, session) = Desktop::with_session();
    let late = desktop.call();
    desktop.release_executor();
    desktop.start_executor();
    let start = desktop.seat.may_observe(desktop.now(), session).unwrap();
    let observation = ObservationId::new(77);
    let responses = desktop.step(late.observation_began(start, observation));
    assert_eq!(dropped(standing(&responses, observation)), Code::ServiceUnavailable);
}

#[test]
fn a_generation_begins_once() {
    let mut desktop = Desktop::new();
    let running = desktop.seat.executor();
    let (_, mut elsewhere) = Seat::new(SeatConfiguration::default());
    let (_first_of_another_seat, event) = elsewhere.executors.started();
    assert_eq!(desktop.step(event), [Response::Tell(Notice::Ignored)]);
    assert_eq!(desktop.seat.executor(), running);
}

#[test]
fn a_generation_that_begins_ends_the_one_before() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let (_second, event) = desktop.say.executors.started();
    let responses = desktop.step(event);
    assert!(told(&responses, &Notice::ExecutorReleased { generation: ExecutorGeneration::new(1) }));
    assert_eq!(desktop.seat.executor(), Some(ExecutorGeneration::new(2)));
    assert_eq!(desktop.lease(session, observation), Err(Code::NeedsObservation));
}

#[test]
fn a_fence_is_accepted_when_the_executor_acknowledges_it() {
    let (mut desktop, _session) = Desktop::with_session();
    let responses = desktop.stop();
    let epoch = responses
        .iter()
        .find_map(|response| match response {
            Response::Fence { epoch, acknowledge_by, .. } => {
                assert_eq!(*acknowledge_by, desktop.now().plus_ms(bounds::ACKNOWLEDGEMENT_MS));
                Some(*epoch)
            }
            _ => None,
        })
        .unwrap();
    assert!(!desktop.seat.is_accepted(epoch));
    assert!(!desktop.seat.is_accepted(epoch.next()), "nobody raised that one yet");
    let event = desktop.call().fence_acknowledged(epoch);
    assert_eq!(desktop.step(event), [Response::Accepted { epoch }]);
    assert!(desktop.seat.is_accepted(epoch));
}

#[test]
fn a_fence_is_accepted_when_the_executor_is_dead_instead() {
    let (mut desktop, _session) = Desktop::with_session();
    let first = fenced_epochs(&desktop.stop());
    let late = desktop.call();
    assert!(accepted_epochs(&desktop.release_executor()).starts_with(&first));
    assert_eq!(desktop.step(late.fence_acknowledged(first[0])), [Response::Tell(Notice::Ignored)]);
    assert_eq!(accepted_epochs(&desktop.stop()).len(), 1, "no executor, so nothing can pass");
}

#[test]
fn another_generations_acknowledgement_accepts_nothing() {
    let (mut desktop, _session) = Desktop::with_session();
    let late = desktop.call();
    desktop.release_executor();
    desktop.start_executor();
    let epochs = fenced_epochs(&desktop.stop());
    desktop.step(late.fence_acknowledged(epochs[0]));
    assert!(!desktop.seat.is_accepted(epochs[0]));
}

fn fenced_epochs(responses: &[Response]) -> Vec<FenceEpoch> {
    let epoch = |response: &Response| match response {
        Response::Fence { epoch, .. } => Some(*epoch),
        _ => None,
    };
    responses.iter().filter_map(epoch).collect()
}

fn accepted_epochs(responses: &[Response]) -> Vec<FenceEpoch> {
    let epoch = |response: &Response| match response {
        Response::Accepted { epoch } => Some(*epoch),
        _ => None,
    };
    responses.iter().filter_map(epoch).collect()
}

// Physical input.

#[test]
fn input_of_unknown_scope_counts_for_every_application() {
    let (mut desktop, session) = Desktop::with_session();
    desktop.observe(session, &editor());
    desktop.person_types(InputScope::Anywhere);
    assert!(matches!(desktop.status(session, &editor()), Status::Intervention { .. }));
    assert!(matches!(desktop.status(session, &browser()), Status::Intervention { .. }));
}

#[test]
fn input_elsewhere_stops_only_what_needs_the_shared_pointer_or_keyboard() {
    let (mut desktop, session) = Desktop::with_session();
    let event = desktop.say.input_devices.claim(Standing::Claimed);
    desktop.step(event);
    let observation = desktop.observe(session, &editor());
    desktop.person_types(InputScope::Application(application(&browser())));
    assert!(desktop.lease(session, observation).is_ok());
    let now = desktop.now();
    let pointer = desktop.seat.lease(now, session, observation, Route::PointerOrKeyboard);
    assert_eq!(pointer.unwrap_err(), Refusal { code: Code::UserIntervened, wait_ms: Some(QUIET) });
    desktop.pass_ms(QUIET);
    assert!(desktop.seat.lease(desktop.now(), session, observation, Route::PointerOrKeyboard).is_ok());
}

#[test]
fn under_the_seat_policy_any_input_stops_every_agent() {
    let configuration = SeatConfiguration { yield_scope: YieldScope::Seat, ..SeatConfiguration::default() };
    let mut desktop = Desktop::with(configuration);
    let session = desktop.open("agent");
    desktop.observe(session, &editor());
    desktop.person_types(InputScope::Application(application(&browser())));
    assert!(matches!(desktop.status(session, &editor()), Status::Intervention { .. }));
}

#[test]
fn bare_motion_that_touched_nothing_leaves_everything_as_it_was() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let generation = desktop.seat.generation(session, &WindowKey::of(&editor()));
    desktop.person_types(InputScope::Nowhere);
    assert_eq!(desktop.seat.generation(session, &WindowKey::of(&editor())), generation);
    assert!(desktop.lease(session, observation).is_ok());
}

#[test]
fn an_announced_quiet_shortens_nothing() {
    let (mut desktop, session) = Desktop::with_session();
    desktop.person_types(InputScope::Application(application(&editor())));
    desktop.pass_ms(QUIET);
    let due = desktop.seat.due(desktop.now()).unwrap();
    assert_eq!(due.kind().name(), "InterventionQuiet");
    desktop.person_types(InputScope::Application(application(&editor())));
    assert_eq!(desktop.step(due), [Response::Tell(Notice::Ignored)]);
    assert!(matches!(desktop.status(session, &editor()), Status::Intervention { .. }));
    desktop.pass_ms(QUIET);
    let due = desktop.seat.due(desktop.now()).unwrap();
    let quiet = Notice::InterventionQuiet { application: Some(application(&editor())) };
    assert!(told(&desktop.step(due), &quiet));
    assert_eq!(desktop.seat.due(desktop.now()), None);
}

#[test]
fn the_next_deadline_is_the_earliest() {
    let (mut desktop, _session) = Desktop::with_session();
    let first = desktop.now();
    desktop.person_types(InputScope::Application(application(&editor())));
    desktop.pass_ms(300);
    let second = desktop.now();
    desktop.person_types(InputScope::Application(application(&browser())));
    desktop.pass_ms(100);
    desktop.person_types(InputScope::Anywhere);
    assert_eq!(desktop.seat.next_deadline(), Some(first.plus_ms(QUIET)));
    desktop.pass_ms(QUIET - 400);
    desktop.let_clock_speak();
    assert_eq!(desktop.seat.next_deadline(), Some(second.plus_ms(QUIET)));
}

#[test]
fn a_lost_input_producer_refuses_pointer_and_keyboard_and_lets_semantic_routes_go_on() {
    let (mut desktop, session) = Desktop::with_session();
    let event = desktop.say.input_devices.claim(Standing::Claimed);
    desktop.step(event);
    let observation = desktop.observe(session, &editor());
    let now = desktop.now();
    assert!(desktop.seat.lease(now, session, observation, Route::PointerOrKeyboard).is_ok());

    let event = desktop.say.input_devices.claim(Standing::NotClaimed("the display server closed the connection"));
    let responses = desktop.step(event);
    assert!(told(&responses, &Notice::CapabilityLost { capability: Capability::PhysicalInput }));
    let pointer = desktop.seat.lease(now, session, observation, Route::PointerOrKeyboard);
    assert_eq!(pointer.unwrap_err().code, Code::CapabilityMissing);
    assert!(desktop.lease(session, observation).is_ok());
    assert!(desktop.seat.input_is_lost(), "every verdict says so");
    let event = desktop.say.input_devices.claim(Standing::Claimed);
    desktop.step(event);
    assert!(!desktop.seat.input_is_lost());
}

#[test]
fn pointer_and_keyboard_wait_for_a_producer_that_was_never_there() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let pointer = desktop.seat.lease(desktop.now(), session, observation, Route::PointerOrKeyboard);
    assert_eq!(pointer.unwrap_err().code, Code::CapabilityMissing);
    assert!(!desktop.seat.input_is_lost());
}

#[test]
fn input_that_its_lost_producer_can_no_longer_place_counts_for_everything() {
    let (mut desktop, session) = Desktop::with_session();
    desktop.observe(session, &editor());
    let (_never_placed, event) = desktop.say.input_devices.held(4, device(), 1);
    desktop.step(event);
    let event = desktop.say.input_devices.claim(Standing::NotClaimed("the display server closed the connection"));
    desktop.step(event);
    assert!(matches!(desktop.status(session, &editor()), Status::Intervention { .. }));
    desktop.pass_ms(QUIET);
    desktop.observe(session, &editor());
}

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
