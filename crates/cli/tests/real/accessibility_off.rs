//! An application that describes nothing is answered with why, and with what starts it right.

use crate::stage::{WITHIN, agent, desktop};
use serde_json::json;
use surehand_testbed::{ClientWindow, ThirdParty, XServer};

#[test]
fn a_browser_without_its_flag() {
    let desktop = desktop();
    let mut agent = agent(&desktop);
    let started = ThirdParty::ChromiumWithoutTree.start(&desktop, ["about:blank"]).unwrap();
    let answer = agent.call("observe", json!({ "pid": started.window.process.unwrap() })).unwrap();
    assert_eq!(answer.code().as_deref(), Some("not_ready"), "{}", answer.text);
    for said in ["accessibility_off", "surehand launch", "chromium", "--force-renderer-accessibility"] {
        assert!(answer.text.contains(said), "{said}: {}", answer.text);
    }
    assert!(answer.look().is_err(), "{}", answer.text);
}

#[test]
fn a_terminal_without_a_tree() {
    let desktop = desktop();
    let x_server = XServer::of(&desktop).unwrap();
    let mut agent = agent(&desktop);
    let terminal = desktop.spawn("xterm", [""; 0]).unwrap();
    let window = x_server.wait_for_window_of(terminal.id(), WITHIN).unwrap();
    let answer = agent.call("observe", json!({ "window": format!("{:#x}", window.id) })).unwrap();
    assert_eq!(answer.code().as_deref(), Some("not_ready"), "{}", answer.text);
    assert!(answer.text.contains("accessibility_off") && answer.text.contains("xterm"), "{}", answer.text);
    // It is listed all the same, and its picture can be had.
    let listed = agent.call("list_apps", json!({})).unwrap();
    assert!(listed.text.contains("xterm"), "{}", listed.text);
    let picture = agent.call("screenshot", json!({ "window": format!("{:#x}", window.id) })).unwrap();
    assert!(picture.picture.is_some(), "{}", picture.text);
}

#[test]
fn a_browser_that_surehand_starts() {
    let desktop = desktop();
    let x_server = XServer::of(&desktop).unwrap();
    let mut agent = agent(&desktop);
    let launched = agent.call("launch_app", json!({ "app": "chromium", "call_id": "first" })).unwrap();
    assert!(!launched.is_error, "{}", launched.text);
    let window = only_browser(&x_server);
    let look = agent.call("observe", json!({ "window": format!("{:#x}", window.id) })).unwrap().look().unwrap();
    assert!(look.find("entry", "Address and search bar").is_some(), "{}", look.text);
    // The same call once more starts nothing and says what the first one did.
    let process = window.process.unwrap();
    let again = agent.call("launch_app", json!({ "app": "chromium", "call_id": "first" })).unwrap();
    assert!(!again.is_error && again.text.contains(&format!("pid={process}")), "{}", again.text);
    // Its title changes as its page loads.
    assert_eq!(only_browser(&x_server).id, window.id);
}

/// Waits for the first browser window, and requires that there is no second one.
fn only_browser(x_server: &XServer) -> ClientWindow {
    let is_browser = |window: &ClientWindow| window.title.contains("Chromium");
    let window = x_server.wait_for_window("the browser", WITHIN, is_browser).unwrap();
    let all = x_server.client_windows().unwrap();
    assert_eq!(all.iter().filter(|window| is_browser(window)).count(), 1, "{all:?}");
    window
}
