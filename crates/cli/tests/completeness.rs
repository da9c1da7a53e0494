//! An observation lists every element on screen that has a name or can be operated, with its whole name: held against
//! a full read by pyatspi, which shares no code with surehand.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use surehand_testbed::{
    AccessibleReading, Agent, BENCHMARK_PAGE_NODES, Compared, DesktopConfiguration, Fixture, PrivateDesktop,
    ThirdParty, Toolkit, write_benchmark_page,
};

const SUREHAND: &str = env!("CARGO_BIN_EXE_surehand");
/// Readings of a page until it is whole; each takes seconds.
const PAGE_READINGS: usize = 20;

fn desktop() -> PrivateDesktop {
    PrivateDesktop::start(&DesktopConfiguration::default()).unwrap()
}

fn require_complete(desktop: &PrivateDesktop, process: u32) {
    let mut agent = Agent::start(desktop, SUREHAND).unwrap();
    let Compared { whole, reading, lacks } = Compared::of(desktop, &mut agent, process).unwrap();
    let lacks: Vec<String> = lacks.iter().map(ToString::to_string).collect();
    assert!(
        lacks.is_empty(),
        "{} of {} elements that pyatspi reads are not as they should be among the {} listed:\n{}\n\n{}",
        lacks.len(),
        reading.elements.len(),
        whole.listed,
        lacks.join("\n"),
        whole.look.text
    );
    assert!(reading.elements.len() > 5, "pyatspi read next to nothing: {reading:?}");
    assert_eq!(whole.look.elements.len(), whole.listed);
}

fn third_party(application: ThirdParty) {
    let desktop = desktop();
    let started = application.start(&desktop, [""; 0]).unwrap();
    require_complete(&desktop, started.window.process.unwrap());
}

fn fixture(toolkit: Toolkit) {
    let desktop = desktop();
    let fixture = Fixture::start(&desktop, toolkit).unwrap();
    require_complete(&desktop, fixture.application().id());
}

#[test]
fn gnome_calculator() {
    third_party(ThirdParty::GnomeCalculator);
}

#[test]
fn gedit() {
    third_party(ThirdParty::Gedit);
}

#[test]
fn mousepad() {
    third_party(ThirdParty::Mousepad);
}

#[test]
fn galculator() {
    third_party(ThirdParty::Galculator);
}

#[test]
fn featherpad() {
    third_party(ThirdParty::Featherpad);
}

#[test]
fn kcalc() {
    third_party(ThirdParty::Kcalc);
}

#[test]
fn gtk3_fixture() {
    fixture(Toolkit::Gtk3);
}

#[test]
fn gtk4_fixture() {
    fixture(Toolkit::Gtk4);
}

#[test]
fn qt5_fixture() {
    fixture(Toolkit::Qt5);
}

#[test]
fn qt6_fixture() {
    fixture(Toolkit::Qt6);
}

#[test]
fn a_page_of_thousands_of_nodes() {
    let desktop = desktop();
    let page = write_benchmark_page(&desktop).unwrap();
    let started = ThirdParty::Chromium.start(&desktop, [page]).unwrap();
    let process = started.window.process.unwrap();
    let is_whole = || AccessibleReading::of(&desktop, process).unwrap().nodes >= BENCHMARK_PAGE_NODES;
    assert!((0..PAGE_READINGS).any(|_| is_whole()), "the page never had all its nodes");
    require_complete(&desktop, process);
}
