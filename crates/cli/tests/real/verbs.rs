//! Every verb on every toolkit: the application receives exactly what was done, once; a second one just like it, the
//! sentinel, the pointer, the focus and the stacking show nothing of it; and the verdict says what the application says.

use crate::stage::{QUIET, WITHIN, agent, desktop, effects, element, ending, observe, observe_when_quiet};
use serde_json::{Value, json};
use surehand_testbed::{
    Agent, BusMonitor, Entry, Fixture, Look, Mark, PrivateDesktop, Sentinel, State, ToolAnswer, Toolkit, XServer,
    bounds, editable_texts,
};

/// One action, and what is to come of it.
struct Deed {
    tool: &'static str,
    role: &'static str,
    name: &'static str,
    more: Value,
    /// Delivery and effect, and the code where there is one.
    ending: &'static str,
    /// What the application journals.
    journals: &'static [&'static str],
    /// What the application says of itself afterwards.
    holds: fn(&State) -> bool,
}

const CONFIRMED: &str = "delivered/confirmed";

fn click(role: &'static str, name: &'static str, journals: &'static [&'static str], holds: fn(&State) -> bool) -> Deed {
    Deed { tool: "click", role, name, more: json!({}), ending: CONFIRMED, journals, holds }
}

fn set_value(
    role: &'static str,
    name: &'static str,
    value: &str,
    journals: &'static [&'static str],
    holds: fn(&State) -> bool,
) -> Deed {
    Deed { tool: "set_value", more: json!({ "value": value }), ..click(role, name, journals, holds) }
}

fn select(
    role: &'static str,
    name: &'static str,
    journals: &'static [&'static str],
    holds: fn(&State) -> bool,
) -> Deed {
    Deed { tool: "select", ..click(role, name, journals, holds) }
}

fn perform(role: &'static str, name: &'static str, action: &str, journals: &'static [&'static str]) -> Deed {
    Deed { tool: "perform", more: json!({ "action": action }), ..click(role, name, journals, |_| true) }
}

/// What the toolkit does not offer.
fn not_offered(tool: &'static str, role: &'static str, name: &'static str, more: Value) -> Deed {
    Deed { tool, more, ending: "not_sent/unverifiable unsupported_action", ..click(role, name, &[], |_| true) }
}

/// A control that springs back: sent, and not called a success.
fn reverts(role: &'static str) -> Deed {
    let ending = "delivered/unverifiable";
    Deed { ending, ..click(role, "Reverting", &["reverting toggled true"], |state| !state.reverting) }
}

/// What is the same everywhere.
fn common_deeds() -> Vec<Deed> {
    vec![
        click("button", "Save", &["save activated null"], |_| true),
        set_value("text", "Full name", "Zoë Grün 😀", &["name edited \"Zoë Grün 😀\""], |state| {
            state.name == "Zoë Grün 😀"
        }),
        set_value("text", "Notes", "one\ntwo", &["notes edited \"one\\ntwo\""], |state| state.notes == "one\ntwo"),
        set_value("text", "Full name", "", &["name edited \"\""], |state| state.name.is_empty()),
        select("list item", "Line 3", &["lines selected \"Line 3\""], |state| is(&state.selected_line, "Line 3")),
        not_offered("select", "button", "Save", json!({})),
        not_offered("set_value", "button", "Save", json!({ "value": "x" })),
        not_offered("scroll", "button", "Save", json!({ "direction": "down" })),
        not_offered("perform", "button", "Save", json!({ "action": "explode" })),
    ]
}

fn is(selected: &Option<String>, wanted: &str) -> bool {
    selected.as_deref() == Some(wanted)
}

#[test]
fn gtk3() {
    let mut deeds = common_deeds();
    deeds.extend([
        click("toggle button", "Bold", &["bold toggled true"], |state| state.bold),
        click("toggle button", "Bold", &["bold toggled false"], |state| !state.bold),
        click("check box", "Remember me", &["remember toggled true"], |state| state.remember),
        reverts("toggle button"),
        set_value("slider", "Volume", "70", &["volume valued 70.0"], |state| state.volume == 70.0),
        set_value("spin button", "Quantity", "12", &["quantity valued 12.0"], |state| state.quantity == 12.0),
        select("list item", "Cleo", &["records selected \"Cleo\""], |state| is(&state.selected_record, "Cleo")),
        perform("button", "Save", "click", &["save activated null"]),
        not_offered("click", "list item", "Ben", json!({})),
    ]);
    play(Toolkit::Gtk3, &deeds);
}

#[test]
fn gtk4() {
    let mut deeds = common_deeds();
    deeds.extend([
        click("button", "Bold", &["bold toggled true"], |state| state.bold),
        set_value("slider", "Volume", "70", &["volume valued 70.0"], |state| state.volume == 70.0),
        set_value("spin button", "Quantity", "12", &["quantity valued 12.0"], |state| state.quantity == 12.0),
        select("list item", "Cleo", &["records selected \"Cleo\""], |state| is(&state.selected_record, "Cleo")),
        perform("button", "Save", "click", &["save activated null"]),
        not_offered("click", "check box", "Remember me", json!({})),
        not_offered("click", "combo box", "Colour", json!({})),
        not_offered("click", "list item", "Ben", json!({})),
    ]);
    play(Toolkit::Gtk4, &deeds);
}

#[test]
fn qt5() {
    play(Toolkit::Qt5, &qt_deeds());
}

#[test]
fn qt6() {
    play(Toolkit::Qt6, &qt_deeds());
}

fn qt_deeds() -> Vec<Deed> {
    let mut deeds = common_deeds();
    deeds.extend([
        click("check box", "Bold", &["bold toggled true"], |state| state.bold),
        click("check box", "Bold", &["bold toggled false"], |state| !state.bold),
        click("check box", "Remember me", &["remember toggled true"], |state| state.remember),
        reverts("check box"),
        click("radio button", "Cleo", &["records selected \"Cleo\""], |state| is(&state.selected_record, "Cleo")),
        set_value("slider", "Volume", "70", &["volume valued 70"], |state| state.volume == 70.0),
        perform("slider", "Volume", "Increase", &["volume valued 71"]),
        set_value("spin button", "Quantity", "12", &["quantity valued 12"], |state| state.quantity == 12.0),
        click("list item", "Line 5", &["lines selected null", "lines selected \"Line 5\""], |state| {
            is(&state.selected_line, "Line 5")
        }),
        not_offered("scroll", "list", "Lines", json!({ "direction": "down" })),
    ]);
    deeds
}

/// A private desktop with the application, another run of it that looks just the same, and the sentinel.
struct Scene<'desktop> {
    toolkit: Toolkit,
    fixture: Fixture,
    decoy: Fixture,
    sentinel: Sentinel,
    x_server: XServer,
    monitor: BusMonitor<'desktop>,
    /// Where the three journals stood when everything was on screen.
    marks: [Mark; 3],
}

impl<'desktop> Scene<'desktop> {
    fn set(desktop: &'desktop PrivateDesktop, toolkit: Toolkit) -> Self {
        let decoy = Fixture::start_with_title(desktop, toolkit, "Ledger").unwrap();
        let fixture = Fixture::start_with_title(desktop, toolkit, "Ledger").unwrap();
        let sentinel = Sentinel::start(desktop).unwrap();
        let marks = [fixture.journal(), decoy.journal(), sentinel.journal()].map(|journal| journal.mark().unwrap());
        let (x_server, monitor) = (XServer::of(desktop).unwrap(), BusMonitor::start(desktop).unwrap());
        Self { toolkit, fixture, decoy, sentinel, x_server, monitor, marks }
    }

    /// Observes, acts, and asks every oracle.
    fn carry_out(&self, agent: &mut Agent, deed: &Deed) {
        let what = format!("{} {} {:?} {}", deed.tool, deed.role, deed.name, deed.more);
        let posture = self.x_server.posture().unwrap();
        let mark = self.fixture.journal().mark().unwrap();
        let writes = self.monitor.writes().unwrap().len();
        let look = observe(agent, &self.fixture);
        let answer = agent.act(deed.tool, &look, element(&look, deed.role, deed.name), deed.more.clone()).unwrap();
        if deed.ending == CONFIRMED && ["click", "perform"].contains(&deed.tool) {
            assert_pressed(self.toolkit, &what, &answer);
        } else {
            assert_eq!(ending(&answer), deed.ending, "{what}\n{}", answer.text);
        }
        if let Some(last) = deed.journals.last() {
            let is_last = |entry: &Entry| effects(std::slice::from_ref(entry)) == [*last];
            self.fixture.journal().wait_for(mark, WITHIN, is_last).unwrap();
        }
        self.fixture.settle().unwrap();
        assert_eq!(effects(&self.fixture.journal().since(mark).unwrap()), deed.journals, "{what}");
        let state = self.fixture.state().unwrap();
        assert!((deed.holds)(&state), "{what}: {state:?}");
        let written = self.monitor.writes().unwrap().split_off(writes);
        assert_eq!(written.len(), usize::from(!deed.journals.is_empty()), "{what}: {written:#?}");
        assert_eq!(self.x_server.posture().unwrap(), posture, "{what}");
    }

    /// After all was done and nothing more comes: the application received all of it and nothing else, the others nothing.
    fn close(&self, deeds: &[Deed]) {
        self.fixture.journal().require_none(self.marks[0], QUIET, Entry::is_input).unwrap();
        let all: Vec<&str> = deeds.iter().flat_map(|deed| deed.journals).copied().collect();
        assert_eq!(effects(&self.fixture.journal().since(self.marks[0]).unwrap()), all);
        self.decoy.settle().unwrap();
        let decoy = self.decoy.journal().since(self.marks[1]).unwrap();
        assert!(effects(&decoy).is_empty() && !decoy.iter().any(Entry::is_input), "{decoy:#?}");
        let leaked = |entry: &Entry| entry.is_input() || entry.kind == "edited";
        self.sentinel.journal().require_none(self.marks[2], QUIET, leaked).unwrap();
    }
}

/// GTK 4 runs a press a quarter of a second after its reply, or when it gets the processor: what had not come when the
/// product stopped waiting for it is truly unverifiable.
fn assert_pressed(toolkit: Toolkit, what: &str, answer: &ToolAnswer) {
    let ending = ending(answer);
    let comes_late = toolkit == Toolkit::Gtk4 && ending == "delivered/unverifiable";
    assert!(ending == CONFIRMED || comes_late, "{toolkit:?} {what}: {ending}\n{}", answer.text);
}

fn play(toolkit: Toolkit, deeds: &[Deed]) {
    let desktop = desktop();
    let scene = Scene::set(&desktop, toolkit);
    let mut agent = agent(&desktop);
    for deed in deeds {
        scene.carry_out(&mut agent, deed);
    }
    scene.close(deeds);
}

/// A list of two hundred lines moves by its scroll bar: what is seen afterwards is further down.
#[test]
fn scrolling() {
    let desktop = desktop();
    for toolkit in [Toolkit::Gtk3, Toolkit::Gtk4] {
        let scene = Scene::set(&desktop, toolkit);
        let mut agent = agent(&desktop);
        let posture = scene.x_server.posture().unwrap();
        let mark = scene.fixture.journal().mark().unwrap();
        let look = observe(&mut agent, &scene.fixture);
        let pane = pane_around(&look, "Line 1");
        assert!(look.find("list item", "Line 24").is_none(), "{toolkit:?}\n{}", look.text);
        let down = agent.act("scroll", &look, pane, json!({ "direction": "down", "pages": 2 })).unwrap();
        assert_eq!(ending(&down), CONFIRMED, "{toolkit:?}\n{}", down.text);
        let moved =
            scene.fixture.journal().wait_for(mark, WITHIN, |entry| entry.is_outside("lines", "scrolled")).unwrap();
        let further_down = moved.data.as_f64().unwrap();
        assert!(further_down > 0.0, "{toolkit:?}: {moved:?}");
        let look = observe(&mut agent, &scene.fixture);
        let pane = pane_around(&look, "Line 24");
        let mark = scene.fixture.journal().mark().unwrap();
        let up = agent.act("scroll", &look, pane, json!({ "direction": "up" })).unwrap();
        assert_eq!(ending(&up), CONFIRMED, "{toolkit:?}\n{}", up.text);
        let back =
            scene.fixture.journal().wait_for(mark, WITHIN, |entry| entry.is_outside("lines", "scrolled")).unwrap();
        assert!(back.data.as_f64().unwrap() < further_down, "{toolkit:?}: {back:?}");
        assert_eq!(scene.x_server.posture().unwrap(), posture, "{toolkit:?}");
        scene.fixture.into_application().kill().unwrap();
        scene.decoy.into_application().kill().unwrap();
    }
}

/// The innermost scroll pane that a list item stands in.
fn pane_around(look: &Look, item: &str) -> u64 {
    let item = look.elements.iter().position(|element| element.name == item && element.role == "list item");
    let before = &look.elements[..item.unwrap_or_else(|| panic!("{}", look.text))];
    before.iter().rev().find(|element| element.role == "scroll pane").unwrap_or_else(|| panic!("{}", look.text)).id
}

/// A press may open a window: it takes the focus as any new window does, and the verdict says so.
#[test]
fn opening_a_dialog() {
    let desktop = desktop();
    let x_server = XServer::of(&desktop).unwrap();
    let mut agent = agent(&desktop);
    for toolkit in Toolkit::ALL {
        let fixture = Fixture::start(&desktop, toolkit).unwrap();
        let look = observe(&mut agent, &fixture);
        let opened = agent.act("click", &look, element(&look, "button", "Open dialog"), json!({})).unwrap();
        assert_pressed(toolkit, "open", &opened);
        let is_dialog = |window: &surehand_testbed::ClientWindow| window.title == "Confirm";
        let dialog = x_server.wait_for_window("the dialog", WITHIN, is_dialog).unwrap();
        let look = agent.call("observe", json!({ "window": format!("{:#x}", dialog.id) })).unwrap().look().unwrap();
        let mark = fixture.journal().mark().unwrap();
        let confirm = if toolkit == Toolkit::Gtk4 { "Confirm Confirm" } else { "Confirm" };
        let answered = agent.act("click", &look, element(&look, "button", confirm), json!({})).unwrap();
        assert_pressed(toolkit, "confirm", &answered);
        let said = |entry: &Entry| entry.element == "answer";
        let said = fixture.journal().require_exactly_one(mark, WITHIN, QUIET, said).unwrap();
        assert_eq!(said.data, json!("confirm"), "{toolkit:?}");
        fixture.into_application().kill().unwrap();
    }
}

/// GTK translates the names of its actions: they are known by those that mean the same everywhere.
#[test]
fn a_desktop_in_german() {
    let desktop = desktop();
    let x_server = XServer::of(&desktop).unwrap();
    let mut agent = agent(&desktop);
    // galculator's keys are toggle buttons that spring back.
    for (program, role, seven) in [("gnome-calculator", "button", "7 7"), ("galculator", "toggle button", "7")] {
        let calculator = desktop.spawn("env", ["LANGUAGE=de", program]).unwrap();
        x_server.wait_for_window_of(calculator.id(), bounds::APPLICATION_START).unwrap();
        let look = observe_when_quiet(&mut agent, calculator.id());
        let monitor = BusMonitor::start(&desktop).unwrap();
        let pressed = agent.act("click", &look, element(&look, role, seven), json!({})).unwrap();
        assert!(ending(&pressed).starts_with("delivered/"), "{program}\n{}", pressed.text);
        let writes = monitor.writes().unwrap();
        assert!(matches!(&writes[..], [press] if press.calls("org.a11y.atspi.Action", "DoAction")), "{writes:#?}");
        if program == "gnome-calculator" {
            let shown = editable_texts(&desktop, calculator.id()).unwrap();
            assert!(shown.iter().any(|text| text == "7"), "{shown:?}");
        }
        calculator.kill().unwrap();
    }
}

/// GTK 3 lists the choices of an open combo, and takes a click on one.
#[test]
fn choosing_in_a_combo() {
    let desktop = desktop();
    let scene = Scene::set(&desktop, Toolkit::Gtk3);
    let mut agent = agent(&desktop);
    let posture = scene.x_server.posture().unwrap();
    let look = observe(&mut agent, &scene.fixture);
    let opened = agent.act("click", &look, element(&look, "combo box", "Colour"), json!({})).unwrap();
    assert_eq!(ending(&opened), CONFIRMED, "{}", opened.text);
    let look = observe(&mut agent, &scene.fixture);
    let chosen = agent.act("click", &look, element(&look, "menu item", "Green"), json!({})).unwrap();
    assert_eq!(ending(&chosen), CONFIRMED, "{}", chosen.text);
    assert_eq!(scene.fixture.state().unwrap().colour, "Green");
    assert_eq!(effects(&scene.fixture.journal().since(scene.marks[0]).unwrap()), ["colour selected \"Green\""]);
    assert_eq!(scene.x_server.posture().unwrap(), posture);
}

/// Qt shows the choices and takes a selection of one, which chooses nothing: it is not offered.
#[test]
fn a_qt_combo_that_nothing_chooses_in() {
    let desktop = desktop();
    for toolkit in [Toolkit::Qt5, Toolkit::Qt6] {
        let fixture = Fixture::start(&desktop, toolkit).unwrap();
        let mut agent = agent(&desktop);
        let look = observe(&mut agent, &fixture);
        let opened = agent.act("click", &look, element(&look, "combo box", "Red"), json!({})).unwrap();
        assert_eq!(ending(&opened), CONFIRMED, "{toolkit:?}\n{}", opened.text);
        let mark = fixture.journal().mark().unwrap();
        for tool in ["click", "select"] {
            let look = observe(&mut agent, &fixture);
            let green = element(&look, "list item", "Green");
            let refused = agent.act(tool, &look, green, json!({})).unwrap();
            assert_eq!(ending(&refused), "not_sent/unverifiable unsupported_action", "{toolkit:?}\n{}", refused.text);
        }
        fixture.journal().require_none(mark, QUIET, |entry| entry.element == "colour").unwrap();
        assert_eq!(fixture.state().unwrap().colour, "Red", "{toolkit:?}");
        fixture.into_application().kill().unwrap();
    }
}
