//! CONTRACT.md says what the code says.

use std::{fs, path::Path};
use surehand_contract::*;

fn document() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../CONTRACT.md");
    fs::read_to_string(path).expect("the document stands at the root of the project")
}

/// The rows of the table under this heading, without its two header lines.
fn rows(heading: &str) -> Vec<String> {
    let document = document();
    let section = document.split(&format!("\n## {heading}\n")).nth(1).expect("the section is there");
    let section = section.split("\n## ").next().unwrap_or_default();
    section.lines().filter(|line| line.starts_with('|')).skip(2).map(str::to_owned).collect()
}

fn check(heading: &str, expected: Vec<String>) {
    let actual = rows(heading);
    assert_eq!(actual, expected, "write the section `{heading}` as:\n{}", expected.join("\n"));
}

#[test]
fn its_codes_are_the_closed_list() {
    let row = |code: &Code| {
        let (happened, repeat) = (code.happened().as_str(), code.repeat().as_str());
        format!("| `{code}` | {happened} | {repeat} | {} |", code.advice())
    };
    check("Codes", Code::ALL.iter().map(row).collect());
}

#[test]
fn its_events_are_the_closed_list() {
    let row = |(name, means): &(&str, &str)| format!("| `{name}` | {means} |");
    check("Events", EventKind::LIST.iter().map(row).collect());
}

#[test]
fn its_sources_are_the_closed_list() {
    let row = |(name, evidence, minted): &(&str, &str, &str)| format!("| `{name}` | {evidence} | {minted} |");
    check("Sources", Source::LIST.iter().map(row).collect());
}

#[test]
fn its_facts_are_the_seats() {
    let row = |fact: &Fact| {
        let status = fact.status.map(|status| format!("`{status}`")).unwrap_or_default();
        format!("| {} | {} | {} | {} | {status} |", fact.name, fact.scope, fact.set_by, fact.cleared_by)
    };
    check("Facts", Fact::ALL.iter().map(row).collect());
}

#[test]
fn its_bounds_are_the_codes_bounds() {
    let row = |(name, value, what, hit): &(&str, u64, &str, &str)| format!("| `{name}` | {value} | {what} | {hit} |");
    check("Bounds", bounds::LIST.iter().map(row).collect());
}

#[test]
fn every_capability_and_every_invariant_test_it_names_exists() {
    let document = document();
    for capability in Capability::ALL {
        assert!(document.contains(&format!("`{}`", capability.name())), "{} is missing", capability.name());
    }
    let properties = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/contract/invariants/mod.rs"));
    let properties = properties.expect("the properties");
    let named = document.split('`').filter(|word| word.starts_with('i') && word[1..].starts_with(char::is_numeric));
    let mut count = 0;
    for name in named {
        assert!(properties.contains(&format!("fn {name}(")), "no property is called {name}");
        count += 1;
    }
    assert_eq!(count, properties.matches("    fn i").count());
}

#[test]
fn every_fact_that_gives_a_status_is_in_the_order_of_the_status() {
    let statuses = [
        Status::Halted,
        Status::Ended { reason: EndReason::Closed },
        Status::Locked { why: LockedWhy::Voted },
        Status::Intervention { until: Moment(0) },
        Status::Held,
        Status::Unobserved,
        Status::NeedsObservation,
    ];
    let names: Vec<_> = Fact::ALL.iter().filter_map(|fact| fact.status).collect();
    let expected: Vec<_> = statuses.iter().map(|status| status.name()).collect();
    assert_eq!(names, expected);
}

/// The document says which sources nobody speaks for yet. When somebody does, it has to change.
#[test]
fn the_sources_it_calls_silent_are_silent() {
    let document = document();
    let silent = [
        ("InputDevice", "input_devices.held("),
        ("Compositor", "compositor.active("),
        ("Locker", "lockers.vote("),
        ("LoginManager", "login_manager."),
        ("Process", "processes.exited("),
        ("WindowServer", "window_server."),
        ("Person", "person_controls."),
        ("Authority", "authorities."),
    ];
    let sentence = document.split("No producer runs yet for ").nth(1).expect("the sentence about silent sources");
    let sentence = sentence.split('.').next().unwrap_or_default();
    let named: Vec<_> = sentence.split('`').skip(1).step_by(2).collect();
    assert_eq!(named, silent.map(|(name, _)| name));
    let crates = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    crate::house::visit_sources(crates, &mut |path, text| {
        for (name, call) in silent {
            assert!(!text.contains(call), "{} speaks for {name}: CONTRACT.md calls it silent", path.display());
        }
    });
}

/// A code that nothing gives is a promise to nobody.
#[test]
fn every_code_is_given_somewhere() {
    let crates = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut given = vec![false; Code::ALL.len()];
    crate::house::visit_sources(crates, &mut |path, text| {
        if path.ends_with("contract/src/code.rs") {
            return;
        }
        for (index, code) in Code::ALL.iter().enumerate() {
            given[index] |= text.contains(&format!("Code::{code:?}"));
        }
    });
    let missing: Vec<_> = Code::ALL.iter().zip(&given).filter(|(_, given)| !**given).map(|(code, _)| code).collect();
    assert!(missing.is_empty(), "nothing gives {missing:?}");
}
