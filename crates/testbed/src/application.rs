//! A process that runs in a private desktop.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::desktop::{DesktopError, PrivateDesktop};

/// A started application. Dropping it lets it run on until its desktop ends.
#[derive(Debug)]
pub struct Application {
    process: Child,
    output: PathBuf,
}

impl Application {
    pub(crate) fn start<A: AsRef<OsStr>>(
        desktop: &PrivateDesktop,
        program: &OsStr,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Self, DesktopError> {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let output = desktop.directory().join(format!("output-{}", STARTED.fetch_add(1, Ordering::Relaxed)));
        let file = std::fs::File::create(&output).map_err(DesktopError::file(&output))?;
        let second = file.try_clone().map_err(DesktopError::file(&output))?;
        let process = desktop
            .command(program)?
            .args(arguments)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(second)
            .spawn()
            .map_err(|source| DesktopError::not_started(program.to_string_lossy(), source))?;
        Ok(Self { process, output })
    }

    /// The process id, which is also the id of the process group.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// The file that takes the application's standard output and error.
    pub fn output(&self) -> &Path {
        &self.output
    }

    /// Stops the process and its group where they stand, as a hang does; [`Application::thaw`] lets them go on.
    ///
    /// # Errors
    /// The process is gone.
    pub fn freeze(&self) -> Result<(), std::io::Error> {
        Ok(kill_process_group(self.process_id(), Signal::STOP)?)
    }

    /// Lets a frozen group go on.
    ///
    /// # Errors
    /// The process is gone.
    pub fn thaw(&self) -> Result<(), std::io::Error> {
        Ok(kill_process_group(self.process_id(), Signal::CONT)?)
    }

    /// Asks the process to end.
    ///
    /// # Errors
    /// The process is gone.
    pub fn terminate(&self) -> Result<(), std::io::Error> {
        Ok(kill_process(self.process_id(), Signal::TERM)?)
    }

    /// Kills the process with its group and waits for its end.
    ///
    /// # Errors
    /// It cannot be killed or waited for.
    pub fn kill(mut self) -> Result<ExitStatus, std::io::Error> {
        if self.process.try_wait()?.is_none() {
            kill_process_group(self.process_id(), Signal::KILL)?;
        }
        self.process.wait()
    }

    /// The way it ended, if it has.
    ///
    /// # Errors
    /// It cannot be waited for.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>, std::io::Error> {
        self.process.try_wait()
    }

    fn process_id(&self) -> Pid {
        Pid::from_child(&self.process)
    }
}
