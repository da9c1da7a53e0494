//! Applications of others start in the private desktop, greet nobody, and tell of themselves.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use surehand_testbed::{
    AccessibleReading, BENCHMARK_PAGE_NODES, DesktopConfiguration, PrivateDesktop, ThirdParty, XServer, bounds,
    process_table, write_benchmark_page,
};

/// What each shows that a reader must find: a role and a name.
fn expected(application: ThirdParty) -> (&'static str, &'static str) {
    match application {
        ThirdParty::GnomeCalculator => ("label", "7"),
        ThirdParty::Gedit => ("push button", "Open"),
        ThirdParty::Mousepad => ("menu", "File"),
        ThirdParty::Featherpad => ("menu item", "File"),
        ThirdParty::Kcalc => ("push button", "7"),
        ThirdParty::Galculator => ("toggle button", "7"),
        ThirdParty::LibreOfficeCalc => ("menu", "File"),
        ThirdParty::Chromium | ThirdParty::ChromiumWithoutTree => ("push button", "A button of the page"),
    }
}

#[test]
fn each_shows_one_window_and_its_tree() {
    let desktop = PrivateDesktop::start(&DesktopConfiguration::default()).unwrap();
    let x_server = XServer::of(&desktop).unwrap();
    for application in ThirdParty::WITH_TREE {
        let further = if application == ThirdParty::Chromium {
            vec!["data:text/html,<title>A page</title><button>A button of the page</button>"]
        } else {
            vec![]
        };
        let started = application.start(&desktop, further).unwrap();
        let reading = AccessibleReading::of(&desktop, started.application.id()).unwrap();
        let (role, name) = expected(application);
        let found: Vec<_> = reading.elements.iter().map(|element| (&element.role, &element.name)).collect();
        assert!(reading.find(role, name).count() > 0, "{application:?}: no {role} {name:?} in {found:?}");
        let windows = x_server.client_windows().unwrap();
        assert_eq!(windows.len(), 1, "{application:?} greets: {windows:?}");
        let descendants = process_table::descendants(started.application.id());
        let owner = windows[0].process.unwrap();
        assert!(
            owner == started.application.id() || descendants.iter().any(|entry| entry.id == owner),
            "{application:?}: the window is of {owner}"
        );
        started.application.kill().unwrap();
        x_server.wait_until_no_window("any", bounds::APPLICATION_START, |_| true).unwrap();
    }
}

/// Counts from the document down, once the last record is there.
const COUNT: &str = "
import sys, pyatspi
from gi.repository import GLib
def nodes(node):
    return 1 + sum(nodes(child) for child in node if child is not None)
def document(node):
    if node.getRole() == pyatspi.ROLE_DOCUMENT_WEB: return node
    return next((found for child in node if child is not None and (found := document(child))), None)
def count():
    found = [document(application) for application in pyatspi.Registry.getDesktop(0)]
    counted = sum(nodes(one) for one in found if one is not None)
    if counted < int(sys.argv[1]): return True
    print(counted)
    loop.quit()
loop = GLib.MainLoop()
GLib.timeout_add(200, count)
loop.run()
";

#[test]
fn the_benchmark_page_has_its_nodes() {
    let desktop = PrivateDesktop::start(&DesktopConfiguration::default()).unwrap();
    let page = write_benchmark_page(&desktop).unwrap();
    ThirdParty::Chromium.start(&desktop, [page]).unwrap();
    let output = desktop
        .command("timeout")
        .unwrap()
        .args([&bounds::REGISTRATION.as_secs().to_string(), "/usr/bin/python3", "-c", COUNT])
        .arg(BENCHMARK_PAGE_NODES.to_string())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), BENCHMARK_PAGE_NODES.to_string());
}
