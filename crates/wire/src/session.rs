use crate::SessionId;
use serde::{Deserialize, Serialize};

/// `session.begin`. Beginning a live session is [`crate::RpcCode::InvalidParams`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BeginSession {
    pub session: SessionId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionBegun {}

/// `session.end`. Ending an unknown session releases nothing and is no error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EndSession {
    pub session: SessionId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionReleased {
    pub released: Released,
}

/// How many of each the session still held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Released {
    pub snapshots: u64,
    pub images: u64,
    /// Calls that were cancelled by the end.
    pub calls: u64,
}
