//! One story for each fact: what sets it, whom it stops, what clears it, and what does not.

use crate::desktop::*;
use surehand_contract::*;

#[test]
fn a_stop_halts_every_session_until_a_person_resumes() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let responses = desktop.stop();

    assert_eq!(fenced(&responses), [FenceScope::Seat]);
    assert_eq!(cleared(&responses), [session]);
    assert!(cancels(&responses, FenceScope::Seat, Code::Halted), "waits end at once");
    assert!(told(&responses, &Notice::Halted));
    assert!(told(&responses, &Notice::SessionEnded { session, reason: EndReason::UserStopped }));
    assert_eq!(desktop.status(session, &editor()), Status::Halted);
    assert_eq!(desktop.lease(session, observation), Err(Code::Halted));
    assert_eq!(desktop.seat.may_observe(desktop.now(), session).unwrap_err().code, Code::Halted);
    assert_eq!(desktop.try_open("agent").unwrap_err().code, Code::Halted);

    desktop.pass_ms(10_000_000);
    desktop.let_clock_speak();
    assert_eq!(desktop.try_open("another").unwrap_err().code, Code::Halted);

    desktop.person_resumes(Resume::Seat);
    assert_eq!(desktop.lease(session, observation), Err(Code::SessionEnded));
    let next = desktop.open("agent");
    assert_eq!(desktop.status(next, &editor()), Status::Unobserved);
}

#[test]
fn resuming_a_principal_or_a_vote_lifts_no_halt() {
    let mut desktop = Desktop::new();
    desktop.stop();
    desktop.person_resumes(Resume::Principal { principal: Principal::new("agent").unwrap() });
    desktop.person_resumes(Resume::Vote { voter: login_hint() });
    assert!(desktop.seat.is_halted());
}

#[test]
fn a_blocked_address_ends_the_session_and_shuts_its_principal_out() {
    let (mut desktop, session) = Desktop::with_session();
    let other = desktop.open("other agent");
    let event = desktop.call().blocked_url(session);
    let responses = desktop.step(event);

    assert_eq!(fenced(&responses), [FenceScope::Session(session)]);
    assert!(told(&responses, &Notice::SessionEnded { session, reason: EndReason::BlockedUrl }));
    assert!(told(&responses, &Notice::PrincipalBlocked { principal: Principal::new("agent").unwrap() }));
    assert_eq!(desktop.status(session, &editor()), Status::Ended { reason: EndReason::BlockedUrl });
    assert_eq!(desktop.seat.may_observe(desktop.now(), session).unwrap_err().code, Code::BlockedUrl);
    assert_eq!(desktop.try_open("agent").unwrap_err().code, Code::BlockedUrl);
    desktop.observe(other, &editor());

    desktop.stop();
    desktop.person_resumes(Resume::Seat);
    assert_eq!(desktop.try_open("agent").unwrap_err().code, Code::BlockedUrl);
    let agent = Principal::new("agent").unwrap();
    let responses = desktop.person_resumes(Resume::Principal { principal: agent.clone() });
    assert!(told(&responses, &Notice::PrincipalResumed { principal: agent }));
    desktop.open("agent");
}

#[test]
fn the_first_reason_for_an_end_stays() {
    let (mut desktop, session) = Desktop::with_session();
    let event = desktop.call().blocked_url(session);
    desktop.step(event);
    let event = desktop.client().session_ended(session);
    desktop.step(event);
    desktop.stop();
    desktop.person_resumes(Resume::Seat);
    assert_eq!(desktop.seat.ended(session), Some(EndReason::BlockedUrl));
}

#[test]
fn a_block_that_arrives_after_the_session_closed_still_shuts_its_principal_out() {
    let (mut desktop, session) = Desktop::with_session();
    let event = desktop.client().session_ended(session);
    desktop.step(event);
    let event = desktop.call().blocked_url(session);
    desktop.step(event);
    assert_eq!(desktop.seat.ended(session), Some(EndReason::Closed));
    assert_eq!(desktop.try_open("agent").unwrap_err().code, Code::BlockedUrl);
}

#[test]
fn an_ended_session_id_opens_nothing_again() {
    let (mut desktop, session) = Desktop::with_session();
    let event = desktop.client().session_ended(session);
    desktop.step(event);
    let again = desktop.seat.open_session(desktop.now(), session, Principal::new("agent").unwrap());
    assert_eq!(again.unwrap_err().code, Code::SessionEnded);
}

#[test]
fn a_lock_stops_looking_and_acting_and_its_end_asks_for_a_new_look() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let responses = desktop.vote(&login_hint(), true);

    assert_eq!(fenced(&responses), [FenceScope::Seat]);
    assert!(cancels(&responses, FenceScope::Seat, Code::ScreenLocked));
    assert!(told(&responses, &Notice::Locked { why: LockedWhy::Voted }));
    assert_eq!(desktop.status(session, &editor()), Status::Locked { why: LockedWhy::Voted });
    assert_eq!(desktop.lease(session, observation), Err(Code::ScreenLocked));
    assert_eq!(desktop.seat.may_observe(desktop.now(), session).unwrap_err().code, Code::ScreenLocked);

    assert!(told(&desktop.vote(&login_hint(), false), &Notice::Unlocked));
    assert_eq!(desktop.status(session, &editor()), Status::NeedsObservation);
    assert_eq!(desktop.lease(session, observation), Err(Code::NeedsObservation));
    desktop.observe(session, &editor());
    assert_eq!(desktop.status(session, &editor()), Status::Ready);
}

#[test]
fn a_look_that_a_lock_overtakes_is_dropped_even_after_the_unlock() {
    let (mut desktop, session) = Desktop::with_session();
    let during = desktop.begin_look(session);
    let after = desktop.begin_look(session);
    desktop.vote(&login_hint(), true);
    assert_eq!(dropped(desktop.end_look(session, during, &editor())), Code::ScreenLocked);
    desktop.vote(&login_hint(), false);
    assert_eq!(dropped(desktop.end_look(session, after, &editor())), Code::ScreenLocked);
}

#[test]
fn a_service_loss_while_locked_unlocks_nothing() {
    let (mut desktop, session) = Desktop::with_session();
    desktop.vote(&login_hint(), true);
    desktop.release_executor();
    desktop.person_types(InputScope::Application(application(&editor())));
    desktop.pass_ms(QUIET);
    desktop.start_executor();
    assert_eq!(desktop.status(session, &editor()), Status::Locked { why: LockedWhy::Voted });
}

#[test]
fn an_intervention_ends_at_its_time_and_each_input_moves_it_later() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let first = desktop.now();
    let responses = desktop.person_types(InputScope::Application(application(&editor())));

    assert_eq!(fenced(&responses), [FenceScope::Seat, FenceScope::Application(application(&editor()))]);
    assert_eq!(desktop.status(session, &editor()), Status::Intervention { until: first.plus_ms(QUIET) });
    desktop.pass_ms(QUIET - 1);
    let second = desktop.now();
    desktop.person_types(InputScope::Application(application(&editor())));
    desktop.pass_ms(1);
    let refusal = desktop.seat.lease(desktop.now(), session, observation, Route::Semantic).unwrap_err();
    assert_eq!((refusal.code, refusal.wait_ms), (Code::UserIntervened, Some(QUIET - 1)));
    assert_eq!(desktop.status(session, &editor()), Status::Intervention { until: second.plus_ms(QUIET) });

    desktop.pass_ms(QUIET - 1);
    assert_eq!(desktop.status(session, &editor()), Status::NeedsObservation);
    assert_eq!(desktop.lease(session, observation), Err(Code::NeedsObservation));
    desktop.observe(session, &editor());
}

#[test]
fn input_at_the_very_end_of_an_intervention_begins_another() {
    let (mut desktop, session) = Desktop::with_session();
    let here = InputScope::Application(application(&editor()));
    desktop.person_types(here.clone());
    desktop.pass_ms(QUIET);
    let observation = desktop.observe(session, &editor());
    let responses = desktop.person_types(here);
    assert_eq!(fenced(&responses), [FenceScope::Seat, FenceScope::Application(application(&editor()))]);
    desktop.pass_ms(QUIET);
    assert_eq!(desktop.lease(session, observation), Err(Code::NeedsObservation));
}

#[test]
fn looking_during_an_intervention_is_allowed_and_never_clears() {
    let (mut desktop, session) = Desktop::with_session();
    desktop.observe(session, &editor());
    desktop.person_types(InputScope::Application(application(&editor())));
    let (shown, standing) = desktop.look(session, &editor());
    assert_eq!(standing, ObservationStanding::NotActionable);
    let spanning = desktop.begin_look(session);
    desktop.pass_ms(QUIET);
    assert_eq!(desktop.end_look(session, spanning, &editor()), ObservationStanding::NotActionable);
    assert_eq!(desktop.lease(session, shown), Err(Code::NeedsObservation));
    assert_eq!(desktop.status(session, &editor()), Status::NeedsObservation);
}

#[test]
fn a_persons_touch_counts_for_every_session_and_for_no_other_application() {
    let (mut desktop, first) = Desktop::with_session();
    let second = desktop.open("other agent");
    let (in_editor, in_browser) = (desktop.observe(first, &editor()), desktop.observe(first, &browser()));
    let of_second = desktop.observe(second, &editor());
    desktop.person_types(InputScope::Application(application(&editor())));
    assert_eq!(desktop.lease(first, in_editor), Err(Code::UserIntervened));
    assert_eq!(desktop.lease(second, of_second), Err(Code::UserIntervened));
    assert!(desktop.lease(first, in_browser).is_ok());
    desktop.pass_ms(QUIET);
    assert_eq!(desktop.lease(second, of_second), Err(Code::NeedsObservation));
    assert!(desktop.lease(first, in_browser).is_ok());
}

#[test]
fn held_input_holds_everything_and_spends_nothing() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let lease = desktop.lease(session, observation).unwrap();
    let (held, event) = desktop.say.input_devices.held(4, device(), 1);
    let responses = desktop.step(event);

    assert_eq!(fenced(&responses), [FenceScope::Seat]);
    assert!(told(&responses, &Notice::Held));
    assert_eq!(desktop.status(session, &editor()), Status::Held);
    assert_eq!(desktop.check(&lease), Err(Code::Held));
    let responses = desktop.step(held.scoped(InputScope::Application(application(&browser()))));
    assert!(told(&responses, &Notice::HoldEnded));
    assert!(desktop.check(&lease).is_ok(), "input elsewhere spoils no lease");
    assert_eq!(desktop.status(session, &editor()), Status::Ready);
}

#[test]
fn a_hold_ends_when_its_last_input_is_placed() {
    let (mut desktop, session) = Desktop::with_session();
    desktop.observe(session, &editor());
    let (first, event) = desktop.say.input_devices.held(4, device(), 1);
    desktop.step(event);
    let (second, event) = desktop.say.input_devices.held(5, device(), 2);
    assert_eq!(fenced(&desktop.step(event)), [], "the seat is fenced already");
    desktop.step(first.scoped(InputScope::Nowhere));
    assert_eq!(desktop.status(session, &editor()), Status::Held);
    desktop.step(second.scoped(InputScope::Nowhere));
    assert_eq!(desktop.status(session, &editor()), Status::Ready);
}

#[test]
fn quiet_is_counted_from_the_receipt_and_not_from_the_placing() {
    let (mut desktop, session) = Desktop::with_session();
    let received = desktop.now();
    let (held, event) = desktop.say.input_devices.held(4, device(), 1);
    desktop.step(event);
    desktop.pass_ms(20);
    desktop.step(held.scoped(InputScope::Anywhere));
    assert_eq!(desktop.status(session, &editor()), Status::Intervention { until: received.plus_ms(QUIET) });
}

#[test]
fn a_session_has_observed_a_window_or_it_has_not() {
    let (mut desktop, session) = Desktop::with_session();
    let other = desktop.open("other agent");
    assert_eq!(desktop.status(session, &editor()), Status::Unobserved);
    assert_eq!(desktop.lease(session, ObservationId::new(99)), Err(Code::Unobserved));
    let observation = desktop.observe(session, &editor());
    assert_eq!(desktop.status(session, &editor()), Status::Ready);
    assert_eq!(desktop.status(session, &browser()), Status::Unobserved);
    assert_eq!(desktop.status(other, &editor()), Status::Unobserved);
    assert_eq!(desktop.lease(other, observation), Err(Code::Unobserved));
    desktop.observe(other, &editor());
    assert_eq!(desktop.lease(other, observation), Err(Code::StaleObservation));
}

#[test]
fn what_makes_a_look_untrusted_is_cleared_by_a_fresh_look_at_that_window_only() {
    let (mut desktop, session) = Desktop::with_session();
    desktop.observe(session, &editor());
    desktop.observe(session, &browser());
    desktop.outcome(session, &editor(), Verdict::unknown());
    assert_eq!(desktop.status(session, &editor()), Status::NeedsObservation);
    assert_eq!(desktop.status(session, &browser()), Status::Ready);
    desktop.observe(session, &browser());
    assert_eq!(desktop.status(session, &editor()), Status::NeedsObservation);
    desktop.observe(session, &editor());
    assert_eq!(desktop.status(session, &editor()), Status::Ready);
}

#[test]
fn a_look_clears_only_if_nothing_happened_since_it_began() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.begin_look(session);
    desktop.outcome(session, &editor(), Verdict::unknown());
    assert_eq!(desktop.end_look(session, observation, &editor()), ObservationStanding::NotActionable);
    assert_eq!(desktop.lease(session, observation), Err(Code::NeedsObservation));
    let elsewhere = desktop.begin_look(session);
    desktop.outcome(session, &browser(), Verdict::unknown());
    assert_eq!(desktop.end_look(session, elsewhere, &editor()), ObservationStanding::Live);
}

#[test]
fn the_generation_rises_when_a_refusing_fact_is_set_and_never_when_one_clears() {
    let (mut desktop, session) = Desktop::with_session();
    let key = WindowKey::of(&editor());
    let rises = |desktop: &mut Desktop, change: &mut dyn FnMut(&mut Desktop)| {
        let before = desktop.seat.generation(session, &key);
        change(desktop);
        desktop.seat.generation(session, &key) > before
    };
    assert!(rises(&mut desktop, &mut |desktop| drop(desktop.vote(&login_hint(), true))));
    assert!(!rises(&mut desktop, &mut |desktop| drop(desktop.vote(&login_hint(), false))));
    let here = InputScope::Application(application(&editor()));
    assert!(rises(&mut desktop, &mut |desktop| drop(desktop.person_types(here.clone()))));
    assert!(!rises(&mut desktop, &mut |desktop| desktop.pass_ms(QUIET)));
    assert!(!rises(&mut desktop, &mut |desktop| desktop.let_clock_speak()));
    let elsewhere = InputScope::Application(application(&browser()));
    assert!(!rises(&mut desktop, &mut |desktop| drop(desktop.person_types(elsewhere.clone()))));
    assert!(rises(&mut desktop, &mut |desktop| drop(desktop.release_executor())));
    assert!(!rises(&mut desktop, &mut |desktop| desktop.start_executor()));
}

#[test]
fn a_fact_that_came_and_went_is_still_seen_by_a_lease() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let lease = desktop.lease(session, observation).unwrap();
    desktop.vote(&login_hint(), true);
    desktop.vote(&login_hint(), false);
    assert_eq!(desktop.check(&lease), Err(Code::NeedsObservation));
    assert_eq!(desktop.seat.check_returned(desktop.now(), &lease).unwrap_err().code, Code::NeedsObservation);
}

#[test]
fn an_executors_generation_ends_every_observation_made_through_it() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let first = desktop.seat.executor().unwrap();
    desktop.release_executor();
    assert_eq!(desktop.seat.executor(), None);
    desktop.start_executor();
    assert!(desktop.seat.executor().unwrap() > first);
    assert_eq!(desktop.lease(session, observation), Err(Code::NeedsObservation));
}

#[test]
fn each_refusing_event_raises_the_fence_by_one() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let lease = desktop.lease(session, observation).unwrap();
    let before = desktop.check(&lease).unwrap();
    desktop.person_types(InputScope::Application(application(&browser())));
    let after = desktop.check(&lease).unwrap();
    assert_eq!(after.number(), before.number() + 2, "one fence for the hold, one for the browser");
}

#[test]
fn a_moment_before_the_latest_counts_as_the_latest() {
    let (mut desktop, session) = Desktop::with_session();
    let observation = desktop.observe(session, &editor());
    let lease = desktop.lease(session, observation).unwrap();
    let early = desktop.now();
    desktop.pass_ms(bounds::OBSERVATION_TTL_MS);
    let event = desktop.call().content_changed(WindowKey::of(&editor()));
    desktop.step(event);
    assert_eq!(desktop.seat.check(early, &lease).unwrap_err().code, Code::StaleObservation);
    let acting = desktop.seat.may_act(early, session, observation, Route::Semantic);
    assert_eq!(acting.unwrap_err().code, Code::StaleObservation);
    assert_eq!(desktop.seat.status(early, session, &WindowKey::of(&editor())), Status::NeedsObservation);

    desktop.person_types(InputScope::Anywhere);
    desktop.pass_ms(QUIET);
    let event = desktop.call().content_changed(WindowKey::of(&editor()));
    desktop.step(event);
    assert!(desktop.seat.due(early).is_some());
    let returned = desktop.seat.check_returned(early, &lease);
    assert_eq!(returned.unwrap_err().code, Code::NeedsObservation, "and no longer that a person is there");
}

#[test]
fn the_first_fact_that_applies_is_the_status() {
    let (mut desktop, session) = Desktop::with_session();
    desktop.observe(session, &editor());
    let (_held, event) = desktop.say.input_devices.held(4, device(), 1);
    desktop.step(event);
    assert_eq!(desktop.status(session, &editor()), Status::Held);
    let event = desktop.say.compositor.active(CompositorProtocol::ExtIdleNotifyV1);
    desktop.step(event);
    assert!(matches!(desktop.status(session, &editor()), Status::Intervention { .. }));
    desktop.vote(&login_hint(), true);
    assert!(matches!(desktop.status(session, &editor()), Status::Locked { .. }));
    let event = desktop.client().session_ended(session);
    desktop.step(event);
    assert_eq!(desktop.status(session, &editor()), Status::Ended { reason: EndReason::Closed });
    desktop.stop();
    assert_eq!(desktop.status(session, &editor()), Status::Halted);
}
