use crate::{Route, Verb};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU64;

/// The exact string that chooses this dialect.
pub const PROTOCOL: &str = "surehand.executor/1";

/// `host.hello`: the first request of a generation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Hello {
    /// [`PROTOCOL`]. Another string is answered with [`crate::RpcCode::ProtocolMismatch`].
    pub protocol: String,
    pub host: HostName,
    /// The executor ends when this process does.
    pub host_pid: u32,
    /// An absolute path of an existing folder that only this executor writes to.
    pub image_dir: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostName {
    pub name: String,
    pub version: String,
}

/// The answer to [`Hello`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Welcome {
    /// [`PROTOCOL`].
    pub protocol: String,
    pub executor: ExecutorName,
    pub pid: u32,
    pub abilities: Abilities,
    pub limits: Limits,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExecutorName {
    pub name: String,
    pub version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// What this executor can be asked for at all. What works on this machine is in [`crate::Health`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Abilities {
    pub verbs: Vec<Verb>,
    pub routes: Vec<Route>,
    pub image_formats: Vec<ImageFormat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ImageFormat {
    Png,
}

/// The executor's bounds. None is zero: there is no "unlimited".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Limits {
    pub sessions: NonZeroU64,
    pub snapshots_per_session: NonZeroU64,
    pub snapshot_ttl_ms: NonZeroU64,
    pub max_elements: NonZeroU64,
    pub max_depth: NonZeroU64,
    pub max_text_chars: NonZeroU64,
    pub max_line_bytes: NonZeroU64,
    pub max_response_bytes: NonZeroU64,
    pub requests_in_flight: NonZeroU64,
    pub settle_ceiling_ms: NonZeroU64,
    pub shutdown_grace_ms: NonZeroU64,
    pub image_dir_budget_bytes: NonZeroU64,
}
