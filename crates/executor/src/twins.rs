//! Elements that cannot be told apart by themselves: the "Delete" of each record.

use crate::{Node, Tree, Verbs, bounds, digest::ancestors};
use std::collections::HashMap;

/// For each operable element of a tree that has a twin (the same role and name elsewhere in it), how many of its kind
/// each of its ancestors holds.
pub(crate) struct Twins {
    /// The kind of each element that has twins.
    kinds: HashMap<usize, usize>,
    /// By kind and node, itself included.
    held: HashMap<(usize, usize), usize>,
    /// Nodes in the part of the tree under each node, itself included.
    sizes: Vec<usize>,
}

impl Twins {
    pub(crate) fn of<R>(tree: &Tree<R>) -> Self {
        let mut named: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
        for (position, node) in tree.nodes.iter().enumerate().filter(|(_, node)| is_operable(node)) {
            named.entry((&*node.role, node.name.expose())).or_default().push(position);
        }
        let (mut kinds, mut held) = (HashMap::new(), HashMap::new());
        for (kind, alike) in named.into_values().filter(|alike| alike.len() > 1).enumerate() {
            for position in alike {
                kinds.insert(position, kind);
                for node in std::iter::once(position).chain(ancestors(tree, position)) {
                    *held.entry((kind, node)).or_insert(0) += 1;
                }
            }
        }
        Self { kinds, held, sizes: sizes(tree) }
    }

    /// The largest part of the window around an element that holds none of its twins, of at most
    /// [`bounds::ROW_NODES`] nodes. Nothing for an element without twins.
    pub(crate) fn root<R>(&self, tree: &Tree<R>, position: usize) -> Option<usize> {
        let kind = *self.kinds.get(&position)?;
        let is_apart = |node: &usize| self.held[&(kind, *node)] == 1 && self.sizes[*node] <= bounds::ROW_NODES;
        let apart = ancestors(tree, position).take_while(is_apart).last();
        Some(apart.unwrap_or(position))
    }
}

fn is_operable<R>(node: &Node<R>) -> bool {
    let Verbs { click, set_value, select, scroll } = node.verbs;
    click || set_value || select || scroll || !node.actions.is_empty()
}

/// Parents come before their children.
fn sizes<R>(tree: &Tree<R>) -> Vec<usize> {
    let mut sizes = vec![1; tree.nodes.len()];
    for position in (0..tree.nodes.len()).rev() {
        if let Some(parent) = tree.nodes[position].parent.filter(|parent| *parent < position) {
            sizes[parent] += sizes[position];
        }
    }
    sizes
}
