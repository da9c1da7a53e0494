//! Every bound of this crate. Hitting one is reported by the code named beside it.

use std::time::Duration;

/// One call to an application. Hit: [`surehand_contract::Code::Unresponsive`], and the peer's breaker opens.
pub(crate) const CALL: Duration = Duration::from_millis(1_000);

/// The reply to an action that was already written. Hit: `outcome_unknown`, unless a later call was answered.
pub(crate) const ACTION_REPLY: Duration = Duration::from_millis(1_500);

/// After this long without a reply to an action, a cheap call asks whether the application still answers.
pub(crate) const ACTION_PROBE_AFTER: Duration = Duration::from_millis(250);

/// Calls to one application that wait for their answer at once.
pub(crate) const CALLS_IN_FLIGHT: usize = 32;

/// A peer whose breaker is open is asked again after this long. Until then: `unresponsive` at once.
pub(crate) const BREAKER_OPEN: Duration = Duration::from_millis(2_000);

/// Children of a container that makes them on demand which are read one by one. More: only what is on screen.
pub(crate) const VIRTUAL_CHILDREN: i32 = 256;

/// Cells of a spreadsheet-like container read in one look. Hit: `Omission::OffScreen`.
pub(crate) const VISIBLE_CELLS: usize = 600;

/// Characters of one text that are read for its digest. Hit: the value says how many characters there are.
pub(crate) const TEXT_READ_CHARACTERS: i32 = 1 << 20;

/// Ancestors climbed from an element to its window. Hit: `target_changed`.
pub(crate) const ANCESTORS: usize = 128;

/// Times a skeleton is completed by walking what the bulk answer left out. Hit: the rest is read node by node.
pub(crate) const SKELETON_ROUNDS: usize = 3;

/// The longest edge of a picture. Hit: `capture_failed`.
pub(crate) const PICTURE_EDGE_PX: u16 = 16_384;

/// Windows listed at once.
pub(crate) const WINDOWS: u32 = 1_024;

/// How often the launch looks for a new window when the server announces none.
pub(crate) const LAUNCH_LOOK: Duration = Duration::from_millis(50);

/// Children read at once from a container that does not say it makes them on demand. More: as if it did.
pub(crate) const EAGER_CHILDREN: i32 = 20_000;

/// Objects looked at in one window, shown or not. Hit: `Omission::Elements`.
pub(crate) const NODES: usize = 20_000;

/// Characters of a text that a witness keeps: its digest covers all of it, and a readback compares all of it.
pub(crate) const WITNESS_TEXT_CHARACTERS: usize = 16_384;

/// Messages of one connection that wait to be routed. Full: the bus waits.
pub(crate) const QUEUED_MESSAGES: usize = 4_096;

/// Lists of action names that are remembered of one application. Full: all are asked about anew.
pub(crate) const ACTION_LISTS: usize = 256;

/// A process this young may be about to describe its window; an older one that does not will not.
pub(crate) const STARTING: Duration = Duration::from_secs(60);

/// How long one call waits for that. Hit: `not_ready`.
pub(crate) const REGISTRATION_WAIT: Duration = Duration::from_secs(3);

/// How often it is looked for: the registry announces an application before it answers for its frames.
pub(crate) const REGISTRATION_LOOK: Duration = Duration::from_millis(50);

/// How long after its first window an application that was started may still be given the focus.
pub(crate) const FOREGROUND: Duration = Duration::from_millis(300);
