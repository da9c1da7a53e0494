//! Reads again, object by object, what an element's digest covers.

use crate::{
    accessible::{Client, Facts, Reference},
    bounds,
    bus::CallError,
    family,
    skeleton::{self, Bone, Reach, Skeleton},
};
use surehand_executor::{Lineage, ToolkitFamily};

#[derive(Debug)]
pub(crate) enum WitnessError {
    /// The element no longer stands below its window.
    Moved,
    Call(CallError),
}

impl From<CallError> for WitnessError {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

/// One object on the way from the window to the element.
struct Link {
    reference: Reference,
    facts: Facts,
    index_in_parent: u32,
}

/// The way from the window to the element as it is now, and the whole of the row it stands in. The second value
/// is the element's place in it.
pub(crate) async fn read(
    client: Client<'_>,
    family: ToolkitFamily,
    window: &Reference,
    lineage: &Lineage<Reference>,
    reach: Reach,
) -> Result<(Skeleton, usize), WitnessError> {
    let chain = match chain_as_expected(client, lineage).await? {
        Some(chain) if family::has_stable_paths(family) && chain[0].reference == *window => chain,
        _ => climb(client, family, window, lineage).await?,
    };
    let row = lineage.row.filter(|row| chain.len() == lineage.ancestors.len() + 1 && *row < chain.len());
    let mut skeleton = Skeleton::default();
    let subtree_root = row.unwrap_or(chain.len() - 1);
    for (depth, link) in chain.iter().take(subtree_root).enumerate() {
        let children = if depth + 1 < subtree_root { vec![depth + 1] } else { Vec::new() };
        skeleton.bones.push(bone(link, depth, children));
    }
    let depth_below = if row.is_some() { reach.depth } else { 0 };
    let subtree =
        skeleton::read_live(client, family, &chain[subtree_root].reference, Reach { depth: depth_below, ..reach })
            .await?;
    graft(&mut skeleton, subtree, chain[subtree_root].index_in_parent);
    let sought = &chain[chain.len() - 1].reference;
    let element = skeleton.bones.iter().position(|bone| bone.reference == *sought).ok_or(WitnessError::Moved)?;
    Ok((skeleton, element))
}

/// All links at once; none if one of them has another parent than when it was observed.
async fn chain_as_expected(client: Client<'_>, lineage: &Lineage<Reference>) -> Result<Option<Vec<Link>>, CallError> {
    let expected = lineage.ancestors.iter().chain([&lineage.element]);
    let links = expected.clone().enumerate().map(|(depth, reference)| async move {
        let index = async { if depth == 0 { Ok(0) } else { client.index_in_parent(&reference.path).await } };
        let parent = async { if depth == 0 { Ok(None) } else { client.parent(&reference.path).await } };
        let (facts, index, parent) = tokio::try_join!(client.facts(&reference.path), index, parent)?;
        let link =
            Link { reference: reference.clone(), facts, index_in_parent: u32::try_from(index).unwrap_or(u32::MAX) };
        Ok::<_, CallError>((link, parent))
    });
    let links = futures_util::future::try_join_all(links).await?;
    let is_same_way =
        links.iter().skip(1).zip(expected).all(|((_, parent), expected)| parent.as_ref() == Some(expected));
    Ok(is_same_way.then(|| links.into_iter().map(|(link, _)| link).collect()))
}

/// From the element upwards by what each object says of its parent now.
async fn climb(
    client: Client<'_>,
    family: ToolkitFamily,
    window: &Reference,
    lineage: &Lineage<Reference>,
) -> Result<Vec<Link>, WitnessError> {
    let mut chain = Vec::new();
    let mut current = lineage.element.clone();
    let window_index = if family::has_stable_paths(family) { None } else { Some(lineage.ancestors.len()) };
    for climbed in 0..bounds::ANCESTORS {
        let is_window = current == *window || window_index == Some(climbed);
        let (facts, index, parent) = tokio::try_join!(
            client.facts(&current.path),
            client.index_in_parent(&current.path),
            client.parent(&current.path),
        )?;
        let index_in_parent = if is_window { 0 } else { u32::try_from(index).unwrap_or(u32::MAX) };
        chain.push(Link { reference: current, facts, index_in_parent });
        if is_window {
            chain.reverse();
            return Ok(chain);
        }
        current = parent.ok_or(WitnessError::Moved)?;
    }
    Err(WitnessError::Moved)
}

fn bone(link: &Link, depth: usize, children: Vec<usize>) -> Bone {
    Bone {
        reference: link.reference.clone(),
        facts: link.facts.clone(),
        parent: depth.checked_sub(1),
        index_in_parent: link.index_in_parent,
        depth,
        children,
    }
}

fn graft(skeleton: &mut Skeleton, subtree: Skeleton, index_in_parent: u32) {
    let offset = skeleton.bones.len();
    for (place, mut bone) in subtree.bones.into_iter().enumerate() {
        bone.parent = bone.parent.map_or(offset.checked_sub(1), |parent| Some(parent + offset));
        bone.children.iter_mut().for_each(|child| *child += offset);
        if place == 0 {
            bone.index_in_parent = index_in_parent;
            bone.depth = offset;
        }
        skeleton.bones.push(bone);
    }
    if let Some(last_ancestor) = offset.checked_sub(1) {
        skeleton.bones[last_ancestor].children.push(offset);
    }
}
