//! What this crate may not name (evidence class `static`).

use std::{fs, path::Path};

#[test]
fn the_manifest_depends_on_serde_and_thiserror_only() {
    let manifest = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).unwrap();
    let dependencies = manifest.split("\n[dependencies]\n").nth(1).expect("a table of dependencies");
    let names: Vec<_> = dependencies
        .lines()
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty())
        .collect();
    assert_eq!(names, ["serde", "thiserror"]);
}

#[test]
fn the_sources_name_no_clock_no_chance_no_system_and_no_async() {
    const FORBIDDEN: &[&str] = &[
        "Instant",
        "SystemTime",
        "std::time",
        "std::thread",
        "std::fs",
        "std::net",
        "std::io",
        "std::env",
        "std::os",
        "std::process",
        "std::sync::Mutex",
        "async ",
        ".await",
        "Future",
        "tokio",
        "rand",
        "RandomState",
        "HashMap",
        "HashSet",
        "unsafe ",
        "extern ",
        "static mut",
    ];
    let mut seen = 0;
    visit(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut |path, text| {
        seen += 1;
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            for word in FORBIDDEN {
                assert!(!code.contains(word), "{}:{}: `{word}`", path.display(), number + 1);
            }
        }
    });
    assert!(seen > 20, "the sources were read");
}

#[test]
fn the_crate_forbids_unsafe_code() {
    let root = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs")).unwrap();
    assert!(root.contains("#![forbid(unsafe_code)]"));
}

/// Reads the sources, not the tests, of every crate in this folder.
pub(crate) fn visit_sources(crates: &Path, read: &mut impl FnMut(&Path, &str)) {
    for entry in fs::read_dir(crates).expect("the folder of the crates") {
        let sources = entry.expect("an entry of it").path().join("src");
        if sources.is_dir() {
            visit(&sources, read);
        }
    }
}

fn visit(folder: &Path, read: &mut impl FnMut(&Path, &str)) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry of it").path();
        if path.is_dir() {
            visit(&path, read);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            read(&path, &fs::read_to_string(&path).expect("a source in UTF-8"));
        }
    }
}
