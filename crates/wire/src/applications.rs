use crate::{SessionId, ToolCallId, text};
use serde::{Deserialize, Serialize};
use surehand_contract::{ProcessInstance, Target, UiText};

/// `apps.list`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListApplications {}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Applications {
    pub applications: Vec<Application>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Application {
    pub identity: ApplicationIdentity,
    pub process: ProcessInstance,
    #[serde(default, with = "text", skip_serializing_if = "UiText::is_empty")]
    pub name: UiText,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolkit: Option<Toolkit>,
    pub accessibility: Accessibility,
    pub windows: u32,
}

/// Who an application is when a person grants something to it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum ApplicationIdentity {
    DesktopEntry { id: String },
    Flatpak { id: String },
    Snap { id: String },
    Script { interpreter: String, path: String },
    Executable { path: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Toolkit {
    pub family: ToolkitFamily,
    /// As the application itself reports them.
    pub name: String,
    pub version: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolkitFamily {
    Gtk3,
    Gtk4,
    Qt,
    Chromium,
    LibreOffice,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Accessibility {
    Ready,
    /// The application owns windows and has no tree on the accessibility bus.
    Off,
}

/// `window.list`: top-level windows, front to back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListWindows {}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Windows {
    pub windows: Vec<Window>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Window {
    pub target: Target,
    pub application: ApplicationIdentity,
    #[serde(default, with = "text", skip_serializing_if = "UiText::is_empty")]
    pub title: UiText,
    /// Root-window pixels: the client area, without the window manager's decorations.
    pub bounds: Rect,
    pub visibility: Visibility,
    pub active: bool,
    pub accessibility: Accessibility,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Visibility {
    Shown,
    Minimised,
    OtherWorkspace,
    Unmapped,
}

/// Pixels; `x` and `y` may be negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rect {
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
}

/// `apps.launch`: starts an application in the background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LaunchApplication {
    pub session: SessionId,
    pub tool_call_id: ToolCallId,
    /// The newest fence the host knew when it let this call go.
    pub fence_epoch: u64,
    /// A desktop id, or the path of a program.
    pub application: String,
    /// 0 does not wait.
    pub wait_for_window_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Launched {
    pub tool_call_id: ToolCallId,
    pub process: ProcessInstance,
    pub application: ApplicationIdentity,
    /// Whether the new application holds the focus now although something else held it before.
    pub took_foreground: bool,
    pub windows: Vec<Window>,
    pub waited: LaunchWait,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LaunchWait {
    pub ms: u64,
    pub reason: LaunchWaitReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LaunchWaitReason {
    WindowAppeared,
    Timeout,
    NotRequested,
}
