//! How sessions end, whatever ends them: nothing is left behind, nothing is done twice, and whoever goes on gets an answer.

use crate::stage::{
    QUIET, SUREHAND, WITHIN, agent, desktop, effects, element, observe, picture_files, wait_until_ended,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::{path::Path, time::Instant};
use surehand_testbed::{
    Accessibility, Agent, BusMonitor, DesktopConfiguration, Entry, Fixture, PrivateDesktop, Toolkit, process_table,
};

fn kill(process: u32, signal: Signal) {
    kill_process(Pid::from_raw(process.cast_signed()).unwrap(), signal).unwrap();
}

/// An agent that has observed, has taken a picture, and so has an executor and a file to leave behind.
fn busy_agent(desktop: &PrivateDesktop, fixture: &Fixture) -> Agent {
    let mut agent = agent(desktop);
    observe(&mut agent, fixture);
    let picture = agent.call("screenshot", json!({ "pid": fixture.application().id() })).unwrap();
    assert!(!picture.is_error, "{}", picture.text);
    assert_eq!(picture_files(desktop).len(), 1);
    agent
}

#[test]
fn the_host_is_killed() {
    let desktop = desktop();
    let fixture = Fixture::start(&desktop, Toolkit::Gtk3).unwrap();
    let agent = busy_agent(&desktop, &fixture);
    let executor = agent.executor_process().unwrap();
    kill(agent.server_process(), Signal::KILL);
    wait_until_ended(executor, WITHIN);
    assert_eq!(picture_files(&desktop), [""; 0]);
    drop(agent);
    // The next one works, and clears away the folder that was left.
    let left = folders_of_pictures(&desktop);
    let next = busy_agent(&desktop, &fixture);
    assert!(!folders_of_pictures(&desktop).iter().any(|folder| left.contains(folder)), "{left:?}");
    assert!(next.leave().unwrap().success());
    assert_eq!(folders_of_pictures(&desktop), [""; 0]);
}

/// Each host's own folder for pictures, and the lock that keeps it.
fn folders_of_pictures(desktop: &PrivateDesktop) -> Vec<String> {
    let folder = desktop.premises().directory.join("run/surehand/images");
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn the_host_is_asked_to_end() {
    let desktop = desktop();
    let fixture = Fixture::start(&desktop, Toolkit::Gtk3).unwrap();
    for signal in [Signal::TERM, Signal::INT] {
        let agent = busy_agent(&desktop, &fixture);
        let executor = agent.executor_process().unwrap();
        kill(agent.server_process(), signal);
        wait_until_ended(agent.server_process(), WITHIN);
        assert!(agent.leave().unwrap().success(), "{signal:?}");
        wait_until_ended(executor, WITHIN);
        assert_eq!(picture_files(&desktop), [""; 0], "{signal:?}");
        assert_eq!(folders_of_pictures(&desktop), [""; 0], "{signal:?}");
    }
}

#[test]
fn the_client_goes_away() {
    let desktop = desktop();
    let fixture = Fixture::start(&desktop, Toolkit::Gtk3).unwrap();
    let agent = busy_agent(&desktop, &fixture);
    let executor = agent.executor_process().unwrap();
    assert!(agent.leave().unwrap().success());
    wait_until_ended(executor, WITHIN);
    assert_eq!(folders_of_pictures(&desktop), [""; 0]);
    // In the middle of a call that nobody answers.
    let mut agent = busy_agent(&desktop, &fixture);
    let executor = agent.executor_process().unwrap();
    fixture.application().freeze().unwrap();
    agent.begin("observe", json!({ "pid": fixture.application().id() })).unwrap();
    assert!(agent.leave().unwrap().success());
    wait_until_ended(executor, WITHIN);
    assert_eq!(folders_of_pictures(&desktop), [""; 0]);
}

#[test]
fn the_executor_is_killed_in_the_middle_of_an_action() {
    let desktop = desktop();
    let mut agent = agent(&desktop);
    for toolkit in [Toolkit::Gtk3, Toolkit::Qt6] {
        let fixture = Fixture::start(&desktop, toolkit).unwrap();
        let monitor = BusMonitor::start(&desktop).unwrap();
        let mark = fixture.journal().mark().unwrap();
        let look = observe(&mut agent, &fixture);
        let executor = agent.executor_process().unwrap();
        let action = Agent::action(&look, element(&look, "button", "Save"), json!({}));
        let pending = agent.begin("click", action.clone()).unwrap();
        let press = |entry: &Entry| entry.is_outside("save", "activated");
        // The press is journalled while the executor still waits for the window to settle: it dies in between.
        fixture.journal().wait_for(mark, WITHIN, press).unwrap();
        kill(executor, Signal::KILL);
        let answer = agent.finish(pending).unwrap();
        assert_eq!(answer.code().as_deref(), Some("outcome_unknown"), "{toolkit:?}\n{}", answer.text);
        assert_eq!(answer.structured.as_ref().unwrap()["delivery"], "unknown");
        let repeated = agent.call("click", action).unwrap();
        assert_eq!(repeated.code().as_deref(), Some("duplicate_action"), "{toolkit:?}\n{}", repeated.text);
        fixture.journal().require_exactly_one(mark, WITHIN, QUIET, press).unwrap();
        assert_eq!(monitor.writes().unwrap().len(), 1, "{toolkit:?}");
        let again = observe(&mut agent, &fixture);
        let pressed = agent.act("click", &again, element(&again, "button", "Save"), json!({})).unwrap();
        assert!(!pressed.is_error, "{toolkit:?}\n{}", pressed.text);
        assert_ne!(agent.executor_process(), Some(executor));
        fixture.into_application().kill().unwrap();
    }
}

/// An application that does not answer costs its own deadline and nobody else's; and what was refused because of it does
/// not land when it goes on.
#[test]
fn an_application_is_stopped() {
    let desktop = desktop();
    let mut agent = agent(&desktop);
    for toolkit in [Toolkit::Gtk3, Toolkit::Qt6] {
        let hung = Fixture::start_with_title(&desktop, toolkit, "Hung").unwrap();
        let healthy = Fixture::start_with_title(&desktop, toolkit, "Healthy").unwrap();
        let monitor = BusMonitor::start(&desktop).unwrap();
        let look = observe(&mut agent, &hung);
        let save = element(&look, "button", "Save");
        let mark = hung.journal().mark().unwrap();
        hung.application().freeze().unwrap();

        let began = Instant::now();
        let hung_look = agent.begin("observe", json!({ "pid": hung.application().id() })).unwrap();
        let hung_press = agent.begin("click", Agent::action(&look, save, json!({}))).unwrap();
        let seen = observe(&mut agent, &healthy);
        let healthy_took = began.elapsed();
        assert!(seen.find("button", "Save").is_some(), "{}", seen.text);
        let refused_look = agent.finish(hung_look).unwrap();
        let hung_took = began.elapsed();
        assert_eq!(refused_look.code().as_deref(), Some("unresponsive"), "{toolkit:?}\n{}", refused_look.text);
        assert!(healthy_took < hung_took, "{toolkit:?}: {healthy_took:?}, {hung_took:?}");
        let refused_press = agent.finish(hung_press).unwrap();
        assert_eq!(refused_press.code().as_deref(), Some("unresponsive"), "{toolkit:?}\n{}", refused_press.text);
        assert_eq!(refused_press.structured.as_ref().unwrap()["delivery"], "not_sent");

        hung.application().thaw().unwrap();
        hung.settle().unwrap();
        hung.journal().require_none(mark, QUIET, |entry| entry.kind == "activated").unwrap();
        assert_eq!(monitor.writes().unwrap(), [], "{toolkit:?}");
        // It answers again, and is asked again once it has been left alone for a while.
        let deadline = Instant::now() + WITHIN;
        while agent.observe_process(hung.application().id()).is_err() {
            assert!(Instant::now() < deadline, "{toolkit:?}");
        }
        hung.into_application().kill().unwrap();
        healthy.into_application().kill().unwrap();
    }
}

#[test]
fn the_x_server_dies() {
    let desktop = desktop();
    let fixture = Fixture::start(&desktop, Toolkit::Gtk3).unwrap();
    let mut agent = agent(&desktop);
    let look = observe(&mut agent, &fixture);
    let save = element(&look, "button", "Save");
    kill(desktop.x_server_process(), Signal::KILL);
    wait_until_ended(desktop.x_server_process(), WITHIN);
    let pid = fixture.application().id();
    for (tool, arguments) in [
        ("observe", json!({ "pid": pid })),
        ("list_apps", json!({})),
        ("screenshot", json!({ "pid": pid })),
        ("launch_app", json!({ "app": "galculator" })),
    ] {
        let answer = agent.call(tool, arguments).unwrap();
        assert_eq!(answer.code().as_deref(), Some("desktop_unavailable"), "{tool}\n{}", answer.text);
        assert!(answer.text.contains("missing: the display"), "{tool}\n{}", answer.text);
    }
    let press = agent.act("click", &look, save, json!({})).unwrap();
    let code = press.code().unwrap();
    assert!(["desktop_unavailable", "target_missing"].contains(&code.as_str()), "{}", press.text);
    assert_eq!(press.structured.as_ref().unwrap()["delivery"], "not_sent", "{}", press.text);
    let executor = agent.executor_process().unwrap();
    assert!(agent.leave().unwrap().success());
    wait_until_ended(executor, WITHIN);
}

#[test]
fn the_accessibility_bus_dies() {
    let desktop = desktop();
    let fixture = Fixture::start(&desktop, Toolkit::Gtk3).unwrap();
    let mut agent = agent(&desktop);
    let look = observe(&mut agent, &fixture);
    let save = element(&look, "button", "Save");
    let mark = fixture.journal().mark().unwrap();
    kill(accessibility_bus(&desktop), Signal::KILL);
    let answer = agent.call("observe", json!({ "pid": fixture.application().id() })).unwrap();
    // Its launcher starts another one when it is asked, which the application never joins: it has to be started again.
    let code = answer.code().unwrap();
    assert!(["desktop_unavailable", "not_ready"].contains(&code.as_str()), "{}", answer.text);
    let press = agent.act("click", &look, save, json!({})).unwrap();
    assert_eq!(press.structured.as_ref().unwrap()["delivery"], "not_sent", "{}", press.text);
    fixture.settle().unwrap();
    assert_eq!(effects(&fixture.journal().since(mark).unwrap()), [""; 0]);
    assert!(agent.leave().unwrap().success());
}

/// The daemon that the accessibility bus's launcher started.
fn accessibility_bus(desktop: &PrivateDesktop) -> u32 {
    let own = process_table::of_user(desktop.premises().uid);
    let launcher = own.iter().find(|process| process.name.starts_with("at-spi-bus-laun")).unwrap();
    own.iter().find(|process| process.parent == launcher.id && process.name == "dbus-daemon").unwrap().id
}

#[test]
fn there_is_no_accessibility_bus() {
    let accessibility = Accessibility::Absent;
    let desktop =
        PrivateDesktop::start(&DesktopConfiguration { accessibility, ..DesktopConfiguration::default() }).unwrap();
    let fixture = Fixture::start(&desktop, Toolkit::Gtk3).unwrap();
    let mut agent = agent(&desktop);
    let answer = agent.call("observe", json!({ "pid": fixture.application().id() })).unwrap();
    assert_eq!(answer.code().as_deref(), Some("desktop_unavailable"), "{}", answer.text);
    assert!(answer.text.contains("missing: the accessibility bus"), "{}", answer.text);
    assert!(answer.text.contains("surehand doctor"), "{}", answer.text);
}

#[test]
fn there_is_no_display() {
    let desktop = desktop();
    let script = desktop.home().join("without-display");
    let surehand = desktop.bring(SUREHAND).unwrap();
    write_program(&script, &format!("#!/bin/sh\nunset DISPLAY XAUTHORITY\nexec {} \"$@\"\n", surehand.display()));
    let mut agent = Agent::start(&desktop, &script).unwrap();
    for (tool, arguments) in [("observe", json!({ "app": "any" })), ("list_apps", json!({}))] {
        let answer = agent.call(tool, arguments).unwrap();
        assert_eq!(answer.code().as_deref(), Some("desktop_unavailable"), "{tool}\n{}", answer.text);
        assert!(answer.text.contains("missing: the display"), "{tool}\n{}", answer.text);
    }
    assert!(agent.leave().unwrap().success());
}

fn write_program(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
