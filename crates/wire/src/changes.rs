use serde::{Deserialize, Serialize};
use surehand_contract::ProcessInstance;

/// `changes.wait`: returns once the application has announced a change after `sinceAnnouncements` and paused, or
/// when the time is over. Not every change is announced: look again in either case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WaitForChanges {
    pub process: ProcessInstance,
    pub since_announcements: u64,
    pub timeout_ms: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Changes {
    pub announcements: u64,
    pub waited_ms: u64,
    pub reason: ChangeReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeReason {
    Announced,
    Timeout,
    /// The process ended.
    Gone,
}
