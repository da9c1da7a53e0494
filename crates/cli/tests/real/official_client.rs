//! The official MCP client for Python, in both ways it begins: with a handshake, and by discovery.

use crate::stage::{QUIET, SUREHAND, WITHIN, desktop};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use surehand_testbed::{Entry, Fixture, PrivateDesktop, Toolkit};

const INSTALLED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/mcp-client");

/// What `scripts/setup` installs. Continuous integration runs that first, and there it must be there.
fn installed() -> Option<PathBuf> {
    let installed = Path::new(INSTALLED);
    if installed.join("bin/python").exists() {
        return Some(installed.canonicalize().unwrap());
    }
    let is_required = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(!is_required, "the MCP client is missing: run scripts/setup");
    eprintln!("skipped: the MCP client is missing; scripts/setup installs it");
    None
}

fn drive(desktop: &PrivateDesktop, client: &Path, fixture: &Fixture, mode: &str) -> Value {
    let client = desktop.bring(client).unwrap();
    let program = desktop.bring(SUREHAND).unwrap();
    let mut python = desktop.command(client.join("bin/python")).unwrap();
    python.args(["-B", "-c", include_str!("official_client.py")]).arg(program);
    let output = python.args([&fixture.application().id().to_string(), mode]).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{complaint}"))
}

#[test]
fn both_eras() {
    let Some(client) = installed() else { return };
    let desktop = desktop();
    for (mode, revision) in [("legacy", "2025-11-25"), ("auto", "2026-07-28")] {
        let fixture = Fixture::start(&desktop, Toolkit::Gtk3).unwrap();
        let mark = fixture.journal().mark().unwrap();
        let report = drive(&desktop, &client, &fixture, mode);
        assert_eq!(report["revision"], revision, "{mode}");
        let tools = [
            "click",
            "launch_app",
            "list_apps",
            "observe",
            "perform",
            "screenshot",
            "scroll",
            "select",
            "set_value",
            "wait_for",
        ];
        assert_eq!(report["tools"], json!(tools), "{mode}");
        assert_eq!(report["observed"], json!({ "failed": false, "structured": false }), "{mode}");
        let verdict = |call: &str| format!("{}/{}", report[call]["delivery"], report[call]["effect"]);
        assert_eq!(verdict("clicked"), "\"delivered\"/\"confirmed\"", "{mode}");
        assert_eq!(report["repeated"]["code"], "duplicate_action", "{mode}");
        let press = |entry: &Entry| entry.is_outside("save", "activated");
        fixture.journal().require_exactly_one(mark, WITHIN, QUIET, press).unwrap();
        fixture.into_application().kill().unwrap();
    }
}
