//! The invariants, as properties over the production `step()`.
//!
//! Each property runs random operations on a [`world::World`], and after every operation the seat's answers are
//! compared with a [`history::History`]: the plain list of what happened, read from its beginning by the rules of the
//! contract. Nothing in the history counts generations; it looks for what happened since a look began.

mod history;
mod operation;
mod world;

use operation::{Operation, operations};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestCaseError};
use surehand_contract::*;
use world::World;

fn run(operations: &[Operation]) -> Result<World, TestCaseError> {
    let mut world = World::new();
    for operation in operations {
        world.perform(operation);
        world.verify()?;
    }
    Ok(world)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_seat_answers_as_the_history_says(operations in operations(1..120)) {
        run(&operations)?;
    }

    #[test]
    fn i1_each_claim_writes_at_most_once_and_each_observation_has_at_most_one_written_claim(
        operations in operations(40..160),
    ) {
        let world = run(&operations)?;
        for (index, write) in world.journal.iter().enumerate() {
            for other in &world.journal[index + 1..] {
                prop_assert!(write.claim != other.claim, "{write:?} was written again");
                prop_assert!(
                    (write.session, write.observation) != (other.session, other.observation),
                    "{write:?} and {other:?} used one observation"
                );
            }
        }
    }

    #[test]
    fn i2_each_write_had_a_live_observation_of_its_target_by_its_session(operations in operations(40..160)) {
        let world = run(&operations)?;
        for write in &world.journal {
            let look = world.history.look(write.observation);
            prop_assert_eq!(look.session, write.session);
            prop_assert_eq!(look.window(), Some(write.window));
            prop_assert!(write.was_allowed_by_the_history, "{:?} left without a live observation", write);
        }
    }

    #[test]
    fn i3_nothing_is_written_after_a_refusal_was_accepted(operations in operations(40..160)) {
        let world = run(&operations)?;
        for write in &world.journal {
            for refusal in world.history.refusals_over(write.session, write.window) {
                let Some(accepted) = refusal.accepted else { continue };
                prop_assert!(
                    write.written < accepted || write.left > refusal.at,
                    "{write:?} was written after {refusal:?} was accepted"
                );
            }
        }
    }

    #[test]
    fn i4_ended_absorbs_and_halts_and_blocks_outlive_sessions(operations in operations(40..160)) {
        let mut world = World::new();
        let mut ended = std::collections::BTreeMap::new();
        for operation in &operations {
            world.perform(operation);
            for session in world.every_session() {
                if let Some(reason) = world.seat.ended(session) {
                    let first = *ended.entry(session).or_insert(reason);
                    prop_assert_eq!(first, reason, "the first reason stays");
                    prop_assert!(world.seat.may_look(world.now, session).is_err());
                } else {
                    prop_assert!(!ended.contains_key(&session), "an ended session came back");
                }
            }
            prop_assert_eq!(world.seat.is_halted(), world.history.is_halted());
            world.verify_opening()?;
        }
    }

    #[test]
    fn i5_no_unlock_and_no_quiet_makes_an_old_observation_usable(operations in operations(40..160)) {
        let mut world = World::new();
        let mut spoiled = std::collections::BTreeSet::new();
        for operation in &operations {
            world.perform(operation);
            for look in world.history.looks() {
                let Some(window) = look.window() else { continue };
                if world.history.is_locked(world.now) || world.history.intervention(window, world.now).is_some() {
                    spoiled.insert(look.id);
                }
                let usable = world.seat.may_act(world.now, look.session, look.id, Route::Semantic).is_ok();
                prop_assert!(!(usable && spoiled.contains(&look.id)), "{:?} became usable again", look);
            }
        }
    }

    #[test]
    fn i6_what_is_gone_never_matches_again(operations in operations(40..160)) {
        let mut world = World::new();
        for operation in &operations {
            world.perform(operation);
            for look in world.history.looks() {
                let usable = world.seat.may_act(world.now, look.session, look.id, Route::Semantic);
                if let (Some(window), Ok(lease)) = (look.window(), usable) {
                    prop_assert!(!world.history.is_gone_since(window, look.began), "{:?} is of a gone window", look);
                    prop_assert_eq!(&lease.window, world.key(window));
                }
            }
        }
    }

    #[test]
    fn i7_every_call_settles_exactly_once(operations in operations(40..160)) {
        let mut world = run(&operations)?;
        world.settle_everything();
        for session in world.every_session() {
            prop_assert_eq!(world.seat.open_claims(session), 0);
        }
        for (look, ends) in &world.looks_ended {
            prop_assert!(*ends <= 1, "the look {look} ended {ends} times");
        }
    }

    #[test]
    fn i8_after_clearing_the_seat_holds_nothing_of_the_session(operations in operations(40..160)) {
        let mut world = World::new();
        for operation in &operations {
            world.perform(operation);
            for session in std::mem::take(&mut world.cleared) {
                let looks: Vec<_> = world.history.looks().filter(|look| look.session == session).collect();
                for look in looks {
                    let usable = world.seat.may_act(world.now, session, look.id, Route::Semantic);
                    prop_assert!(usable.is_err(), "{:?} outlived the clearing", look);
                    if world.seat.ended(session).is_some() {
                        prop_assert!(world.seat.observation(session, look.id).is_none());
                    }
                }
            }
        }
    }

    #[test]
    fn i11_one_observation_makes_a_session_ready_when_nothing_refuses(operations in operations(0..120)) {
        let mut world = run(&operations)?;
        world.calm_down(60_000);
        for session in world.every_session() {
            if world.seat.ended(session).is_some() {
                continue;
            }
            let window = world.a_living_window();
            let observation = world.look_once(session, window);
            prop_assert_eq!(world.seat.status(world.now, session, world.key(window)), Status::Ready);
            let lease = world.seat.lease(world.now, session, observation, Route::Semantic);
            prop_assert!(lease.is_ok(), "{:?}", lease);
        }
    }
}

/// The properties say nothing if nothing happens: this counts what random runs reach.
#[test]
fn random_operations_reach_what_the_properties_speak_of() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = operations(40..160);
    let mut reached = world::Reached::default();
    for _ in 0..200 {
        let tree = strategy.new_tree(&mut runner).expect("operations can always be made");
        let world = run(&tree.current()).expect("the seat answers as the history says");
        reached.add(&world);
    }
    reached.assert_all();
}
