//! Class `model`: the table of effects.
#![allow(clippy::unwrap_used)] // The whole file is tests.

use std::collections::BTreeSet;
use surehand_contract::{
    Effect,
    Effect::{Confirmed, SuspectedNoop, Unverifiable},
    Method,
    Method::{ActionResult, SelectionReadback, StateReadback, TextReadback, TreeDelta, ValueReadback, WindowAppeared},
    UiText, WindowIdentity,
};
use surehand_executor::*;

fn states(states: &[State]) -> States {
    states.iter().fold(States::default(), |all, state| all.with(*state))
}

fn text(text: &str) -> Option<Value> {
    let digest = text_digest(text);
    Some(Value::Text { text: UiText::new(text), characters: text.chars().count() as u64, digest })
}

fn number(current: f64) -> Option<Value> {
    Some(Value::Number { current, minimum: 0.0, maximum: 100.0, increment: 1.0 })
}

fn seen(element: &[State], value: Option<Value>, shows: &str, windows: &[u32]) -> Seen {
    let window = |window: &u32| WindowIdentity::X11 { window: *window, incarnation: 0 };
    Seen {
        element: Some(SeenElement { role: "push button".to_owned(), states: states(element), value }),
        window: Some(SeenWindow { digest: text_digest(shows), places: vec![(1, None)] }),
        windows: windows.iter().map(window).collect::<BTreeSet<_>>(),
    }
}

fn plain(shows: &str) -> Seen {
    seen(&[], None, shows, &[1])
}

fn with(element: &[State]) -> Seen {
    seen(element, None, "same", &[1])
}

fn valued(value: Option<Value>) -> Seen {
    Seen { window: None, ..seen(&[], value, "same", &[1]) }
}

fn gone(shows: &str) -> Seen {
    Seen { element: None, ..plain(shows) }
}

fn scrolled(y: i32) -> Seen {
    let place = Some(Rect { x: 0, y, width: 1, height: 1 });
    Seen { window: Some(SeenWindow { digest: text_digest("same"), places: vec![(1, place)] }), ..plain("same") }
}

fn check(action: &Action, before: &Seen, after: &Seen, expect: (Effect, Method)) {
    let Judgement { effect, method } = judge(action, before, after);
    assert_eq!((effect, method), expect, "{action:?}: {before:?} -> {after:?}");
}

#[test]
fn a_press_is_judged_by_the_elements_state_then_the_window_then_new_windows() {
    let perform = Action::Perform { name: "activate".to_owned() };
    for action in [Action::Click, perform] {
        let case = |before: &Seen, after: &Seen, expect| check(&action, before, after, expect);
        case(&plain("same"), &plain("same"), (Unverifiable, ActionResult));
        case(&with(&[]), &with(&[State::Checked]), (Confirmed, StateReadback));
        case(&with(&[State::Expanded]), &with(&[]), (Confirmed, StateReadback));
        case(&with(&[]), &with(&[State::Selected]), (Confirmed, StateReadback));
        case(&with(&[State::Checkable]), &with(&[State::Checkable, State::Pressed]), (Confirmed, StateReadback));
        case(&with(&[]), &with(&[State::Pressed]), (Unverifiable, ActionResult));
        case(&with(&[]), &with(&[State::Focused]), (Unverifiable, ActionResult));
        case(&plain("a"), &plain("b"), (Confirmed, TreeDelta));
        case(&plain("a"), &gone("b"), (Confirmed, TreeDelta));
        case(&plain("same"), &seen(&[], None, "same", &[1, 2]), (Confirmed, WindowAppeared));
        case(&seen(&[], None, "same", &[1, 2]), &plain("same"), (Unverifiable, ActionResult));
    }
}

#[test]
fn a_two_state_control_that_sprang_back_is_not_confirmed_by_what_else_changed() {
    let check_box = |states: &[State], shows: &str| {
        let mut seen = seen(states, None, shows, &[1]);
        seen.element.as_mut().unwrap().role = "check box".to_owned();
        seen
    };
    let case = |before: &Seen, after: &Seen, expect| check(&Action::Click, before, after, expect);
    case(&check_box(&[], "a"), &check_box(&[State::Checked], "b"), (Confirmed, StateReadback));
    case(&check_box(&[], "a"), &check_box(&[], "b"), (Unverifiable, StateReadback));
    case(&check_box(&[], "a"), &gone("b"), (Confirmed, TreeDelta));
}

#[test]
fn a_value_is_judged_by_reading_it_back() {
    let wanted = Action::SetValue(SetValue::Text(UiText::new("new")));
    let case = |before: &Option<Value>, after: &Option<Value>, expect| {
        check(&wanted, &valued(before.clone()), &valued(after.clone()), expect);
    };
    case(&text("old"), &text("new"), (Confirmed, TextReadback));
    case(&text("new"), &text("new"), (Confirmed, TextReadback));
    case(&text("old"), &text("old"), (SuspectedNoop, TextReadback));
    case(&text("old"), &text("new\0"), (Unverifiable, TextReadback));
    case(&Some(Value::Withheld), &Some(Value::Withheld), (Unverifiable, ActionResult));
    case(&text("old"), &None, (Unverifiable, ActionResult));
    check(&wanted, &valued(text("old")), &gone("x"), (Unverifiable, ActionResult));
}

#[test]
fn a_number_is_judged_by_reading_it_back() {
    let wanted = Action::SetValue(SetValue::Number(0.1));
    let case = |before: f64, after: f64, expect| {
        check(&wanted, &valued(number(before)), &valued(number(after)), expect);
    };
    case(5.0, 0.1, (Confirmed, ValueReadback));
    case(5.0, f64::from(0.1_f32), (Confirmed, ValueReadback));
    case(5.0, 5.0, (SuspectedNoop, ValueReadback));
    case(5.0, 1.0, (Unverifiable, ValueReadback));
    case(5.0, 0.11, (Unverifiable, ValueReadback));
}

#[test]
fn a_selection_is_judged_by_reading_it_back() {
    let selectable = with(&[State::Selectable]);
    let selected = with(&[State::Selectable, State::Selected]);
    let case = |before: &Seen, after: &Seen, expect| check(&Action::Select, before, after, expect);
    case(&selectable, &selected, (Confirmed, SelectionReadback));
    case(&selected, &selected, (Confirmed, SelectionReadback));
    case(&selectable, &selectable, (SuspectedNoop, SelectionReadback));
    let elsewhere = seen(&[State::Selectable], None, "changed", &[1]);
    case(&selectable, &elsewhere, (Unverifiable, SelectionReadback));
    case(&with(&[]), &with(&[State::Expanded]), (Confirmed, StateReadback));
    case(&plain("open"), &gone("closed"), (Confirmed, TreeDelta));
    case(&plain("same"), &plain("same"), (Unverifiable, ActionResult));
}

#[test]
fn a_scroll_is_judged_by_what_moved() {
    let scroll = Action::Scroll { direction: Direction::Down, pages: 1 };
    check(&scroll, &scrolled(0), &scrolled(-40), (Confirmed, TreeDelta));
    check(&scroll, &scrolled(0), &scrolled(0), (Unverifiable, ActionResult));
    check(&scroll, &plain("a"), &plain("b"), (Unverifiable, ActionResult));
}

#[test]
fn a_window_that_went_away_is_the_effect_of_a_press_and_of_nothing_else() {
    for (action, expect) in [
        (Action::Click, (Confirmed, TreeDelta)),
        (Action::Select, (Confirmed, TreeDelta)),
        (Action::SetValue(SetValue::Number(1.0)), (Unverifiable, ActionResult)),
        (Action::Scroll { direction: Direction::Up, pages: 1 }, (Unverifiable, ActionResult)),
    ] {
        let Judgement { effect, method } = judge_closed(&action);
        assert_eq!((effect, method), expect, "{action:?}");
    }
}

#[test]
fn a_window_that_was_not_looked_at_before_proves_nothing() {
    let unlooked = Seen { window: None, ..plain("a") };
    check(&Action::Click, &unlooked, &plain("b"), (Unverifiable, ActionResult));
}
