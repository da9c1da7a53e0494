//! Applications that others wrote, each through one journey, read back by pyatspi.

use crate::{
    forbidden_calls,
    stage::{agent, desktop, element, ending, observe_when_quiet},
};
use serde_json::json;
use surehand_testbed::{
    AccessibleReading, Agent, BusMonitor, Look, PrivateDesktop, Started, ThirdParty, XServer, editable_texts,
    write_benchmark_page,
};

const CONFIRMED: &str = "delivered/confirmed";

fn window_process(started: &Started) -> u32 {
    started.window.process.unwrap()
}

/// What `oracle.py` reads.
fn oracle(desktop: &PrivateDesktop, process: u32, what: &[&str]) -> Vec<String> {
    let mut python = desktop.command("/usr/bin/python3").unwrap();
    let read = python.args(["-c", include_str!("oracle.py"), &process.to_string()]).args(what).output().unwrap();
    let complaint = String::from_utf8_lossy(&read.stderr);
    serde_json::from_slice(&read.stdout).unwrap_or_else(|_| panic!("{complaint}"))
}

/// Presses one key after the other, each by the observation that the one before brought or a new one.
fn press(agent: &mut Agent, process: u32, role: &str, keys: &[&str]) {
    for key in keys {
        let look = agent.observe_process(process).unwrap();
        let pressed = agent.act("click", &look, element(&look, role, key), json!({})).unwrap();
        assert!(ending(&pressed).starts_with("delivered/"), "{key}: {}", pressed.text);
    }
}

#[test]
fn calculators() {
    let desktop = desktop();
    let x_server = XServer::of(&desktop).unwrap();
    let mut agent = agent(&desktop);

    let galculator = ThirdParty::Galculator.start(&desktop, [""; 0]).unwrap();
    observe_when_quiet(&mut agent, window_process(&galculator));
    let posture = x_server.posture().unwrap();
    press(&mut agent, window_process(&galculator), "toggle button", &["7", "*", "8", "="]);
    assert_eq!(x_server.posture().unwrap(), posture);
    let shown = oracle(&desktop, window_process(&galculator), &["texts"]);
    assert!(shown.iter().any(|text| text == "56"), "{shown:?}");

    let kcalc = ThirdParty::Kcalc.start(&desktop, [""; 0]).unwrap();
    observe_when_quiet(&mut agent, window_process(&kcalc));
    let posture = x_server.posture().unwrap();
    press(&mut agent, window_process(&kcalc), "button", &["7", "×", "8", "="]);
    assert_eq!(x_server.posture().unwrap(), posture);
    let reading = AccessibleReading::of(&desktop, window_process(&kcalc)).unwrap();
    assert!(reading.elements.iter().any(|element| element.name == "56"), "{:#?}", reading.elements);
}

#[test]
fn editors() {
    const WRITTEN: &str = "Sehr geehrte Frau Müller,\n\tvielen Dank für 5 € und 🌷.\n";
    let desktop = desktop();
    let x_server = XServer::of(&desktop).unwrap();
    let mut agent = agent(&desktop);
    for editor in [ThirdParty::Gedit, ThirdParty::Mousepad, ThirdParty::Featherpad] {
        let started = editor.start(&desktop, [""; 0]).unwrap();
        let process = window_process(&started);
        let look = observe_when_quiet(&mut agent, process);
        let text = look.elements.iter().find(|element| element.role == "text" && element.name.is_empty()).unwrap().id;
        let posture = x_server.posture().unwrap();
        let written = agent.act("set_value", &look, text, json!({ "value": WRITTEN })).unwrap();
        assert_eq!(ending(&written), CONFIRMED, "{editor:?}\n{}", written.text);
        assert_eq!(x_server.posture().unwrap(), posture, "{editor:?}");
        let held = editable_texts(&desktop, process).unwrap();
        assert!(held.iter().any(|text| text == WRITTEN), "{editor:?}: {held:?}");
        started.application.kill().unwrap();
    }
}

#[test]
fn a_spreadsheet() {
    let desktop = desktop();
    let mut agent = agent(&desktop);
    let started = ThirdParty::LibreOfficeCalc.start(&desktop, [""; 0]).unwrap();
    let process = window_process(&started);
    let monitor = BusMonitor::start(&desktop).unwrap();
    let look = observe_when_quiet(&mut agent, process);
    let cells: Vec<&str> =
        look.elements.iter().filter(|element| element.role == "table cell").map(|element| &*element.name).collect();
    assert!(["A1", "B2", "C7"].iter().all(|cell| cells.contains(cell)), "{}", look.text);
    let x_server = XServer::of(&desktop).unwrap();
    let posture = x_server.posture().unwrap();
    let written = agent.act("set_value", &look, element(&look, "table cell", "B2"), json!({ "value": "42" })).unwrap();
    assert_eq!(ending(&written), CONFIRMED, "{}", written.text);
    assert_eq!(x_server.posture().unwrap(), posture);
    assert_eq!(oracle(&desktop, process, &["cell", "1", "1"]), ["42"]);
    forbidden_calls::assert_none(&desktop, &monitor, &agent);
}

/// The page answers 360 records, each with an "Order" of its own.
#[test]
fn a_browser() {
    let desktop = desktop();
    let x_server = XServer::of(&desktop).unwrap();
    let mut agent = agent(&desktop);
    let page = write_benchmark_page(&desktop).unwrap();
    let started = ThirdParty::Chromium.start(&desktop, [page]).unwrap();
    let process = window_process(&started);
    let monitor = BusMonitor::start(&desktop).unwrap();
    let ready = agent.call("wait_for", json!({ "pid": process, "text": "Nothing was pressed yet." })).unwrap();
    assert!(!ready.is_error, "{}", ready.text);
    let posture = x_server.posture().unwrap();

    let look = agent.observe_process(process).unwrap();
    let pressed = agent.act("click", &look, order_of(&look, "Dusty drum 3"), json!({})).unwrap();
    assert!(ending(&pressed).starts_with("delivered/"), "{}", pressed.text);
    let shown = json!({ "pid": process, "text": "Dusty drum 3 was pressed" });
    let shown = agent.call("wait_for", shown).unwrap();
    assert!(!shown.is_error, "{}", shown.text);
    let look = shown.look().unwrap();
    let keep = element(&look, "check box", "Keep Calm candle 2");
    let kept = agent.act("click", &look, keep, json!({})).unwrap();
    assert_eq!(ending(&kept), CONFIRMED, "{}", kept.text);

    let reading = AccessibleReading::of(&desktop, process).unwrap();
    let said: Vec<&str> =
        reading.elements.iter().map(|element| &*element.name).filter(|name| name.contains("was pressed")).collect();
    assert!(said.iter().all(|said| said.starts_with("Dusty drum 3 ")) && !said.is_empty(), "{said:?}");
    let is_kept = |name| {
        let box_of = reading.find("check box", name).next().unwrap();
        box_of.states.iter().any(|state| state.to_lowercase().contains("checked"))
    };
    assert!(is_kept("Keep Calm candle 2") && !is_kept("Keep Dusty drum 3"));
    assert_eq!(x_server.posture().unwrap(), posture);
    assert_eq!(monitor.writes().unwrap().len(), 2);
    forbidden_calls::assert_none(&desktop, &monitor, &agent);
}

/// The "Order" in the row of a record.
fn order_of(look: &Look, record: &str) -> u64 {
    let row = look.elements.iter().position(|element| element.role == "link" && element.name == record);
    let after = &look.elements[row.unwrap_or_else(|| panic!("{}", look.text))..];
    after.iter().find(|element| element.role == "button" && element.name == "Order").unwrap().id
}
