//! What the executor says and what its end does, and what neither must do.

use crate::desktop::*;
use surehand_contract::*;

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
