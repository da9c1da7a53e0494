//! What must not be done is refused with its own code and leaves no trace: nothing in a journal, no write on the bus.

use crate::stage::{QUIET, WITHIN, agent, desktop, effects, element, observe};
use serde_json::{Value, json};
use surehand_testbed::{Agent, BusMonitor, Entry, Fixture, Look, Order, PrivateDesktop, ToolAnswer, Toolkit, XServer};

/// Calls, and requires that the call is refused with that code, that nothing was written on the bus, and that the
/// application received nothing.
fn refused(code: &str, monitor: &BusMonitor<'_>, fixture: &Fixture, call: impl FnOnce() -> ToolAnswer) -> ToolAnswer {
    let mark = fixture.journal().mark().unwrap();
    let writes = monitor.writes().unwrap().len();
    let answer = call();
    assert_eq!(answer.code().as_deref(), Some(code), "{}", answer.text);
    assert!(answer.is_error, "{}", answer.text);
    if let Some(verdict) = &answer.structured {
        assert_eq!(verdict["delivery"], "not_sent", "{}", answer.text);
    }
    fixture.settle().unwrap();
    assert_eq!(monitor.writes().unwrap().split_off(writes), [], "{code}");
    assert_eq!(effects(&fixture.journal().since(mark).unwrap()), [""; 0], "{code}");
    answer
}

/// The button of a record's row.
fn delete(look: &Look, subject: &str) -> u64 {
    let row = look.elements.iter().position(|element| element.name == subject);
    let after = &look.elements[row.unwrap_or_else(|| panic!("{}", look.text))..];
    after.iter().find(|element| element.role == "button" && element.name == "Delete").unwrap().id
}

fn click(agent: &mut Agent, look: &Look, element: u64) -> ToolAnswer {
    agent.act("click", look, element, json!({})).unwrap()
}

#[test]
fn what_is_not_what_it_was() {
    let desktop = desktop();
    let monitor = BusMonitor::start(&desktop).unwrap();
    let mut agent = agent(&desktop);
    for toolkit in Toolkit::ALL {
        let fixture = Fixture::start(&desktop, toolkit).unwrap();

        let look = observe(&mut agent, &fixture);
        fixture.order(&Order::RenameButton { label: "Delete everything".to_owned() }).unwrap();
        let save = element(&look, "button", "Save");
        refused("target_changed", &monitor, &fixture, || click(&mut agent, &look, save));

        let look = observe(&mut agent, &fixture);
        fixture.order(&Order::Enable { element: "dialog".to_owned(), enabled: false }).unwrap();
        let open = element(&look, "button", "Open dialog");
        refused("target_changed", &monitor, &fixture, || click(&mut agent, &look, open));

        let look = observe(&mut agent, &fixture);
        fixture.order(&Order::SetText { element: "name".to_owned(), text: "typed by a person".to_owned() }).unwrap();
        let name = element(&look, "text", "Full name");
        let overwrite = json!({ "value": "typed by an agent" });
        refused("target_changed", &monitor, &fixture, || agent.act("set_value", &look, name, overwrite).unwrap());
        assert_eq!(fixture.state().unwrap().name, "typed by a person", "{toolkit:?}");

        fixture.into_application().kill().unwrap();
    }
}

/// The rows of a list are a pool: what stands at the place of a record that was removed or moved is another record, with
/// the same widgets. Its "Delete" must not be pressed in the other's name.
#[test]
fn a_recycled_row() {
    let desktop = desktop();
    let monitor = BusMonitor::start(&desktop).unwrap();
    let mut agent = agent(&desktop);
    for toolkit in Toolkit::ALL {
        let fixture = Fixture::start(&desktop, toolkit).unwrap();

        let look = observe(&mut agent, &fixture);
        fixture.order(&Order::RemoveRecord { subject: "Ada".to_owned() }).unwrap();
        refused("target_changed", &monitor, &fixture, || click(&mut agent, &look, delete(&look, "Ada")));

        let look = observe(&mut agent, &fixture);
        fixture.order(&Order::ReverseRecords).unwrap();
        refused("target_changed", &monitor, &fixture, || click(&mut agent, &look, delete(&look, "Ben")));

        let look = observe(&mut agent, &fixture);
        let subjects = ["Fay", "Gus", "Hal", "Ida"].map(str::to_owned).to_vec();
        fixture.order(&Order::ReplaceRecords { subjects }).unwrap();
        refused("target_changed", &monitor, &fixture, || click(&mut agent, &look, delete(&look, "Emil")));
        assert_eq!(fixture.state().unwrap().records, ["Fay", "Gus", "Hal", "Ida"], "{toolkit:?}");

        // And the right one is deleted when it was looked at.
        let look = observe(&mut agent, &fixture);
        let mark = fixture.journal().mark().unwrap();
        click(&mut agent, &look, delete(&look, "Gus"));
        let deleted = |entry: &Entry| entry.is_outside("delete", "activated");
        let hit = fixture.journal().require_exactly_one(mark, WITHIN, QUIET, deleted).unwrap();
        assert_eq!((hit.data, fixture.state().unwrap().records.len()), (json!("Gus"), 3), "{toolkit:?}");

        fixture.into_application().kill().unwrap();
    }
}

#[test]
fn what_takes_no_action() {
    let desktop = desktop();
    let monitor = BusMonitor::start(&desktop).unwrap();
    let mut agent = agent(&desktop);
    for toolkit in Toolkit::ALL {
        let fixture = Fixture::start(&desktop, toolkit).unwrap();
        let secret = Order::SetText { element: "password".to_owned(), text: "correct horse".to_owned() };
        fixture.order(&secret).unwrap();
        let look = observe(&mut agent, &fixture);
        assert!(!look.text.contains("correct horse"), "{toolkit:?}");

        let locked = element(&look, "button", "Locked");
        let password = element(&look, "password text", "Passphrase");
        let write = json!({ "value": "battery staple" });
        refused("not_actionable", &monitor, &fixture, || click(&mut agent, &look, locked));
        refused("grant_missing", &monitor, &fixture, || {
            agent.act("set_value", &look, password, write.clone()).unwrap()
        });
        // The same again: a refusal for what the control is holds; a grant may be given in between.
        refused("already_refused", &monitor, &fixture, || click(&mut agent, &look, locked));
        refused("grant_missing", &monitor, &fixture, || agent.act("set_value", &look, password, write).unwrap());
        assert_eq!(fixture.state().unwrap().password, "correct horse", "{toolkit:?}");

        // Refusals have not used the observation up.
        let mark = fixture.journal().mark().unwrap();
        let pressed = click(&mut agent, &look, element(&look, "button", "Save"));
        assert!(!pressed.is_error, "{}", pressed.text);
        let press = |entry: &Entry| entry.is_outside("save", "activated");
        fixture.journal().require_exactly_one(mark, WITHIN, QUIET, press).unwrap();

        // A press has.
        let save = element(&look, "button", "Save");
        refused("duplicate_action", &monitor, &fixture, || click(&mut agent, &look, save));
        let bold = look.find_name("Bold").unwrap().id;
        refused("duplicate_action", &monitor, &fixture, || click(&mut agent, &look, bold));

        fixture.into_application().kill().unwrap();
    }
}

#[test]
fn ids_that_do_not_hold() {
    let desktop = desktop();
    let monitor = BusMonitor::start(&desktop).unwrap();
    let fixture = Fixture::start(&desktop, Toolkit::Gtk3).unwrap();
    let (mut agent, mut other) = (agent(&desktop), agent(&desktop));

    let old = observe(&mut agent, &fixture);
    let look = observe(&mut agent, &fixture);
    let save = element(&look, "button", "Save");
    refused("stale_observation", &monitor, &fixture, || click(&mut agent, &old, save));
    refused("stale_observation", &monitor, &fixture, || click(&mut agent, &look, 99_999));
    // An observation of this session's is nothing to another one, and stays good here.
    let elsewhere = observe(&mut other, &fixture);
    refused("stale_observation", &monitor, &fixture, || click(&mut other, &look, save));
    refused("stale_observation", &monitor, &fixture, || click(&mut agent, &elsewhere, save));
    let unknown = Look { observation: flip_last_digit(&look.observation), ..look.clone() };
    refused("stale_observation", &monitor, &fixture, || click(&mut agent, &unknown, save));
    let nonsense = Look { observation: "the newest one".to_owned(), ..look.clone() };
    refused("invalid_argument", &monitor, &fixture, || click(&mut agent, &nonsense, save));
    let call = |arguments: Value| move |agent: &mut Agent| agent.call("observe", arguments).unwrap();
    for (code, arguments) in [
        ("target_missing", json!({ "window": "0xdead" })),
        ("target_missing", json!({ "window": "no window" })),
        ("target_missing", json!({ "pid": 4_194_303 })),
        ("target_missing", json!({ "app": "no such application" })),
    ] {
        refused(code, &monitor, &fixture, || call(arguments)(&mut agent));
    }
    let mark = fixture.journal().mark().unwrap();
    let pressed = click(&mut agent, &look, save);
    assert!(!pressed.is_error, "{}", pressed.text);
    let press = |entry: &Entry| entry.is_outside("save", "activated");
    fixture.journal().require_exactly_one(mark, WITHIN, QUIET, press).unwrap();
}

/// Another id of the same form.
fn flip_last_digit(observation: &str) -> String {
    let (rest, last) = observation.split_at(observation.len() - 1);
    format!("{rest}{}", if last == "0" { "1" } else { "0" })
}

#[test]
fn a_window_that_went_away() {
    let desktop = desktop();
    let monitor = BusMonitor::start(&desktop).unwrap();
    let x_server = XServer::of(&desktop).unwrap();
    let mut agent = agent(&desktop);
    for toolkit in [Toolkit::Gtk3, Toolkit::Qt6] {
        minimised(&desktop, &monitor, &x_server, &mut agent, toolkit);
        restarted(&desktop, &monitor, &mut agent, toolkit);
    }
}

fn minimised(
    desktop: &PrivateDesktop,
    monitor: &BusMonitor<'_>,
    x_server: &XServer,
    agent: &mut Agent,
    toolkit: Toolkit,
) {
    let fixture = Fixture::start(desktop, toolkit).unwrap();
    let look = observe(agent, &fixture);
    let save = element(&look, "button", "Save");
    fixture.order(&Order::Minimise).unwrap();
    x_server.wait_until_minimised(fixture.window().id, WITHIN).unwrap();
    refused("target_changed", monitor, &fixture, || click(agent, &look, save));
    // Looking is allowed, and says that nothing can be seen. The window stays minimised.
    let hidden = observe(agent, &fixture);
    assert!(hidden.text.contains("not shown") && hidden.find("button", "Save").is_none(), "{}", hidden.text);
    x_server.wait_until_minimised(fixture.window().id, WITHIN).unwrap();
    fixture.into_application().kill().unwrap();
}

/// An application that was started again is another one, whatever it shows.
fn restarted(desktop: &PrivateDesktop, monitor: &BusMonitor<'_>, agent: &mut Agent, toolkit: Toolkit) {
    let first = Fixture::start_with_title(desktop, toolkit, "Restarted").unwrap();
    let look = observe(agent, &first);
    let save = element(&look, "button", "Save");
    first.into_application().kill().unwrap();
    let second = Fixture::start_with_title(desktop, toolkit, "Restarted").unwrap();
    refused("target_missing", monitor, &second, || click(agent, &look, save));
    // The new run works once it was looked at.
    let mark = second.journal().mark().unwrap();
    let look = observe(agent, &second);
    click(agent, &look, element(&look, "button", "Save"));
    let press = |entry: &Entry| entry.is_outside("save", "activated");
    second.journal().require_exactly_one(mark, WITHIN, QUIET, press).unwrap();
    // Closed by itself, with its process still there for a moment or gone.
    let look = observe(agent, &second);
    let save = element(&look, "button", "Save");
    second.order(&Order::Quit).unwrap();
    second.journal().wait_for(mark, WITHIN, |entry| entry.kind == "closed").unwrap();
    let mut application = second.into_application();
    while application.ended().unwrap().is_none() {
        std::thread::yield_now();
    }
    let writes = monitor.writes().unwrap().len();
    let answer = click(agent, &look, save);
    assert_eq!(answer.code().as_deref(), Some("target_missing"), "{}", answer.text);
    assert_eq!(monitor.writes().unwrap().len(), writes);
}

/// Two runs of one application with the same title and the same controls: its name names neither, a process or a window
/// names one, and the other receives nothing.
#[test]
fn one_name_and_two_windows() {
    let desktop = desktop();
    let monitor = BusMonitor::start(&desktop).unwrap();
    let mut agent = agent(&desktop);
    for toolkit in [Toolkit::Gtk3, Toolkit::Qt6] {
        let twins = [(); 2].map(|()| Fixture::start_with_title(&desktop, toolkit, "Twin").unwrap());
        let name = format!("{}.py", toolkit.key());
        let answer =
            refused("ambiguous_target", &monitor, &twins[0], || agent.call("observe", json!({ "app": name })).unwrap());
        for twin in &twins {
            let window = format!("window={:#x}", twin.window().id);
            assert!(answer.text.contains(&window), "{window} is not offered:\n{}", answer.text);
        }
        for (chosen, other) in [(&twins[0], &twins[1]), (&twins[1], &twins[0])] {
            let marks = [chosen, other].map(|twin| twin.journal().mark().unwrap());
            let window = json!({ "window": format!("{:#x}", chosen.window().id) });
            let look = agent.call("observe", window).unwrap().look().unwrap();
            click(&mut agent, &look, element(&look, "button", "Save"));
            let press = |entry: &Entry| entry.is_outside("save", "activated");
            chosen.journal().require_exactly_one(marks[0], WITHIN, QUIET, press).unwrap();
            assert_eq!(effects(&other.journal().since(marks[1]).unwrap()), [""; 0], "{toolkit:?}");
        }
        for twin in twins {
            twin.into_application().kill().unwrap();
        }
    }
}
