//! The screen lock: one vote for each mechanism and owner.

use crate::desktop::*;
use surehand_contract::*;

fn locked(desktop: &Desktop) -> Option<LockedWhy> {
    desktop.seat.locked(desktop.now())
}

fn vanish(desktop: &mut Desktop, voter: &Voter) -> Vec<Response> {
    let event = desktop.say.lockers.vanished(voter.clone());
    desktop.step(event)
}

fn sleep(desktop: &mut Desktop, asleep: bool) -> Vec<Response> {
    let event = desktop.say.login_manager.sleep(bus_name(":1.2"), asleep);
    desktop.step(event)
}

fn session_active(desktop: &mut Desktop, active: bool) -> Vec<Response> {
    let event = desktop.say.login_manager.session_active(bus_name(":1.2"), active);
    desktop.step(event)
}

#[test]
fn one_voters_unlock_withdraws_nobody_elses_vote() {
    let mut desktop = Desktop::new();
    desktop.vote(&login_hint(), true);
    let second = desktop.vote(&screen_saver(":1.9"), true);
    assert_eq!(fenced(&second), [], "the seat is fenced already");
    desktop.vote(&login_hint(), false);
    assert_eq!(locked(&desktop), Some(LockedWhy::Voted));
    desktop.vote(&screen_saver(":1.9"), false);
    assert_eq!(locked(&desktop), None);
}

#[test]
fn a_request_to_lock_is_believed_for_a_while_and_lapses_with_a_notice() {
    let mut desktop = Desktop::new();
    let event = desktop.say.login_manager.lock_requested(bus_name(":1.2"));
    let responses = desktop.step(event);
    let until = desktop.now().plus_ms(bounds::LOCK_REQUEST_MS);
    assert_eq!(fenced(&responses), [FenceScope::Seat]);
    assert_eq!(locked(&desktop), Some(LockedWhy::Requested { until }));
    assert_eq!(desktop.seat.next_deadline(), Some(until));
    desktop.pass_ms(bounds::LOCK_REQUEST_MS - 1);
    assert!(locked(&desktop).is_some());
    desktop.pass_ms(1);
    assert_eq!(locked(&desktop), None);
    let due = desktop.seat.due(desktop.now()).unwrap();
    assert!(told(&desktop.step(due), &Notice::LockRequestLapsed));
    assert_eq!(desktop.seat.next_deadline(), None);
}

#[test]
fn a_request_that_was_made_again_does_not_lapse_at_its_first_time() {
    let mut desktop = Desktop::new();
    let event = desktop.say.login_manager.lock_requested(bus_name(":1.2"));
    desktop.step(event);
    desktop.pass_ms(bounds::LOCK_REQUEST_MS);
    let lapse = desktop.seat.due(desktop.now()).unwrap();
    let event = desktop.say.login_manager.lock_requested(bus_name(":1.2"));
    desktop.step(event);
    assert_eq!(desktop.step(lapse), [Response::Tell(Notice::Ignored)]);
    let until = desktop.now().plus_ms(bounds::LOCK_REQUEST_MS);
    assert_eq!(locked(&desktop), Some(LockedWhy::Requested { until }));
}

#[test]
fn a_lapse_that_comes_after_the_vote_is_ignored() {
    let mut desktop = Desktop::new();
    let event = desktop.say.login_manager.lock_requested(bus_name(":1.2"));
    desktop.step(event);
    desktop.pass_ms(bounds::LOCK_REQUEST_MS);
    let lapse = desktop.seat.due(desktop.now()).unwrap();
    desktop.vote(&login_hint(), true);
    assert_eq!(desktop.step(lapse), [Response::Tell(Notice::Ignored)]);
    assert_eq!(locked(&desktop), Some(LockedWhy::Voted));
}

#[test]
fn a_vote_that_follows_a_request_holds_without_a_time() {
    let mut desktop = Desktop::new();
    let event = desktop.say.login_manager.lock_requested(bus_name(":1.2"));
    desktop.step(event);
    desktop.vote(&login_hint(), true);
    desktop.pass_ms(bounds::LOCK_REQUEST_MS * 10);
    assert_eq!(desktop.seat.due(desktop.now()), None);
    assert_eq!(locked(&desktop), Some(LockedWhy::Voted));
}

#[test]
fn a_request_to_unlock_clears_nothing() {
    let mut desktop = Desktop::new();
    desktop.vote(&login_hint(), true);
    let event = desktop.say.login_manager.unlock_requested(bus_name(":1.2"));
    assert_eq!(desktop.step(event), []);
    assert_eq!(locked(&desktop), Some(LockedWhy::Voted));
}

#[test]
fn a_voter_that_vanishes_stays_locked_until_the_new_owner_answers() {
    let mut desktop = Desktop::new();
    desktop.vote(&screen_saver(":1.9"), true);
    let responses = vanish(&mut desktop, &screen_saver(":1.9"));
    assert_eq!(responses, [Response::Tell(Notice::VoterVanished { voter: screen_saver(":1.9") })]);
    desktop.pass_ms(100_000_000);
    assert_eq!(locked(&desktop), Some(LockedWhy::Voted));
    desktop.vote(&login_hint(), false);
    assert_eq!(locked(&desktop), Some(LockedWhy::Voted), "another mechanism answers for itself");
    let responses = desktop.vote(&screen_saver(":1.30"), false);
    assert!(told(&responses, &Notice::VoteTakenOver { voter: screen_saver(":1.30") }));
    assert_eq!(locked(&desktop), None);
}

#[test]
fn a_new_owner_that_says_locked_takes_the_vote_over_as_its_own() {
    let mut desktop = Desktop::new();
    desktop.vote(&screen_saver(":1.9"), true);
    vanish(&mut desktop, &screen_saver(":1.9"));
    desktop.vote(&screen_saver(":1.30"), true);
    assert_eq!(locked(&desktop), Some(LockedWhy::Voted));
    desktop.vote(&screen_saver(":1.30"), false);
    assert_eq!(locked(&desktop), None);
}

#[test]
fn a_voter_that_is_there_is_never_taken_over() {
    let mut desktop = Desktop::new();
    desktop.vote(&screen_saver(":1.9"), true);
    assert_eq!(desktop.vote(&screen_saver(":1.30"), false), [], "nothing is taken over");
    assert_eq!(locked(&desktop), Some(LockedWhy::Voted));
}

#[test]
fn an_unlocked_voter_that_vanishes_locks_nothing() {
    let mut desktop = Desktop::new();
    desktop.vote(&screen_saver(":1.9"), false);
    vanish(&mut desktop, &screen_saver(":1.9"));
    assert_eq!(locked(&desktop), None);
}

#[test]
fn the_next_generation_of_the_executor_takes_over_the_last_ones_vote() {
    let (mut desktop, session) = Desktop::with_session();
    desktop.outcome(session, &editor(), Verdict::not_sent(Code::ScreenLocked));
    desktop.release_executor();
    desktop.start_executor();
    assert_eq!(locked(&desktop), Some(LockedWhy::Voted));
    let event = desktop.call().screen_lock(false);
    desktop.step(event);
    assert_eq!(locked(&desktop), None);
}

#[test]
fn the_last_generations_late_answer_unlocks_nothing() {
    let (mut desktop, session) = Desktop::with_session();
    desktop.outcome(session, &editor(), Verdict::not_sent(Code::ScreenLocked));
    let late = desktop.call();
    desktop.release_executor();
    desktop.start_executor();
    desktop.step(late.screen_lock(false));
    assert_eq!(locked(&desktop), Some(LockedWhy::Voted));
}

#[test]
fn sleep_counts_as_locked_until_every_source_was_read_again() {
    let (mut desktop, session) = Desktop::with_session();
    desktop.vote(&login_hint(), false);
    desktop.vote(&screen_saver(":1.9"), false);
    let responses = sleep(&mut desktop, true);
    assert_eq!(fenced(&responses), [FenceScope::Seat]);
    assert_eq!(desktop.status(session, &editor()), Status::Locked { why: LockedWhy::Asleep });
    let responses = sleep(&mut desktop, false);
    assert!(responses.contains(&Response::ReadLockSources));
    assert_eq!(locked(&desktop), Some(LockedWhy::SourcesUnread));
    desktop.vote(&login_hint(), false);
    assert_eq!(locked(&desktop), Some(LockedWhy::SourcesUnread));
    desktop.vote(&screen_saver(":1.9"), false);
    assert_eq!(locked(&desktop), None);
}

#[test]
fn a_source_found_locked_after_sleep_keeps_the_seat_locked() {
    let mut desktop = Desktop::new();
    desktop.vote(&login_hint(), false);
    sleep(&mut desktop, true);
    sleep(&mut desktop, false);
    desktop.vote(&login_hint(), true);
    assert_eq!(locked(&desktop), Some(LockedWhy::Voted));
}

#[test]
fn a_source_that_vanishes_before_it_was_read_again_stays_locked() {
    let mut desktop = Desktop::new();
    desktop.vote(&screen_saver(":1.9"), false);
    sleep(&mut desktop, true);
    sleep(&mut desktop, false);
    vanish(&mut desktop, &screen_saver(":1.9"));
    assert_eq!(locked(&desktop), Some(LockedWhy::SourcesUnread));
    desktop.vote(&screen_saver(":1.30"), false);
    assert_eq!(locked(&desktop), None);
}

#[test]
fn another_users_session_counts_as_locked() {
    let mut desktop = Desktop::new();
    desktop.vote(&login_hint(), false);
    let responses = session_active(&mut desktop, false);
    assert_eq!(fenced(&responses), [FenceScope::Seat]);
    assert_eq!(locked(&desktop), Some(LockedWhy::SessionInactive));
    sleep(&mut desktop, true);
    session_active(&mut desktop, true);
    assert_eq!(locked(&desktop), Some(LockedWhy::Asleep));
    desktop.vote(&login_hint(), false);
    sleep(&mut desktop, false);
    assert_eq!(locked(&desktop), Some(LockedWhy::SourcesUnread), "read before the machine was awake");
    desktop.vote(&login_hint(), false);
    assert_eq!(locked(&desktop), None);
}

#[test]
fn a_person_lifts_the_vote_of_a_voter_that_is_gone_and_of_no_other() {
    let mut desktop = Desktop::new();
    desktop.vote(&screen_saver(":1.9"), true);
    let present = desktop.person_resumes(Resume::Vote { voter: screen_saver(":1.9") });
    assert!(told(&present, &Notice::Ignored));
    assert!(locked(&desktop).is_some());
    vanish(&mut desktop, &screen_saver(":1.9"));
    desktop.person_resumes(Resume::Vote { voter: screen_saver(":1.9") });
    assert_eq!(locked(&desktop), None);
}

#[test]
fn a_lost_lock_producer_refuses_everything_and_its_return_asks_for_new_looks() {
    let (mut desktop, session) = Desktop::with_session();
    let event = desktop.say.lockers.claim(Standing::Claimed);
    desktop.step(event);
    let observation = desktop.observe(session, &editor());
    let event = desktop.say.lockers.claim(Standing::NotClaimed("the system bus closed the connection"));
    let responses = desktop.step(event);
    assert_eq!(fenced(&responses), [FenceScope::Seat]);
    assert_eq!(desktop.lease(session, observation), Err(Code::CapabilityMissing));
    assert_eq!(desktop.seat.may_observe(desktop.now(), session).unwrap_err().code, Code::CapabilityMissing);
    let event = desktop.say.lockers.claim(Standing::Degraded("only the login manager answers"));
    desktop.step(event);
    assert_eq!(desktop.lease(session, observation), Err(Code::NeedsObservation));
}

#[test]
fn a_lock_that_nobody_here_can_tell_is_said_and_refuses_nothing() {
    let (mut desktop, session) = Desktop::with_session();
    let event = desktop.say.lockers.claim(Standing::NotClaimed("this desktop has no locker"));
    desktop.step(event);
    desktop.observe(session, &editor());
    let standing = desktop.seat.capabilities().find(|(capability, _)| *capability == Capability::ScreenLock);
    assert_eq!(standing, Some((Capability::ScreenLock, Standing::NotClaimed("this desktop has no locker"))));
}
