//! Class `model`: every message means on the other side what it meant on this one.
#![allow(clippy::unwrap_used)] // The whole file is tests.

mod messages;

use messages::*;
use proptest::prelude::*;
use std::collections::BTreeSet;
use surehand_wire::*;

fn back(id: RequestId, reply: &Reply) -> Reply {
    let line = encode_answer(id, reply);
    assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1, "one line");
    match parse_from_executor(&line[..line.len() - 1]).unwrap() {
        FromExecutor::Answer { id: answered, result: Ok(raw) } => {
            assert_eq!(answered, id);
            raw.read(reply.method()).unwrap()
        }
        other => panic!("{other:?}"),
    }
}

fn there(request: &Request) -> Request {
    let line = encode_request(request);
    assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1, "one line");
    match parse_from_host(&line[..line.len() - 1]).unwrap() {
        FromHost::Request(request) => *request,
        other => panic!("{other:?}"),
    }
}

proptest! {
    #[test]
    fn requests_arrive_as_they_left(id in any_request_id(), call in any_call()) {
        let request = Request { id, call };
        prop_assert_eq!(there(&request), request);
    }

    #[test]
    fn answers_arrive_as_they_left(id in any_request_id(), reply in any_reply()) {
        prop_assert_eq!(back(id, &reply), reply);
    }

    /// An answer read as another method's is refused, or says exactly the same.
    #[test]
    fn an_answer_is_no_other_methods(id in any_request_id(), reply in any_reply(), method in any_method()) {
        let line = encode_answer(id, &reply);
        let FromExecutor::Answer { result: Ok(raw), .. } = parse_from_executor(&line).unwrap() else {
            return Err(TestCaseError::fail("an answer"));
        };
        if let Ok(other) = raw.read(method) {
            let written = encode_answer(id, &other);
            prop_assert_eq!(String::from_utf8(written).unwrap(), String::from_utf8(line).unwrap());
        }
    }

    #[test]
    fn cancellations_arrive_as_they_left(id in any_request_id()) {
        let line = encode_cancel(id);
        prop_assert_eq!(parse_from_host(&line).unwrap(), FromHost::Cancel(id));
    }
}

fn any_method() -> impl Strategy<Value = Method> {
    prop::sample::select(Method::ALL)
}

#[test]
fn every_rpc_error_arrives_as_it_left() {
    for code in RpcCode::ALL {
        let line = encode_rpc_error(RequestId::FIRST, RpcError(*code));
        match parse_from_executor(&line).unwrap() {
            FromExecutor::Answer { result: Err(error), .. } => assert_eq!(error, RpcError(*code)),
            other => panic!("{other:?}"),
        }
        let line = encode_complaint(RpcError(*code));
        assert!(matches!(parse_from_executor(&line).unwrap(), FromExecutor::Complaint(error) if error.0 == *code));
    }
}

#[test]
fn the_full_messages_cover_every_method_and_arrive_as_they_left() {
    let methods: BTreeSet<Method> = Method::ALL.iter().copied().collect();
    assert_eq!(full_calls().iter().map(Call::method).collect::<BTreeSet<_>>(), methods);
    assert_eq!(full_replies().iter().map(Reply::method).collect::<BTreeSet<_>>(), methods);
    for call in full_calls() {
        let request = Request { id: RequestId::FIRST, call };
        assert_eq!(there(&request), request);
    }
    for reply in full_replies() {
        assert_eq!(back(RequestId::FIRST, &reply), reply);
    }
}
