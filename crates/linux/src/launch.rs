//! Starting an application in the background, so that it can be observed.

use crate::{
    bounds, diagnosis,
    display::{Display, DisplayError, TopLevel},
    identity::{self, Identities},
    process::{self, Processes},
};
use std::{
    collections::HashSet,
    os::unix::process::CommandExt,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};
use surehand_contract::{Code, ProcessInstance};
use surehand_executor::{Failure, Gate};
use tokio::time::{Instant, timeout_at};

pub(crate) struct Started {
    display: Arc<Display>,
    pub(crate) process: ProcessInstance,
    windows_before: HashSet<(u32, u32)>,
    active_before: Option<u32>,
}

/// Starts the program of a desktop entry, by its id, its name or its program, or a program on the path.
pub(crate) async fn start(
    identities: &Identities,
    processes: &Processes,
    display: &Arc<Display>,
    application: &str,
    gate: &Gate,
) -> Result<Started, Failure> {
    let words = match identities.find(application) {
        Some(entry) => entry.command,
        None => vec![application.to_owned()],
    };
    let program = identity::find_program(&words[0]).ok_or(Code::TargetMissing)?;
    let windows_before = display.top_levels().map_err(|error| error.code())?;
    let active_before = display.active_window().map_err(|error| error.code())?;
    let mut command = Command::new(&program);
    command
        .args(&words[1..])
        .args(diagnosis::arguments_for(&words[0]))
        .env("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1")
        // A start that says it happened at time 0 asks for no focus.
        .env("DESKTOP_STARTUP_ID", "surehand_TIME0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0);
    let child = gate.pass(|| command.spawn()).map_err(|_| Failure::from(Code::NeedsObservation))?;
    let child = child.map_err(|_| Failure::from(Code::DispatchRefused))?;
    let process = processes.current(child.id()).map(|held| held.instance.clone());
    reap(child)?;
    Ok(Started {
        display: Arc::clone(display),
        process: process.ok_or(Code::OutcomeUnknown)?,
        windows_before: windows_before.iter().map(|window| (window.window, window.incarnation)).collect(),
        active_before,
    })
}

/// The application outlives the executor; its exit status is collected while the executor lives.
fn reap(mut child: Child) -> Result<(), Failure> {
    let waiter = std::thread::Builder::new().name("reaper".into()).spawn(move || child.wait());
    waiter.map(drop).map_err(|_| Failure::from(Code::OutcomeUnknown))
}

impl Started {
    /// New windows of the started process, of one it started, or, where a wrapper handed over to a process that
    /// ran before, of that process.
    pub(crate) async fn wait_for_window(&self, at_most: Duration) -> Result<(Vec<TopLevel>, Duration), DisplayError> {
        let started = Instant::now();
        let deadline = started + at_most;
        let mut changes = self.display.changes();
        loop {
            changes.borrow_and_update();
            let windows = self.new_windows()?;
            if !windows.is_empty() || Instant::now() >= deadline {
                return Ok((windows, started.elapsed()));
            }
            let look_again = deadline.min(Instant::now() + bounds::LAUNCH_LOOK);
            // The look is repeated whether the server announced something or not.
            drop(timeout_at(look_again, changes.changed()).await);
        }
    }

    /// Window managers hand over the focus a moment after the window shows.
    pub(crate) async fn took_foreground(&self, windows: &[TopLevel]) -> Result<bool, DisplayError> {
        let deadline = Instant::now() + bounds::FOREGROUND;
        let mut changes = self.display.changes();
        loop {
            changes.borrow_and_update();
            let active = self.display.active_window()?;
            if active != self.active_before && windows.iter().any(|window| Some(window.window) == active) {
                return Ok(true);
            }
            if windows.is_empty() || timeout_at(deadline, changes.changed()).await.is_err() {
                return Ok(false);
            }
        }
    }

    fn new_windows(&self) -> Result<Vec<TopLevel>, DisplayError> {
        let mut new = self.display.top_levels()?;
        new.retain(|window| !self.windows_before.contains(&(window.window, window.incarnation)));
        if new.iter().any(|window| self.is_own(window.pid)) {
            new.retain(|window| self.is_own(window.pid));
        } else if self.is_running() {
            new.clear();
        }
        Ok(new)
    }

    fn is_running(&self) -> bool {
        process::parent_pid(self.process.pid).is_some()
    }

    fn is_own(&self, pid: u32) -> bool {
        let mut current = Some(pid);
        for _ in 0..bounds::ANCESTORS {
            match current {
                Some(pid) if pid == self.process.pid => return true,
                Some(pid) if pid > 1 => current = process::parent_pid(pid),
                _ => return false,
            }
        }
        false
    }
}
