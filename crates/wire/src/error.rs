use crate::ToolkitFamily;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use surehand_contract::Code;

macro_rules! rpc_codes {
    ($($(#[$doc:meta])* $name:ident, $number:literal, $message:literal;)+) => {
        /// Why a request was unusable. Says nothing about the world.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum RpcCode { $($(#[$doc])* $name,)+ }

        impl RpcCode {
            pub const ALL: &'static [RpcCode] = &[$(RpcCode::$name,)+];

            pub const fn number(self) -> i64 {
                match self { $(RpcCode::$name => $number,)+ }
            }

            /// The constant sentence that goes with the number.
            pub const fn message(self) -> &'static str {
                match self { $(RpcCode::$name => $message,)+ }
            }

            pub const fn from_number(number: i64) -> Option<Self> {
                match number { $($number => Some(RpcCode::$name),)+ _ => None }
            }
        }
    };
}

rpc_codes! {
    Parse, -32700, "The line is not JSON.";
    InvalidRequest, -32600, "The line is not a request.";
    UnknownMethod, -32601, "There is no such method.";
    InvalidParams, -32602, "The parameters are not the method's.";
    Internal, -32603, "The executor failed inside.";
    ProtocolMismatch, -32000, "That protocol is not spoken here.";
    HelloFirst, -32001, "host.hello comes first, and once.";
    SessionUnknown, -32002, "There is no such session.";
    ShuttingDown, -32003, "The executor is ending.";
    TooMany, -32004, "A limit named in the handshake is exceeded.";
}

/// The JSON-RPC error layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{}", .0.message())]
pub struct RpcError(pub RpcCode);

#[derive(Serialize)]
struct WrittenRpcError {
    code: i64,
    message: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<WrittenSupported>,
}

#[derive(Serialize)]
struct WrittenSupported {
    supported: [&'static str; 1],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadRpcError {
    code: i64,
    message: String,
    #[serde(default)]
    data: Option<ReadSupported>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadSupported {
    supported: Vec<String>,
}

impl Serialize for RpcError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let supported = WrittenSupported { supported: [crate::PROTOCOL] };
        let data = (self.0 == RpcCode::ProtocolMismatch).then_some(supported);
        WrittenRpcError { code: self.0.number(), message: self.0.message(), data }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RpcError {
    /// The message is required and dropped: what the other side wrote there never goes further.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = ReadRpcError::deserialize(deserializer)?;
        let code = RpcCode::from_number(read.code).ok_or_else(|| serde::de::Error::custom("not an error number"))?;
        let names_dialects = read.data.is_some_and(|data| !data.supported.is_empty());
        if read.message.is_empty() || names_dialects != (code == RpcCode::ProtocolMismatch) {
            return Err(serde::de::Error::custom("not an error of this protocol"));
        }
        Ok(Self(code))
    }
}

/// The domain layer: the request was usable, and this is why it did not do what it asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}")]
pub struct DomainError {
    pub code: Code,
    pub detail: Option<Detail>,
}

impl From<Code> for DomainError {
    fn from(code: Code) -> Self {
        Self { code, detail: None }
    }
}

/// The machine-readable part of an error. Holds no application text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Detail {
    /// The application draws windows and describes none; `flag` makes it describe them at its next start.
    AccessibilityOff {
        toolkit: ToolkitFamily,
        application: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        flag: Option<String>,
    },
    Missing {
        part: DesktopPart,
    },
    Deadline {
        ms: u64,
    },
    /// What became of the named snapshot.
    Snapshot {
        fate: SnapshotFate,
    },
    ResponseBytes {
        bytes: u64,
        limit: u64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DesktopPart {
    Display,
    SessionBus,
    AccessibilityBus,
}

/// Why a snapshot can no longer be acted on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SnapshotFate {
    /// This session never had it, or had it long ago.
    Unknown,
    /// An action used it.
    Spent,
    /// A newer one of the same window replaced it.
    Superseded,
    /// It is older than `snapshotTtlMs`.
    Expired,
    /// The session observed more windows than `snapshotsPerSession`.
    Evicted,
    /// It is live, and has no such element.
    NoSuchElement,
}

#[derive(Serialize)]
struct WrittenDomainError<'a> {
    code: Code,
    message: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a Detail>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadDomainError {
    code: Code,
    message: String,
    #[serde(default)]
    detail: Option<Detail>,
}

impl Serialize for DomainError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = WrittenDomainError { code: self.code, message: self.code.advice(), detail: self.detail.as_ref() };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for DomainError {
    /// The message is required and dropped: what the other side wrote there never goes further.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = ReadDomainError::deserialize(deserializer)?;
        if read.message.is_empty() {
            return Err(serde::de::Error::custom("an error has a message"));
        }
        Ok(Self { code: read.code, detail: read.detail })
    }
}
