//! A private desktop: its own X server, buses, window manager, home directory and, as root, its own ordinary user.

mod buses;
mod configuration;
mod display;
mod environment;
mod error;
mod keeper;
mod profile;
mod program;
mod services;
mod window_manager;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use x11rb::rust_connection::RustConnection;

pub use configuration::{Accessibility, DesktopConfiguration, ScreenSize, WindowManager};
pub use environment::Environment;
pub use error::{DesktopError, DisplayError};
pub use keeper::{Ending, Premises};

use crate::application::Application;
use keeper::Keeper;
use services::Services;

/// A running private desktop. Stopping or dropping it ends every process in it and removes whatever it made; so does
/// the death of the process that holds it.
#[derive(Debug)]
pub struct PrivateDesktop {
    services: Services,
    premises: Premises,
    keeper: Keeper,
}

impl PrivateDesktop {
    /// Starts a desktop. It is ready on return: windows are managed and accessibility is served.
    ///
    /// # Errors
    /// A part is not installed, or did not become ready within its bound. Nothing is left behind then.
    pub fn start(configuration: &DesktopConfiguration) -> Result<Self, DesktopError> {
        let (keeper, premises) = Keeper::start()?;
        match Services::start(&premises, configuration) {
            Ok(services) => Ok(Self { services, premises, keeper }),
            Err(error) => Err(error.with_log(&premises)),
        }
    }

    /// What a process of this desktop has in its environment, and nothing else.
    pub fn environment(&self) -> &Environment {
        &self.services.environment
    }

    /// Where the desktop lives and as whom it runs.
    pub fn premises(&self) -> &Premises {
        &self.premises
    }

    /// The home directory of the desktop's user.
    pub fn home(&self) -> PathBuf {
        self.premises.directory.join("home")
    }

    /// The value of `DISPLAY`.
    pub fn display_name(&self) -> String {
        self.services.display.name()
    }

    /// The process id of the X server.
    pub fn x_server_process(&self) -> u32 {
        self.services.display.process.id()
    }

    /// Where the accessibility bus listens; `None` where there is none.
    pub fn accessibility_bus_address(&self) -> Option<&str> {
        self.services.accessibility_bus_address.as_deref()
    }

    /// A connection of the calling process to the X server, whatever its own environment says.
    ///
    /// # Errors
    /// The server does not serve.
    pub fn connect(&self) -> Result<RustConnection, DisplayError> {
        self.services.display.connect()
    }

    /// A command that will run as the desktop's user with the desktop's environment, in the user's home directory.
    /// The caller owns the process; the desktop's end ends it too. Standard streams are inherited unless set.
    ///
    /// A program which that user may not reach (one built below root's home) is copied into the desktop first.
    ///
    /// # Errors
    /// The copy cannot be made.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Result<Command, DesktopError> {
        let reachable = program::within_reach(&self.premises, program.as_ref())?;
        Ok(program::command(&self.premises, &self.services.environment, reachable))
    }

    /// A path by which the desktop's user reaches this file or directory: itself, or a copy in the desktop where root's
    /// home or the like lies in between.
    ///
    /// # Errors
    /// The copy cannot be made.
    pub fn bring(&self, path: impl AsRef<Path>) -> Result<PathBuf, DesktopError> {
        Ok(program::within_reach(&self.premises, path.as_ref().as_os_str())?.into())
    }

    /// Starts an application in a process group of its own, with its output in a file below the desktop's directory.
    ///
    /// # Errors
    /// The program is not installed or cannot be started.
    pub fn spawn<A: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Application, DesktopError> {
        Application::start(self, program.as_ref(), arguments)
    }

    /// Runs a command to its end with the caller's standard streams, and says how it ended.
    ///
    /// # Errors
    /// The program is not installed or cannot be started.
    pub fn run<A: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<ExitStatus, DesktopError> {
        let program = program.as_ref();
        let status = self.command(program)?.args(arguments).status();
        status.map_err(|source| DesktopError::not_started(program.to_string_lossy(), source))
    }

    /// Ends every process of the desktop, and removes its user and its directory. Dropping does the same in silence.
    ///
    /// # Errors
    /// A process could not be ended, or the keeper was killed. What could be cleared away is.
    pub fn stop(mut self) -> Result<Ending, DesktopError> {
        let ending = self.end()?;
        Ok(ending.expect("a desktop that is still held was not stopped before"))
    }

    fn end(&mut self) -> Result<Option<Ending>, DesktopError> {
        let ending = self.keeper.end();
        self.services.reap();
        ending
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.premises.directory
    }
}

impl Drop for PrivateDesktop {
    fn drop(&mut self) {
        self.end().ok();
    }
}
