//! Which elements are listed, in which order and how deep.

use crate::view::{View, contains, is_operable};
use std::collections::{HashMap, HashSet};
use surehand_wire::{State, Value};

/// One listed element. `depth` and `parent` count listed elements only: what was collapsed is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    /// Position among the view's elements.
    pub(crate) element: usize,
    pub(crate) depth: usize,
    /// Position in [`Outline::lines`].
    pub(crate) parent: Option<usize>,
    pub(crate) on_screen: bool,
}

/// The listing of one window: first what is on screen, then the rest, each in reading order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outline {
    pub(crate) lines: Vec<Line>,
    pub(crate) on_screen: usize,
    /// Elements that fit the query, among `lines`.
    pub(crate) matches: Option<usize>,
}

impl Outline {
    /// The whole window, or what fits `query` with the elements it stands in.
    pub(crate) fn of(view: &View, query: Option<&str>) -> Self {
        let order = reading_order(&view.parents);
        let on_screen = on_screen(view, &order);
        let wanted = query.map(|query| Wanted::of(view, &order, query));
        let listed = |position: usize| match &wanted {
            Some(wanted) => {
                wanted.matches.contains(&position)
                    || (wanted.ancestors.contains(&position) && !is_wrapper(view, position))
            }
            None => !is_wrapper(view, position),
        };
        let mut outline = Self { matches: wanted.as_ref().map(|wanted| wanted.matches.len()), ..Self::default() };
        outline.push(&order, &on_screen, true, &listed);
        outline.on_screen = outline.lines.len();
        outline.push(&order, &on_screen, false, &listed);
        outline
    }

    /// Appends one part. A line's parent may stand in the part before it; its depth counts its own part only.
    fn push(&mut self, order: &[Placed], on_screen: &HashSet<usize>, part: bool, listed: &impl Fn(usize) -> bool) {
        let mut path: Vec<(usize, Option<usize>)> = Vec::new();
        let mut line_of: HashMap<usize, usize> =
            self.lines.iter().enumerate().map(|(line, placed)| (placed.element, line)).collect();
        for placed in order {
            path.truncate(placed.depth);
            let parent = path.iter().rev().find_map(|(_, line)| *line);
            let mut own = line_of.get(&placed.element).copied();
            if listed(placed.element) && on_screen.contains(&placed.element) == part {
                let depth = match parent {
                    Some(parent) if self.lines[parent].on_screen == part => self.lines[parent].depth + 1,
                    _ => 0,
                };
                own = Some(self.lines.len());
                line_of.insert(placed.element, self.lines.len());
                self.lines.push(Line { element: placed.element, depth, parent, on_screen: part });
            }
            path.push((placed.element, own));
        }
    }

    /// Listed elements that this line stands in, outermost first.
    pub(crate) fn ancestors(&self, line: usize) -> Vec<usize> {
        let mut ancestors: Vec<usize> =
            std::iter::successors(self.lines[line].parent, |above| self.lines[*above].parent).collect();
        ancestors.reverse();
        ancestors
    }
}

#[derive(Debug, Clone, Copy)]
struct Placed {
    element: usize,
    depth: usize,
}

/// Depth first in the reported order. An element without a known parent is a root; a cycle is entered once, so
/// nothing loops and nothing is lost.
fn reading_order(parents: &[Option<usize>]) -> Vec<Placed> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
    let mut roots = Vec::new();
    for (position, parent) in parents.iter().enumerate() {
        match parent {
            Some(parent) if *parent != position => children[*parent].push(position),
            _ => roots.push(position),
        }
    }
    let mut order = Vec::with_capacity(parents.len());
    let mut seen = vec![false; parents.len()];
    for root in roots.into_iter().chain(0..parents.len()) {
        let mut open = vec![Placed { element: root, depth: 0 }];
        while let Some(placed) = open.pop() {
            if std::mem::replace(&mut seen[placed.element], true) {
                continue;
            }
            order.push(placed);
            let below = children[placed.element].iter().rev();
            open.extend(below.map(|child| Placed { element: *child, depth: placed.depth + 1 }));
        }
    }
    order
}

/// What the window shows, and whatever something shown stands in.
fn on_screen(view: &View, order: &[Placed]) -> HashSet<usize> {
    let mut on_screen = HashSet::with_capacity(order.len());
    let mut path: Vec<usize> = Vec::new();
    for placed in order {
        path.truncate(placed.depth);
        path.push(placed.element);
        if view.is_on_screen(&view.elements()[placed.element]) {
            on_screen.extend(path.iter().copied());
        }
    }
    on_screen
}

/// Elements that fit a query, and the elements those stand in.
struct Wanted {
    matches: HashSet<usize>,
    ancestors: HashSet<usize>,
}

impl Wanted {
    fn of(view: &View, order: &[Placed], query: &str) -> Self {
        let query = query.to_lowercase();
        let mut wanted = Self { matches: HashSet::new(), ancestors: HashSet::new() };
        let mut path: Vec<usize> = Vec::new();
        for placed in order {
            path.truncate(placed.depth);
            if contains(&view.elements()[placed.element], &query) {
                wanted.matches.insert(placed.element);
                wanted.ancestors.extend(path.iter().copied());
            }
            path.push(placed.element);
        }
        wanted
    }
}

/// Structure alone: it has no text, takes nothing and is in no special state. Its children stand for it.
fn is_wrapper(view: &View, position: usize) -> bool {
    let element = &view.elements()[position];
    let empty_value = match &element.value {
        None => true,
        Some(Value::Text { characters, .. }) => *characters == 0,
        Some(Value::Number { .. } | Value::Withheld {}) => false,
    };
    STRUCTURAL_ROLES.contains(&element.role.as_str())
        && element.name.is_empty()
        && element.description.is_empty()
        && empty_value
        && !is_operable(element)
        && view.cut(position).is_none()
        && !SPECIAL_STATES.iter().any(|state| element.states.contains(state))
}

/// What a person can focus, edit or choose is no structure, whatever its role: a GTK 3 split pane is moved by keys.
const SPECIAL_STATES: &[State] = &[
    State::Focused,
    State::Focusable,
    State::Editable,
    State::Selectable,
    State::Selected,
    State::Checked,
    State::Busy,
    State::Modal,
];

const STRUCTURAL_ROLES: &[&str] = &[
    "panel",
    "filler",
    "section",
    "grouping",
    "group",
    "unknown",
    "invalid",
    "redundant object",
    "layered pane",
    "root pane",
    "glass pane",
    "split pane",
    "scroll pane",
    "viewport",
    "separator",
    "paragraph",
    "static",
    "label",
    "form",
    "landmark",
    "image",
    "icon",
];
