//! Class `protocol`: observations, pictures and waiting, over the real wire, on a scripted desktop.
#![allow(clippy::unwrap_used)] // The whole file is tests.

mod scripted;

use scripted::*;
use std::{num::NonZeroU32, os::unix::fs::PermissionsExt, path::PathBuf};
use surehand_contract::{Code, UiText};
use surehand_executor as executor;
use surehand_wire::*;

fn named(count: u32, name: impl Fn(u32) -> String) -> Scripted {
    let nodes = (1..=count).map(|reference| {
        let mut node = node(reference, Some(0), "label", "");
        node.name = UiText::new(name(reference));
        node
    });
    Scripted::with(vec![window(10, 1, nodes.collect())])
}

fn observe(host: &mut Host, max_elements: Option<u32>) -> Result<Snapshot, DomainError> {
    let target = ObserveTarget::Window { target: Box::new(target(10, 1)) };
    let max_elements = max_elements.and_then(NonZeroU32::new);
    let observe = Observe { session: session("s"), target, max_elements };
    host.call(observe).unwrap().map(|observed| observed.snapshot)
}

#[test]
fn a_snapshot_says_what_the_window_shows() {
    let desktop = named(2, |reference| format!("label {reference}"));
    desktop.world().node(2).value = Some(text_value("typed"));
    let mut host = Host::greet(desktop);
    let snapshot = host.observe(10, 1);
    assert_eq!(snapshot.title.expose(), "Window");
    assert_eq!(snapshot.elements.len(), 3);
    let (frame, label) = (&snapshot.elements[0], find(&snapshot, "label 2"));
    assert_eq!((frame.depth, label.depth), (0, 1));
    assert_eq!(label.parent_token.as_ref(), Some(&frame.token));
    assert_eq!(label.states, [State::Showing, State::Enabled]);
    assert_eq!(label.verbs, [Verb::Click, Verb::SetValue, Verb::Select, Verb::Scroll, Verb::Perform]);
    assert_eq!(label.value, Some(Value::Text { text: UiText::new("typed"), characters: 5 }));
    assert!(snapshot.omissions.is_empty());
}

#[test]
fn long_texts_are_cut_and_say_so_and_their_ends_still_count() {
    let long = "ä".repeat(executor::bounds::TEXT_CHARACTERS);
    let name = long.clone() + "x";
    let desktop = named(2, move |reference| if reference == 1 { name.clone() } else { "short".to_owned() });
    desktop.world().node(2).value = Some(text_value(&"v".repeat(501)));
    let mut host = Host::greet(desktop.clone());
    let first = host.observe(10, 1);
    let cut = &first.elements[1];
    assert_eq!(cut.name.expose(), long);
    assert_eq!(cut.truncated, [TextField::Name]);
    assert_eq!(find(&first, "short").truncated, [TextField::Value]);
    desktop.world().node(1).name = UiText::new(long + "y");
    assert_ne!(host.observe(10, 1).elements[1].digest, cut.digest);
}

#[test]
fn a_window_too_large_for_one_response_is_shortened_to_what_is_on_screen_and_says_so() {
    let long = "w".repeat(480);
    let desktop = named(1_400, |reference| format!("{reference} {long}"));
    for node in &mut desktop.world().windows[0].nodes[1..=100] {
        node.bounds = Some(executor::Rect { x: 0, y: 5_000, width: 10, height: 10 });
    }
    let mut host = Host::greet(desktop.clone());
    let snapshot = host.observe(10, 1);
    assert_eq!(snapshot.elements.len(), 701);
    assert_eq!(snapshot.omissions, [Omission::Response { left_out: 700 }]);
    assert!(!snapshot.elements.iter().any(|element| element.name.expose() == format!("50 {long}")), "off screen");
    let name = format!("150 {long}");
    let report = host.dispatch(&snapshot, &name, Action::Click {});
    assert_eq!(report.verdict.code, None, "what is shown can be acted on");
}

#[test]
fn a_window_that_no_shortening_fits_is_too_large() {
    let hostile = "\u{1}".repeat(executor::bounds::TREE_TEXT_CHARACTERS);
    let desktop = named(1_400, |_| hostile.clone());
    for node in &mut desktop.world().windows[0].nodes {
        node.description = UiText::new(hostile.clone());
    }
    let mut host = Host::greet(desktop);
    let error = observe(&mut host, None).unwrap_err();
    assert_eq!(error.code, Code::ResponseTooLarge);
    assert!(matches!(error.detail, Some(Detail::ResponseBytes { bytes, limit }) if bytes > limit));
    assert_eq!(observe(&mut host, Some(20)).unwrap().elements.len(), 20, "fewer are asked for, and fit");
}

#[test]
fn fewer_elements_can_be_asked_for_and_never_more() {
    let mut host = Host::greet(named(2_000, |reference| reference.to_string()));
    let few = observe(&mut host, Some(5)).unwrap();
    assert_eq!(few.elements.len(), 5);
    assert_eq!(few.omissions, [Omission::Elements { left_out: 1_996 }]);
    let many = observe(&mut host, Some(1_000_000)).unwrap();
    assert_eq!(many.elements.len(), executor::bounds::ELEMENTS);
}

#[test]
fn an_application_is_observed_by_its_frontmost_window() {
    let desktop = Scripted::with(vec![window(20, 2, vec![]), window(10, 3, vec![]), window(10, 1, vec![])]);
    let mut host = Host::greet(desktop);
    let observe = |pid| Observe {
        session: session("s"),
        target: ObserveTarget::Application { process: process(pid) },
        max_elements: None,
    };
    let snapshot = host.call(observe(10)).unwrap().unwrap().snapshot;
    assert_eq!(snapshot.target, target(10, 3));
    assert_eq!(host.call(observe(30)).unwrap(), Err(Code::TargetMissing.into()));
}

#[test]
fn a_window_that_is_not_there_is_missing_and_one_that_hangs_is_unresponsive() {
    let desktop = named(1, |_| "x".to_owned());
    let mut host = Host::greet(desktop.clone());
    assert_eq!(host.try_observe("s", target(10, 9)), Err(Code::TargetMissing.into()));
    desktop.world().stuck.insert(10);
    assert_eq!(host.try_observe("s", target(10, 1)).unwrap_err().code, Code::Unresponsive);
}

#[test]
fn a_picture_is_a_private_file_that_ends_with_its_session() {
    let desktop = named(1, |_| "x".to_owned());
    desktop.world().png_bytes = 1_000;
    let mut host = Host::greet(desktop);
    host.begin("t");
    let capture = |name| Capture { session: session(name), target: target(10, 1) };
    let image = host.call(capture("s")).unwrap().unwrap().image;
    let other = host.call(capture("t")).unwrap().unwrap().image;
    let bytes = std::fs::read(&image.path).unwrap();
    assert_eq!(bytes.len() as u64, image.byte_length);
    assert_eq!(image.sha256, sha256(&bytes));
    assert_eq!(std::fs::metadata(&image.path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(PathBuf::from(&image.path).parent(), Some(host.images.as_path()));
    let health = host.call(ReadHealth {}).unwrap().unwrap();
    assert_eq!((health.images, health.image_bytes), (2, 2_000));
    let released = host.call(EndSession { session: session("s") }).unwrap().unwrap().released;
    assert_eq!(released.images, 1);
    assert!(!PathBuf::from(&image.path).exists());
    assert!(PathBuf::from(&other.path).exists());
    host.close_input();
    host.ended();
    assert!(!PathBuf::from(&other.path).exists(), "nothing is left at the end");
}

fn sha256(bytes: &[u8]) -> surehand_contract::Digest {
    use sha2::Digest;
    surehand_contract::Digest::from_bytes(sha2::Sha256::digest(bytes).into())
}

#[test]
fn waiting_ends_with_an_announcement_the_time_or_a_cancellation() {
    let desktop = named(1, |_| "x".to_owned());
    let mut host = Host::greet(desktop.clone());
    let wait = |since, ms| WaitForChanges { process: process(10), since_announcements: since, timeout_ms: ms };
    let changes = host.call(wait(0, 50)).unwrap().unwrap();
    assert_eq!((changes.announcements, changes.reason), (0, ChangeReason::Timeout));
    desktop.world().announcements = 3;
    let changes = host.call(wait(0, 15_000)).unwrap().unwrap();
    assert_eq!((changes.announcements, changes.reason), (3, ChangeReason::Announced));
    let id = host.send(wait(3, 15_000));
    host.cancel(id);
    assert_eq!(host.answer::<WaitForChanges>(id).unwrap(), Err(Code::Aborted.into()));
}

#[test]
fn applications_and_windows_are_listed_with_their_identities() {
    let mut host = Host::greet(named(1, |_| "x".to_owned()));
    let applications = host.call(ListApplications {}).unwrap().unwrap().applications;
    assert_eq!(applications[0].process, process(10));
    let windows = host.call(ListWindows {}).unwrap().unwrap().windows;
    assert_eq!(windows[0].target, target(10, 1));
}
