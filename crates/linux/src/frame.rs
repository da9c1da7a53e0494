//! Which accessible frame belongs to which X window.

use crate::{
    accessible::{Client, Facts, Interfaces, Reference},
    applications::Registered,
    bus::CallError,
    display::TopLevel,
    family,
};
use atspi_common::State;
use std::sync::Arc;
use surehand_executor::{Accessibility, Rect};

/// A frame, its application and its place as the toolkit says it.
#[derive(Debug, Clone)]
pub(crate) struct AccessibleFrame {
    pub(crate) application: Arc<Registered>,
    pub(crate) reference: Reference,
    facts: Facts,
    pub(crate) extents: Rect,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameError {
    /// The process is on the bus and shows no frame there.
    None,
    /// Frames of this process fit the window alike.
    Several,
}

/// Pixels by which a frame and its window may differ: toolkits round fractions in opposite directions.
const SLACK_PX: i32 = 2;

/// The frames that the applications of one process show.
pub(crate) async fn frames_of(
    bus: &crate::bus::Bus,
    applications: &[Arc<Registered>],
) -> Result<Vec<AccessibleFrame>, CallError> {
    let mut frames = Vec::new();
    for application in applications {
        let client = Client { bus, peer: &application.peer };
        let children = client.children(crate::accessible::ROOT_PATH).await?;
        let asked = children.into_iter().filter(|child| *child.owner == *application.peer.name).map(|reference| {
            let application = Arc::clone(application);
            async move { describe(client, application, reference).await }
        });
        for frame in futures_util::future::join_all(asked).await {
            match frame {
                Ok(frame) => frames.extend(frame),
                Err(CallError::Declined | CallError::Malformed) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(frames)
}

async fn describe(
    client: Client<'_>,
    application: Arc<Registered>,
    reference: Reference,
) -> Result<Option<AccessibleFrame>, CallError> {
    let facts = client.facts(&reference.path).await?;
    // Not by role: a plain Qt widget that is a window of its own calls itself a filler.
    if !facts.interfaces.has(Interfaces::COMPONENT) {
        return Ok(None);
    }
    let extents = client.extents(&reference.path).await?;
    Ok(Some(AccessibleFrame { application, reference, facts, extents }))
}

/// By process (the frames are of the window's own), then geometry, then name, then which is active.
pub(crate) fn of_window(
    window: &TopLevel,
    frames: &[AccessibleFrame],
    siblings: usize,
) -> Result<AccessibleFrame, FrameError> {
    let candidates: Vec<&AccessibleFrame> = frames.iter().collect();
    if candidates.is_empty() {
        return Err(FrameError::None);
    }
    if let ([only], 1) = (candidates.as_slice(), siblings) {
        return Ok((*only).clone());
    }
    let fitting = keep(candidates, |frame| fits(window, frame));
    let named = keep(fitting, |frame| frame.facts.name == window.title.expose());
    let active = keep(named, |frame| frame.facts.has(State::Active) == window.active);
    match active.as_slice() {
        [only] => Ok((*only).clone()),
        _ => Err(FrameError::Several),
    }
}

/// Narrows to the frames that pass, unless none does: an absent mark tells nothing.
fn keep(frames: Vec<&AccessibleFrame>, passes: impl Fn(&AccessibleFrame) -> bool) -> Vec<&AccessibleFrame> {
    let narrowed: Vec<_> = frames.iter().copied().filter(|frame| passes(frame)).collect();
    if narrowed.is_empty() { frames } else { narrowed }
}

fn fits(window: &TopLevel, frame: &AccessibleFrame) -> bool {
    let near = |one: i32, other: i32| (one - other).abs() <= SLACK_PX;
    let (said, real) = (frame.extents, window.bounds);
    if family::extents_are_window_relative(frame.application.family()) {
        // The shadow's padding is the same on all sides.
        near(real.width - said.width, real.height - said.height)
    } else {
        near(said.x, real.x) && near(said.y, real.y) && near(said.width, real.width) && near(said.height, real.height)
    }
}

pub(crate) fn accessibility(applications: &[Arc<Registered>]) -> Accessibility {
    if applications.is_empty() { Accessibility::Off } else { Accessibility::Ready }
}
