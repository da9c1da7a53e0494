//! Numbers that stay with an element from one look at a window to the next. For presentation only: what an action
//! goes to is named by its token and checked by its digest.

use crate::Tree;
use std::{borrow::Cow, collections::HashMap, hash::Hash};
use surehand_contract::UiText;

/// What one session last saw of one window.
#[derive(Debug)]
pub(crate) struct KnownElements<R> {
    known: Vec<Known<R>>,
    /// The highest id ever given for this window.
    highest: u64,
}

impl<R> Default for KnownElements<R> {
    fn default() -> Self {
        Self { known: Vec::new(), highest: 0 }
    }
}

#[derive(Debug)]
struct Known<R> {
    id: u64,
    reference: R,
    structure: Structure,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Structure {
    parent: Option<u64>,
    role: Cow<'static, str>,
    name: UiText,
    index: u32,
}

impl<R: Clone + Eq + Hash> KnownElements<R> {
    /// One id for each node: the id it had, by its exact reference and role, or by standing where exactly one
    /// element of that role and name stood; else a new one above all before.
    pub(crate) fn assign(&mut self, tree: &Tree<R>) -> Vec<u64> {
        let by_reference: HashMap<(&R, &str), u64> =
            self.known.iter().map(|known| ((&known.reference, &*known.structure.role), known.id)).collect();
        let mut taken: HashMap<u64, usize> = HashMap::new();
        let mut ids: Vec<Option<u64>> = Vec::with_capacity(tree.nodes.len());
        for (position, node) in tree.nodes.iter().enumerate() {
            let id = by_reference.get(&(&node.reference, &*node.role)).copied();
            ids.push(id.filter(|id| *taken.entry(*id).or_insert(position) == position));
        }
        let mut by_structure: HashMap<&Structure, Option<u64>> = HashMap::new();
        for known in self.known.iter().filter(|known| !taken.contains_key(&known.id)) {
            by_structure.entry(&known.structure).and_modify(|only| *only = None).or_insert(Some(known.id));
        }
        let mut next = Vec::with_capacity(tree.nodes.len());
        let mut assigned: Vec<u64> = Vec::with_capacity(tree.nodes.len());
        for (position, node) in tree.nodes.iter().enumerate() {
            let structure = Structure {
                parent: node.parent.and_then(|parent| assigned.get(parent).copied()),
                role: node.role.clone(),
                name: node.name.clone(),
                index: node.index_in_parent,
            };
            let id = ids[position].or_else(|| by_structure.get_mut(&structure).and_then(Option::take)).unwrap_or_else(
                || {
                    self.highest += 1;
                    self.highest
                },
            );
            assigned.push(id);
            next.push(Known { id, reference: node.reference.clone(), structure });
        }
        self.known = next;
        assigned
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawn::{Drawn, tree};

    const FRAME: Drawn = (1, None, "frame", "", 0);

    #[test]
    fn the_same_object_keeps_its_id_wherever_it_moves_and_whatever_it_says() {
        let mut known = KnownElements::default();
        let first = known.assign(&tree(&[FRAME, (2, Some(0), "label", "a", 0), (3, Some(0), "label", "b", 1)]));
        assert_eq!(first, [1, 2, 3]);
        let moved = known.assign(&tree(&[FRAME, (3, Some(0), "label", "c", 0), (2, Some(0), "label", "a", 1)]));
        assert_eq!(moved, [1, 3, 2]);
    }

    #[test]
    fn an_object_of_another_role_is_another_element() {
        let mut known = KnownElements::default();
        known.assign(&tree(&[FRAME, (2, Some(0), "label", "a", 0)]));
        assert_eq!(known.assign(&tree(&[FRAME, (2, Some(0), "entry", "a", 0)])), [1, 3]);
    }

    #[test]
    fn a_rebuilt_object_keeps_the_id_of_the_only_one_it_can_be() {
        let mut known = KnownElements::default();
        known.assign(&tree(&[FRAME, (2, Some(0), "panel", "p", 0), (3, Some(1), "label", "a", 0)]));
        let rebuilt = known.assign(&tree(&[FRAME, (12, Some(0), "panel", "p", 0), (13, Some(1), "label", "a", 0)]));
        assert_eq!(rebuilt, [1, 2, 3]);
        let renamed = known.assign(&tree(&[FRAME, (22, Some(0), "panel", "p", 0), (23, Some(1), "label", "b", 0)]));
        assert_eq!(renamed, [1, 2, 4]);
    }

    #[test]
    fn of_two_that_it_could_be_it_is_neither() {
        let mut known = KnownElements::default();
        known.assign(&tree(&[FRAME, (2, Some(0), "label", "a", 0), (3, Some(0), "label", "a", 0)]));
        let rebuilt = known.assign(&tree(&[FRAME, (12, Some(0), "label", "a", 0)]));
        assert_eq!(rebuilt, [1, 4]);
    }

    #[test]
    fn of_two_that_could_be_it_only_the_first_is() {
        let mut known = KnownElements::default();
        known.assign(&tree(&[FRAME, (2, Some(0), "label", "a", 0)]));
        let rebuilt = known.assign(&tree(&[FRAME, (12, Some(0), "label", "a", 0), (13, Some(0), "label", "a", 0)]));
        assert_eq!(rebuilt, [1, 2, 3]);
    }

    #[test]
    fn an_id_is_never_given_twice() {
        let mut known = KnownElements::default();
        known.assign(&tree(&[FRAME, (2, Some(0), "label", "a", 0)]));
        known.assign(&tree(&[FRAME]));
        assert_eq!(known.assign(&tree(&[FRAME, (4, Some(0), "label", "x", 0)])), [1, 3]);
        let doubled = known.assign(&tree(&[FRAME, (4, Some(0), "label", "x", 0), (4, Some(0), "label", "x", 0)]));
        assert_eq!(doubled, [1, 3, 4], "a tree that lists one object twice");
    }
}
