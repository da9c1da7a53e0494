//! Why an application shows windows and describes nothing, and what starts it right.

use crate::{identity::Identities, skeleton::Skeleton};
use std::fs;
use surehand_contract::{Code, ProcessInstance};
use surehand_executor::{ApplicationIdentity, Detail, Failure, ToolkitFamily};

/// Makes Chromium and what is built on it describe its pages from the start.
pub(crate) const CHROMIUM_FLAG: &str = "--force-renderer-accessibility";
/// Makes Qt describe its windows although nothing announced itself before it started.
pub(crate) const QT_VARIABLE: &str = "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1";

/// A Chromium window without its flag consists of the frame and a few unnamed views.
const BARE_NODES: usize = 8;

pub(crate) fn is_bare(family: ToolkitFamily, skeleton: &Skeleton, process: &ProcessInstance) -> bool {
    family == ToolkitFamily::Chromium && skeleton.bones.len() <= BARE_NODES && !has_argument(process.pid, CHROMIUM_FLAG)
}

pub(crate) fn accessibility_off(identities: &Identities, process: &ProcessInstance) -> Failure {
    let toolkit = toolkit_by_libraries(process.pid);
    let flag = match toolkit {
        ToolkitFamily::Chromium => Some(CHROMIUM_FLAG),
        ToolkitFamily::Qt => Some(QT_VARIABLE),
        _ => None,
    };
    let application = match identities.of(process) {
        ApplicationIdentity::DesktopEntry(id) | ApplicationIdentity::Flatpak(id) | ApplicationIdentity::Snap(id) => id,
        ApplicationIdentity::Script { path, .. } | ApplicationIdentity::Executable(path) => path,
    };
    Failure { code: Code::NotReady, detail: Some(Detail::AccessibilityOff { toolkit, application, flag }) }
}

/// By the libraries a process has mapped; Chromium and Electron carry theirs inside and are known by their
/// resources.
fn toolkit_by_libraries(pid: u32) -> ToolkitFamily {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let has = |name: &str| maps.lines().any(|line| line.rsplit('/').next().is_some_and(|file| file.starts_with(name)));
    if has("icudtl.dat") || has("resources.pak") || has("v8_context_snapshot") || has("chromium") {
        ToolkitFamily::Chromium
    } else if has("libQt5Gui") || has("libQt6Gui") {
        ToolkitFamily::Qt
    } else if has("libgtk-4") {
        ToolkitFamily::Gtk4
    } else if has("libgtk-3") {
        ToolkitFamily::Gtk3
    } else {
        ToolkitFamily::Other
    }
}

fn has_argument(pid: u32, wanted: &str) -> bool {
    let command_line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    command_line.split(|byte| *byte == 0 || *byte == b' ').any(|argument| argument == wanted.as_bytes())
}

/// What a program has to be started with to describe its windows.
pub(crate) fn arguments_for(program: &str) -> &'static [&'static str] {
    let name = program.rsplit('/').next().unwrap_or(program);
    const CHROMIUM_PROGRAMS: &[&str] =
        &["chromium", "chromium-browser", "google-chrome", "chrome", "brave-browser", "electron", "code"];
    if CHROMIUM_PROGRAMS.contains(&name) { &[CHROMIUM_FLAG] } else { &[] }
}
