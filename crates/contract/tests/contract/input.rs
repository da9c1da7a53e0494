//! A person's input: held first, placed second.

use crate::desktop::*;
use surehand_contract::*;

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
