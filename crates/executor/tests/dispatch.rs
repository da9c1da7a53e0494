//! Class `protocol`: one action on one element, over the real wire, on a scripted desktop.
#![allow(clippy::unwrap_used)] // The whole file is tests.

mod scripted;

use scripted::*;
use surehand_contract::{Code, Delivery, Effect, Method};
use surehand_executor as executor;
use surehand_wire::*;

fn calculator() -> Scripted {
    Scripted::with(vec![window(
        10,
        1,
        vec![
            node(1, Some(0), "push button", "Five"),
            node(2, Some(0), "label", "Result"),
            node(3, Some(0), "entry", "Note"),
        ],
    )])
}

#[test]
fn a_click_is_written_once_and_its_effect_is_seen() {
    let desktop = calculator();
    desktop.effect(0, |world| world.node(2).name = surehand_contract::UiText::new("5"));
    let mut host = Host::greet(desktop.clone());
    let snapshot = host.observe(10, 1);
    let report = host.dispatch(&snapshot, "Five", Action::Click {});
    assert_eq!(report.verdict.delivery, Delivery::Delivered);
    assert_eq!((report.verdict.effect, report.verdict.method), (Effect::Confirmed, Method::TreeDelta));
    assert_eq!(desktop.world().writes, [(10, 1, executor::Action::Click)]);
    let after = report.snapshot.unwrap();
    assert_eq!(find(&after, "5").stable_id, find(&snapshot, "Result").stable_id);
    assert_eq!(host.dispatch(&after, "Five", Action::Click {}).verdict.delivery, Delivery::Delivered);
}

#[test]
fn a_second_action_on_the_same_snapshot_is_a_duplicate() {
    let desktop = calculator();
    let mut host = Host::greet(desktop.clone());
    let snapshot = host.observe(10, 1);
    host.dispatch(&snapshot, "Five", Action::Click {});
    let again = host.dispatch(&snapshot, "Five", Action::Click {});
    assert_eq!(again.verdict.code, Some(Code::DuplicateAction));
    assert_eq!(again.detail, Some(Detail::Snapshot { fate: SnapshotFate::Spent }));
    assert_eq!(desktop.world().writes.len(), 1);
}
