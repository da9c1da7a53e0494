//! Lists of actions that many elements repeat, written once and then named: GTK4 gives every label the same eight.

use super::element_line::special_actions;
use super::{outline::Outline, quote::bare_or_quoted};
use crate::{
    bounds::{ACTION_CHARACTERS, ACTION_SET_SAVES, ACTION_SETS, ACTIONS_LISTED},
    view::View,
};
use std::{collections::HashMap, fmt::Write};

#[derive(Debug, Default)]
pub(crate) struct ActionSets<'a>(Vec<Vec<&'a str>>);

impl<'a> ActionSets<'a> {
    /// The lists that pay, in the order in which they first appear.
    pub(crate) fn of(view: &'a View, outline: &Outline) -> Self {
        let mut elements: HashMap<Vec<&str>, usize> = HashMap::new();
        let mut order = Vec::new();
        for line in &outline.lines {
            let actions: Vec<&str> = special_actions(&view.elements()[line.element]).collect();
            let count = elements.entry(actions.clone()).or_insert(0);
            *count += 1;
            if *count == 1 {
                order.push(actions);
            }
        }
        let mut savings: Vec<usize> = order.iter().map(|actions| saved(actions, elements[actions])).collect();
        savings.sort_unstable_by(|one, other| other.cmp(one));
        let least = savings.get(ACTION_SETS).map_or(ACTION_SET_SAVES, |next| ACTION_SET_SAVES.max(next + 1));
        order.retain(|actions| saved(actions, elements[actions]) >= least);
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

/// Characters that naming the list on each of these elements saves, its explanation paid for.
fn saved(actions: &[&str], elements: usize) -> usize {
    const MARK: &str = " +*1";
    let mut written = String::new();
    write_actions(&mut written, actions);
    let characters = written.chars().count();
    (elements * characters).saturating_sub(elements * MARK.len() + "*1 =\n".len() + characters)
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
