//! The scroll bars by which an object is scrolled.

use crate::{
    accessible::Client,
    bus::CallError,
    role,
    skeleton::{Skeleton, makes_children_on_demand},
};
use atspi_common::Role;
use surehand_executor::Rect;

#[derive(Debug)]
pub(crate) struct Bar {
    pub(crate) path: String,
    /// As the toolkit says them: only its lengths are of use here.
    pub(crate) extents: Rect,
}

impl Bar {
    pub(crate) fn is_vertical(&self) -> bool {
        self.extents.height > self.extents.width
    }
}

/// Those among an object's children and theirs; itself if it is one.
pub(crate) async fn bars_in(client: Client<'_>, path: &str) -> Result<Vec<Bar>, CallError> {
    let mut bars = Vec::new();
    let mut level = vec![path.to_owned()];
    for _ in 0..=DEPTH {
        let mut next = Vec::new();
        for path in level {
            let facts = match client.facts(&path).await {
                Ok(facts) => facts,
                Err(CallError::Declined | CallError::Malformed) => continue,
                Err(error) => return Err(error),
            };
            if role::is(facts.role, &[Role::ScrollBar]) {
                let extents = client.extents(&path).await?;
                if extents.width > 0 && extents.height > 0 {
                    bars.push(Bar { path, extents });
                }
            } else if (1..=SIBLINGS).contains(&facts.child_count) && !makes_children_on_demand(&facts) {
                next.extend(client.children(&path).await?.into_iter().map(|child| child.path.to_string()));
            }
        }
        level = next;
    }
    Ok(bars)
}

/// The same of a tree that was read whole.
pub(crate) fn has_bar(skeleton: &Skeleton, bone: usize) -> bool {
    has_bar_within(skeleton, bone, DEPTH)
}

fn has_bar_within(skeleton: &Skeleton, bone: usize, levels: usize) -> bool {
    let bone = &skeleton.bones[bone];
    let has_few_children = (1..=SIBLINGS).contains(&bone.facts.child_count);
    role::is(bone.facts.role, &[Role::ScrollBar])
        || levels > 0
            && has_few_children
            && bone.children.iter().any(|child| has_bar_within(skeleton, *child, levels - 1))
}

/// Levels below an object where its scroll bars may stand: Qt puts them into a container of their own.
const DEPTH: usize = 2;
/// A container with more children than this is what is scrolled, and not what scrolls it.
const SIBLINGS: i32 = 16;
