//! The process that makes a desktop's directory and user, and unmakes them with everything that ran there.

use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;

use super::error::DesktopError;
use crate::bounded_line::read_line_within;
use crate::bounds;

/// Python, because the owner may be any test binary, which cannot run itself again as something else.
const KEEPER: &str = include_str!("keeper.py");
const PYTHON: &str = "/usr/bin/python3";

/// Where a desktop lives and as whom it runs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Premises {
    /// The desktop's own directory, with `home`, `run` and `tmp` inside.
    pub directory: PathBuf,
    /// What every process of the desktop carries in `SUREHAND_DESKTOP`.
    pub marker: String,
    /// The user made for this desktop; `None` where it runs as the current one.
    pub user: Option<String>,
    /// The numeric user.
    pub uid: u32,
    /// Its primary group.
    pub gid: u32,
}

impl Premises {
    pub(super) fn service_log(&self) -> PathBuf {
        self.directory.join("services.log")
    }
}

/// What stopping a desktop ended.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ending {
    /// The processes that were still running, and were killed.
    pub ended: Vec<u32>,
    /// The processes that could not be killed within the bound.
    pub survivors: Vec<u32>,
}

/// Alive as long as the desktop; losing its standard input is the order to clear everything away.
#[derive(Debug)]
pub(super) struct Keeper {
    process: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
}

impl Keeper {
    pub(super) fn start() -> Result<(Self, Premises), DesktopError> {
        let mut process = keeper_command()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|source| DesktopError::not_started(PYTHON, source))?;
        let input = process.stdin.take();
        let output = process.stdout.take().expect("stdout was asked to be a pipe");
        let mut keeper = Self { process, input, output };
        let premises = keeper.hear(bounds::KEEPER_START)?;
        Ok((keeper, premises))
    }

    /// Orders the end, and waits for it. Only the first call orders.
    pub(super) fn end(&mut self) -> Result<Option<Ending>, DesktopError> {
        let Some(input) = self.input.take() else { return Ok(None) };
        drop(input);
        let ending = self.hear::<Ending>(bounds::KEEPER_END);
        if ending.is_err() {
            // A keeper that was killed cannot clear away; another one does it for all such.
            self.process.kill().ok();
            keeper_command().arg("sweep").status().ok();
        }
        self.process.wait().map_err(|source| DesktopError::Keeper { source })?;
        let ending = ending?;
        if ending.survivors.is_empty() { Ok(Some(ending)) } else { Err(DesktopError::Survivors(ending.survivors)) }
    }

    fn hear<T: for<'de> Deserialize<'de>>(&mut self, within: std::time::Duration) -> Result<T, DesktopError> {
        let line = read_line_within(&mut self.output, within)
            .map_err(|source| DesktopError::NotReady { what: "the keeper", source })?;
        serde_json::from_str(&line).map_err(|source| DesktopError::Keeper { source: source.into() })
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.end().ok();
    }
}

fn keeper_command() -> Command {
    let mut command = Command::new(PYTHON);
    // Isolated, with an empty environment: no marker of an outer desktop, no foreign module.
    command.env_clear().args(["-I", "-S", "-c", KEEPER]).current_dir(Path::new("/"));
    command
}
