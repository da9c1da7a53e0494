//! The server as an SDK client meets it, in both eras of the protocol, with the executor in the test's hands.

#![allow(clippy::unwrap_used)]

#[path = "../../host/tests/far_end/mod.rs"]
mod far_end;

use far_end::{FarEnd, patient};
use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient,
    model::{
        CallToolRequestParams, CallToolResult, ClientRequest, ContentBlock, ProgressNotificationParam, ProtocolVersion,
        Request, Tool,
    },
    service::{NotificationContext, PeerRequestOptions, RunningService},
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use surehand_contract::{Code, Verdict};
use surehand_wire::Method;
use tokio::sync::mpsc;

/// Definitions in all, as `tools/list` sends them.
const DEFINITION_BYTES: usize = 20_000;
const INSTRUCTION_CHARACTERS: usize = 2_048;

struct Client {
    progress: mpsc::UnboundedSender<ProgressNotificationParam>,
}

impl ClientHandler for Client {
    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let _ = self.progress.send(params);
    }
}

struct Connected {
    /// Outlives the connection, as a host does that serves others too.
    _host: surehand_host::Host,
    client: RunningService<RoleClient, Client>,
    progress: mpsc::UnboundedReceiver<ProgressNotificationParam>,
}

fn eras() -> [ClientLifecycleMode; 2] {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    [ClientLifecycleMode::Initialize, ClientLifecycleMode::Discover { preferred_versions }]
}

async fn connect(far: &FarEnd, era: ClientLifecycleMode) -> Connected {
    let (server_end, client_end) = tokio::io::duplex(1 << 20);
    let host = far.host();
    let served = host.clone();
    tokio::spawn(async move { surehand_mcp::serve(served, server_end).await.unwrap() });
    let (tell, progress) = mpsc::unbounded_channel();
    let client = patient(Client { progress: tell }.serve_with_lifecycle(client_end, era)).await.unwrap();
    Connected { _host: host, client, progress }
}

fn params(tool: &'static str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    CallToolRequestParams::new(tool).with_arguments(arguments)
}

impl Connected {
    async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        patient(self.client.call_tool(params(tool, arguments))).await.unwrap()
    }

    async fn tools(&self) -> Vec<Tool> {
        patient(self.client.list_all_tools()).await.unwrap()
    }

    /// An observation of the calculator.
    async fn observe(&self) -> String {
        let result = self.call("observe", json!({ "app": "calculator" })).await;
        observation_in(text(&result))
    }
}

fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

fn observation_in(text: &str) -> String {
    let begin = text.find("observation=").unwrap() + "observation=".len();
    text[begin..].split(' ').next().unwrap().to_owned()
}

#[tokio::test]
async fn both_eras_list_observe_and_click() {
    for era in eras() {
        let far = FarEnd::embedded();
        let connected = connect(&far, era).await;
        assert_eq!(connected.tools().await.len(), 10);
        let listed = connected.call("list_apps", json!({})).await;
        assert!(text(&listed).contains("pid=100 \"Calculator\""));
        let seen = connected.call("observe", json!({ "app": "calculator" })).await;
        assert!(text(&seen).contains("2 push button \"7\""));
        let observation = observation_in(text(&seen));
        let clicked = connected.call("click", json!({ "observation": observation, "element": 2 })).await;
        assert_eq!(clicked.is_error, Some(false));
        assert_eq!(far.count(Method::DispatchElement), 1);
        let verdict = clicked.structured_content.clone().unwrap();
        assert_eq!(
            (&verdict["delivery"], &verdict["effect"], &verdict["method"]),
            (&json!("delivered"), &json!("confirmed"), &json!("tree_delta"))
        );
        assert_eq!(verdict["observation"], json!(observation_in(text(&clicked))));
        let again = connected.call("click", json!({ "observation": observation, "element": 2 })).await;
        assert_eq!(
            (again.is_error, &again.structured_content.unwrap()["code"]),
            (Some(true), &json!("duplicate_action"))
        );
        assert_eq!(far.count(Method::DispatchElement), 1);
    }
}

#[tokio::test]
async fn definitions_are_small_closed_and_fully_annotated() {
    let far = FarEnd::embedded();
    let connected = connect(&far, ClientLifecycleMode::Initialize).await;
    let tools = connected.tools().await;
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(
        names,
        [
            "list_apps",
            "launch_app",
            "observe",
            "screenshot",
            "click",
            "set_value",
            "select",
            "scroll",
            "perform",
            "wait_for",
        ]
    );
    let written = serde_json::to_string(&tools).unwrap();
    assert!(written.len() < DEFINITION_BYTES, "{} bytes", written.len());
    for tool in &tools {
        let annotations = tool.annotations.as_ref().unwrap();
        assert!(
            annotations.read_only_hint.is_some()
                && annotations.destructive_hint.is_some()
                && annotations.idempotent_hint.is_some()
                && annotations.open_world_hint.is_some(),
            "{}",
            tool.name
        );
        assert_eq!(tool.input_schema["additionalProperties"], json!(false), "{}", tool.name);
        assert_eq!(tool.input_schema["type"], json!("object"));
        let acts = annotations.read_only_hint == Some(false);
        assert_eq!(tool.output_schema.is_some(), acts, "{}", tool.name);
        if let Some(schema) = &tool.output_schema {
            assert_eq!(schema["type"], json!("object"));
        }
    }
    let instructions = connected.client.peer_info().unwrap().instructions.clone().unwrap();
    assert!(instructions.chars().count() < INSTRUCTION_CHARACTERS, "{}", instructions.chars().count());
}

#[tokio::test]
async fn observations_and_pictures_are_content_only_and_verdicts_fit_their_schema() {
    let far = FarEnd::embedded();
    let connected = connect(&far, ClientLifecycleMode::Initialize).await;
    let reading = [
        ("list_apps", json!({})),
        ("observe", json!({ "pid": 100 })),
        ("screenshot", json!({ "window": "0x10" })),
        ("wait_for", json!({ "app": "calculator", "text": "7" })),
        ("observe", json!({ "app": "nothing like it" })),
    ];
    for (tool, arguments) in reading {
        assert_eq!(connected.call(tool, arguments).await.structured_content, None, "{tool}");
    }
    let tools = connected.tools().await;
    let schema = tools.iter().find_map(|tool| tool.output_schema.clone()).unwrap();
    let known: BTreeSet<&String> = schema["properties"].as_object().unwrap().keys().collect();
    let verdicts = [
        Verdict::delivered(surehand_contract::Effect::Confirmed, surehand_contract::Method::TreeDelta),
        Verdict::not_sent(Code::Held),
        Verdict::refused(Code::DispatchRefused),
        Verdict::unknown(),
    ];
    for verdict in verdicts {
        let observation = connected.observe().await;
        far.desk().verdicts.push(verdict);
        let result = connected.call("click", json!({ "observation": observation, "element": 2 })).await;
        let structured = result.structured_content.unwrap();
        let fields = structured.as_object().unwrap();
        assert!(fields.keys().all(|field| known.contains(field)), "{structured}");
        for required in schema["required"].as_array().unwrap() {
            assert!(fields.contains_key(required.as_str().unwrap()), "{structured}");
        }
        for field in ["delivery", "effect"] {
            let words = schema["properties"][field]["enum"].as_array().unwrap();
            assert!(words.contains(&structured[field]), "{structured}");
        }
    }
}

#[tokio::test]
async fn a_picture_arrives_as_an_image() {
    let far = FarEnd::embedded();
    let connected = connect(&far, ClientLifecycleMode::Initialize).await;
    let result = connected.call("screenshot", json!({ "app": "calculator" })).await;
    let ContentBlock::Image(image) = &result.content[1] else { panic!("{result:?}") };
    assert_eq!((image.mime_type.as_str(), image.data.as_str()), ("image/png", "iVBORyBwaWN0dXJl"));
}

#[tokio::test]
async fn every_action_reaches_the_far_end_as_it_was_asked() {
    let far = FarEnd::embedded();
    {
        let mut desk = far.desk();
        let everything = &mut desk.elements(100)[1];
        everything.verbs = vec![
            surehand_wire::Verb::Click,
            surehand_wire::Verb::SetValue,
            surehand_wire::Verb::Select,
            surehand_wire::Verb::Scroll,
        ];
    }
    let connected = connect(&far, ClientLifecycleMode::Initialize).await;
    let calls = [
        ("click", json!({}), json!({ "kind": "click" })),
        ("set_value", json!({ "value": "" }), json!({ "kind": "set_value", "value": { "kind": "text", "text": "" } })),
        ("select", json!({}), json!({ "kind": "select" })),
        ("scroll", json!({ "direction": "down" }), json!({ "kind": "scroll", "direction": "down", "pages": 1 })),
        ("perform", json!({ "action": "menu" }), json!({ "kind": "perform", "name": "menu" })),
    ];
    for (tool, more, expect) in calls {
        let mut arguments = json!({ "observation": connected.observe().await, "element": "2" });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let result = connected.call(tool, arguments).await;
        assert_eq!(result.is_error, Some(false), "{result:?}");
        let dispatched = far.desk().dispatches.pop().unwrap();
        assert_eq!(serde_json::to_value(&dispatched.action).unwrap(), expect);
    }
    let launch = || json!({ "app": "org.example.New", "call_id": "mine" });
    let launched = connected.call("launch_app", launch()).await;
    assert_eq!(launched.structured_content.unwrap()["method"], json!("window_appeared"));
    connected.call("launch_app", launch()).await;
    assert_eq!(far.count(Method::AppsLaunch), 1);
}

#[tokio::test]
async fn pages_are_followed_by_the_observation_they_belong_to() {
    let far = FarEnd::embedded();
    far.desk().elements(100).extend((10..3_000).map(|id| far_end::button(id, "A name of some length")));
    let connected = connect(&far, ClientLifecycleMode::Initialize).await;
    let first = connected.call("observe", json!({ "app": "calculator" })).await;
    let observation = observation_in(text(&first));
    assert!(text(&first).contains("page=2."));
    let looks = far.count(Method::Observe);
    let second = connected.call("observe", json!({ "observation": observation, "page": 2 })).await;
    assert_eq!(observation_in(text(&second)), observation);
    assert!(text(&second).contains("continues under 1\n"));
    assert_eq!(far.count(Method::Observe), looks, "a page is not a look");
    let past = connected.call("observe", json!({ "observation": observation, "page": 99 })).await;
    assert!(text(&past).contains("argument page: from 1 to "), "{}", text(&past));
    let clicked = connected.call("click", json!({ "observation": observation, "element": 2_999 })).await;
    assert_eq!(clicked.is_error, Some(false));
}

#[tokio::test]
async fn a_wait_tells_its_progress_and_ends_when_the_text_is_there() {
    let far = FarEnd::embedded();
    let mut connected = connect(&far, ClientLifecycleMode::Initialize).await;
    // The SDK's client asks for progress with each call.
    let request = params("wait_for", json!({ "app": "calculator", "text": "RESULT", "timeout_ms": 20_000 }));
    let peer = connected.client.peer().clone();
    let waiting = tokio::spawn(async move { peer.call_tool(request).await });
    let progress = patient(connected.progress.recv()).await.unwrap();
    assert!(progress.progress >= 0.0 && progress.total.is_some_and(|total| total >= 20.0));
    far.desk().elements(100).push(far_end::element(9, Some(1), "label", "the result is 7"));
    far.announce();
    let result = patient(waiting).await.unwrap().unwrap();
    assert!(text(&result).starts_with("the condition holds after "), "{}", text(&result));
    assert!(text(&result).contains("9 label \"the result is 7\""));
}

#[tokio::test]
async fn every_condition_can_be_met_and_a_timeout_shows_the_window() {
    let far = FarEnd::embedded();
    let connected = connect(&far, ClientLifecycleMode::Initialize).await;
    for condition in [
        json!({ "text": "display" }),
        json!({ "text_gone": "nothing like it" }),
        json!({ "window_title": "calc" }),
        json!({ "element": 2, "state": "enabled" }),
        json!({ "element": 2, "state": "unchecked" }),
        json!({ "element": 3, "value": "42" }),
        json!({ "element": 99, "state": "gone" }),
        json!({ "quiet": true }),
    ] {
        let mut arguments = condition.clone();
        arguments["pid"] = json!(100);
        let result = connected.call("wait_for", arguments).await;
        assert!(text(&result).starts_with("the condition holds"), "{condition}: {}", text(&result));
        assert!(text(&result).contains("\nobservation="), "{condition}");
    }
    for condition in [json!({ "text": "never" }), json!({ "element": 3, "value": "4" }), json!({ "window_title": "x" })]
    {
        let mut arguments = condition.clone();
        arguments["pid"] = json!(100);
        arguments["timeout_ms"] = json!(0);
        let result = connected.call("wait_for", arguments).await;
        assert!(text(&result).starts_with("timeout: "), "{condition}: {}", text(&result));
    }
}

#[tokio::test]
async fn a_cancelled_wait_ends_at_the_far_end_too() {
    let far = FarEnd::embedded();
    let connected = connect(&far, ClientLifecycleMode::Initialize).await;
    far.hold(Method::ChangesWait);
    let request = params("wait_for", json!({ "app": "calculator", "text": "never" }));
    let request = ClientRequest::CallToolRequest(Request::new(request));
    let handle = connected.client.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap();
    far.next_held().await;
    handle.cancel(None).await.unwrap();
    far.next_cancel().await;
    // The connection goes on.
    connected.observe().await;
}

#[tokio::test]
async fn the_session_ends_with_its_client() {
    let far = FarEnd::embedded();
    let connected = connect(&far, ClientLifecycleMode::Initialize).await;
    connected.observe().await;
    far.hold(Method::SessionEnd);
    let Connected { _host, client, .. } = connected;
    client.cancel().await.unwrap();
    let held = far.next_held().await;
    assert_eq!(held.request.call.method(), Method::SessionEnd);
}

#[tokio::test]
async fn two_clients_cannot_use_each_others_observations() {
    let far = FarEnd::embedded();
    let (one, other) =
        (connect(&far, ClientLifecycleMode::Initialize).await, connect(&far, ClientLifecycleMode::Initialize).await);
    let observation = one.observe().await;
    other.observe().await;
    let stolen = other.call("click", json!({ "observation": observation, "element": 2 })).await;
    assert_eq!(stolen.structured_content.unwrap()["code"], json!("stale_observation"));
    assert_eq!(far.count(Method::DispatchElement), 0);
}
