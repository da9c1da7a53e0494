use crate::RequestId;
use serde::{Deserialize, Serialize};

/// `fence`: from its acknowledgement on, no write of the scope leaves under an older permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RaiseFence {
    pub epoch: u64,
    pub scope: FenceScope,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum FenceScope {
    Seat {},
    Application { pid: u32 },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FenceAcknowledged {
    pub epoch: u64,
    /// Requests of the scope that had already written, and whose answers had not wholly left: their actions are
    /// delivered or unknown. An answer may arrive before an acknowledgement that still names it.
    pub passed: Vec<RequestId>,
}
