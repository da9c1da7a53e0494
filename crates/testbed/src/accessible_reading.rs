//! What pyatspi reads of an application: the reading that surehand's own is compared with.

use serde::Deserialize;

use crate::bounds;
use crate::desktop::{DesktopError, PrivateDesktop};
use crate::fixture::{PYTHON, script};

/// Everything pyatspi read.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessibleReading {
    /// The application's own name.
    pub application: String,
    /// The toolkit's name and version.
    pub toolkit: String,
    /// How many nodes were read.
    pub nodes: usize,
    /// Every element on screen that has a name or can be operated, in the order of the tree.
    pub elements: Vec<AccessibleElement>,
}

/// One element of a reading.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessibleElement {
    /// The child indices from the application to the element.
    pub path: Vec<i64>,
    /// The role's name.
    pub role: String,
    /// Its name, or that of its label.
    pub name: String,
    /// Whether it can be operated: by its role, or because it can be focused, edited or selected.
    pub operable: bool,
    /// The names of its states.
    pub states: Vec<String>,
    /// The names of its actions.
    pub actions: Vec<String>,
    /// Left, top, width and height in pixels of the screen as the toolkit states them; with GTK 4, of the window.
    pub extents: [i32; 4],
}

/// Why there is no reading.
#[derive(Debug, thiserror::Error)]
pub enum ReadingError {
    /// The reader could not be started.
    #[error(transparent)]
    Desktop(#[from] DesktopError),
    /// It found no application of that process, or failed.
    #[error("pyatspi read nothing: {0}")]
    Failed(String),
    /// It printed something else.
    #[error("the reader printed no reading")]
    Malformed(#[from] serde_json::Error),
}

impl AccessibleReading {
    /// Reads the application of `process`, or of a descendant of it, once it is registered.
    ///
    /// # Errors
    /// It was not registered within [`bounds::REGISTRATION`].
    pub fn of(desktop: &PrivateDesktop, process: u32) -> Result<Self, ReadingError> {
        read(desktop, "pyatspi_read.py", process)
    }

    /// The elements of that role and name.
    pub fn find<'a>(&'a self, role: &'a str, name: &'a str) -> impl Iterator<Item = &'a AccessibleElement> {
        self.elements.iter().filter(move |element| element.role == role && element.name == name)
    }
}

/// The text of every editable element on screen of `process`, as pyatspi reads it. Passwords are left out.
///
/// # Errors
/// As [`AccessibleReading::of`].
pub fn editable_texts(desktop: &PrivateDesktop, process: u32) -> Result<Vec<String>, ReadingError> {
    read(desktop, "pyatspi_text.py", process)
}

fn read<T: serde::de::DeserializeOwned>(
    desktop: &PrivateDesktop,
    reader: &str,
    process: u32,
) -> Result<T, ReadingError> {
    let output = desktop
        .command(PYTHON)?
        .arg("-B")
        .arg(script(desktop, reader)?)
        .args(["--process", &process.to_string()])
        .args(["--within", &bounds::REGISTRATION.as_secs().to_string()])
        .output()
        .map_err(|source| DesktopError::not_started(PYTHON, source))?;
    if !output.status.success() {
        return Err(ReadingError::Failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
