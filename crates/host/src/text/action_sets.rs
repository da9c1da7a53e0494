//! Lists of actions that many elements repeat, written once and then named: GTK4 gives every label the same eight.

use super::element_line::special_actions;
use super::{outline::Outline, quote::bare_or_quoted};
use crate::{
    bounds::{ACTION_CHARACTERS, ACTION_SET_ACTIONS, ACTION_SET_ELEMENTS, ACTION_SETS, ACTIONS_LISTED},
    view::View,
};
use std::{collections::HashMap, fmt::Write};

#[derive(Debug, Default)]
pub(crate) struct ActionSets<'a>(Vec<Vec<&'a str>>);

impl<'a> ActionSets<'a> {
    /// The sets that pay: of several actions, on several listed elements. In the order in which they first appear.
    pub(crate) fn of(view: &'a View, outline: &Outline) -> Self {
        let mut elements: HashMap<Vec<&str>, usize> = HashMap::new();
        let mut order = Vec::new();
        for line in &outline.lines {
            let actions: Vec<&str> = special_actions(&view.elements()[line.element]).collect();
            if actions.len() < ACTION_SET_ACTIONS {
                continue;
            }
            let count = elements.entry(actions.clone()).or_insert(0);
            *count += 1;
            if *count == ACTION_SET_ELEMENTS {
                order.push(actions);
            }
        }
        order.truncate(ACTION_SETS);
        Self(order)
    }

    /// The number of this set, from 1.
    pub(crate) fn number(&self, actions: &[&str]) -> Option<usize> {
        self.0.iter().position(|set| set == actions).map(|position| position + 1)
    }

    /// One line a set that `is_used`.
    pub(crate) fn legend(&self, out: &mut String, is_used: impl Fn(usize) -> bool) {
        for (number, set) in (1..).zip(&self.0).filter(|(number, _)| is_used(*number)) {
            let _ = write!(out, "*{number} =");
            write_actions(out, set);
            out.push('\n');
        }
    }
}

/// ` +name` for each, as many as are listed, and how many more there are.
pub(crate) fn write_actions(out: &mut String, actions: &[&str]) {
    for name in actions.iter().take(ACTIONS_LISTED) {
        out.push_str(" +");
        bare_or_quoted(out, name, ACTION_CHARACTERS);
    }
    let left_out = actions.len().saturating_sub(ACTIONS_LISTED);
    if left_out > 0 {
        let _ = write!(out, " +…(+{left_out})");
    }
}
