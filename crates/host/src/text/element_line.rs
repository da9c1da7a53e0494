use super::{
    action_sets::{ActionSets, write_actions},
    quote::{quoted, quoted_beginning},
};
use crate::{
    bounds::{ACTION_CHARACTERS, NAME_CHARACTERS, VALUE_CHARACTERS},
    view::{View, takes},
};
use std::fmt::Write;
use surehand_wire::{Element, State, Value, Verb};

/// One element in one line, without its indentation: what is usual for its role is unwritten.
pub(crate) fn element_line(out: &mut String, view: &View, sets: &ActionSets<'_>, position: usize) {
    let element = &view.elements()[position];
    let disabled = view.is_disabled(element);
    let _ = write!(out, "{} ", element.stable_id);
    role(out, &element.role);
    if !element.name.is_empty() {
        out.push(' ');
        quoted(out, element.name.expose(), NAME_CHARACTERS);
    }
    value(out, element.value.as_ref());
    if element.name.is_empty() && !element.description.is_empty() {
        out.push_str(" ~");
        quoted(out, element.description.expose(), VALUE_CHARACTERS);
    }
    states(out, element, disabled);
    actions(out, element, sets, disabled);
    if is_pointed_at(element)
        && let Some(bounds) = element.bounds
    {
        let _ = write!(out, " @{},{} {}x{}", bounds.x, bounds.y, bounds.width, bounds.height);
    }
    if let Some(cut) = view.cut(position) {
        cut.describe(out);
    }
}

fn role(out: &mut String, role: &str) {
    if role.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b' ' | b'-')) && !role.is_empty() {
        out.push_str(role);
    } else {
        quoted(out, role, ACTION_CHARACTERS);
    }
}

fn value(out: &mut String, value: Option<&Value>) {
    match value {
        None => {}
        Some(Value::Withheld {}) => out.push_str(" =(withheld)"),
        Some(Value::Text { characters: 0, text }) if text.is_empty() => {}
        Some(Value::Text { text, characters }) => {
            out.push_str(" =");
            quoted_beginning(out, text.expose(), VALUE_CHARACTERS, *characters);
        }
        Some(Value::Number { current, minimum, maximum, .. }) => {
            let _ = write!(out, " ={}", current.get());
            if let (Some(minimum), Some(maximum)) = (minimum, maximum)
                && minimum < maximum
            {
                let _ = write!(out, " ({}..{})", minimum.get(), maximum.get());
            }
        }
    }
}

fn states(out: &mut String, element: &Element, disabled: bool) {
    let mut opened = false;
    let mut write = |out: &mut String, word: &str| {
        out.push_str(if opened { "," } else { " [" });
        opened = true;
        out.push_str(word);
    };
    if disabled {
        write(out, "disabled");
    }
    for (state, word) in WRITTEN_STATES {
        if element.states.contains(state) {
            write(out, word);
        }
    }
    if element.states.contains(&State::Expandable) && !element.states.contains(&State::Expanded) {
        write(out, "collapsed");
    }
    if opened {
        out.push(']');
    }
}

/// States that are an exception wherever they stand. The others are usual, or said by role, value or place.
const WRITTEN_STATES: &[(State, &str)] = &[
    (State::Focused, "focused"),
    (State::Selected, "selected"),
    (State::Checked, "checked"),
    (State::Indeterminate, "indeterminate"),
    (State::Pressed, "pressed"),
    (State::Expanded, "expanded"),
    (State::ReadOnly, "read-only"),
    (State::Modal, "modal"),
    (State::Required, "required"),
    (State::Invalid, "invalid"),
    (State::Busy, "busy"),
    (State::Default, "default"),
    (State::Protected, "protected"),
];

fn actions(out: &mut String, element: &Element, sets: &ActionSets<'_>, disabled: bool) {
    let usual = usual_verbs(&element.role);
    for (verb, name) in
        [(Verb::Click, "click"), (Verb::SetValue, "set_value"), (Verb::Select, "select"), (Verb::Scroll, "scroll")]
    {
        let mark = match (takes(element, verb), usual.contains(&verb)) {
            (true, false) => '+',
            (false, true) if !disabled => '-',
            _ => continue,
        };
        let _ = write!(out, " {mark}{name}");
    }
    let special: Vec<&str> = special_actions(element).collect();
    match sets.number(&special) {
        Some(number) => {
            let _ = write!(out, " +*{number}");
        }
        None => write_actions(out, &special),
    }
}

/// Whether its place says something: it takes more than actions by name.
fn is_pointed_at(element: &Element) -> bool {
    element.verbs.iter().any(|verb| *verb != Verb::Perform)
}

/// The actions that no verb stands for.
pub(crate) fn special_actions(element: &Element) -> impl Iterator<Item = &str> {
    let actions = element.actions.iter().filter(|name| !(takes(element, Verb::Click) && is_click(name)));
    actions.map(String::as_str)
}

/// The names toolkits give the action that `click` performs.
fn is_click(name: &str) -> bool {
    matches!(
        name.to_ascii_lowercase().as_str(),
        "click" | "press" | "activate" | "toggle" | "check" | "uncheck" | "jump" | "open" | "dodefault"
    )
}

/// What an element of a role usually takes, so that only the exception is written.
fn usual_verbs(role: &str) -> &'static [Verb] {
    match role {
        "push button" | "button" | "toggle button" | "check box" | "radio button" | "link" | "switch" | "menu item"
        | "check menu item" | "radio menu item" => &[Verb::Click],
        "entry" | "password text" | "spin button" | "slider" => &[Verb::SetValue],
        "list item" | "page tab" | "tree item" => &[Verb::Select],
        _ => &[],
    }
}
