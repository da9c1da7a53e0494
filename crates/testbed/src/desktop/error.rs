//! What can go wrong with a private desktop.

use std::path::PathBuf;

use super::keeper::Premises;
use crate::bounded_line::LineError;
use crate::bounds;

/// Why a desktop could not be started, used or stopped.
#[derive(Debug, thiserror::Error)]
pub enum DesktopError {
    /// A program the desktop is made of is missing.
    #[error("{program} is not installed; scripts/setup installs it")]
    NotInstalled {
        /// The program's name.
        program: String,
    },
    /// A program is there but could not be started.
    #[error("{program} could not be started")]
    NotStarted {
        /// The program.
        program: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The desktop did not start.
    #[error("the desktop did not start; its services said: {log}")]
    NotFurnished {
        /// What failed.
        source: Box<DesktopError>,
        /// The end of what the services complained about.
        log: String,
    },
    /// A part of the desktop did not become ready.
    #[error("{what} did not become ready")]
    NotReady {
        /// The part.
        what: &'static str,
        /// What it said, or that its time had passed.
        source: LineError,
    },
    /// A bus did not answer a question.
    #[error("{bus} did not answer {question}: {answer}")]
    BusSilent {
        /// Which bus.
        bus: &'static str,
        /// The method called.
        question: &'static str,
        /// What the tool that called it said.
        answer: String,
    },
    /// The window manager did not announce itself.
    #[error("the window manager did not announce itself within {0:?}")]
    NoWindowManager(std::time::Duration),
    /// The X server refused or dropped the connection.
    #[error("the X server of the desktop did not serve")]
    Display(#[from] DisplayError),
    /// The keeper failed, or said something it never says.
    #[error("the desktop's keeper failed")]
    Keeper {
        /// What failed.
        source: std::io::Error,
    },
    /// Processes that outlived their killing.
    #[error("processes of the desktop are still running: {0:?}")]
    Survivors(Vec<u32>),
    /// A file of the desktop could not be written.
    #[error("{} could not be prepared", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

/// Why the X server could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum DisplayError {
    /// No connection.
    #[error(transparent)]
    Connect(#[from] x11rb::errors::ConnectError),
    /// The connection ended.
    #[error(transparent)]
    Connection(#[from] x11rb::errors::ConnectionError),
    /// A request was answered with an error.
    #[error(transparent)]
    Reply(#[from] x11rb::errors::ReplyError),
    /// No further resource id.
    #[error(transparent)]
    Id(#[from] x11rb::errors::ReplyOrIdError),
    /// The socket failed.
    #[error(transparent)]
    Socket(#[from] std::io::Error),
}

impl DesktopError {
    pub(crate) fn not_started(program: impl Into<String>, source: std::io::Error) -> Self {
        let program = program.into();
        if source.kind() == std::io::ErrorKind::NotFound {
            Self::NotInstalled { program }
        } else {
            Self::NotStarted { program, source }
        }
    }

    pub(super) fn with_log(self, premises: &Premises) -> Self {
        let log = std::fs::read(premises.service_log()).unwrap_or_default();
        let tail = &log[log.len().saturating_sub(bounds::LOG_TAIL_BYTES)..];
        Self::NotFurnished { source: Box::new(self), log: String::from_utf8_lossy(tail).trim().to_owned() }
    }

    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }
}
