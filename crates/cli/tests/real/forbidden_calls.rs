//! Three calls that kill applications are never made. A monitor on the accessibility bus sees all that is.

use crate::stage::{agent, desktop, element, observe};
use serde_json::json;
use std::collections::HashSet;
use surehand_testbed::{Agent, BusMessage, BusMonitor, Fixture, PrivateDesktop, Toolkit};

/// More children than anything but a sheet has.
const CHILDREN_OF_A_SHEET: i64 = 100_000;

/// Looks through every call that the executor of `agent` made until now.
pub(crate) fn assert_none(desktop: &PrivateDesktop, monitor: &BusMonitor<'_>, agent: &Agent) {
    let executor = agent.executor_process().unwrap();
    let calls = monitor.calls().unwrap();
    let senders: HashSet<&str> = calls.iter().map(|call| call.sender.as_str()).collect();
    let own: HashSet<&str> =
        senders.into_iter().filter(|sender| monitor.process_of(sender).is_ok_and(|id| id == executor)).collect();
    let calls: Vec<&BusMessage> = calls.iter().filter(|call| own.contains(call.sender.as_str())).collect();
    assert!(calls.iter().any(|call| call.member == "GetRole" || call.member == "GetItems"), "the monitor saw the look");
    let kills = |call: &&BusMessage| {
        call.calls("org.freedesktop.DBus.Properties", "GetAll") || call.interface == "org.a11y.atspi.Collection"
    };
    let killers: Vec<_> = calls.iter().copied().filter(kills).collect();
    assert!(killers.is_empty(), "{killers:#?}");
    let asked: HashSet<(&str, &str)> = calls
        .iter()
        .filter(|call| call.calls("org.a11y.atspi.Accessible", "GetChildren"))
        .map(|call| (call.destination.as_str(), call.path.as_str()))
        .collect();
    for (owner, path) in asked {
        let children = child_count(desktop, owner, path);
        assert!(
            children.is_none_or(|children| children < CHILDREN_OF_A_SHEET),
            "{owner} {path}: {children:?} children"
        );
    }
}

/// Nothing for an object that is there no more.
fn child_count(desktop: &PrivateDesktop, owner: &str, path: &str) -> Option<i64> {
    let mut ask = desktop.command("dbus-send").unwrap();
    ask.arg(format!("--bus={}", desktop.accessibility_bus_address().unwrap()));
    ask.args(["--print-reply=literal", &format!("--dest={owner}"), path, "org.freedesktop.DBus.Properties.Get"]);
    ask.args(["string:org.a11y.atspi.Accessible", "string:ChildCount"]);
    let answer = String::from_utf8(ask.output().unwrap().stdout).unwrap();
    answer.split_whitespace().last()?.parse().ok()
}

#[test]
fn in_every_toolkit() {
    let desktop = desktop();
    for toolkit in Toolkit::ALL {
        let fixture = Fixture::start(&desktop, toolkit).unwrap();
        // One server a toolkit: its executor meets the application from nothing.
        let mut agent = agent(&desktop);
        let monitor = BusMonitor::start(&desktop).unwrap();
        let look = observe(&mut agent, &fixture);
        agent.act("click", &look, element(&look, "button", "Save"), json!({})).unwrap();
        agent.call("list_apps", json!({})).unwrap();
        assert_none(&desktop, &monitor, &agent);
        let state = fixture.state().unwrap();
        assert_eq!(state.save, "Save", "{toolkit:?} lives");
        fixture.into_application().kill().unwrap();
    }
}
