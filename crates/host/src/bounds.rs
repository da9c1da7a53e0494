//! Every bound of the host, in one place. What each one stops says so when it is hit.

use std::time::Duration;

/// Observations whose elements are kept for paging and acting, of one session.
pub const OBSERVATIONS_PER_SESSION: usize = 16;
/// How long an action waits for a person's input to be placed before it is refused as `held`.
pub const HOLD_WAIT: Duration = Duration::from_millis(500);
/// How often an action that was fenced before its write goes out again, while its lease still holds.
pub const FENCED_ATTEMPTS: usize = 3;
/// Calls that wait for one application's lane, whoever asks.
pub const LANE_QUEUE: usize = 32;

/// A request with a wait of its own is given this on top of it. Other deadlines of the executor's protocol are
/// [`surehand_wire::bounds`].
pub const REQUEST_MARGIN: Duration = Duration::from_secs(5);
/// After its standard input closed, an executor that the host no longer needs ends within this, or is killed.
pub const SHUTDOWN_GRACE: Duration = Duration::from_millis(500);
/// Bytes of the executor's diagnostics that are kept.
pub const DIAGNOSTICS_BYTES: usize = 4096;

/// Starts of the executor within [`RESTART_WINDOW`].
pub const RESTARTS: usize = 5;
/// Starts older than this no longer count against the budget, so it recovers.
pub const RESTART_WINDOW: Duration = Duration::from_secs(60);
/// The wait before the second start within the window; each further one doubles it.
pub const RESTART_BACKOFF: Duration = Duration::from_millis(100);

/// A call waits itself for a start that is this near; a later one it refuses, saying when.
pub const RESTART_WAIT_INSIDE: Duration = Duration::from_secs(1);

/// Bytes of one picture.
pub const PICTURE_BYTES: u64 = 8 * 1024 * 1024;

/// Characters of `text` and `value`.
pub const TEXT_CHARACTERS: usize = 8_000;
/// Characters of an application's name or id.
pub const APPLICATION_CHARACTERS: usize = 512;
/// Characters of a session, observation, window or element id.
pub const ID_CHARACTERS: usize = 256;
/// Characters of `query` and of an action's name.
pub const QUERY_CHARACTERS: usize = 256;
/// Pages that one scroll turns.
pub const SCROLL_PAGES: u32 = 100;
/// What `wait_for` waits at most, and when nothing is said.
pub const WAIT_LONGEST: Duration = Duration::from_secs(60);
pub const WAIT_DEFAULT: Duration = Duration::from_secs(10);
/// How long an application is quiet when `wait_for` waits for quiet.
pub const WAIT_QUIET: Duration = Duration::from_millis(500);
/// A wait looks again after this even when nothing was announced: not every change is.
pub const WAIT_RELOOK: Duration = Duration::from_secs(1);
/// A wait looks no more often than this, however much is announced.
pub const WAIT_LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// A wait for a window lists the windows no more often than this.
pub const WAIT_WINDOW_INTERVAL: Duration = Duration::from_millis(200);
/// How long `launch_app` waits for a window.
pub const LAUNCH_WINDOW: Duration = Duration::from_secs(8);

/// Characters of a name that are never cut.
pub const NAME_CHARACTERS: usize = 80;
/// Characters of a value or description that are shown.
pub const VALUE_CHARACTERS: usize = 256;
/// A list of actions that elements repeat is written once where that saves this many characters. So many such lists
/// are, those that save most.
pub const ACTION_SET_SAVES: usize = 16;
pub const ACTION_SETS: usize = 8;
/// Action names listed on one element, and characters of one.
pub const ACTIONS_LISTED: usize = 8;
pub const ACTION_CHARACTERS: usize = 40;
/// Indentation stops growing here; the depth still orders the lines.
pub const INDENT_DEPTH: usize = 40;
/// Weight of one page of elements. See [`crate::text::weight`]: three units are at least one token, so a page is
/// under 20,000 tokens and a whole answer under 25,000.
pub const PAGE_WEIGHT: usize = 60_000;
/// Weight of everything in an answer that is not a page.
pub const FRAME_WEIGHT: usize = 12_000;
/// Elements that are not on screen and still stand on the page of those that are.
pub const OFF_SCREEN_ON_FIRST_PAGE: usize = 40;
/// Candidates named when a name fits several, and applications listed in one answer.
pub const CANDIDATES: usize = 24;
pub const APPLICATIONS_LISTED: usize = 200;
/// A difference that would list more than this share of the elements is given in full.
pub const DIFFERENCE_SHARE_PERCENT: usize = 50;
