//! What the looks before and after an action say about its effect.

use crate::{Action, Rect, SetValue, State, States, Value, digest, text_digest};
use std::collections::BTreeSet;
use surehand_contract::{Digest, Effect, Method, WindowIdentity};

/// One look, as far as an effect is judged by it.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// The element that was acted on, if it is there.
    pub element: Option<SeenElement>,
    /// `None` if the window was not looked at.
    pub window: Option<SeenWindow>,
    /// The windows of the application's process.
    pub windows: BTreeSet<WindowIdentity>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SeenElement {
    pub role: String,
    pub states: States,
    pub value: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenWindow {
    pub digest: Digest,
    /// Where each element stands, by its stable id.
    pub places: Vec<(u64, Option<Rect>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judgement {
    pub effect: Effect,
    pub method: Method,
}

const fn confirmed(method: Method) -> Judgement {
    Judgement { effect: Effect::Confirmed, method }
}

const fn unverifiable(method: Method) -> Judgement {
    Judgement { effect: Effect::Unverifiable, method }
}

const fn suspected_noop(method: Method) -> Judgement {
    Judgement { effect: Effect::SuspectedNoop, method }
}

/// The effect of a delivered action. Only an action whose own subject can be read back may be suspected of having
/// done nothing.
pub fn judge(action: &Action, before: &Seen, after: &Seen) -> Judgement {
    match action {
        Action::SetValue(wanted) => judge_value(wanted, before, after),
        Action::Select => judge_selection(before, after),
        Action::Scroll { .. } if places_changed(before, after) => confirmed(Method::TreeDelta),
        Action::Scroll { .. } => unverifiable(Method::ActionResult),
        Action::Click if is_two_state(before) && is_two_state(after) => judge_toggle(before, after),
        Action::Click | Action::Perform { .. } => judge_press(before, after),
    }
}

/// The window went away after the action.
pub fn judge_closed(action: &Action) -> Judgement {
    match action {
        Action::Click | Action::Perform { .. } | Action::Select => confirmed(Method::TreeDelta),
        Action::SetValue(_) | Action::Scroll { .. } => unverifiable(Method::ActionResult),
    }
}

fn judge_value(wanted: &SetValue, before: &Seen, after: &Seen) -> Judgement {
    let method = match wanted {
        SetValue::Text(_) => Method::TextReadback,
        SetValue::Number(_) => Method::ValueReadback,
    };
    let read_back = |seen: &Seen| seen.element.as_ref().and_then(|element| element.value.clone());
    let (Some(before), Some(after)) = (read_back(before), read_back(after)) else {
        return unverifiable(Method::ActionResult);
    };
    if holds(wanted, &after) {
        confirmed(method)
    } else if same_value(&before, &after) {
        suspected_noop(method)
    } else if matches!(after, Value::Withheld) {
        unverifiable(Method::ActionResult)
    } else {
        unverifiable(method)
    }
}

fn holds(wanted: &SetValue, value: &Value) -> bool {
    match (wanted, value) {
        (SetValue::Text(wanted), Value::Text { digest, .. }) => *digest == text_digest(wanted.expose()),
        (SetValue::Number(wanted), Value::Number { current, .. }) => is_close(*wanted, *current),
        _ => false,
    }
}

/// What a toolkit keeps as a single-precision number comes back a little different.
fn is_close(wanted: f64, current: f64) -> bool {
    (wanted - current).abs() <= f64::from(f32::EPSILON) * wanted.abs().max(current.abs()).max(1.0)
}

fn same_value(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Text { digest: before, .. }, Value::Text { digest: after, .. }) => before == after,
        (Value::Number { current: before, .. }, Value::Number { current: after, .. }) => before == after,
        _ => false,
    }
}

fn judge_selection(before: &Seen, after: &Seen) -> Judgement {
    match (&before.element, &after.element) {
        (_, Some(after)) if after.states.has(State::Selected) => confirmed(Method::SelectionReadback),
        (Some(was), Some(is)) if !was.states.has(State::Expanded) && is.states.has(State::Expanded) => {
            confirmed(Method::StateReadback)
        }
        (Some(was), Some(is)) if is.states.has(State::Selectable) => {
            let unchanged = was.states == is.states && !window_changed(before, after);
            let judgement = if unchanged { suspected_noop } else { unverifiable };
            judgement(Method::SelectionReadback)
        }
        _ => judge_press(before, after),
    }
}

/// A control that is on or off is judged by that alone: one that sprang back did not do what a click of it is for,
/// whatever else changed in the window meanwhile.
fn judge_toggle(before: &Seen, after: &Seen) -> Judgement {
    if state_toggled(before, after) { confirmed(Method::StateReadback) } else { unverifiable(Method::StateReadback) }
}

fn is_two_state(seen: &Seen) -> bool {
    let names = ["check box", "toggle button", "switch", "check menu item"];
    seen.element.as_ref().is_some_and(|element| names.contains(&element.role.as_str()))
}

fn judge_press(before: &Seen, after: &Seen) -> Judgement {
    if state_toggled(before, after) {
        confirmed(Method::StateReadback)
    } else if window_changed(before, after) {
        confirmed(Method::TreeDelta)
    } else if after.windows.difference(&before.windows).next().is_some() {
        confirmed(Method::WindowAppeared)
    } else {
        unverifiable(Method::ActionResult)
    }
}

fn state_toggled(before: &Seen, after: &Seen) -> bool {
    let (Some(before), Some(after)) = (&before.element, &after.element) else { return false };
    let lasting = [State::Checked, State::Indeterminate, State::Expanded, State::Selected];
    let pressed_stays = digest::stays_pressed(&after.role, after.states);
    let pressed_toggled = before.states.has(State::Pressed) != after.states.has(State::Pressed);
    let toggled = |state: &State| before.states.has(*state) != after.states.has(*state);
    lasting.iter().any(toggled) || (pressed_stays && pressed_toggled)
}

fn window_changed(before: &Seen, after: &Seen) -> bool {
    match (&before.window, &after.window) {
        (Some(before), Some(after)) => before.digest != after.digest,
        _ => false,
    }
}

fn places_changed(before: &Seen, after: &Seen) -> bool {
    match (&before.window, &after.window) {
        (Some(before), Some(after)) => before.places != after.places,
        _ => false,
    }
}
