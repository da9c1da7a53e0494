//! Class `model`: what an element's digest covers, and that observing and witnessing agree on it.
#![allow(clippy::unwrap_used)] // The whole file is tests.

mod scripted;

use proptest::prelude::*;
use scripted::*;
use std::collections::BTreeSet;
use surehand_contract::UiText;
use surehand_executor::*;

/// A frame with two rows, a dialog with a list in it, and a table without row nodes.
fn sample() -> Tree<Reference> {
    let cell = |reference, parent, name, x, y| {
        let mut cell = node(reference, Some(parent), "table cell", name);
        cell.bounds = Some(Rect { x, y, width: 50, height: 20 });
        cell
    };
    window(
        10,
        1,
        vec![
            node(1, Some(0), "panel", "Contacts"),
            node(2, Some(1), "list item", ""),
            node(3, Some(2), "label", "Alice"),
            node(4, Some(2), "push button", "Delete"),
            node(5, Some(1), "list item", ""),
            node(6, Some(5), "label", "Bob"),
            node(7, Some(5), "push button", "Delete"),
            node(8, Some(0), "dialog", "Question"),
            node(9, Some(8), "label", "Remove everything?"),
            node(10, Some(8), "list", ""),
            node(11, Some(10), "list item", "one of many"),
            node(12, Some(8), "push button", "OK"),
            node(13, Some(0), "tree table", ""),
            cell(14, 13, "Carol", 0, 0),
            cell(15, 13, "Remove", 50, 0),
            cell(16, 13, "Dave", 0, 20),
            cell(17, 13, "Remove", 50, 20),
        ],
    )
}

fn position(tree: &Tree<Reference>, reference: Reference) -> usize {
    tree.nodes.iter().position(|node| node.reference == reference).unwrap()
}

/// The elements whose digests a change changes.
fn changed_by(change: impl Fn(&mut Tree<Reference>)) -> BTreeSet<Reference> {
    let (before, mut after) = (sample(), sample());
    change(&mut after);
    let digests = element_digests(&before).into_iter().zip(element_digests(&after));
    let references = before.nodes.iter().map(|node| node.reference);
    references.zip(digests).filter(|(_, (before, after))| before != after).map(|(reference, _)| reference).collect()
}

fn changed_by_node(reference: Reference, change: impl Fn(&mut Node<Reference>)) -> BTreeSet<Reference> {
    changed_by(|tree| {
        let position = position(tree, reference);
        change(&mut tree.nodes[position]);
    })
}

#[test]
fn it_covers_the_element_itself() {
    let own = BTreeSet::from([4]);
    let button = |change: fn(&mut Node<Reference>)| changed_by_node(4, change);
    assert_eq!(button(|node| node.role = "toggle button".into()), own);
    assert_eq!(button(|node| node.actions.push("press".to_owned())), own);
    assert_eq!(button(|node| node.actions[0] = "clicked".to_owned()), own);
    assert_eq!(button(|node| node.index_in_parent += 1), own);
    assert_eq!(button(|node| node.bounds = None), own);
    assert_eq!(button(|node| node.bounds.as_mut().unwrap().x += 1), own);
    let number = |current| Value::Number { current, minimum: 0.0, maximum: 1.0, increment: 0.1 };
    assert_eq!(changed_by_node(4, |node| node.value = Some(number(0.5))), own);
    assert_eq!(button(|node| node.value = Some(Value::Withheld)), own);
}

#[test]
fn it_covers_the_states_that_gate_actions_and_no_others() {
    for state in State::ALL {
        let changed = changed_by_node(4, |node| {
            let has = node.states.has(*state);
            node.states = if has { node.states.without(*state) } else { node.states.with(*state) };
        });
        let volatile = matches!(
            state,
            State::Showing
                | State::Focusable
                | State::Focused
                | State::Multiline
                | State::Required
                | State::Invalid
                | State::Busy
                | State::Default
                | State::Active
                | State::Pressed
                | State::ManagesDescendants
        );
        assert_eq!(changed.contains(&4), !volatile, "{}", state.as_str());
    }
    let pressed = |node: &mut Node<Reference>| node.states = node.states.with(State::Checkable).with(State::Pressed);
    let released = |node: &mut Node<Reference>| node.states = node.states.with(State::Checkable);
    let (mut down, mut up) = (sample(), sample());
    pressed(&mut down.nodes[4]);
    released(&mut up.nodes[4]);
    assert_ne!(element_digest(&down, 4), element_digest(&up, 4), "a toggle stays pressed");
}

#[test]
fn the_order_in_which_actions_are_listed_is_no_part_of_it() {
    let (mut one, mut other) = (sample(), sample());
    one.nodes[4].actions = vec!["a".to_owned(), "b".to_owned()];
    other.nodes[4].actions = vec!["b".to_owned(), "a".to_owned()];
    assert_eq!(element_digest(&one, 4), element_digest(&other, 4));
}

#[test]
fn it_covers_the_whole_value_and_not_the_text_that_was_kept() {
    let with = |kept: &str, whole: &str| {
        let (text, digest) = (UiText::new(kept), text_digest(whole));
        let mut tree = sample();
        tree.nodes[4].value = Some(Value::Text { text, characters: whole.len() as u64, digest });
        element_digest(&tree, 4)
    };
    assert_eq!(with("long", "long tail"), with("long tail", "long tail"));
    assert_ne!(with("long", "long tail"), with("long", "long tale"));
}

#[test]
fn it_covers_the_way_to_the_element() {
    let under_the_panel = BTreeSet::from([1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(changed_by_node(1, |node| node.name = UiText::new("People")), under_the_panel);
    assert_eq!(changed_by_node(1, |node| node.role = "filler".into()), under_the_panel);
    assert_eq!(changed_by_node(1, |node| node.index_in_parent += 1), under_the_panel);
    assert_eq!(changed_by_node(1, |node| node.bounds = None), BTreeSet::from([1]), "its place is its own");
}

#[test]
fn it_covers_the_subject_of_the_row_and_of_no_other_row() {
    let renamed = |node: &mut Node<Reference>| node.name = UiText::new("Mallory");
    assert_eq!(changed_by_node(3, renamed), BTreeSet::from([2, 3, 4]));
    let value = |node: &mut Node<Reference>| node.value = Some(text_value("Mallory"));
    assert_eq!(changed_by_node(6, value), BTreeSet::from([5, 6, 7]));
}

#[test]
fn it_covers_what_a_dialog_says_and_not_what_its_lists_show() {
    let renamed = |node: &mut Node<Reference>| node.name = UiText::new("Mallory");
    assert_eq!(changed_by_node(9, renamed), BTreeSet::from([8, 9, 10, 12]));
    assert_eq!(changed_by_node(11, renamed), BTreeSet::from([11]));
    let bar = |current| Value::Number { current, minimum: 0.0, maximum: 1.0, increment: 0.1 };
    let moved = changed_by_node(9, |node| node.value = Some(bar(0.5)));
    assert_eq!(moved, BTreeSet::from([9]), "a bar that moves changes no subject");
}

#[test]
fn it_covers_the_other_cells_of_a_row_without_a_node() {
    let renamed = |node: &mut Node<Reference>| node.name = UiText::new("Mallory");
    assert_eq!(changed_by_node(14, renamed), BTreeSet::from([14, 15]));
    assert_eq!(changed_by_node(16, renamed), BTreeSet::from([16, 17]));
}

/// A table without row nodes in a dialog, with a table of its own in one cell.
fn nested_cells() -> Tree<Reference> {
    let cell = |reference, parent, name, y| {
        let mut cell = node(reference, Some(parent), "table cell", name);
        cell.bounds = Some(Rect { x: 0, y, width: 50, height: 20 });
        cell
    };
    let nodes = vec![
        node(1, Some(0), "dialog", "Question"),
        node(2, Some(1), "label", "Which one?"),
        node(3, Some(1), "table", ""),
        cell(4, 3, "Carol", 40),
        cell(5, 3, "", 40),
        node(6, Some(5), "table", ""),
        cell(7, 6, "inner", 45),
        cell(8, 6, "beside", 45),
    ];
    window(10, 1, nodes)
}

#[test]
fn the_nearest_row_cell_or_dialog_is_the_one_that_counts() {
    let changed_by_renaming = |reference: Reference| {
        let (before, mut after) = (nested_cells(), nested_cells());
        let at = position(&after, reference);
        after.nodes[at].name = UiText::new("Mallory");
        let cell = position(&before, 7);
        element_digest(&before, cell) != element_digest(&after, cell)
    };
    assert!(changed_by_renaming(8), "the cell beside it");
    assert!(!changed_by_renaming(4), "a cell of the outer row");
    assert!(!changed_by_renaming(2), "the dialog around both");
}

#[test]
fn places_that_no_screen_has_are_only_numbers() {
    let mut tree = sample();
    let far = Rect { x: i32::MIN, y: i32::MAX, width: i32::MAX, height: i32::MAX };
    tree.nodes.iter_mut().for_each(|node| node.bounds = Some(far));
    assert_eq!(element_digests(&tree).len(), tree.nodes.len());
}

#[test]
fn parts_do_not_run_into_each_other() {
    let (mut one, mut other) = (sample(), sample());
    (one.nodes[4].role, one.nodes[4].name) = ("ab".into(), UiText::new("c"));
    (other.nodes[4].role, other.nodes[4].name) = ("a".into(), UiText::new("bc"));
    assert_ne!(element_digest(&one, 4), element_digest(&other, 4));
}

#[test]
fn a_window_is_its_elements_in_any_order_its_title_and_its_size() {
    let tree = sample();
    let digests = element_digests(&tree);
    let whole = window_digest(&tree, &digests);
    let reversed: Vec<_> = digests.iter().rev().copied().collect();
    assert_eq!(window_digest(&tree, &reversed), whole);
    assert_ne!(window_digest(&tree, &digests[1..]), whole);
    let mut moved = sample();
    moved.window.bounds.x += 1;
    assert_eq!(window_digest(&moved, &digests), whole);
    moved.window.bounds.width += 1;
    assert_ne!(window_digest(&moved, &digests), whole);
    let mut renamed = sample();
    renamed.window.title = UiText::new("other");
    assert_ne!(window_digest(&renamed, &digests), whole);
}

/// Rows made of plain boxes, as Qt's forms are.
fn boxes(subjects: [&str; 2]) -> Tree<Reference> {
    let mut nodes = vec![node(1, Some(0), "panel", "Records")];
    for (row, subject) in (0..).zip(subjects) {
        let parent = nodes.len() + 1;
        nodes.push(node(10 + row, Some(1), "filler", ""));
        nodes.push(node(20 + row, Some(parent), "radio button", subject));
        nodes.push(node(30 + row, Some(parent), "push button", "Delete"));
    }
    nodes.push(node(40, Some(0), "push button", "Save"));
    window(10, 1, nodes)
}

/// The same in one grid: what belongs together stands in one band.
fn grid(subjects: [&str; 2]) -> Tree<Reference> {
    let mut nodes = vec![node(1, Some(0), "panel", "Records")];
    for (row, subject) in (0..).zip(subjects) {
        let y = i32::try_from(row).unwrap() * 30;
        let label = Rect { x: 0, y: y + 5, width: 100, height: 16 };
        let button = Rect { x: 100, y, width: 50, height: 28 };
        nodes.push(Node { bounds: Some(label), ..node(20 + row, Some(1), "label", subject) });
        nodes.push(Node { bounds: Some(button), ..node(30 + row, Some(1), "push button", "Delete") });
    }
    nodes.push(node(40, Some(0), "push button", "Save"));
    window(10, 1, nodes)
}

#[test]
fn a_control_that_has_twins_is_about_what_stands_with_it_alone() {
    for rows in [boxes, grid] {
        let (before, after) = (rows(["Ada", "Ben"]), rows(["Ada", "Cleo"]));
        let is_changed = |reference| {
            let digest = |tree: &Tree<Reference>| element_digest(tree, position(tree, reference));
            digest(&before) != digest(&after)
        };
        assert!(is_changed(31), "Ben's button now stands with Cleo");
        assert!(!is_changed(30), "Ada's does not");
        assert!(!is_changed(40), "a control without a twin is itself, whatever else the window says");
    }
}

#[test]
fn a_long_row_is_covered_up_to_its_bound() {
    let row = |count: u32| {
        let mut nodes = vec![node(1, Some(0), "list item", "")];
        nodes.extend((2..=count).map(|reference| node(reference, Some(1), "label", "text")));
        window(10, 1, nodes)
    };
    let bound = u32::try_from(bounds::ROW_NODES).unwrap();
    let digest_with = |renamed: u32| {
        let mut tree = row(bound + 1);
        let at = position(&tree, renamed);
        tree.nodes[at].name = UiText::new("renamed");
        element_digest(&tree, 1)
    };
    let plain = element_digest(&row(bound + 1), 1);
    assert_ne!(digest_with(bound), plain);
    assert_eq!(digest_with(bound + 1), plain);
}

const ROLES: &[&str] =
    &["panel", "label", "push button", "list item", "table row", "table cell", "dialog", "tree table", "list", "entry"];

prop_compose! {
    fn any_node()(
        parent in any::<prop::sample::Index>(),
        role in prop::sample::select(ROLES),
        name in "[a-c]{0,2}",
        states in any::<u32>(),
        value in prop::option::of("[a-c]{0,2}"),
        y in 0..4_i32,
    ) -> (prop::sample::Index, Node<Reference>) {
        let mut node = node(1, None, role, &name);
        let has = |state: &&State| states & **state as u32 != 0;
        node.states = State::ALL.iter().filter(has).fold(States::default(), |all, state| all.with(*state));
        node.value = value.as_deref().map(text_value);
        node.bounds = Some(Rect { x: 0, y: y * 20, width: 10, height: 20 });
        (parent, node)
    }
}

/// Trees in depth-first order.
fn any_tree() -> impl Strategy<Value = Tree<Reference>> {
    prop::collection::vec(any_node(), 0..60).prop_map(|drawn| {
        let parents: Vec<usize> =
            drawn.iter().enumerate().map(|(count, (parent, _))| parent.index(count + 1)).collect();
        let mut order = vec![0];
        let mut open = vec![0];
        while let Some(current) = open.pop() {
            let children = (1..=drawn.len()).rev().filter(|child| parents[child - 1] == current);
            if current != 0 {
                order.push(current);
            }
            open.extend(children);
        }
        let place = |drawn: usize| order.iter().position(|kept| *kept == drawn).unwrap();
        let nodes = order[1..].iter().map(|number| Node {
            reference: u32::try_from(*number).unwrap(),
            parent: Some(place(parents[number - 1])),
            index_in_parent: u32::try_from(*number).unwrap(),
            ..drawn[number - 1].1.clone()
        });
        window(10, 1, nodes.collect())
    })
}

proptest! {
    /// The one function gives one answer for a whole tree and for the few nodes that its lineage asks for.
    #[test]
    fn observing_and_witnessing_agree(tree in any_tree()) {
        let digests = element_digests(&tree);
        let desktop = Scripted::with(vec![tree.clone()]);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for (position, observed) in digests.iter().enumerate() {
            let lineage = lineage(&tree, position);
            let witness = runtime.block_on(desktop.witness(&tree.window.target, &lineage)).unwrap();
            prop_assert_eq!(witness.tree.nodes[witness.element].reference, tree.nodes[position].reference);
            prop_assert_eq!(witnessed_digest(&witness, &lineage), *observed);
            prop_assert_eq!(element_digest(&tree, position), *observed);
        }
    }
}
