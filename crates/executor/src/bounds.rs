//! Every bound of the executor, in one place.

use std::time::Duration;

/// Live snapshots of one session, one a window. The oldest makes room: `stale_observation` (evicted).
pub const SNAPSHOTS_PER_SESSION: usize = 8;
/// How long a snapshot may be acted on: `stale_observation` (expired).
pub const SNAPSHOT_TTL: Duration = Duration::from_secs(120);
/// Ended snapshots whose fate one session remembers. Older ones are unknown.
pub const REMEMBERED_FATES: usize = 256;
/// Sessions at once: `RpcCode::TooMany`.
pub const SESSIONS: usize = 64;

/// Elements of one snapshot: `Omission::Elements`.
pub const ELEMENTS: usize = 1_500;
/// Levels of one snapshot: `Omission::Depth`.
pub const DEPTH: usize = 64;
/// Characters of one text on the wire: `truncated`.
pub const TEXT_CHARACTERS: usize = 500;
/// Characters of one text that a reading keeps: what is compared, and cut for the wire afterwards.
pub const TREE_TEXT_CHARACTERS: usize = 16_384;
/// How often a snapshot that would be too large a response is halved: `response_too_large`.
pub const HALVINGS: u32 = 3;
/// What a response holds besides its snapshot.
pub const ENVELOPE_BYTES: usize = 4_096;

/// Nodes of a row, list item, cell or dialog whose text is part of the digests in it.
pub const ROW_NODES: usize = 64;
/// Cells beside an element that stand in for a row without a node of its own.
pub const ROW_COMPANIONS: usize = 32;

/// How old the last answer that a write rests on may be: read again once, then `unresponsive`.
pub const WITNESS_AGE: Duration = Duration::from_millis(50);
/// How often an element is witnessed for one dispatch.
pub const WITNESSES: u32 = 2;

/// Pages of one scroll: `invalid_argument`.
pub const SCROLL_PAGES: u32 = 100;

/// Waiting for the application's lane: `unresponsive`.
pub const LANE_WAIT: Duration = Duration::from_secs(8);
/// Reading one window for an observation.
pub const TREE_TIME: Duration = Duration::from_secs(6);
/// Reading one window before or after an action.
pub const LOOK_TIME: Duration = Duration::from_secs(2);
/// Added to the time a desktop is given, before its call is dropped: `unresponsive`.
pub const DESKTOP_MARGIN: Duration = Duration::from_millis(500);
/// Witnessing one element: `unresponsive`.
pub const WITNESS_TIME: Duration = Duration::from_secs(3);
/// Listing applications or windows, or asking for capabilities: `unresponsive`.
pub const LIST_TIME: Duration = Duration::from_secs(5);
/// One picture: `capture_failed`.
pub const CAPTURE_TIME: Duration = Duration::from_secs(5);
/// Sending one action and hearing its reply: `outcome_unknown` once written, else `unresponsive`.
pub const ACT_TIME: Duration = Duration::from_secs(6);
/// One dispatch altogether: `outcome_unknown` once written, else `unresponsive`. Under the host's own deadline.
pub const DISPATCH_TIME: Duration = Duration::from_secs(18);
/// The longest wait for a launched application's window: `timeout`.
pub const LAUNCH_WAIT: Duration = Duration::from_secs(15);
/// The longest `changes.wait`.
pub const CHANGES_WAIT: Duration = Duration::from_secs(15);
/// An application that paused this long after announcing something is worth another look.
pub const CHANGES_QUIET: Duration = Duration::from_millis(20);
/// A cancelled action that has written answers within this long: `outcome_unknown`. Under the host's grace.
pub const CANCELLED_ANSWER: Duration = Duration::from_millis(1_500);

/// After an action: no announcement for this long is quiet.
pub const SETTLE_QUIET: Duration = Duration::from_millis(30);
/// After an action: an application that announces nothing is looked at again after this long.
pub const SETTLE_FLOOR: Duration = Duration::from_millis(60);
/// After an action: the longest wait between two looks.
pub const SETTLE_STEP: Duration = Duration::from_millis(150);
/// How long an effect may take to show (measured: GTK3 0 ms, Qt about 100, GTK4 about 255).
pub const EFFECT_WAIT: Duration = Duration::from_millis(400);
/// A confirmed effect that goes on changing is taken as it stands after this long.
pub const CONFIRMED_CEILING: Duration = Duration::from_millis(1_000);
/// The looks after one action altogether: `SettleReason::Ceiling`.
pub const SETTLE_CEILING: Duration = Duration::from_millis(2_500);

/// How long in-flight actions may take to finish at the end. Under the host's grace.
pub const SHUTDOWN_GRACE: Duration = Duration::from_millis(2_500);
/// How long the last answers may take to leave.
pub const FLUSH_TIME: Duration = Duration::from_millis(300);

/// Bytes of pictures kept. The oldest make room.
pub const IMAGE_BUDGET_BYTES: u64 = 256 * 1024 * 1024;
/// Bytes read from the host at once.
pub const READ_BYTES: usize = 64 * 1024;
