use crate::bounds;
use serde::{Deserialize, Deserializer, Serialize};
use std::{borrow::Cow, fmt};

/// Not an identifier: empty, longer than [`bounds::IDENTIFIER_BYTES`], or with something other than visible ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an identifier is 1 to {} visible ASCII characters", bounds::IDENTIFIER_BYTES)]
pub struct MalformedIdentifier;

macro_rules! identifiers {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            pub fn new(text: impl Into<String>) -> Result<Self, MalformedIdentifier> {
                let text = text.into();
                let fits = (1..=bounds::IDENTIFIER_BYTES).contains(&text.len());
                if fits && text.bytes().all(|byte| byte.is_ascii_graphic()) { Ok(Self(text)) } else { Err(MalformedIdentifier) }
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <Cow<'de, str>>::deserialize(deserializer)?;
                Self::new(text).map_err(serde::de::Error::custom)
            }
        }
    )+};
}

identifiers! {
    /// One session, named by the host.
    SessionId;
    /// One snapshot of one window, named by the executor. Cannot be guessed.
    SnapshotId;
    /// One element of one snapshot, named by the executor. Cannot be guessed; looked up whole, never taken apart.
    ElementToken;
    /// One call of a tool, named by the host.
    ToolCallId;
}

/// The number of one request: 1 and up, higher than every one before it in its generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct RequestId(u64);

impl RequestId {
    pub const FIRST: RequestId = RequestId(1);

    /// `None` for 0 and for what a JSON number does not carry exactly.
    pub const fn new(number: u64) -> Option<Self> {
        if number >= 1 && number <= bounds::REQUEST_ID { Some(Self(number)) } else { None }
    }

    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, out)
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u64::deserialize(deserializer)?;
        Self::new(number).ok_or_else(|| serde::de::Error::custom("not a request id"))
    }
}
