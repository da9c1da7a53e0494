//! The one door between the executor and a desktop. `linux` stands behind it on X11; tests put a scripted
//! desktop there.

use crate::Gate;
use std::{borrow::Cow, fmt::Debug, future::Future, hash::Hash, time::Duration};
use surehand_contract::{Code, Delivery, Digest, ProcessInstance, Target, UiText};

/// A desktop that can be observed and acted on.
///
/// Every method is bounded by the deadlines its implementation names; none waits for one application on behalf
/// of another.
pub trait Desktop: Send + Sync + 'static {
    /// The exact object an element was read from. Two readings that give equal references read one object.
    type Reference: Clone + Eq + Hash + Debug + Send + Sync + 'static;

    /// Applications that own a window or an accessible root.
    fn applications(&self) -> impl Future<Output = Result<Vec<Application>, Failure>> + Send;

    /// Top-level windows, front to back.
    fn windows(&self) -> impl Future<Output = Result<Vec<Window>, Failure>> + Send;

    /// What the window shows now, and what was left out.
    fn tree(
        &self,
        target: &Target,
        bounds: TreeBounds,
    ) -> impl Future<Output = Result<Tree<Self::Reference>, Failure>> + Send;

    /// Reads again, live, what an element's digest covers: the element, its ancestors, and the whole of the row,
    /// list item, cell or dialog it stands in. The answer is a tree of just those nodes; the element is
    /// [`Witness::element`] in it.
    fn witness(
        &self,
        target: &Target,
        lineage: &Lineage<Self::Reference>,
    ) -> impl Future<Output = Result<Witness<Self::Reference>, Failure>> + Send;

    /// Sends one action. Each write to the application goes through `gate`, with nothing awaited between the
    /// gate's check and the write.
    fn act(
        &self,
        target: &Target,
        element: &Node<Self::Reference>,
        action: &Action,
        gate: &Gate,
    ) -> impl Future<Output = Acted> + Send;

    /// How many change announcements the application has made so far.
    fn announcements(&self, process: &ProcessInstance) -> u64;

    /// Waits until the application has announced nothing for `bounds.quiet`, or a bound is hit. Returns at once
    /// never: an application that announces nothing is given `bounds.floor`.
    fn settle(
        &self,
        process: &ProcessInstance,
        announcements_before: u64,
        bounds: SettleBounds,
    ) -> impl Future<Output = Settled> + Send;

    /// The window's own pixels, also when it is covered.
    fn capture(&self, target: &Target) -> impl Future<Output = Result<Picture, Failure>> + Send;

    /// Starts an application in the background, through `gate`.
    fn launch(
        &self,
        application: &str,
        wait_for_window: Duration,
        gate: &Gate,
    ) -> impl Future<Output = Result<Launched, Failure>> + Send;

    /// What this desktop can do here, with the evidence for it.
    fn capabilities(&self) -> impl Future<Output = Vec<Capability>> + Send;
}

/// Why the desktop could not answer. Carries no application text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}")]
pub struct Failure {
    pub code: Code,
    pub detail: Option<Detail>,
}

impl From<Code> for Failure {
    fn from(code: Code) -> Self {
        Self { code, detail: None }
    }
}

/// The machine-readable part of a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detail {
    /// The application draws windows and describes none: `flag` makes it describe them at its next start.
    AccessibilityOff { toolkit: ToolkitFamily, application: String, flag: Option<&'static str> },
    /// The display or the bus that is missing.
    Missing(DesktopPart),
    /// The bound that was hit, in milliseconds.
    DeadlineMs(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DesktopPart {
    Display,
    SessionBus,
    AccessibilityBus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolkitFamily {
    Gtk3,
    Gtk4,
    Qt,
    Chromium,
    LibreOffice,
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    pub identity: ApplicationIdentity,
    pub process: ProcessInstance,
    pub name: UiText,
    pub toolkit: Option<Toolkit>,
    pub accessibility: Accessibility,
    pub windows: u32,
}

/// Who an application is when a person grants something to it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ApplicationIdentity {
    DesktopEntry(String),
    Flatpak(String),
    Snap(String),
    Script { interpreter: String, path: String },
    Executable(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolkit {
    pub family: ToolkitFamily,
    /// As the application itself reports them.
    pub name: String,
    pub version: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accessibility {
    Ready,
    /// The application owns windows and has no tree on the accessibility bus.
    Off,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    pub target: Target,
    pub application: ApplicationIdentity,
    pub title: UiText,
    /// Root-window pixels: the client area, without the window manager's decorations.
    pub bounds: Rect,
    pub visibility: Visibility,
    pub active: bool,
    pub accessibility: Accessibility,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    Shown,
    Minimised,
    OtherWorkspace,
    Unmapped,
}

/// Pixels; `x` and `y` may be negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Rect {
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
}

impl Rect {
    pub fn intersects(&self, other: &Rect) -> bool {
        self.width > 0
            && self.height > 0
            && i64::from(self.x) < i64::from(other.x) + i64::from(other.width)
            && i64::from(other.x) < i64::from(self.x) + i64::from(self.width)
            && i64::from(self.y) < i64::from(other.y) + i64::from(other.height)
            && i64::from(other.y) < i64::from(self.y) + i64::from(self.height)
    }
}

/// How much of a window is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeBounds {
    pub elements: usize,
    pub depth: usize,
    /// Characters of one name or value that are kept; the digest covers all of it.
    pub text_characters: usize,
    pub time: Duration,
}

/// A window's elements in depth-first order: a parent stands before its children.
#[derive(Debug, Clone)]
pub struct Tree<R> {
    pub window: Window,
    pub toolkit: Option<Toolkit>,
    pub nodes: Vec<Node<R>>,
    pub omissions: Vec<Omission>,
}

/// Something the reading left out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Omission {
    /// More elements than `TreeBounds::elements`.
    Elements { left_out: u64 },
    /// Children below `TreeBounds::depth`, under the node at this position.
    Depth { node: usize },
    /// Children of a container that makes them on demand, which are not on screen.
    OffScreen { node: usize, shown: u32, of: u32 },
    /// The time ran out before these nodes answered.
    Time { unread: u64 },
    /// The window is minimised, unmapped or on another workspace.
    NotShown,
    /// The application called these its own parents, or not at all.
    Malformed { nodes: u64 },
}

#[derive(Debug, Clone)]
pub struct Node<R> {
    pub reference: R,
    /// Position of the parent in [`Tree::nodes`].
    pub parent: Option<usize>,
    pub index_in_parent: u32,
    /// The native role name, as the accessibility protocol writes it.
    pub role: Cow<'static, str>,
    pub name: UiText,
    pub description: UiText,
    pub states: States,
    /// Advertised action names in the toolkit's order.
    pub actions: Vec<String>,
    pub verbs: Verbs,
    pub value: Option<Value>,
    /// Pixels from the top left of the window's client area.
    pub bounds: Option<Rect>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `digest` covers the whole text; `text` holds its beginning.
    Text {
        text: UiText,
        characters: u64,
        digest: Digest,
    },
    Number {
        current: f64,
        minimum: f64,
        maximum: f64,
        increment: f64,
    },
    /// A password: never read.
    Withheld,
}

/// What the element takes, by any semantic route of this desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Verbs {
    pub click: bool,
    pub set_value: bool,
    pub select: bool,
    pub scroll: bool,
}

macro_rules! states {
    ($($name:ident = $bit:literal, $text:literal;)+) => {
        /// A closed set of states, in the words of the accessibility protocol.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum State { $($name = 1 << $bit,)+ }

        impl State {
            pub const ALL: &'static [State] = &[$(State::$name,)+];

            pub const fn as_str(self) -> &'static str {
                match self { $(State::$name => $text,)+ }
            }
        }
    };
}

states! {
    Showing = 0, "showing";
    Enabled = 1, "enabled";
    Focusable = 2, "focusable";
    Focused = 3, "focused";
    Selectable = 4, "selectable";
    Selected = 5, "selected";
    Checkable = 6, "checkable";
    Checked = 7, "checked";
    Indeterminate = 8, "indeterminate";
    Pressed = 9, "pressed";
    Expandable = 10, "expandable";
    Expanded = 11, "expanded";
    Editable = 12, "editable";
    ReadOnly = 13, "read-only";
    Multiline = 14, "multi-line";
    Modal = 15, "modal";
    Required = 16, "required";
    Invalid = 17, "invalid-entry";
    Busy = 18, "busy";
    Default = 19, "default";
    Active = 20, "active";
    HasPopup = 21, "has-popup";
    Protected = 22, "protected";
    ManagesDescendants = 23, "manages-descendants";
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct States(u32);

impl States {
    pub const fn has(self, state: State) -> bool {
        self.0 & state as u32 != 0
    }

    #[must_use]
    pub const fn with(self, state: State) -> Self {
        Self(self.0 | state as u32)
    }

    #[must_use]
    pub const fn without(self, state: State) -> Self {
        Self(self.0 & !(state as u32))
    }

    pub fn iter(self) -> impl Iterator<Item = State> {
        State::ALL.iter().copied().filter(move |state| self.has(*state))
    }
}

/// The references an element was found under, outermost first, and its own last.
#[derive(Debug, Clone)]
pub struct Lineage<R> {
    pub ancestors: Vec<R>,
    pub element: R,
    /// [`Node::index_in_parent`] of each ancestor and then of the element: the way down again where a toolkit gives
    /// an object another reference at every read.
    pub places: Vec<u32>,
    /// Position in `ancestors` (or `ancestors.len()` for the element itself) of the nearest row, list item, cell
    /// or dialog; else of the part of the window that holds none of the element's twins. All of it is read again.
    pub row: Option<usize>,
    /// Where that is a cell under a table without row nodes, or the element itself among its twins: what stands beside
    /// it. They are read again too, and stand in the answered tree under the cell's parent.
    pub companions: Vec<R>,
    /// [`Node::index_in_parent`] of each companion, for the same toolkits as `places`.
    pub companion_places: Vec<u32>,
}

#[derive(Debug, Clone)]
pub struct Witness<R> {
    pub tree: Tree<R>,
    /// Position in the tree of the element that was asked for.
    pub element: usize,
    /// When its last answer arrived. A dispatch may rest on it for at most 50 ms.
    pub read_at: std::time::Instant,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    Click,
    SetValue(SetValue),
    /// Makes the element the selected one of its container, or opens the choice it stands for.
    Select,
    Scroll {
        direction: Direction,
        pages: u32,
    },
    /// One advertised action, by name.
    Perform {
        name: String,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub enum SetValue {
    Text(UiText),
    Number(f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
}

/// What is known of a write. `delivery` and `code` follow the contract's verdicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acted {
    pub delivery: Delivery,
    pub failure: Option<Failure>,
    /// The route that was taken, or would have been.
    pub route: Route,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    A11yAction,
    A11yValue,
    A11yText,
    A11ySelection,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettleBounds {
    /// No announcement for this long is quiet.
    pub quiet: Duration,
    /// An application that announces nothing at all is given this long.
    pub floor: Duration,
    pub ceiling: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settled {
    pub waited: Duration,
    pub reason: SettleReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettleReason {
    Quiet,
    NothingAnnounced,
    Ceiling,
    Gone,
}

/// A PNG of the window's client area, one picture pixel for one window pixel.
#[derive(Debug, Clone)]
pub struct Picture {
    pub png: Vec<u8>,
    pub width: u32,
    pub height: u32,
}

#[derive(Debug, Clone)]
pub struct Launched {
    pub process: ProcessInstance,
    pub identity: ApplicationIdentity,
    pub windows: Vec<Window>,
    pub waited: Duration,
    /// Whether the new application holds the focus now although something else held it before.
    pub took_foreground: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    pub name: &'static str,
    pub claim: Claimed,
    pub evidence: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claimed {
    Claimed,
    Degraded,
    NotClaimed,
}
