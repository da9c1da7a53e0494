//! The shape of a tree: which objects there are, under whom, and what they say of themselves. In bulk where the
//! application answers so, by pipelined calls where it does not.

use crate::{
    accessible::{self, CacheItem, Client, Facts, Interfaces, Reference},
    bounds,
    bus::CallError,
    family, role,
};
use atspi_common::{Role, State};
use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream::FuturesUnordered};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};
use surehand_executor::{Rect, ToolkitFamily};
use tokio::time::{Instant, timeout_at};

#[derive(Debug)]
pub(crate) struct Bone {
    pub(crate) reference: Reference,
    pub(crate) facts: Facts,
    pub(crate) parent: Option<usize>,
    pub(crate) index_in_parent: u32,
    pub(crate) depth: usize,
    pub(crate) children: Vec<usize>,
}

/// A container that makes its children on demand, and how many of them were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Virtual {
    pub(crate) bone: usize,
    pub(crate) read: u32,
    pub(crate) of: u32,
}

/// Parents come before their children in `bones`; the first is the root that was asked for.
#[derive(Debug, Default)]
pub(crate) struct Skeleton {
    pub(crate) bones: Vec<Bone>,
    pub(crate) virtuals: Vec<Virtual>,
    pub(crate) cut_by_depth: Vec<usize>,
    pub(crate) cut_by_count: u64,
    pub(crate) malformed: u64,
    pub(crate) unread: u64,
}

/// How far a skeleton may grow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    pub(crate) nodes: usize,
    pub(crate) depth: usize,
    pub(crate) deadline: Instant,
}

/// Reads the skeleton under `root`, in bulk where the application answers so. Errors if the root cannot be read or
/// the application is gone or hangs; what else fails below is counted.
pub(crate) async fn read(
    client: Client<'_>,
    family: ToolkitFamily,
    root: &Reference,
    reach: Reach,
) -> Result<Skeleton, CallError> {
    let known = match family::answers_in_bulk(family) {
        true => Known::load(client, family, root, reach).await?,
        false => Known::default(),
    };
    grow(client, family, known, root, reach).await
}

/// The same, asking the objects themselves: for a few nodes that must be as they are now.
pub(crate) async fn read_live(
    client: Client<'_>,
    family: ToolkitFamily,
    root: &Reference,
    reach: Reach,
) -> Result<Skeleton, CallError> {
    grow(client, family, Known::default(), root, reach).await
}

async fn grow(
    client: Client<'_>,
    family: ToolkitFamily,
    known: Known,
    root: &Reference,
    reach: Reach,
) -> Result<Skeleton, CallError> {
    let facts = match known.facts.get(&root.path) {
        Some(item) => item.facts.clone(),
        None => client.facts(&root.path).await?,
    };
    let mut growth = Growth {
        client,
        family,
        known,
        reach,
        skeleton: Skeleton::default(),
        seen: HashSet::new(),
        jobs: FuturesUnordered::new(),
    };
    growth.add(root.clone(), facts, None, 0);
    growth.run().await?;
    Ok(growth.skeleton)
}

/// What the bulk answer said.
#[derive(Debug, Default)]
struct Known {
    facts: HashMap<Arc<str>, CacheItem>,
    children: HashMap<Arc<str>, Vec<(i32, Arc<str>)>>,
}

impl Known {
    async fn load(
        client: Client<'_>,
        family: ToolkitFamily,
        root: &Reference,
        reach: Reach,
    ) -> Result<Self, CallError> {
        let mut known = Self::index(client.cache_items().await.or_else(without_bulk)?);
        if !family::lists_only_what_was_walked(family) {
            return Ok(known);
        }
        for _ in 0..bounds::SKELETON_ROUNDS {
            let incomplete = known.incomplete_under(&root.path);
            if incomplete.is_empty() || Instant::now() >= reach.deadline {
                break;
            }
            // A walk that runs out of time has still taught the application's cache what it reached.
            drop(timeout_at(reach.deadline, walk_blindly(client, incomplete, reach.nodes)).await);
            known = Self::index(client.cache_items().await?);
        }
        Ok(known)
    }

    fn index(items: Vec<CacheItem>) -> Self {
        let mut children: HashMap<Arc<str>, Vec<(i32, Arc<str>)>> = HashMap::with_capacity(items.len());
        for item in &items {
            children.entry(item.parent.clone()).or_default().push((item.index, item.path.clone()));
        }
        for siblings in children.values_mut() {
            siblings.sort_unstable();
        }
        Self { facts: items.into_iter().map(|item| (item.path.clone(), item)).collect(), children }
    }

    /// The children of an object, if the bulk answer held all of them, each at its own place.
    fn children_of(&self, path: &Arc<str>, child_count: i32) -> Option<Vec<Arc<str>>> {
        let Some(children) = self.children.get(path) else { return (child_count == 0).then(Vec::new) };
        let in_order = children.iter().enumerate().all(|(place, (index, _))| *index == place as i32);
        (children.len() as i32 == child_count && in_order)
            .then(|| children.iter().map(|(_, path)| path.clone()).collect())
    }

    fn incomplete_under(&self, root: &Arc<str>) -> Vec<Arc<str>> {
        let mut incomplete = Vec::new();
        let mut seen = HashSet::new();
        let mut pending = vec![root.clone()];
        while let Some(path) = pending.pop() {
            if !seen.insert(path.clone()) {
                continue;
            }
            match self.facts.get(&path).and_then(|item| self.children_of(&path, item.facts.child_count)) {
                Some(children) => pending.extend(children),
                None => incomplete.push(path),
            }
        }
        incomplete
    }
}

fn without_bulk(error: CallError) -> Result<Vec<CacheItem>, CallError> {
    match error {
        CallError::Declined | CallError::Malformed => Ok(Vec::new()),
        other => Err(other),
    }
}

/// Asks for children downwards without knowing what they are, so that the application lists them from then on.
async fn walk_blindly(client: Client<'_>, roots: Vec<Arc<str>>, nodes: usize) {
    let mut seen: HashSet<Arc<str>> = roots.iter().cloned().collect();
    let ask = |path: Arc<str>| async move { client.children(&path).await };
    let mut asked: FuturesUnordered<_> = roots.into_iter().map(ask).collect();
    while let Some(answer) = asked.next().await {
        for child in answer.unwrap_or_default() {
            if *child.owner == *client.peer.name && seen.len() < nodes && seen.insert(child.path.clone()) {
                asked.push(ask(child.path));
            }
        }
    }
}

enum Answer {
    Children(usize, Result<Vec<(u32, Reference)>, CallError>),
    Facts { parent: usize, index: u32, reference: Reference, facts: Result<Facts, CallError> },
    Virtual(usize, Result<(Vec<(u32, Reference)>, u32), CallError>),
}

struct Growth<'a> {
    client: Client<'a>,
    family: ToolkitFamily,
    known: Known,
    reach: Reach,
    skeleton: Skeleton,
    seen: HashSet<Arc<str>>,
    jobs: FuturesUnordered<BoxFuture<'a, Answer>>,
}

impl<'a> Growth<'a> {
    async fn run(&mut self) -> Result<(), CallError> {
        loop {
            match timeout_at(self.reach.deadline, self.jobs.next()).await {
                Err(_) => {
                    self.skeleton.unread += self.jobs.len() as u64;
                    break;
                }
                Ok(None) => break,
                Ok(Some(answer)) => self.take(answer)?,
            }
        }
        self.put_siblings_in_order();
        Ok(())
    }

    fn take(&mut self, answer: Answer) -> Result<(), CallError> {
        match answer {
            Answer::Children(parent, Ok(children)) => self.adopt(parent, children),
            Answer::Virtual(parent, Ok((children, of))) => {
                self.skeleton.virtuals.push(Virtual { bone: parent, read: children.len() as u32, of });
                self.adopt(parent, children);
            }
            Answer::Facts { parent, index, reference, facts: Ok(facts) } => {
                self.add(reference, facts, Some(parent), index)
            }
            // The whole application hangs or is gone: the rest would fail the same way.
            Answer::Children(_, Err(error))
            | Answer::Virtual(_, Err(error))
            | Answer::Facts { facts: Err(error), .. } => match error {
                CallError::Declined | CallError::Malformed => self.skeleton.malformed += 1,
                error => return Err(error),
            },
        }
        Ok(())
    }

    fn adopt(&mut self, parent: usize, children: Vec<(u32, Reference)>) {
        for (index, reference) in children {
            // Objects of another process are another application's.
            if *reference.owner != *self.client.peer.name || self.seen.contains(&reference.path) {
                self.skeleton.malformed += 1;
                continue;
            }
            if let Some(item) = self.known.facts.get(&reference.path) {
                let facts = item.facts.clone();
                self.add(reference, facts, Some(parent), index);
                continue;
            }
            let client = self.client;
            self.jobs.push(
                async move {
                    let facts = client.facts(&reference.path).await;
                    Answer::Facts { parent, index, reference, facts }
                }
                .boxed(),
            );
        }
    }

    fn add(&mut self, reference: Reference, facts: Facts, parent: Option<usize>, index: u32) {
        if self.skeleton.bones.len() >= self.reach.nodes {
            self.skeleton.cut_by_count += 1;
            return;
        }
        if !self.seen.insert(reference.path.clone()) {
            self.skeleton.malformed += 1;
            return;
        }
        let depth = parent.map_or(0, |parent| self.skeleton.bones[parent].depth + 1);
        let place = self.skeleton.bones.len();
        if let Some(parent) = parent {
            self.skeleton.bones[parent].children.push(place);
        }
        self.skeleton.bones.push(Bone {
            reference,
            facts,
            parent,
            index_in_parent: index,
            depth,
            children: Vec::new(),
        });
        self.descend(place);
    }

    fn descend(&mut self, place: usize) {
        let bone = &self.skeleton.bones[place];
        if bone.facts.child_count == 0 || !may_show_children(self.family, bone) {
            return;
        }
        if bone.depth >= self.reach.depth {
            self.skeleton.cut_by_depth.push(place);
            return;
        }
        let reference = bone.reference.clone();
        let child_count = bone.facts.child_count;
        let client = self.client;
        if makes_children_on_demand(&bone.facts) {
            let facts = bone.facts.clone();
            let family = self.family;
            self.jobs.push(
                async move { Answer::Virtual(place, visible_children(client, family, &reference, &facts).await) }
                    .boxed(),
            );
        } else if let Some(children) = self.known.children_of(&reference.path, child_count) {
            let owner = reference.owner;
            let children = children.into_iter().map(|path| Reference { owner: owner.clone(), path });
            self.adopt(place, number(children));
        } else {
            self.jobs.push(
                async move { Answer::Children(place, client.children(&reference.path).await.map(number)) }.boxed(),
            );
        }
    }

    /// Answers arrive in any order; a tree is read in the application's.
    fn put_siblings_in_order(&mut self) {
        let indexes: Vec<u32> = self.skeleton.bones.iter().map(|bone| bone.index_in_parent).collect();
        for bone in &mut self.skeleton.bones {
            bone.children.sort_unstable_by_key(|child| indexes[*child]);
        }
    }
}

fn number(children: impl IntoIterator<Item = Reference>) -> Vec<(u32, Reference)> {
    children.into_iter().enumerate().map(|(index, child)| (index as u32, child)).collect()
}

/// Whether asking for the list of children may hang the application.
pub(crate) fn makes_children_on_demand(facts: &Facts) -> bool {
    facts.has(State::ManagesDescendants) || facts.child_count > bounds::EAGER_CHILDREN
}

/// Whether anything below may be on screen. Where the toolkit does not mark what shows, everything visible may.
fn may_show_children(family: ToolkitFamily, bone: &Bone) -> bool {
    if bone.parent.is_none() || role::is(bone.facts.role, &[Role::Application]) {
        return true;
    }
    // GTK 3 takes a viewport for its own content: scrolled by more than its height it says that it does not show.
    if role::is(bone.facts.role, &[Role::Viewport]) {
        return bone.facts.has(State::Visible);
    }
    if family::marks_what_shows(family) { bone.facts.has(State::Showing) } else { bone.facts.has(State::Visible) }
}

/// The children of a container that makes them on demand: all when they are few, else those on screen. The
/// second number is how many there are.
async fn visible_children(
    client: Client<'_>,
    family: ToolkitFamily,
    container: &Reference,
    facts: &Facts,
) -> Result<(Vec<(u32, Reference)>, u32), CallError> {
    // The bulk answer says −1 for them.
    let child_count = match facts.child_count {
        counted if counted >= 0 => counted,
        _ => client.property(&container.path, accessible::ACCESSIBLE, "ChildCount").await?,
    };
    let of = u32::try_from(child_count).unwrap_or(0);
    if child_count <= bounds::VIRTUAL_CHILDREN {
        let asked = (0..child_count).map(|index| async move { (index, client.child_at(&container.path, index).await) });
        let answers = futures_util::future::join_all(asked).await;
        return Ok((found(answers)?, of));
    }
    if !facts.interfaces.has(Interfaces::COMPONENT) || family::extents_are_window_relative(family) {
        return Ok((Vec::new(), of));
    }
    let extents = client.extents(&container.path).await?;
    let corners = Corners::find(client, container, extents).await?;
    let Some(Corners { first, last }) = corners else { return Ok((Vec::new(), of)) };
    let indexes: Vec<(i32, i32, i32)> = if facts.interfaces.has(Interfaces::TABLE) {
        cells_between(client, container, first, last).await?
    } else {
        (first..=last).map(|index| (index, 0, 0)).collect()
    };
    let is_table = facts.interfaces.has(Interfaces::TABLE);
    let asked = indexes.into_iter().take(bounds::VISIBLE_CELLS).map(|(index, row, column)| async move {
        let child = if is_table {
            client.accessible_at_cell(&container.path, row, column).await
        } else {
            client.child_at(&container.path, index).await
        };
        (index, child)
    });
    let answers: Vec<_> = futures_util::stream::iter(asked).buffered(bounds::CALLS_IN_FLIGHT).collect().await;
    Ok((found(answers)?, of))
}

type Found = (i32, Result<Option<Reference>, CallError>);

fn found(answers: Vec<Found>) -> Result<Vec<(u32, Reference)>, CallError> {
    let mut children = Vec::with_capacity(answers.len());
    for (index, answer) in answers {
        match answer {
            Ok(Some(child)) => children.push((u32::try_from(index).unwrap_or(u32::MAX), child)),
            Ok(None) | Err(CallError::Declined | CallError::Malformed) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(children)
}

/// The first and last child on screen, by index.
struct Corners {
    first: i32,
    last: i32,
}

/// Distance between the points that are asked what is there.
const PROBE_STEP_PX: i32 = 12;
/// Points asked on the way from one edge: headers and scroll bars are in the way.
const PROBES: i32 = 12;

impl Corners {
    async fn find(client: Client<'_>, container: &Reference, extents: Rect) -> Result<Option<Self>, CallError> {
        if extents.width <= 0 || extents.height <= 0 {
            return Ok(None);
        }
        let (left, top) = (extents.x + 2, extents.y + 2);
        let (right, bottom) = (extents.x + extents.width - 3, extents.y + extents.height - 3);
        let first = Self::probe(client, container, (left, top), 1).await?;
        let last = Self::probe(client, container, (right, bottom), -1).await?;
        Ok(match (first, last) {
            (Some(first), Some(last)) => Some(Self { first: first.min(last), last: first.max(last) }),
            (Some(only), None) | (None, Some(only)) => Some(Self { first: only, last: only }),
            (None, None) => None,
        })
    }

    async fn probe(
        client: Client<'_>,
        container: &Reference,
        from: (i32, i32),
        direction: i32,
    ) -> Result<Option<i32>, CallError> {
        for step in 0..PROBES {
            let offset = direction * step * PROBE_STEP_PX;
            let at_point = client.accessible_at_point(&container.path, from.0 + offset, from.1 + offset).await;
            match at_point {
                Ok(Some(hit)) if hit.path != container.path => {
                    let index = client.index_in_parent(&hit.path).await?;
                    if index >= 0 {
                        return Ok(Some(index));
                    }
                }
                Ok(_) | Err(CallError::Declined | CallError::Malformed) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}

async fn cells_between(
    client: Client<'_>,
    table: &Reference,
    first: i32,
    last: i32,
) -> Result<Vec<(i32, i32, i32)>, CallError> {
    let path = &table.path;
    let (top, left, bottom, right, columns) = tokio::try_join!(
        client.row_at_index(path, first),
        client.column_at_index(path, first),
        client.row_at_index(path, last),
        client.column_at_index(path, last),
        client.property::<i32>(path, accessible::TABLE, "NColumns"),
    )?;
    let (left, right) = (left.min(right), left.max(right));
    let mut cells = Vec::new();
    for row in top.min(bottom)..=top.max(bottom) {
        for column in left..=right {
            cells.push((row.saturating_mul(columns).saturating_add(column), row, column));
            if cells.len() >= bounds::VISIBLE_CELLS {
                return Ok(cells);
            }
        }
    }
    Ok(cells)
}
