use crate::{ApplicationIdentity, Element, ElementToken, Rect, SessionId, SnapshotId, Toolkit, Visibility, text};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;
use surehand_contract::{Digest, ProcessInstance, Target, UiText};

/// `observe`: one window, whole. The snapshot it returns replaces the session's earlier one of that window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Observe {
    pub session: SessionId,
    pub target: ObserveTarget,
    /// Fewer elements than the executor's own limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_elements: Option<NonZeroU32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum ObserveTarget {
    /// Exactly this window.
    Window { target: Box<Target> },
    /// The application's frontmost shown window.
    Application { process: ProcessInstance },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Observed {
    pub snapshot: Snapshot,
}

/// What one window showed at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Snapshot {
    pub snapshot_id: SnapshotId,
    pub captured_at: CapturedAt,
    pub target: Target,
    pub application: ApplicationIdentity,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolkit: Option<Toolkit>,
    #[serde(default, with = "text", skip_serializing_if = "UiText::is_empty")]
    pub title: UiText,
    /// Root-window pixels of the client area.
    pub bounds: Rect,
    pub visibility: Visibility,
    pub active: bool,
    pub window_digest: Digest,
    pub elements: Vec<Element>,
    pub omissions: Vec<Omission>,
    /// The application's change announcements counted before the reading began: `sinceAnnouncements` of
    /// `changes.wait`.
    pub announcements: u64,
}

/// When a reading began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CapturedAt {
    /// The machine's monotonic clock, as `CLOCK_MONOTONIC` counts.
    pub monotonic_ms: u64,
    pub unix_ms: u64,
}

/// Something the snapshot leaves out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Omission {
    /// More elements than the limit.
    Elements { left_out: u64 },
    /// Elements that would have made the response too large.
    Response { left_out: u64 },
    /// Children deeper than the limit.
    Depth { under: ElementToken },
    /// Children of a container that makes them on demand, which are not on screen.
    OffScreen { under: ElementToken, shown: u32, of: u32 },
    /// The time ran out before these answered.
    Time { unread: u64 },
    /// The window is minimised, unmapped or on another workspace.
    NotShown {},
    /// The application described these in a way that cannot be true.
    Malformed { nodes: u64 },
}
