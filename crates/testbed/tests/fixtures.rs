//! The fixtures, the oracles, and that each tells the truth about the other.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use surehand_testbed::{
    AccessibleReading, Argument, BusMonitor, Cause, DesktopConfiguration, Fixture, FixtureError, JournalError, Mark,
    Order, PrivateDesktop, Sentinel, Toolkit, XServer, process_table,
};

const WITHIN: Duration = Duration::from_secs(10);
const QUIET: Duration = Duration::from_millis(150);

fn desktop() -> PrivateDesktop {
    PrivateDesktop::start(&DesktopConfiguration::default()).unwrap()
}

/// Real input events, made by the server's own test extension.
fn click(desktop: &PrivateDesktop, (x, y): (i32, i32)) {
    let (x, y) = (x.to_string(), y.to_string());
    let status = desktop.run("xdotool", ["mousemove", "--sync", &x, &y, "click", "1"]).unwrap();
    assert!(status.success());
}

fn type_text(desktop: &PrivateDesktop, text: &str) {
    assert!(desktop.run("xdotool", ["type", text]).unwrap().success());
}

fn in_each_toolkit(check: impl Fn(&PrivateDesktop, &Fixture, Toolkit)) {
    let desktop = desktop();
    for toolkit in Toolkit::ALL {
        let fixture = Fixture::start(&desktop, toolkit).unwrap();
        check(&desktop, &fixture, toolkit);
        fixture.into_application().kill().unwrap();
    }
}

#[test]
fn a_click_is_journalled_exactly_once() {
    in_each_toolkit(|desktop, fixture, toolkit| {
        let mark = fixture.journal().mark().unwrap();
        click(desktop, fixture.place("save").unwrap().centre());
        let activated = |entry: &surehand_testbed::Entry| entry.is_outside("save", "activated");
        let entry = fixture.journal().require_exactly_one(mark, WITHIN, QUIET, activated).unwrap();
        assert_eq!(entry.program, toolkit.key());
        let pressed = |entry: &surehand_testbed::Entry| entry.kind == "button_pressed";
        let press = fixture.journal().require_exactly_one(mark, WITHIN, QUIET, pressed).unwrap();
        assert!(press.is_input() && press.at_us <= entry.at_us);
        // The control: what was not clicked has nothing, and a count that is wrong is an error.
        fixture.journal().require_none(mark, QUIET, |entry| entry.element == "dialog").unwrap();
        let none = fixture.journal().require_none(mark, QUIET, activated).unwrap_err();
        assert!(matches!(none, JournalError::Count { required: 0, .. }), "{none:?}");
        let missing = fixture.journal().wait_for(mark, QUIET, |entry| entry.element == "dialog").unwrap_err();
        assert!(matches!(missing, JournalError::Missing { .. }), "{missing:?}");
    });
}

#[test]
fn typing_and_toggling_reach_the_state() {
    in_each_toolkit(|desktop, fixture, toolkit| {
        let mark = fixture.journal().mark().unwrap();
        click(desktop, fixture.place("name").unwrap().centre());
        type_text(desktop, "Ada");
        let edited = |text: &'static str| {
            move |entry: &surehand_testbed::Entry| entry.is_outside("name", "edited") && entry.data == text
        };
        fixture.journal().wait_for(mark, WITHIN, edited("Ada")).unwrap();
        click(desktop, fixture.place("bold").unwrap().centre());
        fixture.journal().wait_for(mark, WITHIN, |entry| entry.is_outside("bold", "toggled")).unwrap();
        let state = fixture.state().unwrap();
        assert_eq!((state.name.as_str(), state.bold), ("Ada", true), "{toolkit:?}");
    });
}

#[test]
fn a_reverting_toggle_reverts_by_itself() {
    in_each_toolkit(|desktop, fixture, _| {
        let mark = fixture.journal().mark().unwrap();
        click(desktop, fixture.place("reverting").unwrap().centre());
        let toggled = |on: bool, cause: Cause| {
            move |entry: &surehand_testbed::Entry| {
                entry.element == "reverting" && entry.data == on && entry.cause == cause
            }
        };
        let on = fixture.journal().wait_for(mark, WITHIN, toggled(true, Cause::Outside)).unwrap();
        let off = fixture.journal().wait_for(mark, WITHIN, toggled(false, Cause::Itself)).unwrap();
        assert!(on.at_us < off.at_us);
        assert!(!fixture.state().unwrap().reverting);
    });
}

#[test]
fn rows_are_recycled_and_delete_names_whom_it_hit() {
    in_each_toolkit(|desktop, fixture, _| {
        let ben = fixture.place("delete-1").unwrap();
        fixture.order(&Order::RemoveRecord { subject: "Ada".into() }).unwrap();
        fixture.settle().unwrap();
        assert_eq!(fixture.state().unwrap().records, ["Ben", "Cleo", "Dora", "Emil"]);
        assert_eq!(fixture.place("delete-1").unwrap(), ben, "the widgets stay where they were");
        let mark = fixture.journal().mark().unwrap();
        click(desktop, ben.centre());
        let hit = |entry: &surehand_testbed::Entry| entry.is_outside("delete", "activated");
        let entry = fixture.journal().require_exactly_one(mark, WITHIN, QUIET, hit).unwrap();
        assert_eq!(entry.data, "Cleo", "Ben's button is Cleo's now");
        assert_eq!(fixture.state().unwrap().records, ["Ben", "Dora", "Emil"]);
    });
}

#[test]
fn every_order_is_carried_out_as_its_own_doing() {
    in_each_toolkit(|desktop, fixture, _| {
        let order = |order: Order| fixture.order(&order).unwrap();
        order(Order::RenameButton { label: "Store".into() });
        order(Order::SetText { element: "name".into(), text: "Grace".into() });
        order(Order::SetText { element: "notes".into(), text: "one\ntwo".into() });
        order(Order::SetValue { element: "volume".into(), value: 70 });
        order(Order::SetValue { element: "quantity".into(), value: 9 });
        order(Order::SetOn { element: "remember".into(), on: true });
        order(Order::ReverseRecords);
        order(Order::ReplaceRecords { subjects: vec!["Uma".into(), "Vera".into()] });
        order(Order::InsertRecord { row: 1, subject: "Tom".into() });
        order(Order::SetRevertDelay { milliseconds: 5 });
        order(Order::Enable { element: "locked".into(), enabled: true });
        order(Order::Resize { width: 900, height: 700 });
        order(Order::Present);
        order(Order::OpenDialog);
        let state = fixture.state().unwrap();
        assert_eq!((state.save.as_str(), state.name.as_str(), state.notes.as_str()), ("Store", "Grace", "one\ntwo"));
        assert_eq!((state.volume, state.quantity, state.remember, state.dialog), (70.0, 9.0, true, true));
        assert_eq!(state.records, ["Uma", "Tom", "Vera"]);
        let x_server = XServer::of(desktop).unwrap();
        let is_dialog = |window: &surehand_testbed::ClientWindow| window.title == "Confirm";
        x_server.wait_for_window("the dialog", WITHIN, is_dialog).unwrap();
        order(Order::CloseDialog);
        x_server.wait_until_no_window("the dialog", WITHIN, is_dialog).unwrap();
        order(Order::SetTitle { title: "Another title".into() });
        x_server.wait_for_window("the new title", WITHIN, |window| window.title == "Another title").unwrap();
        order(Order::Minimise);
        let outside = |entry: &surehand_testbed::Entry| {
            entry.cause == Cause::Outside && ["edited", "valued", "toggled", "activated"].contains(&entry.kind.as_str())
        };
        fixture.journal().require_none(Mark::START, QUIET, outside).unwrap();
        let refused = fixture.order(&Order::RemoveRecord { subject: "Nobody".into() }).unwrap_err();
        assert!(matches!(refused, FixtureError::Refused(_)), "{refused:?}");
        order(Order::Quit);
        fixture.journal().wait_for(Mark::START, WITHIN, |entry| entry.kind == "closed").unwrap();
    });
}

#[test]
fn a_frozen_fixture_does_nothing_until_it_thaws() {
    in_each_toolkit(|desktop, fixture, _| {
        let place = fixture.place("save").unwrap().centre();
        let mark = fixture.journal().mark().unwrap();
        fixture.order(&Order::Freeze { seconds: 0.7 }).unwrap();
        fixture.journal().wait_for(mark, WITHIN, |entry| entry.kind == "frozen").unwrap();
        click(desktop, place);
        let activated =
            fixture.journal().wait_for(mark, WITHIN, |entry| entry.is_outside("save", "activated")).unwrap();
        let thawed = fixture.journal().wait_for(mark, WITHIN, |entry| entry.kind == "thawed").unwrap();
        assert!(thawed.at_us <= activated.at_us);
    });
}

#[test]
fn pyatspi_sees_what_the_fixture_shows() {
    in_each_toolkit(|desktop, fixture, toolkit| {
        fixture.order(&Order::RenameButton { label: "Store".into() }).unwrap();
        let reading = AccessibleReading::of(desktop, fixture.application().id()).unwrap();
        let names: Vec<_> = reading.elements.iter().map(|element| element.name.as_str()).collect();
        let expected = ["Store", "Locked", "Bold", "Remember me", "Full name", "Passphrase", "Volume", "Ada", "Line 1"];
        for name in expected {
            assert!(names.contains(&name), "{toolkit:?}: {name} is not among {names:?}");
        }
        assert_eq!(reading.find("push button", "Delete").count(), 5, "{toolkit:?}");
        assert!(!names.contains(&"Line 150"), "{toolkit:?}: what is scrolled away is not on screen");
        let store = reading.elements.iter().find(|element| element.name == "Store").unwrap();
        assert!(store.operable && store.role == "push button", "{store:?}");
        if toolkit != Toolkit::Gtk4 {
            let place = fixture.place("save").unwrap();
            let [x, y, width, height] = store.extents;
            assert_eq!((x, y), (place.x, place.y), "{toolkit:?}");
            assert_eq!((width.cast_unsigned(), height.cast_unsigned()), (place.width, place.height), "{toolkit:?}");
        }
    });
}

#[test]
fn a_wait_ends_when_a_window_changes_its_title() {
    let desktop = desktop();
    let fixture = Fixture::start(&desktop, Toolkit::Gtk3).unwrap();
    let x_server = XServer::of(&desktop).unwrap();
    std::thread::scope(|scope| {
        let renamed = |window: &surehand_testbed::ClientWindow| {
            // The first look finds the old title; the order is given only then.
            if window.title != "Renamed" {
                scope.spawn(|| fixture.order(&Order::SetTitle { title: "Renamed".into() }).unwrap());
            }
            window.title == "Renamed"
        };
        x_server.wait_for_window("the new title", WITHIN, renamed).unwrap();
    });
}

#[test]
fn the_sentinel_journals_what_leaks_into_it() {
    let desktop = desktop();
    let fixture = Fixture::start(&desktop, Toolkit::Gtk3).unwrap();
    let sentinel = Sentinel::start(&desktop).unwrap();
    let x_server = XServer::of(&desktop).unwrap();
    let before = x_server.posture().unwrap();
    assert_eq!(before.active_window, Some(sentinel.window().id), "a new window has the focus");
    // Through accessibility alone nothing leaks, and the posture stays.
    let mark = sentinel.journal().mark().unwrap();
    fixture.order(&Order::SetText { element: "name".into(), text: "quiet".into() }).unwrap();
    sentinel.journal().require_none(mark, QUIET, |_| true).unwrap();
    assert_eq!(x_server.posture().unwrap(), before);
    // Keys leak, and a click elsewhere changes pointer, focus and stacking.
    type_text(&desktop, "x");
    sentinel.journal().wait_for(mark, WITHIN, |entry| entry.kind == "key_pressed" && entry.is_input()).unwrap();
    click(&desktop, fixture.place("save").unwrap().centre());
    sentinel.journal().wait_for(mark, WITHIN, |entry| entry.kind == "focus_out").unwrap();
    let after = x_server.posture().unwrap();
    assert_ne!(after.pointers, before.pointers);
    assert_ne!(after.focuses, before.focuses);
    assert_ne!(after.stacking, before.stacking);
    assert_eq!(after.active_window, Some(fixture.window().id));
    assert_eq!(after.devices, before.devices);
}

#[test]
fn windows_belong_to_the_processes_that_made_them() {
    let desktop = desktop();
    let first = Fixture::start(&desktop, Toolkit::Gtk3).unwrap();
    let second = Fixture::start_with_title(&desktop, Toolkit::Gtk3, "Fixture gtk3").unwrap();
    let x_server = XServer::of(&desktop).unwrap();
    for fixture in [&first, &second] {
        assert_eq!(x_server.process_of(fixture.window().id).unwrap(), Some(fixture.application().id()));
        assert!(process_table::is_running(fixture.application().id()));
        assert!(
            process_table::descriptors(fixture.application().id()).iter().any(|path| path == fixture.journal().path())
        );
    }
    assert_ne!(first.window().id, second.window().id);
    assert_ne!(
        process_table::instance_inode(first.application().id()),
        process_table::instance_inode(second.application().id())
    );
    let id = first.application().id();
    assert!(first.into_application().kill().unwrap().code().is_none());
    assert!(!process_table::is_running(id));
    x_server.wait_until_no_window("the killed one's", WITHIN, |window| window.process == Some(id)).unwrap();
}

#[test]
fn the_monitor_sees_what_is_asked_and_what_is_written() {
    let desktop = desktop();
    // GTK 3 would let pyatspi talk to it past the bus.
    let fixture = Fixture::start(&desktop, Toolkit::Gtk4).unwrap();
    let monitor = BusMonitor::start(&desktop).unwrap();
    assert_eq!(monitor.writes().unwrap(), []);
    AccessibleReading::of(&desktop, fixture.application().id()).unwrap();
    let calls = monitor.calls().unwrap();
    let names = calls.iter().filter(|call| call.calls("org.freedesktop.DBus.Properties", "Get")).count();
    assert!(names > 0, "a full read asks for properties one by one");
    assert_eq!(monitor.writes().unwrap(), [], "reading writes nothing");

    let script = "import pyatspi, sys
def find(node):
    if node.name == 'Full name' and 'EditableText' in pyatspi.listInterfaces(node): return node
    return next((found for child in node if child is not None and (found := find(child))), None)
for application in pyatspi.Registry.getDesktop(0):
    if application.get_process_id() == int(sys.argv[1]):
        find(application).queryEditableText().setTextContents('forged\\nmethod call')
";
    let id = fixture.application().id().to_string();
    assert!(desktop.run("/usr/bin/python3", ["-c", script, &id]).unwrap().success());
    let writes = monitor.writes().unwrap();
    let [write] = writes.as_slice() else { panic!("one write, not {writes:?}") };
    assert!(write.calls("org.a11y.atspi.EditableText", "SetTextContents"), "{write:?}");
    assert_eq!(write.arguments, [Argument::String("forged\nmethod call".into())]);
    assert_eq!(monitor.process_of(&write.destination).unwrap(), fixture.application().id());
    let edited = fixture.journal().wait_for(Mark::START, WITHIN, |entry| entry.is_outside("name", "edited")).unwrap();
    // The toolkit tells of the emptying first.
    assert!(Duration::from_micros(edited.at_us.abs_diff(write.at_us)) < WITHIN);
}
