//! Class `protocol`: one line at a time, both ways.
#![allow(clippy::unwrap_used)] // The whole file is tests.

use surehand_contract::{Code, Delivery, Verdict};
use surehand_wire::*;

fn id(number: u64) -> RequestId {
    RequestId::new(number).unwrap()
}

fn report(verdict: Verdict, route: Route) -> Reply {
    Reply::DispatchElement(DispatchReport {
        tool_call_id: ToolCallId::new("call-1").unwrap(),
        verdict,
        route,
        detail: None,
        settle: None,
        snapshot: None,
        post_observation_error: None,
    })
}

fn read(method: Method, line: &str) -> Result<Result<Reply, RpcError>, Violation> {
    match parse_from_executor(line.as_bytes())? {
        FromExecutor::Answer { result: Ok(raw), .. } => raw.read(method).map(Ok),
        FromExecutor::Answer { result: Err(error), .. } => Ok(Err(error)),
        FromExecutor::Complaint(_) => Err(Violation::Complained),
    }
}

#[test]
fn an_answer_is_one_flat_object_with_ok_beside_its_fields() {
    let line = encode_answer(id(7), &Reply::Fence(Ok(FenceAcknowledged { epoch: 3, passed: vec![id(2)] })));
    let text = String::from_utf8(line).unwrap();
    assert_eq!(text, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"ok\":true,\"epoch\":3,\"passed\":[2]}}\n");
    let answer = read(Method::Fence, &text).unwrap().unwrap();
    assert_eq!(answer, Reply::Fence(Ok(FenceAcknowledged { epoch: 3, passed: vec![id(2)] })));
}

#[test]
fn a_domain_error_carries_its_codes_own_sentence_and_drops_a_foreign_one() {
    let error = DomainError { code: Code::Unresponsive, detail: Some(Detail::Deadline { ms: 800 }) };
    let text = String::from_utf8(encode_answer(id(1), &Reply::AppsList(Err(error.clone())))).unwrap();
    assert!(text.contains(Code::Unresponsive.advice()));
    let foreign = text.replace(Code::Unresponsive.advice(), "the title of some window");
    assert_eq!(read(Method::AppsList, &foreign).unwrap().unwrap(), Reply::AppsList(Err(error)));
    let empty = text.replace(Code::Unresponsive.advice(), "");
    assert_eq!(read(Method::AppsList, &empty), Err(Violation::MalformedAnswer(Method::AppsList)));
}

#[test]
fn unknown_fields_are_refused_both_ways_and_at_every_depth() {
    let begin = r#"{"jsonrpc":"2.0","id":1,"method":"session.begin","params":{"session":"s","extra":1}}"#;
    let refused = FromHost::Unusable(Unusable { id: id(1), error: RpcError(RpcCode::InvalidParams) });
    assert_eq!(parse_from_host(begin.as_bytes()), Ok(refused));
    let fence = r#"{"jsonrpc":"2.0","id":1,"method":"fence","params":{"epoch":1,"scope":{"kind":"seat","pid":3}}}"#;
    let refused = FromHost::Unusable(Unusable { id: id(1), error: RpcError(RpcCode::InvalidParams) });
    assert_eq!(parse_from_host(fence.as_bytes()), Ok(refused));
    let envelope = r#"{"jsonrpc":"2.0","id":1,"method":"health","params":{},"more":0}"#;
    let refused = FromHost::Unusable(Unusable { id: id(1), error: RpcError(RpcCode::InvalidRequest) });
    assert_eq!(parse_from_host(envelope.as_bytes()), Ok(refused));
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"ok":true,"extra":1}}"#;
    assert_eq!(read(Method::SessionBegin, answer), Err(Violation::MalformedAnswer(Method::SessionBegin)));
    let twice = r#"{"jsonrpc":"2.0","id":1,"result":{"ok":true,"ok":true}}"#;
    assert_eq!(read(Method::SessionBegin, twice), Err(Violation::MalformedAnswer(Method::SessionBegin)));
    let without = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    assert_eq!(read(Method::SessionBegin, without), Err(Violation::MalformedAnswer(Method::SessionBegin)));
}

#[test]
fn parameters_are_an_object_even_where_there_are_none() {
    let refused = FromHost::Unusable(Unusable { id: id(1), error: RpcError(RpcCode::InvalidParams) });
    for params in ["[]", "null", "\"\"", "0"] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"health","params":{params}}}"#);
        assert_eq!(parse_from_host(line.as_bytes()), Ok(refused.clone()), "{params}");
    }
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":[true]}"#;
    assert_eq!(read(Method::SessionBegin, answer), Err(Violation::NotAMessage));
}

#[test]
fn a_line_without_a_request_is_a_complaint_and_never_an_answer() {
    let cases: [(&[u8], Violation, RpcCode); 6] = [
        (b"\xff\xfe", Violation::NotUtf8, RpcCode::Parse),
        (b"{", Violation::NotJson, RpcCode::Parse),
        (b"null", Violation::NotAMessage, RpcCode::InvalidRequest),
        (b"[1,2]", Violation::NotAMessage, RpcCode::InvalidRequest),
        (br#"{"jsonrpc":"2.0","method":"observe","params":{}}"#, Violation::NotAMessage, RpcCode::InvalidRequest),
        (br#"{"jsonrpc":"2.0","method":"$/cancel","params":{"id":0}}"#, Violation::NotAMessage, RpcCode::InvalidParams),
    ];
    for (line, violation, code) in cases {
        assert_eq!(parse_from_host(line), Err(Complaint { violation, error: RpcError(code) }));
    }
}

#[test]
fn another_dialects_hello_is_told_which_one_is_spoken() {
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"host.hello","params":{"protocol":"maka.cu/2","allowGlobalPointer":false}}"#;
    let refused = FromHost::Unusable(Unusable { id: id(1), error: RpcError(RpcCode::ProtocolMismatch) });
    assert_eq!(parse_from_host(hello.as_bytes()), Ok(refused));
    let text = String::from_utf8(encode_rpc_error(id(1), RpcError(RpcCode::ProtocolMismatch))).unwrap();
    assert!(text.contains(r#""data":{"supported":["surehand.executor/1"]}"#));
    assert_eq!(read(Method::Hello, &text), Ok(Err(RpcError(RpcCode::ProtocolMismatch))));
}

#[test]
fn a_dispatchs_arms_must_agree_with_its_verdict() {
    let refused = report(Verdict::not_sent(Code::TargetChanged), Route::None);
    let text = String::from_utf8(encode_answer(id(1), &refused)).unwrap();
    assert_eq!(read(Method::DispatchElement, &text).unwrap().unwrap(), refused);
    let malformed = Err(Violation::MalformedAnswer(Method::DispatchElement));
    let lies = [
        ("\"ok\":false", "\"ok\":true"),
        ("\"code\":\"target_changed\",\"message\"", "\"code\":\"timeout\",\"message\""),
        ("\"effect\":\"unverifiable\"", "\"effect\":\"confirmed\""),
        ("\"route\":\"none\"", "\"route\":\"a11y_action\""),
        ("\"delivery\":\"not_sent\"", "\"delivery\":\"delivered\""),
        ("\"delivery\":\"not_sent\"", "\"delivery\":\"unknown\""),
    ];
    for (truth, lie) in lies {
        assert!(text.contains(truth), "{truth} in {text}");
        assert_eq!(read(Method::DispatchElement, &text.replace(truth, lie)), malformed, "{lie}");
    }
    let delivered = Verdict { delivery: Delivery::Delivered, ..Verdict::unknown() };
    let with_code = encode_answer(id(1), &report(delivered, Route::A11yAction));
    assert_eq!(read(Method::DispatchElement, std::str::from_utf8(&with_code).unwrap()), malformed);
}
