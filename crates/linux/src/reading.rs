//! A window's tree as the executor wants it: what is on screen, with its details, in the window's pixels.

use crate::{
    accessible::{Client, Interfaces, Reference},
    bounds,
    bus::CallError,
    family, role, scrolling,
    skeleton::{Bone, Reach, Skeleton},
};
use atspi_common::{Role, State as Bit};
use futures_util::{StreamExt, stream::FuturesUnordered};
use surehand_contract::UiText;
use surehand_executor::{Node, Omission, Rect, State, States, ToolkitFamily, Value, Verbs, text_digest};
use tokio::time::timeout_at;

/// Where the window is, for turning what the toolkit says into the window's pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) family: ToolkitFamily,
    /// Root-window pixels of the X window's client area.
    pub(crate) window: Rect,
    /// The accessible frame's own extents, as the toolkit says them.
    pub(crate) accessible: Rect,
}

impl Frame {
    /// GTK4 speaks relative to a node that leaves out the shadow's padding on every side alike.
    fn place(&self, said: Rect) -> Rect {
        if family::extents_are_window_relative(self.family) {
            let left = (self.window.width - self.accessible.width) / 2;
            let top = (self.window.height - self.accessible.height) / 2;
            Rect { x: said.x + left, y: said.y + top, ..said }
        } else {
            Rect { x: said.x - self.window.x, y: said.y - self.window.y, ..said }
        }
    }

    fn area(&self) -> Rect {
        Rect { x: 0, y: 0, width: self.window.width, height: self.window.height }
    }
}

/// What is known of one bone after its details were read. `None`: it is not on screen.
#[derive(Debug)]
struct Detail {
    bounds: Option<Rect>,
    actions: Vec<String>,
    description: String,
    value: Option<Value>,
}

pub(crate) struct Flesh {
    pub(crate) nodes: Vec<Node<Reference>>,
    pub(crate) omissions: Vec<Omission>,
    /// For each node, its place in the skeleton.
    pub(crate) bones: Vec<usize>,
}

/// Reads the details of what shows and lays the nodes out in depth-first order. `always` keeps one bone and its
/// ancestors even if it does not show.
pub(crate) async fn flesh_out(
    client: Client<'_>,
    frame: Frame,
    skeleton: &Skeleton,
    reach: Reach,
    elements: usize,
    text_characters: usize,
) -> Result<Flesh, CallError> {
    let mut details: Vec<Option<Detail>> = Vec::new();
    details.resize_with(skeleton.bones.len(), || None);
    let mut asked: FuturesUnordered<_> = skeleton
        .bones
        .iter()
        .enumerate()
        .filter(|(_, bone)| shows(frame.family, bone))
        .map(|(place, bone)| async move { (place, detail(client, frame, skeleton, bone, text_characters).await) })
        .collect();
    let mut unread = skeleton.unread;
    loop {
        match timeout_at(reach.deadline, asked.next()).await {
            Ok(None) => break,
            Ok(Some((place, Ok(detail)))) => details[place] = detail,
            Ok(Some((_, Err(CallError::Declined | CallError::Malformed)))) => unread += 1,
            Ok(Some((_, Err(error)))) => return Err(error),
            Err(_) => {
                unread += asked.len() as u64;
                break;
            }
        }
    }
    hide_what_is_shut(skeleton, &mut details);
    Ok(lay_out(frame, skeleton, details, elements, unread))
}

fn shows(family: ToolkitFamily, bone: &Bone) -> bool {
    bone.parent.is_none()
        || if family::marks_what_shows(family) { bone.facts.has(Bit::Showing) } else { bone.facts.has(Bit::Visible) }
}

async fn detail(
    client: Client<'_>,
    frame: Frame,
    skeleton: &Skeleton,
    bone: &Bone,
    text_characters: usize,
) -> Result<Option<Detail>, CallError> {
    let path = &*bone.reference.path;
    let bounds = match bone.facts.interfaces.has(Interfaces::COMPONENT) {
        true => known_place(client.extents(path).await?).map(|said| frame.place(said)),
        false => None,
    };
    let on_screen = bone.parent.is_none()
        || bounds
            .is_none_or(|place| place.intersects(&frame.area()) || has_surface(&place) && is_in_popup(skeleton, bone));
    if !on_screen {
        return Ok(None);
    }
    let (actions, description, value) =
        tokio::try_join!(actions(client, bone), description(client, bone), value(client, bone, text_characters))?;
    Ok(Some(Detail { bounds, actions, description, value }))
}

/// ATK answers −1 for everything when an object has no place of its own.
fn known_place(said: Rect) -> Option<Rect> {
    (said.width >= 0 && said.height >= 0).then_some(said)
}

const fn has_surface(place: &Rect) -> bool {
    place.width > 0 && place.height > 0
}

fn is_in_popup(skeleton: &Skeleton, bone: &Bone) -> bool {
    let mut current = bone.parent;
    while let Some(place) = current {
        let ancestor = &skeleton.bones[place];
        if ancestor.parent.is_some() && role::is(ancestor.facts.role, role::POPUPS) {
            return true;
        }
        current = ancestor.parent;
    }
    false
}

async fn actions(client: Client<'_>, bone: &Bone) -> Result<Vec<String>, CallError> {
    if !bone.facts.interfaces.has(Interfaces::ACTION) {
        return Ok(Vec::new());
    }
    tolerate(client.action_names(&bone.reference.path).await, Vec::new)
}

/// Only where there is no name: what the object would otherwise be known by.
async fn description(client: Client<'_>, bone: &Bone) -> Result<String, CallError> {
    let wanted = bone.facts.name.is_empty() && bone.facts.has(Bit::Focusable);
    if wanted { tolerate(client.description(&bone.reference.path).await, String::new) } else { Ok(String::new()) }
}

async fn value(client: Client<'_>, bone: &Bone, text_characters: usize) -> Result<Option<Value>, CallError> {
    let (path, facts) = (&*bone.reference.path, &bone.facts);
    // The text of a password is never asked for: GTK4's password entry would answer with it in clear.
    if role::is(facts.role, &[Role::PasswordText]) {
        return Ok(Some(Value::Withheld));
    }
    if facts.interfaces.has(Interfaces::VALUE) && role::is(facts.role, role::QUANTITIES) {
        return tolerate(number(client, path).await.map(Some), || None);
    }
    let is_text = facts.has(Bit::Editable) || role::is(facts.role, role::TEXTS);
    let is_label = facts.name.is_empty() && role::is(facts.role, role::LABELS);
    if facts.interfaces.has(Interfaces::TEXT) && (is_text || is_label) {
        let text = tolerate(text(client, path, text_characters).await.map(Some), || None)?;
        return Ok(text.filter(|text| facts.has(Bit::Editable) || !stands_for_children(text)));
    }
    Ok(None)
}

/// A text of nothing but marks for embedded objects: the elements below are all there is to it.
fn stands_for_children(value: &Value) -> bool {
    const EMBEDDED_OBJECT: char = '\u{fffc}';
    match value {
        Value::Text { text, .. } => {
            !text.expose().is_empty() && text.expose().chars().all(|character| character == EMBEDDED_OBJECT)
        }
        Value::Number { .. } | Value::Withheld => false,
    }
}

async fn text(client: Client<'_>, path: &str, text_characters: usize) -> Result<Value, CallError> {
    let characters = client.character_count(path).await?.max(0);
    let read = characters.min(bounds::TEXT_READ_CHARACTERS);
    let text = if read == 0 { String::new() } else { client.text(path, read).await? };
    let digest = text_digest(&text);
    let shown: String = text.chars().take(text_characters).collect();
    Ok(Value::Text { text: UiText::new(shown), characters: u64::from(characters.unsigned_abs()), digest })
}

async fn number(client: Client<'_>, path: &str) -> Result<Value, CallError> {
    // Chromium declines the minimum of a number field that has none.
    let limit = |name| async move { tolerate(client.number(path, name).await, || f64::NAN) };
    let (current, minimum, maximum, increment) = tokio::try_join!(
        client.number(path, "CurrentValue"),
        limit("MinimumValue"),
        limit("MaximumValue"),
        limit("MinimumIncrement"),
    )?;
    Ok(Value::Number { current, minimum, maximum, increment })
}

/// An object that does not offer what its interfaces promise is read without it; a hung or lost application is
/// not.
fn tolerate<T>(answer: Result<T, CallError>, without: impl FnOnce() -> T) -> Result<T, CallError> {
    match answer {
        Err(CallError::Declined | CallError::Malformed) => Ok(without()),
        other => other,
    }
}

/// Qt's closed combo box keeps its list, hidden or of no size, and the items with places they have nowhere.
fn hide_what_is_shut(skeleton: &Skeleton, details: &mut [Option<Detail>]) {
    let mut is_shut = vec![false; skeleton.bones.len()];
    for (place, bone) in skeleton.bones.iter().enumerate() {
        let Some(parent) = bone.parent else { continue };
        let has_no_place =
            || details[place].as_ref().is_none_or(|detail| detail.bounds.is_some_and(|bounds| !has_surface(&bounds)));
        let is_list_of_combo_box =
            role::is(bone.facts.role, &[Role::List]) && role::is(skeleton.bones[parent].facts.role, &[Role::ComboBox]);
        is_shut[place] = is_shut[parent] || is_list_of_combo_box && has_no_place();
        if is_shut[place] {
            details[place] = None;
        }
    }
}

fn lay_out(frame: Frame, skeleton: &Skeleton, mut details: Vec<Option<Detail>>, elements: usize, unread: u64) -> Flesh {
    let kept = keep_with_ancestors(skeleton, &details);
    let mut flesh = Flesh { nodes: Vec::new(), omissions: Vec::new(), bones: Vec::new() };
    let mut places = vec![None; skeleton.bones.len()];
    let mut pending = vec![0];
    let mut left_out = skeleton.cut_by_count;
    while let Some(bone) = pending.pop() {
        if !kept[bone] {
            continue;
        }
        if flesh.nodes.len() >= elements {
            left_out += 1;
            continue;
        }
        places[bone] = Some(flesh.nodes.len());
        let parent = skeleton.bones[bone].parent.and_then(|parent| places[parent]);
        flesh.nodes.push(node(frame.family, skeleton, bone, parent, details[bone].take()));
        flesh.bones.push(bone);
        pending.extend(skeleton.bones[bone].children.iter().rev());
    }
    flesh.omissions = omissions(skeleton, &places, left_out, unread);
    flesh
}

fn keep_with_ancestors(skeleton: &Skeleton, details: &[Option<Detail>]) -> Vec<bool> {
    let mut kept = vec![false; skeleton.bones.len()];
    for place in (0..skeleton.bones.len()).rev() {
        let matters = details[place].as_ref().is_some_and(|detail| detail.bounds.as_ref().is_none_or(has_surface));
        if kept[place] || matters {
            kept[place] = true;
            if let Some(parent) = skeleton.bones[place].parent {
                kept[parent] = true;
            }
        }
    }
    if let Some(root) = kept.first_mut() {
        *root = true;
    }
    kept
}

fn omissions(skeleton: &Skeleton, places: &[Option<usize>], left_out: u64, unread: u64) -> Vec<Omission> {
    let mut omissions = Vec::new();
    if left_out > 0 {
        omissions.push(Omission::Elements { left_out });
    }
    omissions
        .extend(skeleton.cut_by_depth.iter().filter_map(|bone| places[*bone]).map(|node| Omission::Depth { node }));
    for container in skeleton.virtuals.iter().filter(|container| container.read < container.of) {
        if let Some(node) = places[container.bone] {
            omissions.push(Omission::OffScreen { node, shown: container.read, of: container.of });
        }
    }
    if unread > 0 {
        omissions.push(Omission::Time { unread });
    }
    if skeleton.malformed > 0 {
        omissions.push(Omission::Malformed { nodes: skeleton.malformed });
    }
    omissions
}

fn node(
    family: ToolkitFamily,
    skeleton: &Skeleton,
    place: usize,
    parent: Option<usize>,
    detail: Option<Detail>,
) -> Node<Reference> {
    let bone = &skeleton.bones[place];
    let detail =
        detail.unwrap_or(Detail { bounds: None, actions: Vec::new(), description: String::new(), value: None });
    Node {
        reference: bone.reference.clone(),
        parent,
        index_in_parent: bone.index_in_parent,
        role: role::name(bone.facts.role),
        name: UiText::new(bone.facts.name.clone()),
        description: UiText::new(detail.description),
        states: states(family, bone),
        verbs: verbs(family, skeleton, place, &detail.actions),
        actions: detail.actions,
        value: detail.value,
        bounds: detail.bounds.filter(has_surface),
    }
}

fn states(family: ToolkitFamily, bone: &Bone) -> States {
    const SAME: &[(Bit, State)] = &[
        (Bit::Focusable, State::Focusable),
        (Bit::Focused, State::Focused),
        (Bit::Selectable, State::Selectable),
        (Bit::Selected, State::Selected),
        (Bit::Checkable, State::Checkable),
        (Bit::Checked, State::Checked),
        (Bit::Indeterminate, State::Indeterminate),
        (Bit::Pressed, State::Pressed),
        (Bit::Expandable, State::Expandable),
        (Bit::Expanded, State::Expanded),
        (Bit::Editable, State::Editable),
        (Bit::ReadOnly, State::ReadOnly),
        (Bit::MultiLine, State::Multiline),
        (Bit::Modal, State::Modal),
        (Bit::Required, State::Required),
        (Bit::InvalidEntry, State::Invalid),
        (Bit::Busy, State::Busy),
        (Bit::IsDefault, State::Default),
        (Bit::Active, State::Active),
        (Bit::HasPopup, State::HasPopup),
        (Bit::ManagesDescendants, State::ManagesDescendants),
    ];
    let mut states = SAME
        .iter()
        .filter(|(bit, _)| bone.facts.has(*bit))
        .fold(States::default(), |states, (_, state)| states.with(*state));
    if shows(family, bone) {
        states = states.with(State::Showing);
    }
    // GTK4 sets only "sensitive", and containers of every toolkit only one of the two.
    if bone.facts.has(Bit::Enabled) || bone.facts.has(Bit::Sensitive) {
        states = states.with(State::Enabled);
    }
    if role::is(bone.facts.role, &[Role::PasswordText]) {
        states = states.with(State::Protected);
    }
    states
}

/// What a click is called by the toolkits, in order of preference. Compared without case.
const CLICKS: &[&str] = &["click", "press", "activate", "toggle", "check", "uncheck", "jump", "open", "select"];

/// The advertised action that does what a click does. Actions are chosen by name only: GTK4 text views list
/// "buffer.delete-line" first.
pub(crate) fn click_action(actions: &[String]) -> Option<usize> {
    CLICKS.iter().find_map(|click| actions.iter().position(|action| action.eq_ignore_ascii_case(click)))
}

pub(crate) fn select_action(actions: &[String]) -> Option<usize> {
    actions.iter().position(|action| action.eq_ignore_ascii_case("select"))
}

fn verbs(family: ToolkitFamily, skeleton: &Skeleton, place: usize, actions: &[String]) -> Verbs {
    if family == ToolkitFamily::Qt && is_choice_of_combo_box(skeleton, place) {
        return Verbs::default();
    }
    let bone = &skeleton.bones[place];
    let facts = &bone.facts;
    let parent = bone.parent.map(|parent| &skeleton.bones[parent].facts);
    let writes_text = facts.interfaces.has(Interfaces::EDITABLE_TEXT) && facts.has(Bit::Editable);
    let is_quantity = role::is(facts.role, role::QUANTITIES) && !role::is(facts.role, role::READ_ONLY_QUANTITIES);
    let is_editable_cell = role::is(facts.role, &[Role::TableCell]) && facts.has(Bit::Editable);
    let writes_number = facts.interfaces.has(Interfaces::VALUE) && (is_quantity || is_editable_cell);
    let is_chosen_in_parent = parent.is_some_and(|parent| {
        parent.interfaces.has(Interfaces::SELECTION)
            || parent.interfaces.has(Interfaces::TABLE) && facts.has(Bit::Selectable)
    });
    Verbs {
        click: click_action(actions).is_some(),
        set_value: writes_text || writes_number,
        select: is_chosen_in_parent && !role::is(facts.role, &[Role::Filler, Role::Panel, Role::ScrollBar])
            || select_action(actions).is_some(),
        scroll: scrolling::has_bar(skeleton, place),
    }
}

/// Qt shows a combo box's choices, and takes a click or a selection of one that chooses nothing.
fn is_choice_of_combo_box(skeleton: &Skeleton, place: usize) -> bool {
    let ancestors = std::iter::successors(skeleton.bones[place].parent, |above| skeleton.bones[*above].parent);
    role::is(skeleton.bones[place].facts.role, &[Role::ListItem])
        && ancestors.into_iter().any(|above| role::is(skeleton.bones[above].facts.role, &[Role::ComboBox]))
}
