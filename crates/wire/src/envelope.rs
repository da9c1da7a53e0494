//! Lines in and out.

use crate::{Call, Method, PROTOCOL, Reply, RequestId, RpcCode, RpcError, Violation};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{error::Category, value::RawValue};
use std::borrow::Cow;

const CANCEL: &str = "$/cancel";

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub id: RequestId,
    pub call: Call,
}

/// A line the host wrote.
#[derive(Debug, Clone, PartialEq)]
pub enum FromHost {
    Request(Box<Request>),
    /// `$/cancel`: the one notification.
    Cancel(RequestId),
    /// It names a request, and cannot be used as one. It is to be answered with the error.
    Unusable(Unusable),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unusable {
    pub id: RequestId,
    pub error: RpcError,
}

/// A line the executor wrote.
#[derive(Debug)]
pub enum FromExecutor<'line> {
    Answer {
        id: RequestId,
        result: Result<RawAnswer<'line>, RpcError>,
    },
    /// A line of the host named no request and could not be used.
    Complaint(RpcError),
}

/// A `result` whose method is not known yet.
#[derive(Debug, Clone, Copy)]
pub struct RawAnswer<'line>(&'line RawValue);

impl RawAnswer<'_> {
    /// Reads it as `method`'s answer.
    pub fn read(self, method: Method) -> Result<Reply, Violation> {
        method.read_reply(self.0).map_err(|_| Violation::MalformedAnswer(method))
    }
}

/// A line that is no message: what it breaks, and what to answer without naming a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{violation}")]
pub struct Complaint {
    pub violation: Violation,
    pub error: RpcError,
}

/// Reads one line of the host. Never panics, whatever the bytes.
pub fn parse_from_host(line: &[u8]) -> Result<FromHost, Complaint> {
    let line = std::str::from_utf8(line).map_err(|_| complaint(Violation::NotUtf8, RpcCode::Parse))?;
    let form: RequestForm<'_> = match serde_json::from_str(line) {
        Ok(form) => form,
        Err(error) => return unusable_line(line, &error),
    };
    match (form.id, &*form.method) {
        (Some(id), name) => Ok(read_request(id, name, form.params)),
        (None, CANCEL) => match form.params.map(|params| serde_json::from_str::<CancelForm>(params.get())) {
            Some(Ok(CancelForm { id })) => Ok(FromHost::Cancel(id)),
            _ => Err(complaint(Violation::NotAMessage, RpcCode::InvalidParams)),
        },
        (None, _) => Err(complaint(Violation::NotAMessage, RpcCode::InvalidRequest)),
    }
}

/// Reads one line of the executor. Never panics, whatever the bytes.
pub fn parse_from_executor(line: &[u8]) -> Result<FromExecutor<'_>, Violation> {
    let line = std::str::from_utf8(line).map_err(|_| Violation::NotUtf8)?;
    let form: ResponseForm<'_> = serde_json::from_str(line).map_err(|error| match error.classify() {
        Category::Syntax | Category::Eof | Category::Io => Violation::NotJson,
        Category::Data => Violation::NotAMessage,
    })?;
    match (form.id, form.result, form.error) {
        (Some(id), Some(result), None) if is_object(result) => {
            Ok(FromExecutor::Answer { id, result: Ok(RawAnswer(result)) })
        }
        (Some(id), None, Some(error)) => Ok(FromExecutor::Answer { id, result: Err(error) }),
        (None, None, Some(error)) => Ok(FromExecutor::Complaint(error)),
        _ => Err(Violation::NotAMessage),
    }
}

/// One line with its line feed.
pub fn encode_request(request: &Request) -> Vec<u8> {
    line(&WrittenRequest {
        jsonrpc: Version,
        id: Some(request.id),
        method: request.call.method().as_str(),
        params: WrittenParams(&request.call),
    })
}

/// One line with its line feed.
pub fn encode_cancel(id: RequestId) -> Vec<u8> {
    line(&WrittenRequest { jsonrpc: Version, id: None, method: CANCEL, params: CancelForm { id } })
}

/// One line with its line feed.
pub fn encode_answer(id: RequestId, reply: &Reply) -> Vec<u8> {
    line(&WrittenResponse { jsonrpc: Version, id: Some(id), result: Some(WrittenResult(reply)), error: None })
}

/// One line with its line feed.
pub fn encode_rpc_error(id: RequestId, error: RpcError) -> Vec<u8> {
    line(&WrittenResponse { jsonrpc: Version, id: Some(id), result: None, error: Some(error) })
}

/// One line with its line feed: an error that answers no request.
pub fn encode_complaint(error: RpcError) -> Vec<u8> {
    line(&WrittenResponse { jsonrpc: Version, id: None, result: None, error: Some(error) })
}

fn read_request(id: RequestId, name: &str, params: Option<&RawValue>) -> FromHost {
    let unusable = |code| FromHost::Unusable(Unusable { id, error: RpcError(code) });
    let Some(method) = Method::from_name(name) else { return unusable(RpcCode::UnknownMethod) };
    let Some(params) = params.filter(|params| is_object(params)) else { return unusable(RpcCode::InvalidParams) };
    if method == Method::Hello && speaks_another_protocol(params) {
        return unusable(RpcCode::ProtocolMismatch);
    }
    match method.read_params(params) {
        Ok(call) => FromHost::Request(Box::new(Request { id, call })),
        Err(_) => unusable(RpcCode::InvalidParams),
    }
}

/// Another dialect's hello has other fields, so its name is looked at before them.
fn speaks_another_protocol(params: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow)]
        protocol: Cow<'a, str>,
    }
    serde_json::from_str::<Named<'_>>(params.get()).is_ok_and(|named| named.protocol != PROTOCOL)
}

fn unusable_line(line: &str, error: &serde_json::Error) -> Result<FromHost, Complaint> {
    #[derive(Deserialize)]
    struct Named {
        id: RequestId,
    }
    if error.classify() != Category::Data {
        return Err(complaint(Violation::NotJson, RpcCode::Parse));
    }
    match serde_json::from_str::<Named>(line) {
        Ok(Named { id }) => Ok(FromHost::Unusable(Unusable { id, error: RpcError(RpcCode::InvalidRequest) })),
        Err(_) => Err(complaint(Violation::NotAMessage, RpcCode::InvalidRequest)),
    }
}

const fn complaint(violation: Violation, code: RpcCode) -> Complaint {
    Complaint { violation, error: RpcError(code) }
}

/// Structures may also be read from arrays, which this protocol does not write.
fn is_object(value: &RawValue) -> bool {
    value.get().starts_with('{')
}

fn line(message: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(message).expect("messages have text keys and finite numbers");
    bytes.push(b'\n');
    bytes
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestForm<'line> {
    #[serde(rename = "jsonrpc")]
    _jsonrpc: Version,
    #[serde(default)]
    id: Option<RequestId>,
    #[serde(borrow)]
    method: Cow<'line, str>,
    #[serde(default, borrow)]
    params: Option<&'line RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResponseForm<'line> {
    #[serde(rename = "jsonrpc")]
    _jsonrpc: Version,
    id: Option<RequestId>,
    #[serde(default, borrow)]
    result: Option<&'line RawValue>,
    #[serde(default)]
    error: Option<RpcError>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CancelForm {
    id: RequestId,
}

#[derive(Serialize)]
struct WrittenRequest<P> {
    jsonrpc: Version,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<RequestId>,
    method: &'static str,
    params: P,
}

#[derive(Serialize)]
struct WrittenResponse<'a> {
    jsonrpc: Version,
    id: Option<RequestId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<WrittenResult<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<RpcError>,
}

struct WrittenParams<'a>(&'a Call);

impl Serialize for WrittenParams<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write_params(serializer)
    }
}

struct WrittenResult<'a>(&'a Reply);

impl Serialize for WrittenResult<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write_result(serializer)
    }
}

/// `"2.0"`.
struct Version;

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("2.0")
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match &*<Cow<'de, str>>::deserialize(deserializer)? {
            "2.0" => Ok(Version),
            _ => Err(serde::de::Error::custom("not JSON-RPC 2.0")),
        }
    }
}
