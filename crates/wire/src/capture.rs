use crate::{ImageFormat, SessionId};
use serde::{Deserialize, Serialize};
use surehand_contract::{Digest, Target};

/// `screen.capture`: the window's own pixels, also when it is covered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Capture {
    pub session: SessionId,
    pub target: Target,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Captured {
    pub image: Image,
}

/// A file in the image folder. It stays until its session ends, or until the folder's budget needs its room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Image {
    pub path: String,
    pub format: ImageFormat,
    pub sha256: Digest,
    pub byte_length: u64,
    /// Window pixels: one picture pixel is one window pixel.
    pub width: u32,
    pub height: u32,
}
