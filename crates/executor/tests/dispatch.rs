//! Class `protocol`: one action on one element, over the real wire, on a scripted desktop.
#![allow(clippy::unwrap_used)] // The whole file is tests.

mod scripted;

use scripted::*;
use std::time::{Duration, Instant};
use surehand_contract::{Code, Delivery, Effect, Method, UiText};
use surehand_executor as executor;
use surehand_executor::{State, Verbs};
use surehand_wire::{Action, *};

fn calculator() -> Scripted {
    let mut entry = node(3, Some(0), "entry", "Note");
    entry.value = Some(text_value("old"));
    let nodes = vec![node(1, Some(0), "push button", "Five"), node(2, Some(0), "label", "Result"), entry];
    Scripted::with(vec![window(10, 1, nodes)])
}

fn click() -> Action {
    Action::Click {}
}

fn set_text(text: &str) -> Action {
    Action::SetValue { value: SetValue::Text { text: UiText::new(text) } }
}

fn code(report: &DispatchReport) -> Code {
    report.verdict.code.expect("the action was not delivered")
}

/// Nothing was written, and the snapshot still serves.
fn assert_refused(host: &mut Host, desktop: &Scripted, snapshot: &Snapshot, report: &DispatchReport, wanted: Code) {
    assert_eq!(code(report), wanted);
    assert_eq!(report.verdict.delivery, Delivery::NotSent);
    assert!(desktop.world().writes.is_empty(), "nothing was written");
    desktop.world().after_witness = None;
    desktop.world().hold_before_write = false;
    let next = host.dispatch(snapshot, "Result", click());
    assert_ne!(next.verdict.code, Some(Code::DuplicateAction), "a refusal leaves the snapshot live");
    assert_ne!(next.verdict.code, Some(Code::StaleObservation), "a refusal leaves the snapshot live");
}

mod effects {
    use super::*;

    #[test]
    fn a_click_is_written_once_and_its_effect_is_seen() {
        let desktop = calculator();
        desktop.effect(0, |world| world.node(2).name = UiText::new("5"));
        let mut host = Host::greet(desktop.clone());
        let snapshot = host.observe(10, 1);
        let report = host.dispatch(&snapshot, "Five", click());
        assert_eq!(report.verdict.delivery, Delivery::Delivered);
        assert_eq!((report.verdict.effect, report.verdict.method), (Effect::Confirmed, Method::TreeDelta));
        assert_eq!(report.settle.unwrap().reason, SettleReason::Quiet);
        assert_eq!(desktop.world().writes, [(10, 1, executor::Action::Click)]);
        let after = report.snapshot.unwrap();
        assert_eq!(find(&after, "5").stable_id, find(&snapshot, "Result").stable_id);
        assert_eq!(host.dispatch(&after, "Five", click()).verdict.delivery, Delivery::Delivered);
    }

    #[test]
    fn an_effect_as_late_as_toolkits_show_them_is_waited_for() {
        let desktop = calculator();
        desktop.effect(255, |world| world.node(2).name = UiText::new("5"));
        let mut host = Host::greet(desktop);
        let snapshot = host.observe(10, 1);
        let report = host.dispatch(&snapshot, "Five", click());
        assert_eq!(report.verdict.effect, Effect::Confirmed);
        assert!(report.settle.unwrap().waited_ms >= 255);
        find(&report.snapshot.unwrap(), "5");
    }

    #[test]
    fn a_click_without_effect_is_unverifiable_and_costs_no_more_than_its_bound() {
        let mut host = Host::greet(calculator());
        let snapshot = host.observe(10, 1);
        let report = host.dispatch(&snapshot, "Five", click());
        assert_eq!((report.verdict.effect, report.verdict.method), (Effect::Unverifiable, Method::ActionResult));
        let settle = report.settle.unwrap();
        assert_eq!(settle.reason, SettleReason::NothingSeen);
        assert!(settle.waited_ms >= 400);
    }

    #[test]
    fn what_changed_before_the_action_is_no_effect_of_it() {
        let desktop = calculator();
        let mut host = Host::greet(desktop.clone());
        let snapshot = host.observe(10, 1);
        desktop.world().node(2).name = UiText::new("a clock");
        let report = host.dispatch(&snapshot, "Five", click());
        assert_eq!(report.verdict.delivery, Delivery::Delivered);
        assert_eq!(report.verdict.effect, Effect::Unverifiable);
    }

    #[test]
    fn an_effect_that_goes_on_changing_is_taken_after_its_ceiling() {
        let desktop = calculator();
        let mut host = Host::greet(desktop.clone());
        let snapshot = host.observe(10, 1);
        desktop.world().restless = true;
        let report = host.dispatch(&snapshot, "Five", click());
        assert_eq!(report.verdict.effect, Effect::Confirmed);
        assert_eq!(report.settle.unwrap().reason, SettleReason::Ceiling);
    }

    #[test]
    fn a_value_is_read_back() {
        let desktop = calculator();
        desktop.effect(0, |world| world.node(3).value = Some(text_value("new")));
        let mut host = Host::greet(desktop.clone());
        let snapshot = host.observe(10, 1);
        let report = host.dispatch(&snapshot, "Note", set_text("new"));
        assert_eq!((report.verdict.effect, report.verdict.method), (Effect::Confirmed, Method::TextReadback));
        let rejected = host.dispatch(&report.snapshot.unwrap(), "Note", set_text("newer"));
        assert_eq!(rejected.verdict.effect, Effect::SuspectedNoop);
        desktop.effect(0, |world| world.node(3).value = Some(text_value("reverted")));
        let reverted = host.dispatch(&rejected.snapshot.unwrap(), "Note", set_text("newest"));
        assert_eq!(reverted.verdict.effect, Effect::Unverifiable);
    }

    #[test]
    fn a_window_of_the_process_that_appears_is_an_effect() {
        let desktop = calculator();
        desktop.effect(0, |world| world.windows.push(window(10, 2, Vec::new())));
        let mut host = Host::greet(desktop);
        let snapshot = host.observe(10, 1);
        let report = host.dispatch(&snapshot, "Five", click());
        assert_eq!((report.verdict.effect, report.verdict.method), (Effect::Confirmed, Method::WindowAppeared));
    }

    #[test]
    fn a_window_of_another_process_that_appears_is_none() {
        let desktop = calculator();
        desktop.effect(0, |world| world.windows.push(window(11, 2, Vec::new())));
        let mut host = Host::greet(desktop);
        let snapshot = host.observe(10, 1);
        assert_eq!(host.dispatch(&snapshot, "Five", click()).verdict.effect, Effect::Unverifiable);
    }

    #[test]
    fn a_window_that_its_action_closed_leaves_no_snapshot_and_a_reason() {
        let desktop = calculator();
        desktop.effect(0, |world| world.windows.clear());
        let mut host = Host::greet(desktop);
        let snapshot = host.observe(10, 1);
        let report = host.dispatch(&snapshot, "Five", click());
        assert_eq!(report.verdict.effect, Effect::Confirmed);
        assert_eq!(report.snapshot, None);
        assert_eq!(report.post_observation_error, Some(PostObservationError { code: Code::TargetMissing }));
        assert_eq!(report.settle.unwrap().reason, SettleReason::Gone);
    }

    #[test]
    fn the_snapshot_after_an_action_replaces_the_one_before() {
        let desktop = calculator();
        let mut host = Host::greet(desktop.clone());
        let first = host.observe(10, 1);
        let after = host.dispatch(&first, "Five", click()).snapshot.unwrap();
        host.observe(10, 1);
        let report = host.dispatch(&after, "Five", click());
        assert_eq!(report.detail, Some(Detail::Snapshot { fate: SnapshotFate::Superseded }));
        assert_eq!(code(&host.dispatch(&first, "Five", click())), Code::DuplicateAction, "spent stays spent");
        assert_eq!(desktop.world().writes.len(), 1);
    }
}

mod accounts {
    use super::*;
    use surehand_executor::{Acted, Route};

    fn told(delivery: Delivery) -> (Scripted, Host, Snapshot) {
        let desktop = calculator();
        desktop.world().account = Some(Acted { delivery, failure: None, route: Route::A11yAction });
        let mut host = Host::greet(desktop.clone());
        let snapshot = host.observe(10, 1);
        (desktop, host, snapshot)
    }

    #[test]
    fn a_declined_action_is_refused_by_the_application_and_spends_the_snapshot() {
        let (_, mut host, snapshot) = told(Delivery::Refused);
        let report = host.dispatch(&snapshot, "Five", click());
        assert_eq!((report.verdict.delivery, code(&report)), (Delivery::Refused, Code::DispatchRefused));
        assert_eq!(code(&host.dispatch(&snapshot, "Five", click())), Code::DuplicateAction);
    }

    #[test]
    fn an_unknown_outcome_spends_the_snapshot() {
        let (_, mut host, snapshot) = told(Delivery::Unknown);
        let report = host.dispatch(&snapshot, "Five", click());
        assert_eq!((report.verdict.delivery, code(&report)), (Delivery::Unknown, Code::OutcomeUnknown));
        assert_eq!(code(&host.dispatch(&snapshot, "Five", click())), Code::DuplicateAction);
    }

    #[test]
    fn a_write_that_the_gate_saw_is_never_called_unsent() {
        let (desktop, mut host, snapshot) = told(Delivery::NotSent);
        assert_eq!(code(&host.dispatch(&snapshot, "Five", click())), Code::OutcomeUnknown);
        assert_eq!(code(&host.dispatch(&snapshot, "Five", click())), Code::DuplicateAction);
        assert_eq!(desktop.world().writes.len(), 1);
    }

    #[test]
    fn an_application_that_takes_the_write_and_falls_silent_is_unknown_within_its_bound() {
        let desktop = calculator();
        desktop.world().mute.insert(10);
        let mut host = Host::greet(desktop);
        let snapshot = host.observe(10, 1);
        let started = Instant::now();
        assert_eq!(code(&host.dispatch(&snapshot, "Five", click())), Code::OutcomeUnknown);
        assert!(started.elapsed() < executor::bounds::DISPATCH_TIME);
        assert_eq!(code(&host.dispatch(&snapshot, "Five", click())), Code::DuplicateAction);
    }

    #[test]
    fn a_panic_before_the_write_says_nothing_of_the_world_and_spends_nothing() {
        let desktop = calculator();
        desktop.world().panics_in_witness = true;
        let mut host = Host::greet(desktop.clone());
        let snapshot = host.observe(10, 1);
        let dispatch = host.dispatch_params("s", &snapshot, "Five", click());
        assert_eq!(host.call(dispatch.clone()), Err(RpcError(RpcCode::Internal)));
        desktop.world().panics_in_witness = false;
        assert_eq!(host.call(dispatch).unwrap().verdict.delivery, Delivery::Delivered);
    }

    #[test]
    fn a_panic_after_the_write_is_unknown_and_costs_no_other_call() {
        let desktop = calculator();
        desktop.world().panics_in_act = true;
        let mut host = Host::greet(desktop.clone());
        let snapshot = host.observe(10, 1);
        assert_eq!(code(&host.dispatch(&snapshot, "Five", click())), Code::OutcomeUnknown);
        assert_eq!(code(&host.dispatch(&snapshot, "Five", click())), Code::DuplicateAction);
        desktop.world().panics_in_act = false;
        let fresh = host.observe(10, 1);
        assert_eq!(host.dispatch(&fresh, "Five", click()).verdict.delivery, Delivery::Delivered);
    }
}

mod snapshots {
    use super::*;

    #[test]
    fn a_second_action_on_the_same_snapshot_is_a_duplicate() {
        let desktop = calculator();
        let mut host = Host::greet(desktop.clone());
        let snapshot = host.observe(10, 1);
        host.dispatch(&snapshot, "Five", click());
        let again = host.dispatch(&snapshot, "Five", click());
        assert_eq!(code(&again), Code::DuplicateAction);
        assert_eq!(again.detail, Some(Detail::Snapshot { fate: SnapshotFate::Spent }));
        assert_eq!(desktop.world().writes.len(), 1);
    }

    fn assert_stale(host: &mut Host, dispatch: DispatchElement, fate: SnapshotFate) {
        let report = host.call(dispatch).unwrap();
        assert_eq!(code(&report), Code::StaleObservation);
        assert_eq!(report.detail, Some(Detail::Snapshot { fate }));
    }

    #[test]
    fn a_superseded_snapshot_is_stale() {
        let desktop = calculator();
        let mut host = Host::greet(desktop.clone());
        let first = host.observe(10, 1);
        host.observe(10, 1);
        let dispatch = host.dispatch_params("s", &first, "Five", click());
        assert_stale(&mut host, dispatch, SnapshotFate::Superseded);
        assert!(desktop.world().writes.is_empty());
    }

    #[test]
    fn one_window_more_than_a_session_holds_evicts_the_oldest() {
        let count = u32::try_from(executor::bounds::SNAPSHOTS_PER_SESSION).unwrap() + 1;
        let windows = (1..=count).map(|id| window(10, id, vec![node(id, Some(0), "push button", "Five")]));
        let desktop = Scripted::with(windows.collect());
        let mut host = Host::greet(desktop.clone());
        let snapshots: Vec<Snapshot> = (1..=count).map(|id| host.observe(10, id)).collect();
        let oldest = host.dispatch_params("s", &snapshots[0], "Five", click());
        assert_stale(&mut host, oldest, SnapshotFate::Evicted);
        assert!(desktop.world().writes.is_empty());
        assert_eq!(host.dispatch(&snapshots[1], "Five", click()).verdict.delivery, Delivery::Delivered);
    }

    #[test]
    fn another_sessions_snapshot_is_unknown() {
        let desktop = calculator();
        let mut host = Host::greet(desktop.clone());
        host.begin("t");
        let snapshot = host.observe(10, 1);
        let dispatch = host.dispatch_params("t", &snapshot, "Five", click());
        assert_stale(&mut host, dispatch, SnapshotFate::Unknown);
        assert!(desktop.world().writes.is_empty());
    }

    #[test]
    fn a_snapshot_of_an_ended_session_is_unknown_when_the_name_returns() {
        let desktop = calculator();
        let mut host = Host::greet(desktop.clone());
        let snapshot = host.observe(10, 1);
        host.call(EndSession { session: session("s") }).unwrap().unwrap();
        let dispatch = host.dispatch_params("s", &snapshot, "Five", click());
        assert_eq!(host.call(dispatch.clone()), Err(RpcError(RpcCode::SessionUnknown)));
        host.begin("s");
        assert_stale(&mut host, dispatch, SnapshotFate::Unknown);
        assert!(desktop.world().writes.is_empty());
    }

    #[test]
    fn a_token_digest_or_target_that_is_not_the_snapshots_is_stale() {
        let desktop = calculator();
        desktop.world().windows.push(window(10, 2, vec![node(7, Some(0), "push button", "Other")]));
        let mut host = Host::greet(desktop.clone());
        let (snapshot, other) = (host.observe(10, 1), host.observe(10, 2));
        let good = host.dispatch_params("s", &snapshot, "Five", click());
        let foreign_token = find(&other, "Other").token.clone();
        let foreign_digest = find(&snapshot, "Result").digest;
        let cases = [
            DispatchElement { element_token: foreign_token, ..good.clone() },
            DispatchElement { element_token: ElementToken::new("0").unwrap(), ..good.clone() },
            DispatchElement { expect_element_digest: foreign_digest, ..good.clone() },
            DispatchElement { target: target(10, 2), ..good.clone() },
        ];
        for case in cases {
            assert_stale(&mut host, case, SnapshotFate::NoSuchElement);
        }
        assert!(desktop.world().writes.is_empty());
        assert_eq!(host.call(good).unwrap().verdict.delivery, Delivery::Delivered);
    }

    #[test]
    fn tokens_and_snapshot_ids_never_repeat_between_looks_or_processes() {
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..2 {
            let mut host = Host::greet(calculator());
            for _ in 0..2 {
                let snapshot = host.observe(10, 1);
                assert!(seen.insert(snapshot.snapshot_id.as_str().to_owned()));
                assert!(snapshot.elements.iter().all(|element| seen.insert(element.token.as_str().to_owned())));
            }
        }
    }
}

mod identity {
    use super::*;

    #[test]
    fn a_changed_element_is_refused() {
        let desktop = calculator();
        let mut host = Host::greet(desktop.clone());
        let snapshot = host.observe(10, 1);
        desktop.world().node(1).name = UiText::new("Six");
        let report = host.dispatch(&snapshot, "Five", click());
        assert_refused(&mut host, &desktop, &snapshot, &report, Code::TargetChanged);
    }

    #[test]
    fn an_element_that_is_gone_is_missing() {
        let desktop = calculator();
        let mut host = Host::greet(desktop.clone());
        let snapshot = host.observe(10, 1);
        desktop.world().windows[0].nodes.remove(1);
        let report = host.dispatch(&snapshot, "Five", click());
        assert_refused(&mut host, &desktop, &snapshot, &report, Code::TargetMissing);
    }

    #[test]
    fn a_reused_pid_or_window_is_missing() {
        type Reuse = fn(&mut surehand_contract::Target);
        let reuses: [Reuse; 2] = [
            |target| target.process.pidfd_inode = Some(1),
            |target| target.window = surehand_contract::WindowIdentity::X11 { window: 1, incarnation: 1 },
        ];
        for reuse in reuses {
            let desktop = calculator();
            let mut host = Host::greet(desktop.clone());
            let snapshot = host.observe(10, 1);
            reuse(&mut desktop.world().windows[0].window.target);
            let report = host.dispatch(&snapshot, "Five", click());
            assert_eq!(code(&report), Code::TargetMissing);
            assert!(desktop.world().writes.is_empty());
        }
    }

    #[test]
    fn a_reading_of_another_window_is_never_taken_for_this_one() {
        let desktop = calculator();
        let mut host = Host::greet(desktop.clone());
        let snapshot = host.observe(10, 1);
        desktop.world().claims = Some(target(10, 2));
        assert_eq!(host.try_observe("s", target(10, 1)), Err(Code::TargetMissing.into()));
        for action in [click(), set_text("new")] {
            assert_eq!(code(&host.dispatch(&snapshot, "Note", action)), Code::TargetMissing);
        }
        assert!(desktop.world().writes.is_empty());
    }

    #[test]
    fn another_document_in_the_same_window_is_a_changed_target() {
        let desktop = calculator();
        let mut host = Host::greet(desktop.clone());
        let snapshot = host.observe(10, 1);
        desktop.world().windows[0].window.target.content = Some(executor::text_digest("another tab"));
        let report = host.dispatch(&snapshot, "Five", click());
        assert_refused(&mut host, &desktop, &snapshot, &report, Code::TargetChanged);
    }

    #[test]
    fn a_recycled_rows_button_is_refused() {
        let row = |reference, name| node(reference, Some(0), "list item", name);
        let nodes = vec![
            row(10, ""),
            node(11, Some(1), "label", "Alice"),
            node(12, Some(1), "push button", "Delete"),
            node(13, Some(0), "label", "Result"),
        ];
        let desktop = Scripted::with(vec![window(10, 1, nodes)]);
        let mut host = Host::greet(desktop.clone());
        let snapshot = host.observe(10, 1);
        // The same objects, the same places: only the subject is another.
        desktop.world().node(11).name = UiText::new("Bob");
        let report = host.dispatch(&snapshot, "Delete", click());
        assert_refused(&mut host, &desktop, &snapshot, &report, Code::TargetChanged);
    }

    #[test]
    fn a_recycled_row_without_a_node_of_its_own_is_refused() {
        let cell = |reference, name, x| {
            let mut cell = node(reference, Some(1), "table cell", name);
            cell.bounds = Some(executor::Rect { x, y: 40, width: 50, height: 20 });
            cell
        };
        let nodes = vec![
            node(20, Some(0), "tree table", ""),
            cell(21, "Alice", 0),
            cell(22, "Delete", 50),
            node(23, Some(0), "label", "Result"),
        ];
        let desktop = Scripted::with(vec![window(10, 1, nodes)]);
        let mut host = Host::greet(desktop.clone());
        let snapshot = host.observe(10, 1);
        desktop.world().node(21).name = UiText::new("Bob");
        let report = host.dispatch(&snapshot, "Delete", click());
        assert_refused(&mut host, &desktop, &snapshot, &report, Code::TargetChanged);
    }
}

mod permission {
    use super::*;

    fn refused(change: impl Fn(&mut executor::Node<Reference>), action: Action, wanted: Code) {
        let desktop = calculator();
        change(desktop.world().node(3));
        let mut host = Host::greet(desktop.clone());
        let snapshot = host.observe(10, 1);
        let report = host.dispatch(&snapshot, "Note", action);
        assert_refused(&mut host, &desktop, &snapshot, &report, wanted);
    }

    #[test]
    fn a_password_takes_no_route_that_could_write_it() {
        let perform = Action::Perform { name: "click".to_owned() };
        for action in [set_text("secret"), perform] {
            refused(|node| node.states = node.states.with(State::Protected), action.clone(), Code::GrantMissing);
            refused(|node| node.role = "password text".into(), action, Code::GrantMissing);
        }
    }

    #[test]
    fn a_disabled_element_is_not_actionable() {
        refused(|node| node.states = node.states.without(State::Enabled), click(), Code::NotActionable);
    }

    #[test]
    fn a_verb_that_the_element_does_not_offer_is_unsupported() {
        let scroll = Action::Scroll { direction: Direction::Down, pages: 1 };
        for action in [click(), set_text("x"), Action::Select {}, scroll] {
            refused(|node| node.verbs = Verbs::default(), action, Code::UnsupportedAction);
        }
        let perform = Action::Perform { name: "delete-line".to_owned() };
        refused(|_| {}, perform, Code::UnsupportedAction);
    }

    #[test]
    fn arguments_that_fit_no_action_are_invalid() {
        let pages = [0, executor::bounds::SCROLL_PAGES + 1];
        for action in pages.map(|pages| Action::Scroll { direction: Direction::Up, pages }) {
            refused(|_| {}, action, Code::InvalidArgument);
        }
        refused(|_| {}, Action::Perform { name: String::new() }, Code::InvalidArgument);
    }
}

mod witness_age {
    use super::*;

    fn with_ages(ages: &[Duration]) -> (Scripted, Host, Snapshot) {
        let desktop = calculator();
        let mut host = Host::greet(desktop.clone());
        let snapshot = host.observe(10, 1);
        desktop.world().witness_ages = ages.to_vec();
        (desktop, host, snapshot)
    }

    const OLD: Duration = Duration::from_millis(51);

    #[test]
    fn an_answer_that_grew_old_before_the_write_is_read_again_once() {
        let (desktop, mut host, snapshot) = with_ages(&[OLD]);
        assert_eq!(host.dispatch(&snapshot, "Five", click()).verdict.delivery, Delivery::Delivered);
        assert_eq!(desktop.world().witnesses, 2);
        assert_eq!(desktop.world().writes.len(), 1);
    }

    #[test]
    fn an_application_too_slow_for_a_fresh_answer_is_sent_nothing() {
        let (desktop, mut host, snapshot) = with_ages(&[OLD, OLD]);
        let report = host.dispatch(&snapshot, "Five", click());
        assert_refused(&mut host, &desktop, &snapshot, &report, Code::Unresponsive);
    }

    #[test]
    fn what_changed_by_the_second_answer_is_refused() {
        let (desktop, mut host, snapshot) = with_ages(&[OLD]);
        desktop.after_witness(|world| world.node(1).name = UiText::new("Six"));
        let report = host.dispatch(&snapshot, "Five", click());
        assert_refused(&mut host, &desktop, &snapshot, &report, Code::TargetChanged);
    }
}
