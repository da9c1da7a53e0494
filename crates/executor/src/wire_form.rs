//! The desktop's types as the wire writes them.

use crate::{
    Accessibility, Acted, Action, Application, ApplicationIdentity, Capability, Claimed, DesktopPart, Detail,
    Direction, Failure, Node, Omission, Rect, Route, SetValue, State, Toolkit, ToolkitFamily, Value, Verbs, Visibility,
    Window, bounds, snapshot::Look,
};
use std::collections::HashMap;
use surehand_contract::UiText;
use surehand_wire as wire;
use surehand_wire::{ElementToken, FiniteNumber, TextField, Verb};

pub(crate) fn domain_error(failure: Failure) -> wire::DomainError {
    wire::DomainError { code: failure.code, detail: failure.detail.map(detail) }
}

fn detail(detail: Detail) -> wire::Detail {
    match detail {
        Detail::AccessibilityOff { toolkit, application, flag } => wire::Detail::AccessibilityOff {
            toolkit: toolkit_family(toolkit),
            application,
            flag: flag.map(str::to_owned),
        },
        Detail::Missing(part) => wire::Detail::Missing {
            part: match part {
                DesktopPart::Display => wire::DesktopPart::Display,
                DesktopPart::SessionBus => wire::DesktopPart::SessionBus,
                DesktopPart::AccessibilityBus => wire::DesktopPart::AccessibilityBus,
            },
        },
        Detail::DeadlineMs(ms) => wire::Detail::Deadline { ms },
    }
}

pub(crate) fn application(application: Application) -> wire::Application {
    wire::Application {
        identity: application_identity(&application.identity),
        process: application.process,
        name: cut(&application.name).0,
        toolkit: application.toolkit.as_ref().map(toolkit),
        accessibility: accessibility(application.accessibility),
        windows: application.windows,
    }
}

pub(crate) fn application_identity(identity: &ApplicationIdentity) -> wire::ApplicationIdentity {
    match identity.clone() {
        ApplicationIdentity::DesktopEntry(id) => wire::ApplicationIdentity::DesktopEntry { id },
        ApplicationIdentity::Flatpak(id) => wire::ApplicationIdentity::Flatpak { id },
        ApplicationIdentity::Snap(id) => wire::ApplicationIdentity::Snap { id },
        ApplicationIdentity::Script { interpreter, path } => wire::ApplicationIdentity::Script { interpreter, path },
        ApplicationIdentity::Executable(path) => wire::ApplicationIdentity::Executable { path },
    }
}

fn toolkit(toolkit: &Toolkit) -> wire::Toolkit {
    wire::Toolkit {
        family: toolkit_family(toolkit.family),
        name: toolkit.name.clone(),
        version: toolkit.version.clone(),
    }
}

const fn toolkit_family(family: ToolkitFamily) -> wire::ToolkitFamily {
    match family {
        ToolkitFamily::Gtk3 => wire::ToolkitFamily::Gtk3,
        ToolkitFamily::Gtk4 => wire::ToolkitFamily::Gtk4,
        ToolkitFamily::Qt => wire::ToolkitFamily::Qt,
        ToolkitFamily::Chromium => wire::ToolkitFamily::Chromium,
        ToolkitFamily::LibreOffice => wire::ToolkitFamily::LibreOffice,
        ToolkitFamily::Other => wire::ToolkitFamily::Other,
    }
}

const fn accessibility(accessibility: Accessibility) -> wire::Accessibility {
    match accessibility {
        Accessibility::Ready => wire::Accessibility::Ready,
        Accessibility::Off => wire::Accessibility::Off,
    }
}

pub(crate) fn window(window: &Window) -> wire::Window {
    wire::Window {
        target: window.target.clone(),
        application: application_identity(&window.application),
        title: cut(&window.title).0,
        bounds: rect(window.bounds),
        visibility: visibility(window.visibility),
        active: window.active,
        accessibility: accessibility(window.accessibility),
    }
}

const fn visibility(visibility: Visibility) -> wire::Visibility {
    match visibility {
        Visibility::Shown => wire::Visibility::Shown,
        Visibility::Minimised => wire::Visibility::Minimised,
        Visibility::OtherWorkspace => wire::Visibility::OtherWorkspace,
        Visibility::Unmapped => wire::Visibility::Unmapped,
    }
}

const fn rect(rect: Rect) -> wire::Rect {
    let Rect { x, y, width, height } = rect;
    wire::Rect { x, y, width, height }
}

/// One look as a snapshot. `tokens` holds a token for each shown element, by its position.
pub(crate) fn snapshot<R>(
    id: &wire::SnapshotId,
    captured_at: wire::CapturedAt,
    announcements: u64,
    look: &Look<R>,
    tokens: &HashMap<usize, ElementToken>,
) -> wire::Snapshot {
    let window = look.window();
    let mut depths: Vec<u32> = Vec::with_capacity(look.tree.nodes.len());
    let mut elements = Vec::with_capacity(tokens.len());
    for (position, node) in look.tree.nodes.iter().enumerate() {
        depths.push(node.parent.and_then(|parent| depths.get(parent)).map_or(0, |depth| depth + 1));
        if let Some(token) = tokens.get(&position) {
            let parent_token = node.parent.and_then(|parent| tokens.get(&parent)).cloned();
            elements.push(element(look, position, token.clone(), parent_token, depths[position]));
        }
    }
    let left_out = (look.tree.nodes.len() - elements.len()) as u64;
    let mut omissions: Vec<_> = look.tree.omissions.iter().filter_map(|left| omission(left, tokens)).collect();
    if left_out > 0 {
        omissions.push(wire::Omission::Response { left_out });
    }
    wire::Snapshot {
        snapshot_id: id.clone(),
        captured_at,
        target: window.target.clone(),
        application: application_identity(&window.application),
        toolkit: look.tree.toolkit.as_ref().map(toolkit),
        title: cut(&window.title).0,
        bounds: rect(window.bounds),
        visibility: visibility(window.visibility),
        active: window.active,
        window_digest: look.window_digest,
        elements,
        omissions,
        announcements,
    }
}

fn element<R>(
    look: &Look<R>,
    position: usize,
    token: ElementToken,
    parent_token: Option<ElementToken>,
    depth: u32,
) -> wire::Element {
    let node = &look.tree.nodes[position];
    let (name, name_is_cut) = cut(&node.name);
    let (description, description_is_cut) = cut(&node.description);
    let (value, value_is_cut) = node.value.as_ref().map_or((None, false), value);
    let cuts = [
        (name_is_cut, TextField::Name),
        (description_is_cut, TextField::Description),
        (value_is_cut, TextField::Value),
    ];
    wire::Element {
        token,
        stable_id: look.stable_ids[position],
        parent_token,
        depth,
        role: node.role.clone().into_owned(),
        name,
        description,
        states: node.states.iter().map(state).collect(),
        actions: node.actions.clone(),
        verbs: verbs(node),
        value,
        bounds: node.bounds.map(rect),
        digest: look.digests[position],
        truncated: cuts.into_iter().filter(|(is_cut, _)| *is_cut).map(|(_, field)| field).collect(),
    }
}

fn verbs<R>(node: &Node<R>) -> Vec<Verb> {
    let Verbs { click, set_value, select, scroll } = node.verbs;
    let offered = [
        (click, Verb::Click),
        (set_value, Verb::SetValue),
        (select, Verb::Select),
        (scroll, Verb::Scroll),
        (!node.actions.is_empty(), Verb::Perform),
    ];
    offered.into_iter().filter(|(offered, _)| *offered).map(|(_, verb)| verb).collect()
}

/// The value, and whether its text is only a beginning.
fn value(value: &Value) -> (Option<wire::Value>, bool) {
    match value {
        Value::Withheld => (Some(wire::Value::Withheld {}), false),
        Value::Text { text, characters, .. } => {
            let (text, is_cut) = cut(text);
            let is_cut = is_cut || (text.characters() as u64) < *characters;
            (Some(wire::Value::Text { text, characters: *characters }), is_cut)
        }
        Value::Number { current, minimum, maximum, increment } => {
            let finite = |number: &f64| FiniteNumber::new(*number).ok();
            let number = finite(current).map(|current| wire::Value::Number {
                current,
                minimum: finite(minimum),
                maximum: finite(maximum),
                increment: finite(increment),
            });
            (number, false)
        }
    }
}

/// The beginning of a text, and whether there is more.
fn cut(text: &UiText) -> (UiText, bool) {
    match text.expose().char_indices().nth(bounds::TEXT_CHARACTERS) {
        None => (text.clone(), false),
        Some((end, _)) => (UiText::new(&text.expose()[..end]), true),
    }
}

fn omission(omission: &Omission, tokens: &HashMap<usize, ElementToken>) -> Option<wire::Omission> {
    let token = |node: &usize| tokens.get(node).cloned();
    Some(match omission {
        Omission::Elements { left_out } => wire::Omission::Elements { left_out: *left_out },
        Omission::Depth { node } => wire::Omission::Depth { under: token(node)? },
        Omission::OffScreen { node, shown, of } => {
            wire::Omission::OffScreen { under: token(node)?, shown: *shown, of: *of }
        }
        Omission::Time { unread } => wire::Omission::Time { unread: *unread },
        Omission::NotShown => wire::Omission::NotShown {},
        Omission::Malformed { nodes } => wire::Omission::Malformed { nodes: *nodes },
    })
}

const fn state(state: State) -> wire::State {
    match state {
        State::Showing => wire::State::Showing,
        State::Enabled => wire::State::Enabled,
        State::Focusable => wire::State::Focusable,
        State::Focused => wire::State::Focused,
        State::Selectable => wire::State::Selectable,
        State::Selected => wire::State::Selected,
        State::Checkable => wire::State::Checkable,
        State::Checked => wire::State::Checked,
        State::Indeterminate => wire::State::Indeterminate,
        State::Pressed => wire::State::Pressed,
        State::Expandable => wire::State::Expandable,
        State::Expanded => wire::State::Expanded,
        State::Editable => wire::State::Editable,
        State::ReadOnly => wire::State::ReadOnly,
        State::Multiline => wire::State::Multiline,
        State::Modal => wire::State::Modal,
        State::Required => wire::State::Required,
        State::Invalid => wire::State::Invalid,
        State::Busy => wire::State::Busy,
        State::Default => wire::State::Default,
        State::Active => wire::State::Active,
        State::HasPopup => wire::State::HasPopup,
        State::Protected => wire::State::Protected,
        State::ManagesDescendants => wire::State::ManagesDescendants,
    }
}

pub(crate) fn action(action: wire::Action) -> Action {
    match action {
        wire::Action::Click {} => Action::Click,
        wire::Action::Select {} => Action::Select,
        wire::Action::Perform { name } => Action::Perform { name },
        wire::Action::SetValue { value } => Action::SetValue(match value {
            wire::SetValue::Text { text } => SetValue::Text(text),
            wire::SetValue::Number { number } => SetValue::Number(number.get()),
        }),
        wire::Action::Scroll { direction, pages } => Action::Scroll {
            direction: match direction {
                wire::Direction::Up => Direction::Up,
                wire::Direction::Down => Direction::Down,
                wire::Direction::Left => Direction::Left,
                wire::Direction::Right => Direction::Right,
            },
            pages,
        },
    }
}

pub(crate) const fn route(acted: &Acted) -> wire::Route {
    match acted.route {
        Route::A11yAction => wire::Route::A11yAction,
        Route::A11yValue => wire::Route::A11yValue,
        Route::A11yText => wire::Route::A11yText,
        Route::A11ySelection => wire::Route::A11ySelection,
        Route::None => wire::Route::None,
    }
}

pub(crate) fn capability(capability: Capability) -> wire::Capability {
    wire::Capability {
        name: capability.name.to_owned(),
        claim: match capability.claim {
            Claimed::Claimed => wire::Claim::Claimed,
            Claimed::Degraded => wire::Claim::Degraded,
            Claimed::NotClaimed => wire::Claim::NotClaimed,
        },
        evidence: capability.evidence,
    }
}
