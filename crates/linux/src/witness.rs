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
    let chain = match family::has_stable_paths(family) {
        true => {
            let mut chain = match chain_as_expected(client, lineage).await? {
                Some(chain) if chain[0].reference == *window => chain,
                _ => climb(client, window, lineage).await?,
            };
            number(client, &mut chain).await?;
            chain
        }
        false => walk_down(client, window, &lineage.places).await?,
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
    add_companions(client, family, &mut skeleton, subtree_root, lineage).await?;
    let element = match family::has_stable_paths(family) {
        true => by_reference(&skeleton, &lineage.element),
        false => by_place(&skeleton, subtree_root, &chain[subtree_root + 1..]),
    };
    Ok((skeleton, element.ok_or(WitnessError::Moved)?))
}

/// The other cells of the row, beside the cell. One that is gone is left out: the digest then differs.
async fn add_companions(
    client: Client<'_>,
    family: ToolkitFamily,
    skeleton: &mut Skeleton,
    cell: usize,
    lineage: &Lineage<Reference>,
) -> Result<(), CallError> {
    let Some(table) = skeleton.bones[cell].parent else { return Ok(()) };
    let table_path = skeleton.bones[table].reference.path.clone();
    let named = lineage.companions.iter().zip(&lineage.companion_places);
    let read = named.map(|(companion, place)| {
        let table_path = &table_path;
        async move {
            let reference = match family::has_stable_paths(family) {
                true => companion.clone(),
                false => {
                    let index = i32::try_from(*place).map_err(|_| CallError::Declined)?;
                    client.child_at(table_path, index).await?.ok_or(CallError::Declined)?
                }
            };
            let facts = client.facts(&reference.path).await?;
            let index = match family::has_stable_paths(family) {
                true => client.index_in_parent(&reference.path).await?,
                false => i32::try_from(*place).map_err(|_| CallError::Declined)?,
            };
            Ok(Link { reference, facts, index_in_parent: u32::try_from(index).unwrap_or(NOWHERE) })
        }
    });
    for link in futures_util::future::join_all(read).await {
        let link: Link = match link {
            Ok(link) => link,
            Err(CallError::Declined | CallError::Malformed) => continue,
            Err(error) => return Err(error),
        };
        let place = skeleton.bones.len();
        let mut companion = bone(&link, cell, Vec::new());
        companion.parent = Some(table);
        skeleton.bones.push(companion);
        skeleton.bones[table].children.push(place);
    }
    Ok(())
}

fn by_reference(skeleton: &Skeleton, sought: &Reference) -> Option<usize> {
    skeleton.bones.iter().position(|bone| bone.reference == *sought)
}

/// Where every read gives an object another path: down from the row by the places in each list of children.
fn by_place(skeleton: &Skeleton, row: usize, way: &[Link]) -> Option<usize> {
    way.iter().try_fold(row, |place, link| {
        let children = skeleton.bones[place].children.iter().copied();
        children.into_iter().find(|child| skeleton.bones[*child].index_in_parent == link.index_in_parent)
    })
}

/// All links at once; none if one of them has another parent than when it was observed.
async fn chain_as_expected(client: Client<'_>, lineage: &Lineage<Reference>) -> Result<Option<Vec<Link>>, CallError> {
    let expected = lineage.ancestors.iter().chain([&lineage.element]);
    let links = expected.clone().enumerate().map(|(depth, reference)| async move {
        let parent = async { if depth == 0 { Ok(None) } else { client.parent(&reference.path).await } };
        let (facts, parent) = tokio::try_join!(client.facts(&reference.path), parent)?;
        Ok::<_, CallError>((Link { reference: reference.clone(), facts, index_in_parent: 0 }, parent))
    });
    let links = futures_util::future::try_join_all(links).await?;
    let is_same_way =
        links.iter().skip(1).zip(expected).all(|((_, parent), expected)| parent.as_ref() == Some(expected));
    Ok(is_same_way.then(|| links.into_iter().map(|(link, _)| link).collect()))
}

/// From the element upwards by what each object says of its parent now.
async fn climb(
    client: Client<'_>,
    window: &Reference,
    lineage: &Lineage<Reference>,
) -> Result<Vec<Link>, WitnessError> {
    let mut chain = Vec::new();
    let mut current = lineage.element.clone();
    for _ in 0..bounds::ANCESTORS {
        let (facts, parent) = tokio::try_join!(client.facts(&current.path), client.parent(&current.path))?;
        let is_window = current == *window;
        chain.push(Link { reference: current, facts, index_in_parent: 0 });
        if is_window {
            chain.reverse();
            return Ok(chain);
        }
        current = parent.ok_or(WitnessError::Moved)?;
    }
    Err(WitnessError::Moved)
}

/// From the window to what stands now at the places that were observed. LibreOffice gives an object another path
/// at every read, and its root pane names no parent.
async fn walk_down(client: Client<'_>, window: &Reference, places: &[u32]) -> Result<Vec<Link>, WitnessError> {
    let mut chain: Vec<Link> = Vec::with_capacity(places.len());
    for place in places {
        let reference = match chain.last() {
            None => window.clone(),
            Some(parent) => {
                let index = i32::try_from(*place).map_err(|_| WitnessError::Moved)?;
                client.child_at(&parent.reference.path, index).await?.ok_or(WitnessError::Moved)?
            }
        };
        let facts = client.facts(&reference.path).await?;
        chain.push(Link { reference, facts, index_in_parent: *place });
    }
    Ok(chain)
}

/// Gives each link its place as an observation counts it: in its parent's list of children, which is another
/// number than the one GTK3 containers answer for themselves, or by index where children are made on demand.
async fn number(client: Client<'_>, chain: &mut [Link]) -> Result<(), CallError> {
    let places = chain.windows(2).map(|pair| async move {
        let [parent, child] = pair else { return Ok(0) };
        if skeleton::makes_children_on_demand(&parent.facts) {
            return client
                .index_in_parent(&child.reference.path)
                .await
                .map(|index| u32::try_from(index).unwrap_or(NOWHERE));
        }
        let siblings = client.children(&parent.reference.path).await?;
        let place = siblings.iter().position(|sibling| *sibling == child.reference);
        Ok(place.and_then(|place| u32::try_from(place).ok()).unwrap_or(NOWHERE))
    });
    let places = futures_util::future::try_join_all(places).await?;
    for (link, place) in chain.iter_mut().skip(1).zip(places) {
        link.index_in_parent = place;
    }
    Ok(())
}

/// The place of a child that its parent does not list: equal to no observed place.
const NOWHERE: u32 = u32::MAX;

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
