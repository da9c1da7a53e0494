//! Class `model`: the client's book settles each request exactly once.
#![allow(clippy::unwrap_used)] // The whole file is tests.

use proptest::prelude::*;
use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};
use surehand_contract::Code;
use surehand_wire::*;

const DEADLINE: Duration = bounds::REQUEST_DEADLINE;

fn issue(pending: &mut Pending, now: Instant, method: Method) -> RequestId {
    let id = pending.issue(now, method, DEADLINE).unwrap();
    assert!(pending.begin_writing(id));
    id
}

fn answer(id: RequestId) -> Vec<u8> {
    let health =
        Health { capabilities: Vec::new(), sessions: 0, live_snapshots: 0, images: 0, image_bytes: 0, fence_epoch: 0 };
    encode_answer(id, &Reply::Health(Ok(health)))
}

#[test]
fn ids_rise_and_each_is_answered_once() {
    let (mut pending, now) = (Pending::new(), Instant::now());
    let (first, second) = (issue(&mut pending, now, Method::Health), issue(&mut pending, now, Method::Health));
    assert!(first < second);
    assert_eq!(pending.accept(&answer(second)).unwrap().id, second);
    assert_eq!(pending.accept(&answer(second)), Err(Violation::AnswerWithoutRequest));
    assert_eq!(pending.accept(&answer(RequestId::new(99).unwrap())), Err(Violation::AnswerWithoutRequest));
    assert_eq!(pending.accept(&answer(first)).unwrap().id, first);
    assert!(pending.is_empty());
}

#[test]
fn an_answer_to_what_was_not_written_is_a_violation() {
    let mut pending = Pending::new();
    let id = pending.issue(Instant::now(), Method::Health, DEADLINE).unwrap();
    assert_eq!(pending.accept(&answer(id)), Err(Violation::AnswerWithoutRequest));
}

#[test]
fn an_answer_of_another_method_leaves_the_request_to_be_settled_by_the_end() {
    let (mut pending, now) = (Pending::new(), Instant::now());
    let id = issue(&mut pending, now, Method::DispatchElement);
    let malformed = Violation::MalformedAnswer(Method::DispatchElement);
    assert_eq!(pending.accept(&answer(id)), Err(malformed));
    let abandoned = pending.abandon();
    assert_eq!(abandoned.iter().map(Abandoned::code).collect::<Vec<_>>(), [Code::OutcomeUnknown]);
}

#[test]
fn a_complaint_of_the_executor_counts_as_a_violation() {
    let complaint = encode_complaint(RpcError(RpcCode::Parse));
    assert_eq!(Pending::new().accept(&complaint), Err(Violation::Complained));
}

#[test]
fn what_a_dead_generation_leaves_is_unknown_only_if_it_could_have_acted() {
    let (mut pending, now) = (Pending::new(), Instant::now());
    pending.issue(now, Method::DispatchElement, DEADLINE).unwrap();
    issue(&mut pending, now, Method::DispatchElement);
    issue(&mut pending, now, Method::AppsLaunch);
    issue(&mut pending, now, Method::Observe);
    let codes: Vec<Code> = pending.abandon().iter().map(Abandoned::code).collect();
    assert_eq!(codes, [Code::ServiceUnavailable, Code::OutcomeUnknown, Code::OutcomeUnknown, Code::ServiceUnavailable]);
    assert!(pending.is_empty());
}

#[test]
fn a_caller_who_gives_up_before_the_write_leaves_nothing_to_write() {
    let (mut pending, now) = (Pending::new(), Instant::now());
    let id = pending.issue(now, Method::DispatchElement, DEADLINE).unwrap();
    assert_eq!(pending.cancel(now, id), CancelStep::SettledUnsent);
    assert!(!pending.begin_writing(id));
    assert_eq!(pending.cancel(now, id), CancelStep::Nothing);
}

#[test]
fn a_caller_who_gives_up_after_the_write_cancels_once_and_waits_for_the_grace() {
    let (mut pending, now) = (Pending::new(), Instant::now());
    let id = issue(&mut pending, now, Method::DispatchElement);
    assert_eq!(pending.cancel(now, id), CancelStep::SendCancel);
    assert_eq!(pending.cancel(now, id), CancelStep::Nothing);
    assert_eq!(pending.next_due(), Some(now + bounds::CANCEL_GRACE));
    assert_eq!(pending.due(now + bounds::CANCEL_GRACE - Duration::from_millis(1)), []);
    assert_eq!(pending.due(now + bounds::CANCEL_GRACE), [Due::Kill(id)]);
}

#[test]
fn a_deadline_cancels_first_and_kills_after_the_grace() {
    let (mut pending, now) = (Pending::new(), Instant::now());
    let unsent = pending.issue(now, Method::Observe, DEADLINE).unwrap();
    let written = issue(&mut pending, now, Method::Observe);
    assert_eq!(pending.next_due(), Some(now + DEADLINE));
    assert_eq!(pending.due(now + DEADLINE), [Due::Unsent(unsent), Due::Cancel(written)]);
    assert!(!pending.begin_writing(unsent));
    assert_eq!(pending.due(now + DEADLINE + bounds::CANCEL_GRACE), [Due::Kill(written)]);
}

#[test]
fn more_requests_than_the_limit_are_not_booked_and_a_fence_always_is() {
    let (mut pending, now) = (Pending::new(), Instant::now());
    for _ in 0..bounds::REQUESTS_IN_FLIGHT {
        issue(&mut pending, now, Method::Health);
    }
    assert_eq!(pending.issue(now, Method::Health, DEADLINE), None);
    assert!(pending.issue(now, Method::Fence, DEADLINE).is_some());
}

/// What can happen to a book, in any order.
#[derive(Debug, Clone)]
enum Step {
    Issue,
    Write(usize),
    Answer(usize),
    Cancel(usize),
    Wait(u64),
    Abandon,
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        Just(Step::Issue),
        (0_usize..12).prop_map(Step::Write),
        (0_usize..12).prop_map(Step::Answer),
        (0_usize..12).prop_map(Step::Cancel),
        (0_u64..15_000).prop_map(Step::Wait),
        Just(Step::Abandon),
    ]
}

proptest! {
    #[test]
    fn each_request_settles_exactly_once(steps in prop::collection::vec(any_step(), 0..80)) {
        let (mut pending, mut now) = (Pending::new(), Instant::now());
        let mut issued: Vec<RequestId> = Vec::new();
        let mut settled: BTreeSet<RequestId> = BTreeSet::new();
        for step in steps.into_iter().chain([Step::Abandon]) {
            let named = |place: usize| issued.get(place).copied();
            let newly_settled: Vec<RequestId> = match step {
                Step::Issue => {
                    issued.extend(pending.issue(now, Method::Health, DEADLINE));
                    Vec::new()
                }
                Step::Write(place) => {
                    if let Some(id) = named(place) {
                        prop_assert_eq!(pending.begin_writing(id), !settled.contains(&id));
                    }
                    Vec::new()
                }
                Step::Answer(place) => {
                    let answered = named(place).and_then(|id| pending.accept(&answer(id)).ok());
                    answered.map(|answered| answered.id).into_iter().collect()
                }
                Step::Cancel(place) => {
                    let unsent = |id: &RequestId| pending.cancel(now, *id) == CancelStep::SettledUnsent;
                    named(place).filter(unsent).into_iter().collect()
                }
                Step::Wait(ms) => {
                    now += Duration::from_millis(ms);
                    let unsent = |due: Due| if let Due::Unsent(id) = due { Some(id) } else { None };
                    pending.due(now).into_iter().filter_map(unsent).collect()
                }
                Step::Abandon => pending.abandon().iter().map(|abandoned| abandoned.id).collect(),
            };
            for id in newly_settled {
                prop_assert!(settled.insert(id), "{} settled twice", id);
            }
        }
        prop_assert_eq!(settled.len(), issued.len());
    }
}
