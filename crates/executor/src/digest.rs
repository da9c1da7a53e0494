//! What an element was when it was observed. One function records it and checks it again.

use crate::{Lineage, Node, Rect, State, States, Tree, Value, Witness, bounds, twins::Twins};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use surehand_contract::Digest;

/// The digest of a whole text, as [`Value::Text`] carries it: SHA-256 of its UTF-8 bytes.
pub fn text_digest(text: &str) -> Digest {
    Digest::from_bytes(Sha256::digest(text.as_bytes()).into())
}

/// What the element at `position` of a window's whole tree is, where it stands and what it belongs to.
///
/// Covered: the element's role, name, states that gate actions, sorted actions, whole value, place in the window
/// and index; the role, name and index of each ancestor; the texts of the row around it: a row, list item, cell or
/// dialog, else what parts it from its twins. Left out: what changes without changing what the element is, as focus,
/// showing and busy.
///
/// # Panics
/// If there is no node at `position`.
pub fn element_digest<R>(tree: &Tree<R>, position: usize) -> Digest {
    digest_with(tree, position, Row::of(tree, &Twins::of(tree), position), &mut HashMap::new())
}

/// [`element_digest`] of every element.
pub fn element_digests<R>(tree: &Tree<R>) -> Vec<Digest> {
    let (twins, mut subjects) = (Twins::of(tree), HashMap::new());
    let digest = |position| digest_with(tree, position, Row::of(tree, &twins, position), &mut subjects);
    (0..tree.nodes.len()).map(digest).collect()
}

/// [`element_digest`] of what a witness read of a window by this lineage: equal as long as nothing it covers changed.
///
/// # Panics
/// If the witness does not hold its element.
pub fn witnessed_digest<R>(witness: &Witness<R>, lineage: &Lineage<R>) -> Digest {
    let Witness { tree, element, .. } = witness;
    digest_with(tree, *element, Row::witnessed(tree, *element, lineage.row), &mut HashMap::new())
}

/// `subjects` keeps what was already found out about the rows of this tree.
fn digest_with<R>(
    tree: &Tree<R>,
    position: usize,
    row: Option<Row>,
    subjects: &mut HashMap<(usize, bool), Digest>,
) -> Digest {
    let node = &tree.nodes[position];
    let mut hash = Fields::new("element");
    hash.text(&node.role);
    hash.text(node.name.expose());
    hash_states(&mut hash, node);
    let mut actions: Vec<&str> = node.actions.iter().map(String::as_str).collect();
    actions.sort_unstable();
    hash.number(actions.len() as u64);
    actions.iter().for_each(|action| hash.text(action));
    hash_value(&mut hash, node.value.as_ref());
    hash_place(&mut hash, node);
    hash.number(node.index_in_parent.into());
    for ancestor in ancestors(tree, position).map(|ancestor| &tree.nodes[ancestor]) {
        hash.text(&ancestor.role);
        hash.text(ancestor.name.expose());
        hash.number(ancestor.index_in_parent.into());
    }
    if let Some(row) = row {
        hash.text("row");
        hash.bytes(
            subjects.entry((row.root, row.companions.is_empty())).or_insert_with(|| row.subject(tree)).as_bytes(),
        );
    }
    hash.finish()
}

/// What a window shows: its elements in any order, its title and its size.
pub fn window_digest<R>(tree: &Tree<R>, elements: &[Digest]) -> Digest {
    let mut sorted: Vec<&Digest> = elements.iter().collect();
    sorted.sort_unstable();
    let mut hash = Fields::new("window");
    hash.text(tree.window.title.expose());
    hash.signed(tree.window.bounds.width);
    hash.signed(tree.window.bounds.height);
    hash.number(sorted.len() as u64);
    sorted.into_iter().for_each(|digest| hash.bytes(digest.as_bytes()));
    hash.finish()
}

/// What a witness has to read again for [`witnessed_digest`].
///
/// # Panics
/// If there is no node at `position`.
pub fn lineage<R: Clone>(tree: &Tree<R>, position: usize) -> Lineage<R> {
    let mut path: Vec<usize> = ancestors(tree, position).collect();
    path.reverse();
    let row = Row::of(tree, &Twins::of(tree), position);
    let of = |position: &usize| tree.nodes[*position].reference.clone();
    let place = |position: &usize| tree.nodes[*position].index_in_parent;
    let companions = row.as_ref().map(|row| row.companions.as_slice()).unwrap_or_default();
    Lineage {
        ancestors: path.iter().map(of).collect(),
        element: of(&position),
        places: path.iter().chain([&position]).map(place).collect(),
        row: row.as_ref().map(|row| path.iter().position(|ancestor| *ancestor == row.root).unwrap_or(path.len())),
        companions: companions.iter().map(of).collect(),
        companion_places: companions.iter().map(place).collect(),
    }
}

/// From the parent outwards. Ends, whatever the tree says of its parents.
pub(crate) fn ancestors<R>(tree: &Tree<R>, position: usize) -> impl Iterator<Item = usize> {
    let outwards = |child: &usize| tree.nodes[*child].parent.filter(|parent| parent < child);
    std::iter::successors(outwards(&position), outwards)
}

/// States that decide what an action would do. `pressed` is one only where it lasts.
const GATING: [State; 13] = [
    State::Enabled,
    State::Selectable,
    State::Selected,
    State::Checkable,
    State::Checked,
    State::Indeterminate,
    State::Expandable,
    State::Expanded,
    State::Editable,
    State::ReadOnly,
    State::Modal,
    State::HasPopup,
    State::Protected,
];

/// Whether `pressed` is a state the element stays in, and not the moment of a click.
pub(crate) fn stays_pressed(role: &str, states: States) -> bool {
    role == "toggle button" || states.has(State::Checkable)
}

fn hash_states<R>(hash: &mut Fields, node: &Node<R>) {
    GATING.iter().filter(|state| node.states.has(**state)).for_each(|state| hash.text(state.as_str()));
    if node.states.has(State::Pressed) && stays_pressed(&node.role, node.states) {
        hash.text(State::Pressed.as_str());
    }
    hash.text("states end");
}

fn hash_value(hash: &mut Fields, value: Option<&Value>) {
    match value {
        None => hash.text("no value"),
        Some(Value::Withheld) => hash.text("withheld"),
        Some(Value::Text { characters, digest, .. }) => {
            hash.text("text");
            hash.number(*characters);
            hash.bytes(digest.as_bytes());
        }
        Some(Value::Number { current, minimum, maximum, increment }) => {
            hash.text("number");
            [current, minimum, maximum, increment].into_iter().for_each(|part| hash.number(part.to_bits()));
        }
    }
}

fn hash_place<R>(hash: &mut Fields, node: &Node<R>) {
    match node.bounds {
        None => hash.text("nowhere"),
        Some(place) => {
            hash.text("at");
            [place.x, place.y, place.width, place.height].into_iter().for_each(|part| hash.signed(part));
        }
    }
}

/// What a node says about the subject of its row. Numbers are left out: a bar that moves changes no subject.
fn hash_subject<R>(hash: &mut Fields, node: &Node<R>) {
    let text = match &node.value {
        Some(Value::Text { digest, characters, .. }) if *characters > 0 => Some(digest),
        _ => None,
    };
    if node.name.is_empty() && text.is_none() {
        return;
    }
    hash.text(node.name.expose());
    match text {
        Some(digest) => hash.bytes(digest.as_bytes()),
        None => hash.text("no text"),
    }
}

/// The row, list item, cell, dialog or other part of a window that says what an element is about.
struct Row {
    root: usize,
    is_dialog: bool,
    /// The other cells of a row that has no node of its own.
    companions: Vec<usize>,
}

const ROWS: &[&str] = &["table row", "tree item", "list item"];
const CELLS: &[&str] = &["table cell", "table row header"];
const DIALOGS: &[&str] = &["dialog", "alert", "file chooser", "color chooser", "font chooser"];
/// What has rows of its own: a dialog is not about what its lists show.
const CONTAINERS: &[&str] = &["table", "tree", "tree table", "list", "list box"];

impl Row {
    fn of<R>(tree: &Tree<R>, twins: &Twins, position: usize) -> Option<Self> {
        Self::around(tree, position).or_else(|| Self::apart(tree, twins.root(tree, position)?, position))
    }

    /// The same in what a witness read. Twins are not in it: which part holds none of them was found when it was observed.
    fn witnessed<R>(tree: &Tree<R>, position: usize, root: Option<usize>) -> Option<Self> {
        Self::around(tree, position).or_else(|| {
            let mut path: Vec<usize> = std::iter::once(position).chain(ancestors(tree, position)).collect();
            path.reverse();
            Self::apart(tree, *path.get(root?)?, position)
        })
    }

    /// What parts an element from its twins; where they stand in one container side by side, what stands beside it.
    fn apart<R>(tree: &Tree<R>, root: usize, position: usize) -> Option<Self> {
        let companions = if root == position { beside(tree, position) } else { Vec::new() };
        (root != position || !companions.is_empty()).then_some(Self { root, is_dialog: false, companions })
    }

    /// The nearest row or dialog outwards; else the nearest cell, with the cells beside it.
    fn around<R>(tree: &Tree<R>, position: usize) -> Option<Self> {
        let mut cell = None;
        for candidate in std::iter::once(position).chain(ancestors(tree, position)) {
            let role = &*tree.nodes[candidate].role;
            if ROWS.contains(&role) {
                return Some(Self { root: candidate, is_dialog: false, companions: Vec::new() });
            }
            if CELLS.contains(&role) {
                cell = cell.or(Some(candidate));
            }
            if DIALOGS.contains(&role) && cell.is_none() {
                return Some(Self { root: candidate, is_dialog: true, companions: Vec::new() });
            }
        }
        cell.map(|root| Self { root, is_dialog: false, companions: companions(tree, root) })
    }

    fn subject<R>(&self, tree: &Tree<R>) -> Digest {
        let mut hash = Fields::new("subject");
        self.nodes(tree).into_iter().for_each(|node| hash_subject(&mut hash, &tree.nodes[node]));
        hash.finish()
    }

    /// The first of its nodes, in the tree's order.
    fn nodes<R>(&self, tree: &Tree<R>) -> Vec<usize> {
        let mut within = vec![self.root];
        let mut closed = Vec::new();
        for position in self.root + 1..tree.nodes.len() {
            if within.len() == bounds::ROW_NODES {
                break;
            }
            let node = &tree.nodes[position];
            let Some(parent) = node.parent else { break };
            if closed.contains(&parent) {
                closed.push(position);
                continue;
            }
            if !within.contains(&parent) {
                break;
            }
            if self.is_dialog && CONTAINERS.contains(&&*node.role) {
                closed.push(position);
            } else {
                within.push(position);
            }
        }
        within.extend(&self.companions);
        within
    }
}

/// Cells under the same parent that stand in the same band of it.
fn companions<R>(tree: &Tree<R>, cell: usize) -> Vec<usize> {
    siblings(tree, cell, |place, node, other| {
        CELLS.contains(&&*node.role) && other.y == place.y && other.height == place.height
    })
}

/// Whatever has its middle in the band of an element in the same container.
fn beside<R>(tree: &Tree<R>, position: usize) -> Vec<usize> {
    siblings(tree, position, |place, _, other| {
        // Applications give any numbers for places.
        let [top, height, other_top, other_height] = [place.y, place.height, other.y, other.height].map(i64::from);
        (top..top + height).contains(&(other_top + other_height / 2))
    })
}

fn siblings<R>(tree: &Tree<R>, position: usize, fits: impl Fn(&Rect, &Node<R>, &Rect) -> bool) -> Vec<usize> {
    let Some((parent, place)) = tree.nodes[position].parent.zip(tree.nodes[position].bounds) else {
        return Vec::new();
    };
    let fits = |sibling: &usize| {
        let node = &tree.nodes[*sibling];
        let is_sibling = *sibling != position && node.parent == Some(parent);
        is_sibling && node.bounds.is_some_and(|other| fits(&place, node, &other))
    };
    let mut fitting: Vec<usize> = (parent + 1..tree.nodes.len()).filter(fits).take(bounds::ROW_COMPANIONS).collect();
    fitting.sort_by_key(|position| tree.nodes[*position].index_in_parent);
    fitting
}

/// A hash over parts that cannot run into each other: each is preceded by its length.
struct Fields(Sha256);

impl Fields {
    fn new(what: &str) -> Self {
        let mut fields = Self(Sha256::new());
        fields.text(what);
        fields
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn number(&mut self, number: u64) {
        self.bytes(&number.to_be_bytes());
    }

    fn signed(&mut self, number: i32) {
        self.bytes(&number.to_be_bytes());
    }

    fn finish(self) -> Digest {
        Digest::from_bytes(self.0.finalize().into())
    }
}
