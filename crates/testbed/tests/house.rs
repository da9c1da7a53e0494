//! The invariants of the house (ARCHITECTURE.md), read from the manifests and the sources.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn crates() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The section of a manifest: what a crate builds with, not what its tests do.
fn dependencies(name: &str) -> Vec<String> {
    let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
    manifest
        .lines()
        .skip_while(|line| line.trim() != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', '=', ' ']).next())
        .filter(|word| !word.is_empty() && !word.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

fn sources(folder: &str) -> BTreeMap<PathBuf, String> {
    let mut sources = BTreeMap::new();
    let mut open = vec![root().join(folder)];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            sources.insert(path, text);
        }
    }
    assert!(!sources.is_empty(), "{folder} holds no sources");
    sources
}

#[track_caller]
fn only(owners: &[&str], dependency: &str) {
    let users: Vec<String> =
        crates().into_iter().filter(|name| dependencies(name).iter().any(|used| used == dependency)).collect();
    assert_eq!(users, owners, "who builds with {dependency}");
}

#[test]
fn each_kind_of_library_has_one_owner() {
    only(&["mcp"], "rmcp");
    only(&["linux"], "zbus");
    only(&["linux"], "atspi-common");
    // The testbed asks the X server itself: an oracle must not pass through the product.
    only(&["linux", "testbed"], "x11rb");
}

#[test]
fn the_contract_builds_with_two_libraries() {
    assert_eq!(dependencies("contract"), ["serde", "thiserror"]);
}

#[test]
fn the_executor_knows_no_desktop_and_the_desktop_knows_no_host() {
    let below =
        |name: &str| dependencies(name).into_iter().filter(|used| used.starts_with("surehand-")).collect::<Vec<_>>();
    assert_eq!(below("wire"), ["surehand-contract"]);
    assert_eq!(below("executor"), ["surehand-contract", "surehand-wire"]);
    assert_eq!(below("linux"), ["surehand-contract", "surehand-executor"]);
    assert_eq!(below("host"), ["surehand-contract", "surehand-wire"]);
    assert!(!below("mcp").contains(&"surehand-executor".to_owned()));
    assert_eq!(below("testbed"), Vec::<String>::new());
}

#[test]
fn unsafe_code_is_forbidden_everywhere() {
    for name in crates() {
        let folder = root().join("crates").join(&name).join("src");
        let entry = ["lib.rs", "main.rs"].map(|file| folder.join(file)).into_iter().find(|path| path.exists()).unwrap();
        let text = fs::read_to_string(&entry).unwrap();
        assert!(text.contains("#![forbid(unsafe_code)]"), "{}", entry.display());
    }
}

/// An error is told apart by its type or its code. What a person reads is never compared.
#[test]
fn no_code_matches_on_message_text() {
    for name in crates() {
        for (path, text) in sources(&format!("crates/{name}/src")) {
            for (number, line) in text.lines().enumerate() {
                let compares = [".to_string().contains(", ".to_string().starts_with(", ".to_string().ends_with("];
                let on_error = line.contains("err") && compares.iter().any(|word| line.contains(word));
                assert!(!on_error, "{}:{}: {line}", path.display(), number + 1);
            }
        }
    }
}

#[test]
fn names_say_what_a_thing_is() {
    for name in crates() {
        for path in
            sources(&format!("crates/{name}")).into_keys().filter(|path| !path.to_string_lossy().contains("/target/"))
        {
            // The field's own term.
            if path.ends_with("window_manager.rs") {
                continue;
            }
            let words = path.file_stem().unwrap().to_string_lossy().into_owned();
            let vague = words
                .split('_')
                .any(|word| matches!(word, "utils" | "util" | "common" | "manager" | "helper" | "helpers" | "misc"));
            assert!(!vague, "{}", path.display());
        }
    }
}

/// Waits are for something. Only the testbed's bounded waits, where a foreign process gives no event, may pause.
#[test]
fn nothing_sleeps_as_synchronisation() {
    for name in crates() {
        for (path, text) in sources(&format!("crates/{name}/src")) {
            // How long idleness is measured is the measurement itself.
            let measures_time = path.ends_with("bench/idle.rs");
            assert!(measures_time || !text.contains("thread::sleep"), "{}", path.display());
        }
    }
}
