//! A window as one observation saw it: what the model may be shown of it, and what an action on one of its
//! elements is bound to.

use std::{collections::HashMap, fmt::Write};
use surehand_wire::{ApplicationIdentity, Element, Omission, Rect, Snapshot, State, Value, Verb};

/// One snapshot with what the listing asks of it. The ids of its elements are the snapshot's stable ids: they
/// stay what they are however the listing is shortened.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) snapshot: Snapshot,
    /// Position of each element's parent, where it names one that is there.
    pub(crate) parents: Vec<Option<usize>>,
    pub(crate) omitted: Omitted,
    cuts: HashMap<usize, Cut>,
    by_id: HashMap<u64, usize>,
    /// Whether this toolkit says of any element that it is shown, or enabled, at all.
    tells_showing: bool,
    tells_enabled: bool,
}

/// Children of one element that were not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// They stand deeper than the bound.
    Depth,
    /// Their container makes them on demand.
    OffScreen { shown: u32, of: u32 },
}

/// What the whole reading left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Omitted {
    /// Beyond the bound on elements, or on the size of the answer.
    pub(crate) elements: u64,
    /// Not answered in time.
    pub(crate) unread: u64,
    /// Described in a way that cannot be true.
    pub(crate) malformed: u64,
    /// Everything a person could not see: the window is not shown.
    pub(crate) window_not_shown: bool,
}

impl View {
    pub(crate) fn new(snapshot: Snapshot) -> Self {
        let by_token: HashMap<&str, usize> =
            snapshot.elements.iter().enumerate().map(|(at, element)| (element.token.as_str(), at)).collect();
        let position = |token: &surehand_wire::ElementToken| by_token.get(token.as_str()).copied();
        let parents =
            snapshot.elements.iter().map(|element| element.parent_token.as_ref().and_then(position)).collect();
        let (mut omitted, mut cuts) = (Omitted::default(), HashMap::new());
        for omission in &snapshot.omissions {
            match omission {
                Omission::Elements { left_out } | Omission::Response { left_out } => omitted.elements += left_out,
                Omission::Time { unread } => omitted.unread += unread,
                Omission::NotShown {} => omitted.window_not_shown = true,
                Omission::Malformed { nodes } => omitted.malformed += nodes,
                Omission::Depth { under } => cuts.extend(position(under).map(|at| (at, Cut::Depth))),
                Omission::OffScreen { under, shown, of } => {
                    cuts.extend(position(under).map(|at| (at, Cut::OffScreen { shown: *shown, of: *of })));
                }
            }
        }
        let tells = |state| snapshot.elements.iter().any(|element| element.states.contains(&state));
        let (tells_showing, tells_enabled) = (tells(State::Showing), tells(State::Enabled));
        let by_id = snapshot.elements.iter().enumerate().map(|(at, element)| (element.stable_id, at)).collect();
        Self { snapshot, parents, omitted, cuts, by_id, tells_showing, tells_enabled }
    }

    pub(crate) fn elements(&self) -> &[Element] {
        &self.snapshot.elements
    }

    pub(crate) fn element(&self, id: u64) -> Option<&Element> {
        self.by_id.get(&id).map(|position| &self.snapshot.elements[*position])
    }

    pub(crate) fn cut(&self, position: usize) -> Option<Cut> {
        self.cuts.get(&position).copied()
    }

    /// Whether a person would see the element, were the window in front.
    pub(crate) fn is_on_screen(&self, element: &Element) -> bool {
        let shown = !self.tells_showing || element.states.contains(&State::Showing);
        let Rect { width, height, .. } = self.snapshot.bounds;
        shown && element.bounds.is_none_or(|bounds| meets(bounds, width, height))
    }

    pub(crate) fn is_disabled(&self, element: &Element) -> bool {
        self.tells_enabled && !element.states.contains(&State::Enabled)
    }
}

/// Whether any of it lies in an area of this size whose top left is the origin. An empty rectangle is taken by
/// its corner: toolkits give elements without an extent of their own.
fn meets(bounds: Rect, width: i32, height: i32) -> bool {
    let right = i64::from(bounds.x) + i64::from(bounds.width.max(1));
    let bottom = i64::from(bounds.y) + i64::from(bounds.height.max(1));
    bounds.x < width && bounds.y < height && right > 0 && bottom > 0
}

impl Cut {
    pub(crate) fn describe(self, out: &mut String) {
        let _ = match self {
            Self::Depth => write!(out, " (truncated: what it contains was not read)"),
            Self::OffScreen { shown, of } => write!(out, " (truncated: {shown} of {of} children, those on screen)"),
        };
    }
}

pub(crate) fn is_operable(element: &Element) -> bool {
    !element.verbs.is_empty() || !element.actions.is_empty()
}

pub(crate) fn takes(element: &Element, verb: Verb) -> bool {
    element.verbs.contains(&verb)
}

/// Whether name, description, value or role contain `lowered`, which is in lower case.
pub(crate) fn contains(element: &Element, lowered: &str) -> bool {
    element.role.to_lowercase().contains(lowered) || contains_text(element, lowered)
}

/// The same without the role.
pub(crate) fn contains_text(element: &Element, lowered: &str) -> bool {
    let has = |text: &str| text.to_lowercase().contains(lowered);
    has(element.name.expose())
        || has(element.description.expose())
        || match &element.value {
            Some(Value::Text { text, .. }) => has(text.expose()),
            Some(Value::Number { current, .. }) => has(&current.get().to_string()),
            Some(Value::Withheld {}) | None => false,
        }
}

/// Whether the whole value is known and is exactly this.
pub(crate) fn value_is(element: &Element, expected: &str) -> bool {
    match &element.value {
        Some(Value::Text { text, characters }) => {
            text.expose() == expected && *characters == expected.chars().count() as u64
        }
        Some(Value::Number { current, .. }) => expected.trim().parse() == Ok(current.get()),
        Some(Value::Withheld {}) | None => false,
    }
}

/// How the model and the person name an application.
pub(crate) fn application_id(identity: &ApplicationIdentity) -> &str {
    match identity {
        ApplicationIdentity::DesktopEntry { id }
        | ApplicationIdentity::Flatpak { id }
        | ApplicationIdentity::Snap { id } => id,
        ApplicationIdentity::Script { path, .. } | ApplicationIdentity::Executable { path } => path,
    }
}
