//! The fixture applications, and the orders by which a test makes one change itself.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

use crate::application::Application;
use crate::bounds;
use crate::desktop::{DesktopError, PrivateDesktop};
use crate::journal::{Entry, Journal, JournalError, Mark};
use crate::x_server::{ClientWindow, WindowBounds, XServer, XServerError};

pub(crate) const PYTHON: &str = "/usr/bin/python3";
const FILES: [(&str, &str); 13] = [
    ("fixture.py", include_str!("../fixtures/fixture.py")),
    ("gtk3.py", include_str!("../fixtures/gtk3.py")),
    ("gtk3_input.py", include_str!("../fixtures/gtk3_input.py")),
    ("gtk4.py", include_str!("../fixtures/gtk4.py")),
    ("gtk_window.py", include_str!("../fixtures/gtk_window.py")),
    ("journal.py", include_str!("../fixtures/journal.py")),
    ("page.py", include_str!("../fixtures/page.py")),
    ("pyatspi_read.py", include_str!("../fixtures/pyatspi_read.py")),
    ("pyatspi_text.py", include_str!("../fixtures/pyatspi_text.py")),
    ("qt5.py", include_str!("../fixtures/qt5.py")),
    ("qt6.py", include_str!("../fixtures/qt6.py")),
    ("qt_window.py", include_str!("../fixtures/qt_window.py")),
    ("sentinel.py", include_str!("../fixtures/sentinel.py")),
];

/// A toolkit that the fixture window is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Toolkit {
    /// GTK 3.
    Gtk3,
    /// GTK 4.
    Gtk4,
    /// Qt 5 widgets.
    Qt5,
    /// Qt 6 widgets.
    Qt6,
}

/// A running fixture window.
#[derive(Debug)]
pub struct Fixture {
    application: Application,
    journal: Journal,
    window: ClientWindow,
    x_server: XServer,
    control: PathBuf,
}

/// A running sentinel: a window in which nothing is to happen.
#[derive(Debug)]
pub struct Sentinel {
    application: Application,
    journal: Journal,
    window: ClientWindow,
}

/// What a test can make a fixture do by itself. Elements are named by their keys in `fixtures/fixture.py`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "order", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each says in its name what changes, and in its fields to what")]
pub enum Order {
    RenameButton {
        label: String,
    },
    SetTitle {
        title: String,
    },
    Enable {
        element: String,
        enabled: bool,
    },
    SetText {
        element: String,
        text: String,
    },
    SetValue {
        element: String,
        value: i32,
    },
    SetOn {
        element: String,
        on: bool,
    },
    RemoveRecord {
        subject: String,
    },
    InsertRecord {
        row: usize,
        subject: String,
    },
    ReverseRecords,
    ReplaceRecords {
        subjects: Vec<String>,
    },
    SetRevertDelay {
        milliseconds: u32,
    },
    OpenDialog,
    CloseDialog,
    Present,
    Minimise,
    Resize {
        width: u32,
        height: u32,
    },
    /// Answered at once; the main loop stands still from then on.
    Freeze {
        seconds: f64,
    },
    Quit,
}

/// What a fixture window shows, as the fixture itself knows it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the fields are the elements")]
pub struct State {
    pub save: String,
    pub bold: bool,
    pub remember: bool,
    pub reverting: bool,
    pub name: String,
    pub password: String,
    pub notes: String,
    pub colour: String,
    pub volume: f64,
    pub quantity: f64,
    pub records: Vec<String>,
    pub selected_record: Option<String>,
    pub selected_line: Option<String>,
    pub dialog: bool,
}

/// Why a fixture did not do its part.
#[derive(Debug, thiserror::Error)]
pub enum FixtureError {
    /// It could not be started.
    #[error(transparent)]
    Desktop(#[from] DesktopError),
    /// Its journal does not show what it must.
    #[error("the fixture's journal; it printed: {output}")]
    Journal {
        /// What was wrong.
        source: JournalError,
        /// What it wrote to its standard streams.
        output: String,
    },
    /// Its window did not appear.
    #[error(transparent)]
    Window(#[from] XServerError),
    /// The socket for orders failed, or an answer did not come within its bound.
    #[error("the fixture's control socket failed")]
    Control(#[from] std::io::Error),
    /// An answer was none.
    #[error("the fixture answered something else")]
    Answer(#[from] serde_json::Error),
    /// The fixture refused the order.
    #[error("the fixture refused: {0}")]
    Refused(String),
}

#[derive(Deserialize)]
struct Place {
    x: i32,
    y: i32,
    width: u32,
    height: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer<T> {
    Done(T),
    Refused(String),
}

impl Toolkit {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Gtk3, Self::Gtk4, Self::Qt5, Self::Qt6];

    /// The key by which journals name it.
    pub fn key(self) -> &'static str {
        match self {
            Self::Gtk3 => "gtk3",
            Self::Gtk4 => "gtk4",
            Self::Qt5 => "qt5",
            Self::Qt6 => "qt6",
        }
    }
}

impl Fixture {
    /// Starts a fixture window with the title `Fixture KEY`; it is on screen on return.
    ///
    /// # Errors
    /// It did not start, or did not show its window within [`bounds::FIXTURE_START`].
    pub fn start(desktop: &PrivateDesktop, toolkit: Toolkit) -> Result<Self, FixtureError> {
        Self::start_with_title(desktop, toolkit, &format!("Fixture {}", toolkit.key()))
    }

    /// Starts a fixture window with the given title; it is on screen on return.
    ///
    /// # Errors
    /// It did not start, or did not show its window within [`bounds::FIXTURE_START`].
    pub fn start_with_title(desktop: &PrivateDesktop, toolkit: Toolkit, title: &str) -> Result<Self, FixtureError> {
        let control = desktop.home().join(format!("control-{}", next_number()));
        let orders = ["--control".as_ref(), control.as_os_str(), "--title".as_ref(), title.as_ref()];
        let started = Started::start(desktop, toolkit.key(), &orders)?;
        let Started { application, journal, window, x_server } = started;
        Ok(Self { application, journal, window, x_server, control })
    }

    /// The process.
    pub fn application(&self) -> &Application {
        &self.application
    }

    /// The process, given up: to kill it, or to wait for its end.
    pub fn into_application(self) -> Application {
        self.application
    }

    /// What it received.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Its window.
    pub fn window(&self) -> &ClientWindow {
        &self.window
    }

    /// Makes it change itself; it has on return.
    ///
    /// # Errors
    /// It refused, or did not answer within [`bounds::ORDER`].
    pub fn order(&self, order: &Order) -> Result<(), FixtureError> {
        self.ask(&serde_json::to_value(order)?)
    }

    /// Waits until its main loop has worked off everything that was waiting.
    ///
    /// # Errors
    /// It did not answer within [`bounds::ORDER`].
    pub fn settle(&self) -> Result<(), FixtureError> {
        self.ask(&serde_json::json!({"order": "settle"}))
    }

    /// What it shows, as it knows itself.
    ///
    /// # Errors
    /// It did not answer within [`bounds::ORDER`].
    pub fn state(&self) -> Result<State, FixtureError> {
        self.ask(&serde_json::json!({"order": "state"}))
    }

    /// Where an element is, as the toolkit lays it out, in pixels of the root window; `delete-ROW` is a record's button.
    ///
    /// # Errors
    /// There is no such element, or no answer within [`bounds::ORDER`].
    pub fn place(&self, element: &str) -> Result<WindowBounds, FixtureError> {
        let place: Place = self.ask(&serde_json::json!({"order": "place", "element": element}))?;
        let window = self.x_server.client_window(self.window.id)?.bounds;
        Ok(WindowBounds { x: window.x + place.x, y: window.y + place.y, width: place.width, height: place.height })
    }

    fn ask<T: for<'de> Deserialize<'de>>(&self, order: &serde_json::Value) -> Result<T, FixtureError> {
        let mut connection = UnixStream::connect(&self.control)?;
        connection.set_read_timeout(Some(bounds::ORDER))?;
        writeln!(connection, "{order}")?;
        let mut line = String::new();
        BufReader::new(connection).read_line(&mut line)?;
        match serde_json::from_str(&line)? {
            Answer::Done(value) => Ok(value),
            Answer::Refused(reason) => Err(FixtureError::Refused(reason)),
        }
    }
}

impl Sentinel {
    /// Starts the sentinel; it is on screen on return, and has the focus where the window manager gives it to new windows.
    ///
    /// # Errors
    /// It did not start, or did not show its window within [`bounds::FIXTURE_START`].
    pub fn start(desktop: &PrivateDesktop) -> Result<Self, FixtureError> {
        let Started { application, journal, window, .. } = Started::start(desktop, "sentinel", &[])?;
        Ok(Self { application, journal, window })
    }

    /// The process.
    pub fn application(&self) -> &Application {
        &self.application
    }

    /// What leaked into it.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Its window.
    pub fn window(&self) -> &ClientWindow {
        &self.window
    }
}

struct Started {
    application: Application,
    journal: Journal,
    window: ClientWindow,
    x_server: XServer,
}

impl Started {
    fn start(desktop: &PrivateDesktop, name: &str, arguments: &[&std::ffi::OsStr]) -> Result<Self, FixtureError> {
        let script = script(desktop, &format!("{name}.py"))?;
        let path = desktop.home().join(format!("journal-{}", next_number()));
        let premises = desktop.premises();
        std::fs::File::create(&path)
            .and_then(|_| std::os::unix::fs::chown(&path, Some(premises.uid), Some(premises.gid)))
            .map_err(DesktopError::file(&path))?;
        let x_server = XServer::of(desktop)?;
        let fixed = ["-B".as_ref(), script.as_os_str(), "--journal".as_ref(), path.as_os_str()];
        let application = desktop.spawn(PYTHON, fixed.iter().chain(arguments))?;
        let failed = |source| FixtureError::Journal {
            source,
            output: std::fs::read_to_string(application.output()).unwrap_or_default(),
        };
        let journal = Journal::open(path).map_err(failed)?;
        let is_ready = |entry: &Entry| entry.kind == "ready";
        journal.wait_for(Mark::START, bounds::FIXTURE_START, is_ready).map_err(failed)?;
        let window = x_server.wait_for_window_of(application.id(), bounds::FIXTURE_START)?;
        // Whoever compares focus before and after is not to be met by the focus of the start.
        if x_server.becomes_active(window.id, bounds::FIRST_FOCUS)? {
            let has_focus = |entry: &Entry| entry.kind == "focus_in";
            journal.wait_for(Mark::START, bounds::FIXTURE_START, has_focus).map_err(failed)?;
        }
        Ok(Self { application, journal, window, x_server })
    }
}

/// The path of a fixture's script in the desktop; all of them are written there together at first.
pub(crate) fn script(desktop: &PrivateDesktop, name: &str) -> Result<PathBuf, DesktopError> {
    let directory = desktop.directory().join("fixtures");
    if !directory.exists() {
        let written = desktop.directory().join(format!("fixtures-{}", next_number()));
        write_scripts(&written)?;
        // Renamed when whole; another thread may have been first.
        if std::fs::rename(&written, &directory).is_err() && !directory.exists() {
            return Err(DesktopError::file(&directory)(std::io::ErrorKind::Other.into()));
        }
    }
    Ok(directory.join(name))
}

fn write_scripts(directory: &Path) -> Result<(), DesktopError> {
    std::fs::create_dir(directory).map_err(DesktopError::file(directory))?;
    for (name, text) in FILES {
        let path = directory.join(name);
        std::fs::write(&path, text).map_err(DesktopError::file(&path))?;
    }
    Ok(())
}

fn next_number() -> u32 {
    static STARTED: AtomicU32 = AtomicU32::new(0);
    STARTED.fetch_add(1, Ordering::Relaxed)
}
