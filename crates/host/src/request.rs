//! What a session can be asked, and what it answers.

use crate::{kept::Record, refusal::Refusal, view::View};
use std::{fmt, sync::Arc, time::Duration};
use surehand_contract::{Digest, LaunchCallId, ObservationId, UiText, Verdict};
use surehand_wire::{Action, Application, Launched as WireLaunched, SettleReason, Snapshot, Window};

/// Which window is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WindowChoice {
    /// By id or name, as `list_apps` gives them, in any case. The application's frontmost window.
    Application(String),
    /// The process's frontmost window.
    Pid(u32),
    /// By the window id that an answer gave.
    Window(String),
    /// The window of an observation of this session.
    Observation(ObservationId),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObserveRequest {
    pub window: WindowChoice,
    /// Only elements whose name, value, description or role contains it, in any case.
    pub query: Option<UiText>,
    /// Another page of an observation that was made; counted from 1. Without it the window is looked at afresh.
    pub page: Option<usize>,
}

/// One action on one element of one observation.
#[derive(Debug, Clone, PartialEq)]
pub struct ActRequest {
    pub observation: ObservationId,
    /// The number that begins the element's line.
    pub element: u64,
    pub action: Action,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchRequest {
    /// A desktop id, or the path of a program.
    pub application: String,
    /// The client's own id of this call: a repeat returns the first answer and starts nothing.
    pub call: LaunchCallId,
}

#[derive(Debug, Clone, PartialEq)]
pub struct WaitRequest {
    pub window: WindowChoice,
    pub condition: Condition,
    /// At most [`crate::bounds::WAIT_LONGEST`].
    pub timeout: Duration,
}

/// What is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Some element's name, value or description contains it, in any case.
    Text(UiText),
    TextGone(UiText),
    /// The element is in this state, or no longer.
    State {
        element: u64,
        state: ElementState,
        holds: bool,
    },
    /// The element's value is exactly this.
    Value {
        element: u64,
        value: UiText,
    },
    ElementGone {
        element: u64,
    },
    /// The application has a window whose title contains it, in any case.
    Window(UiText),
    /// Nothing was announced for [`crate::bounds::WAIT_QUIET`].
    Quiet,
}

/// States that can be waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ElementState {
    Enabled,
    Showing,
    Focused,
    Selected,
    Checked,
    Expanded,
    Busy,
}

/// Text for the model of the current turn. It is no `String`, cannot be serialised and shows nothing of itself in a
/// debug line; whoever hands it to a model says so by [`ModelText::expose`].
#[derive(Clone, PartialEq, Eq)]
pub struct ModelText(UiText);

impl ModelText {
    pub(crate) fn new(text: String) -> Self {
        Self(UiText::new(text))
    }

    pub fn expose(&self) -> &str {
        self.0.expose()
    }

    pub fn into_exposed(self) -> String {
        self.0.into_exposed()
    }
}

impl fmt::Debug for ModelText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ModelText({} bytes)", self.0.expose().len())
    }
}

/// One answer in its two projections, with its facts for programs.
#[derive(Debug)]
pub struct Answer<T> {
    pub outcome: Result<T, Refusal>,
    /// What the model of the current turn reads.
    pub model: ModelText,
    /// What may be kept.
    pub kept: Record,
    /// After a refusal because things have moved on: the window as it is now. It stands in `model` too.
    pub fresh: Option<Observed>,
}

/// A window as it was observed.
#[derive(Debug, Clone)]
pub struct Observed {
    pub observation: ObservationId,
    /// Whether it may be acted on: nothing happened while it was read.
    pub actionable: bool,
    pub window: String,
    pub(crate) view: Arc<View>,
    /// What whoever reads this has read before of the same window.
    pub(crate) base: Option<(ObservationId, Arc<View>)>,
}

impl Observed {
    pub fn snapshot(&self) -> &Snapshot {
        &self.view.snapshot
    }
}

/// What became of an action.
#[derive(Debug, Clone)]
pub struct Acted {
    pub verdict: Verdict,
    pub route: surehand_wire::Route,
    pub settled: Option<SettleReason>,
    /// The window after it.
    pub fresh: Option<Observed>,
    /// A person's input can no longer be seen.
    pub input_is_lost: bool,
    /// The action closed the window.
    pub window_is_gone: bool,
}

#[derive(Debug, Clone)]
pub struct Launched {
    pub verdict: Verdict,
    /// Absent when this repeats a call whose first answer is no longer known.
    pub launched: Option<Arc<WireLaunched>>,
    pub repeated: bool,
}

#[derive(Debug, Clone)]
pub struct Listed {
    pub applications: Vec<Application>,
    pub windows: Vec<Window>,
}

/// A window's own pixels.
#[derive(Clone)]
pub struct Pictured {
    pub png: Vec<u8>,
    pub sha256: Digest,
    /// Window pixels.
    pub width: u32,
    pub height: u32,
}

impl fmt::Debug for Pictured {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Pictured({}x{}, {} bytes)", self.width, self.height, self.png.len())
    }
}

/// How a wait ended. Both ways show the window as it is.
#[derive(Debug, Clone)]
pub struct Waited {
    pub met: bool,
    pub waited: Duration,
    pub observed: Option<Observed>,
}
