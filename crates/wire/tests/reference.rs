//! Class `static`: `docs/reference/executor-wire.md` says what the types say.
//!
//! `SUREHAND_UPDATE_REFERENCE=1` writes its tables anew.
#![allow(clippy::unwrap_used)] // The whole file is tests.

mod messages;

use messages::*;
use serde_json::Value;
use std::{collections::BTreeMap, fmt::Write, fs, path::PathBuf};
use surehand_contract::Code;
use surehand_wire::*;

fn page_path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/executor-wire.md")
}

#[test]
fn the_reference_page_agrees_with_the_types() {
    let mut page = fs::read_to_string(page_path()).unwrap();
    let tables = [
        ("methods", methods()),
        ("params", fields(&params())),
        ("results", fields(&results())),
        ("nested", fields(&nested())),
        ("arms", arms()),
        ("words", words()),
        ("codes", codes()),
        ("rpc", rpc_codes()),
        ("bounds", bounds_table()),
    ];
    for (name, table) in &tables {
        let (before, inside, after) = block(&page, name);
        if std::env::var_os("SUREHAND_UPDATE_REFERENCE").is_some() {
            page = format!("{before}\n{table}{after}");
        } else {
            assert_eq!(inside.trim(), table.trim(), "`{name}`: SUREHAND_UPDATE_REFERENCE=1 writes it");
        }
    }
    if std::env::var_os("SUREHAND_UPDATE_REFERENCE").is_some() {
        fs::write(page_path(), &page).unwrap();
    }
    let blocks = page.matches("<!-- begin ").count();
    assert_eq!(blocks, tables.len(), "every table of the page is checked");
}

fn block<'a>(page: &'a str, name: &str) -> (&'a str, &'a str, &'a str) {
    let (begin, end) = (format!("<!-- begin {name} -->"), format!("<!-- end {name} -->"));
    let inside = page.find(&begin).unwrap_or_else(|| panic!("the page has a table `{name}`")) + begin.len();
    let after = page.find(&end).unwrap();
    (&page[..inside], &page[inside..after], &page[after..])
}

fn methods() -> String {
    let mut table = "| Method | Nature | Session |\n| --- | --- | --- |\n".to_owned();
    let calls: BTreeMap<Method, Call> = full_calls().into_iter().map(|call| (call.method(), call)).collect();
    for method in Method::ALL {
        let nature = match method.nature() {
            Nature::Control => "control",
            Nature::Reading => "reading",
            Nature::Mutation => "mutation",
        };
        let session = if calls[method].session().is_some() { "yes" } else { "" };
        writeln!(table, "| `{}` | {nature} | {session} |", method.as_str()).unwrap();
    }
    table
}

fn params() -> Vec<(String, Value)> {
    let first = full_calls().into_iter().take(Method::ALL.len());
    let params = first.map(|call| {
        let name = format!("`{}`", call.method().as_str());
        let line = encode_request(&Request { id: RequestId::FIRST, call });
        let mut request: Value = serde_json::from_slice(&line).unwrap();
        (name, request["params"].take())
    });
    params.collect()
}

fn results() -> Vec<(String, Value)> {
    let replies = full_replies();
    let first = replies.iter().take(Method::ALL.len());
    let results = first.map(|reply| {
        let line = encode_answer(RequestId::FIRST, reply);
        let mut response: Value = serde_json::from_slice(&line).unwrap();
        (format!("`{}`", reply.method().as_str()), response["result"].take())
    });
    results.collect()
}

fn nested() -> Vec<(String, Value)> {
    let results: BTreeMap<String, Value> = results().into_iter().collect();
    let snapshot = results["`observe`"]["snapshot"].clone();
    let welcome = &results["`host.hello`"];
    let verdict = results["`dispatch.element`"]["verdict"].clone();
    let window = results["`window.list`"]["windows"][0].clone();
    let verdict_with_code = serde_json::json!({ "code": null });
    let verdict = merge(verdict, verdict_with_code);
    vec![
        ("executor".to_owned(), welcome["executor"].clone()),
        ("abilities".to_owned(), welcome["abilities"].clone()),
        ("limits".to_owned(), welcome["limits"].clone()),
        ("capability".to_owned(), results["`health`"]["capabilities"][0].clone()),
        ("application".to_owned(), results["`apps.list`"]["applications"][0].clone()),
        ("toolkit".to_owned(), snapshot["toolkit"].clone()),
        ("window".to_owned(), window.clone()),
        ("bounds".to_owned(), window["bounds"].clone()),
        ("target".to_owned(), window["target"].clone()),
        ("process".to_owned(), window["target"]["process"].clone()),
        ("process.exe".to_owned(), window["target"]["process"]["exe"].clone()),
        ("page".to_owned(), window["target"]["page"].clone()),
        ("snapshot".to_owned(), snapshot.clone()),
        ("capturedAt".to_owned(), snapshot["capturedAt"].clone()),
        ("element".to_owned(), snapshot["elements"][1].clone()),
        ("image".to_owned(), results["`screen.capture`"]["image"].clone()),
        ("released".to_owned(), results["`session.end`"]["released"].clone()),
        ("waited".to_owned(), results["`apps.launch`"]["waited"].clone()),
        ("verdict".to_owned(), verdict),
        ("settle".to_owned(), results["`dispatch.element`"]["settle"].clone()),
        (
            "postObservationError".to_owned(),
            serde_json::to_value(PostObservationError { code: Code::Timeout }).unwrap(),
        ),
        ("error".to_owned(), error(full_details().remove(0))),
    ]
}

fn merge(mut value: Value, more: Value) -> Value {
    value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    value
}

fn error(detail: Detail) -> Value {
    serde_json::to_value(DomainError { code: Code::NotReady, detail: Some(detail) }).unwrap()
}

fn fields(objects: &[(String, Value)]) -> String {
    let mut table = "| Of | Fields |\n| --- | --- |\n".to_owned();
    for (name, object) in objects {
        writeln!(table, "| {name} | {} |", names(object, &[])).unwrap();
    }
    table
}

fn names(object: &Value, left_out: &[&str]) -> String {
    let keys = object.as_object().unwrap().keys().filter(|key| !left_out.contains(&key.as_str()));
    let quoted: Vec<String> = keys.map(|key| format!("`{key}`")).collect();
    if quoted.is_empty() { "none".to_owned() } else { quoted.join(", ") }
}

/// Objects of several kinds, told apart by `kind`.
fn arms() -> String {
    let calls = params_of_every_call();
    let observed = results().into_iter().find(|(name, _)| name == "`observe`").unwrap().1;
    let pick = |list: &[Value], path: &[&str]| -> Vec<Value> {
        let found = list.iter().map(|value| path.iter().fold(value, |value, key| &value[*key]).clone());
        found.filter(|value| value.get("kind").is_some()).collect()
    };
    let elements = observed["snapshot"]["elements"].as_array().unwrap().clone();
    let identities = [
        ApplicationIdentity::DesktopEntry { id: String::new() },
        ApplicationIdentity::Flatpak { id: String::new() },
        ApplicationIdentity::Snap { id: String::new() },
        ApplicationIdentity::Script { interpreter: String::new(), path: String::new() },
        ApplicationIdentity::Executable { path: String::new() },
    ];
    let windows = [
        target().window,
        surehand_contract::WindowIdentity::Accessible {
            bus_guid: String::new(),
            unique_name: String::new(),
            path: String::new(),
        },
    ];
    let to_values = |values: Vec<Result<Value, serde_json::Error>>| values.into_iter().map(Result::unwrap).collect();
    let groups: Vec<(&str, Vec<Value>)> = vec![
        ("`scope`", pick(&calls, &["scope"])),
        ("`target` of `observe`", pick(&calls, &["target"])),
        ("`action`", pick(&calls, &["action"])),
        ("`value` of an action", pick(&calls, &["action", "value"])),
        ("`window` of a target", to_values(windows.iter().map(serde_json::to_value).collect())),
        ("an application's identity", to_values(identities.iter().map(serde_json::to_value).collect())),
        ("`value` of an element", pick(&elements, &["value"])),
        ("omission", observed["snapshot"]["omissions"].as_array().unwrap().clone()),
        ("`detail` of an error", full_details().into_iter().map(|detail| error(detail)["detail"].clone()).collect()),
    ];
    let mut table = "| Of | `kind` | Other fields |\n| --- | --- | --- |\n".to_owned();
    for (name, arms) in groups {
        let mut seen = Vec::new();
        for arm in arms {
            let kind = arm["kind"].as_str().unwrap().to_owned();
            if !seen.contains(&kind) {
                writeln!(table, "| {name} | `{kind}` | {} |", names(&arm, &["kind"])).unwrap();
                seen.push(kind);
            }
        }
    }
    table
}

fn params_of_every_call() -> Vec<Value> {
    let params = full_calls().into_iter().map(|call| {
        let line = encode_request(&Request { id: RequestId::FIRST, call });
        serde_json::from_slice::<Value>(&line).unwrap()["params"].take()
    });
    params.collect()
}

/// The closed sets that are written as one word.
fn words() -> String {
    use surehand_contract::{Delivery, Effect, Method as Shown};
    let sets = [
        ("`delivery`", written(&[Delivery::NotSent, Delivery::Refused, Delivery::Delivered, Delivery::Unknown])),
        ("`effect`", written(&[Effect::Confirmed, Effect::Unverifiable, Effect::SuspectedNoop])),
        (
            "`method` of a verdict",
            written(&[
                Shown::None,
                Shown::ActionResult,
                Shown::ValueReadback,
                Shown::TextReadback,
                Shown::StateReadback,
                Shown::SelectionReadback,
                Shown::TreeDelta,
                Shown::WindowAppeared,
            ]),
        ),
        ("`route`, `routes`", written(Route::ALL)),
        ("`reason` of `settle`", written(&ALL_SETTLE_REASONS)),
        ("`reason` of `changes.wait`", written(&ALL_CHANGE_REASONS)),
        ("`reason` of `waited`", written(&ALL_LAUNCH_WAIT_REASONS)),
        ("`verbs`", written(&ALL_VERBS)),
        ("`states`", written(&ALL_STATES)),
        ("`truncated`", written(&ALL_TEXT_FIELDS)),
        ("`direction`", written(&ALL_DIRECTIONS)),
        ("`visibility`", written(&ALL_VISIBILITIES)),
        ("`accessibility`", written(&[Accessibility::Ready, Accessibility::Off])),
        ("`family`, `toolkit` of a detail", written(&ALL_FAMILIES)),
        ("`fate`", written(&ALL_FATES)),
        ("`part`", written(&ALL_PARTS)),
        ("`claim`", written(&[Claim::Claimed, Claim::Degraded, Claim::NotClaimed])),
        ("`format`, `imageFormats`", written(&[ImageFormat::Png])),
    ];
    let mut table = "| Of | Words |\n| --- | --- |\n".to_owned();
    for (name, words) in sets {
        writeln!(table, "| {name} | {words} |").unwrap();
    }
    table
}

fn written<T: serde::Serialize>(words: &[T]) -> String {
    let quoted = words.iter().map(|word| format!("`{}`", serde_json::to_value(word).unwrap().as_str().unwrap()));
    quoted.collect::<Vec<_>>().join(", ")
}

fn codes() -> String {
    written(Code::ALL) + "\n"
}

fn rpc_codes() -> String {
    let mut table = "| Number | What it says |\n| --- | --- |\n".to_owned();
    for code in RpcCode::ALL {
        writeln!(table, "| {} | {} |", code.number(), code.message()).unwrap();
    }
    table
}

fn bounds_table() -> String {
    let mut table = "| Bound | Value |\n| --- | --- |\n".to_owned();
    let rows: Vec<(&str, String)> = vec![
        ("one line", format!("{} bytes", bounds::LINE_BYTES)),
        ("one response", format!("{} bytes", bounds::RESPONSE_BYTES)),
        ("one identifier", format!("{} bytes", bounds::IDENTIFIER_BYTES)),
        ("requests in flight", bounds::REQUESTS_IN_FLIGHT.to_string()),
        ("counted violations in one generation", bounds::VIOLATIONS_PER_GENERATION.to_string()),
        ("largest request id", bounds::REQUEST_ID.to_string()),
        ("`host.hello`", format!("{} ms", bounds::HELLO_DEADLINE.as_millis())),
        ("any other request", format!("{} ms", bounds::REQUEST_DEADLINE.as_millis())),
        ("the answer after `$/cancel`", format!("{} ms", bounds::CANCEL_GRACE.as_millis())),
        ("the acknowledgement of a fence", format!("{} ms", bounds::FENCE_DEADLINE.as_millis())),
        ("the end after SIGTERM", format!("{} ms", bounds::SHUTDOWN_GRACE.as_millis())),
    ];
    for (name, value) in rows {
        writeln!(table, "| {name} | {value} |").unwrap();
    }
    table
}
