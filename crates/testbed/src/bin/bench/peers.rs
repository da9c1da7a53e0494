//! The peers, each asked for what surehand is asked for: everything about one window.

use crate::stage::{Error, Window};
use serde_json::json;
use std::path::Path;
use surehand_testbed::{Agent, AgentError, PrivateDesktop};

/// An MCP server for desktops, from PyPI.
pub(crate) const CUA_DRIVER: &str = "cua-driver";
/// The same, asked for more than its default of 250 elements, where that cuts the window.
pub(crate) const CUA_DRIVER_COMPLETE: &str = "cua-driver complete";
/// The accessibility library of Debian, reading node by node.
pub(crate) const PYATSPI: &str = "pyatspi";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// As its users get it.
    Default,
    /// Whatever there is, however long it takes.
    Everything,
}

#[derive(Debug)]
pub(crate) struct CuaDriverRead {
    pub(crate) characters: usize,
    pub(crate) elements: u64,
    pub(crate) is_truncated: bool,
}

/// Starts it, without its reports to its makers.
pub(crate) fn start_cua_driver(desktop: &PrivateDesktop, program: &Path) -> Result<Agent, Error> {
    let mut command = desktop.command(program)?;
    command.args(["telemetry", "disable"]).stdout(std::process::Stdio::null()).status()?;
    Ok(Agent::start(desktop, program)?)
}

/// Its tree of the window, without the picture it would send along.
pub(crate) fn cua_driver_read(agent: &mut Agent, window: Window, reach: Reach) -> Result<CuaDriverRead, AgentError> {
    let mut arguments = json!({ "pid": window.process, "window_id": window.id, "include_screenshot": false });
    if reach == Reach::Everything {
        arguments["max_elements"] = json!(20_000);
        arguments["timeout_ms"] = json!(25_000);
    }
    let answer = agent.call("get_window_state", arguments)?;
    let structured = answer.structured.ok_or(AgentError::Shape("no structured content"))?;
    let elements = structured["returned_element_count"].as_u64().ok_or(AgentError::Shape("no count of elements"))?;
    let is_truncated = structured["truncated"].as_bool().unwrap_or(false);
    Ok(CuaDriverRead { characters: answer.text.chars().count(), elements, is_truncated })
}

/// Milliseconds of a full reading in a fresh interpreter, whose start does not count.
pub(crate) fn pyatspi_read_ms(desktop: &PrivateDesktop, window: Window) -> Result<f64, Error> {
    let script = desktop.home().join("pyatspi_peer.py");
    if !script.exists() {
        std::fs::write(&script, include_str!("pyatspi_peer.py"))?;
    }
    let mut command = desktop.command("/usr/bin/python3")?;
    let output = command.arg("-B").arg(&script).arg(window.process.to_string()).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    match (printed["milliseconds"].as_f64(), printed["nodes"].as_u64()) {
        (Some(milliseconds), Some(1..)) => Ok(milliseconds),
        _ => Err("pyatspi read nothing".into()),
    }
}
