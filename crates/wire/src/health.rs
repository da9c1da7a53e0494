use serde::{Deserialize, Serialize};

/// `health`: what works on this machine, with the evidence for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadHealth {}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Health {
    pub capabilities: Vec<Capability>,
    pub sessions: u64,
    pub live_snapshots: u64,
    pub images: u64,
    pub image_bytes: u64,
    pub fence_epoch: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Capability {
    pub name: String,
    pub claim: Claim,
    /// What it rests on. Holds no application text.
    pub evidence: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    Claimed,
    Degraded,
    NotClaimed,
}
