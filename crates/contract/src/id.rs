//! Ids. All but the generations and epochs, which the seat counts, are made by the shell and passed in.

use crate::bounds::NAME_BYTES;
use serde::Serialize;
use std::{fmt, str::FromStr, sync::Arc};

/// The text is no id of this kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an id that surehand gives out")]
pub struct MalformedId;

/// The name is empty, too long or holds control characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a name is 1 to 256 bytes without control characters")]
pub struct MalformedName;

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident, $prefix:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u64);

        impl $name {
            /// The shell passes a number it never passes again.
            pub const fn new(number: u64) -> Self {
                Self(number)
            }

            /// The number that was passed in.
            pub const fn number(self) -> u64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(out, "{}{:x}", $prefix, self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, out)
            }
        }

        impl FromStr for $name {
            type Err = MalformedId;

            /// Reads only what `Display` writes: lower-case hexadecimal without leading zeros.
            fn from_str(text: &str) -> Result<Self, MalformedId> {
                let digits = text.strip_prefix($prefix).ok_or(MalformedId)?;
                let id = Self(u64::from_str_radix(digits, 16).map_err(|_| MalformedId)?);
                if id.to_string() == text { Ok(id) } else { Err(MalformedId) }
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )+};
}

handles! {
    /// One agent's stretch of work.
    SessionId, "s";
    /// One look at one window.
    ObservationId, "o";
    /// One client's connection to the host.
    ConnectionId, "c";
}

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
        pub struct $name(u64);

        impl $name {
            /// The one of this number.
            pub const fn new(number: u64) -> Self {
                Self(number)
            }

            /// How many there were before it, itself included.
            pub const fn number(self) -> u64 {
                self.0
            }

            /// The one after this.
            pub const fn next(self) -> Self {
                Self(self.0 + 1)
            }
        }
    )+};
}

counters! {
    /// Counts what can refuse an action. What was seen at one generation is trusted at that one only.
    Generation;
    /// One run of the executor process; the first is 1.
    ExecutorGeneration;
    /// Counts the fences raised. A write is let through only under the newest of its scope.
    FenceEpoch;
    /// The request id of one call to the executor, unique within its generation.
    CallNumber;
    /// One claim.
    ClaimId;
    /// One piece of input whose scope is not known yet.
    HoldId;
}

fn checked_name(text: &str) -> Result<Arc<str>, MalformedName> {
    let fits = !text.is_empty() && text.len() <= NAME_BYTES && !text.chars().any(char::is_control);
    if fits { Ok(text.into()) } else { Err(MalformedName) }
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// # Errors
            ///
            /// The text is empty, longer than [`NAME_BYTES`], or holds control characters.
            pub fn new(text: &str) -> Result<Self, MalformedName> {
                checked_name(text).map(Self)
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }
    )+};
}

names! {
    /// Whom a session acts for: the agent, as the host recognises it across connections.
    Principal;
    /// A client's own id for one `launch_app` call.
    LaunchCallId;
    /// What an input device calls itself.
    DeviceName;
    /// The unique name of a program on a bus.
    BusName;
}
