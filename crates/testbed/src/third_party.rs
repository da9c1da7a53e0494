//! Applications that others wrote, and how each is started so that it shows its window and nothing else.

use std::ffi::OsString;
use std::process::Stdio;

use crate::application::Application;
use crate::bounds;
use crate::desktop::{DesktopError, PrivateDesktop};
use crate::x_server::{ClientWindow, XServer, XServerError};

/// An application of Debian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ThirdParty {
    /// GNOME's calculator (GTK 4).
    GnomeCalculator,
    /// GNOME's text editor (GTK 3).
    Gedit,
    /// Xfce's text editor (GTK 3).
    Mousepad,
    /// A small text editor (Qt 5).
    Featherpad,
    /// KDE's calculator (Qt 5).
    Kcalc,
    /// A calculator (GTK 3).
    Galculator,
    /// A spreadsheet.
    LibreOfficeCalc,
    /// The web browser, telling its tree.
    Chromium,
    /// The web browser as people start it: it tells of no tree.
    ChromiumWithoutTree,
}

/// A started application and the window it showed.
#[derive(Debug)]
pub struct Started {
    /// The process that was started; the window may belong to a descendant.
    pub application: Application,
    /// The first window.
    pub window: ClientWindow,
}

/// Why an application did not show a window.
#[derive(Debug, thiserror::Error)]
pub enum ThirdPartyError {
    /// It could not be started.
    #[error(transparent)]
    Desktop(#[from] DesktopError),
    /// No window came.
    #[error("no window; it printed: {output}")]
    NoWindow {
        /// What was awaited.
        source: XServerError,
        /// What it wrote to its standard streams.
        output: String,
    },
}

impl ThirdParty {
    /// All that tell of a tree.
    pub const WITH_TREE: [Self; 8] = [
        Self::GnomeCalculator,
        Self::Gedit,
        Self::Mousepad,
        Self::Featherpad,
        Self::Kcalc,
        Self::Galculator,
        Self::LibreOfficeCalc,
        Self::Chromium,
    ];

    /// The program's name.
    pub fn program(self) -> &'static str {
        match self {
            Self::GnomeCalculator => "gnome-calculator",
            Self::Gedit => "gedit",
            Self::Mousepad => "mousepad",
            Self::Featherpad => "featherpad",
            Self::Kcalc => "kcalc",
            Self::Galculator => "galculator",
            Self::LibreOfficeCalc => "soffice",
            Self::Chromium | Self::ChromiumWithoutTree => "chromium",
        }
    }

    /// Starts it with further arguments (a file, a page) and waits until it shows its first window.
    ///
    /// # Errors
    /// It is not installed, or showed none within [`bounds::APPLICATION_START`].
    pub fn start<A: Into<OsString>>(
        self,
        desktop: &PrivateDesktop,
        further: impl IntoIterator<Item = A>,
    ) -> Result<Started, ThirdPartyError> {
        let x_server = XServer::of(desktop).map_err(|source| ThirdPartyError::no_window(source, ""))?;
        let application = desktop.spawn(self.program(), self.arguments(desktop, further)?)?;
        let window = x_server.wait_for_window_of(application.id(), bounds::APPLICATION_START);
        let printed = || std::fs::read_to_string(application.output()).unwrap_or_default();
        let window = window.map_err(|source| ThirdPartyError::no_window(source, printed()))?;
        Ok(Started { application, window })
    }

    fn arguments<A: Into<OsString>>(
        self,
        desktop: &PrivateDesktop,
        further: impl IntoIterator<Item = A>,
    ) -> Result<Vec<OsString>, DesktopError> {
        let mut arguments: Vec<OsString> = Vec::new();
        let mut add = |flags: &[&str]| arguments.extend(flags.iter().map(OsString::from));
        match self {
            Self::LibreOfficeCalc => add(&["--calc", "--norestore", "--nologo", "--nofirststartwizard"]),
            Self::Gedit => add(&["--standalone"]),
            Self::Mousepad => add(&["--disable-server"]),
            Self::Featherpad => add(&["--standalone"]),
            Self::Chromium | Self::ChromiumWithoutTree => {
                add(&CHROMIUM_FLAGS);
                if self == Self::Chromium {
                    add(&["--force-renderer-accessibility"]);
                }
                if !may_make_user_namespaces(desktop)? {
                    add(&["--no-sandbox"]);
                }
            }
            Self::GnomeCalculator | Self::Kcalc | Self::Galculator => {}
        }
        arguments.extend(further.into_iter().map(Into::into));
        Ok(arguments)
    }
}

/// Nothing that greets, asks, or reaches out to the network by itself.
const CHROMIUM_FLAGS: [&str; 9] = [
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-gpu",
    "--password-store=basic",
    "--disable-features=Translate,MediaRouter,OptimizationHints",
    "--window-size=1200,900",
];

/// The browser's sandbox is made of these; many containers forbid them.
fn may_make_user_namespaces(desktop: &PrivateDesktop) -> Result<bool, DesktopError> {
    let mut command = desktop.command("unshare")?;
    command.args(["--user", "--map-root-user", "--pid", "--fork", "true"]).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command.status().is_ok_and(|status| status.success()))
}

impl ThirdPartyError {
    fn no_window(source: XServerError, output: impl Into<String>) -> Self {
        Self::NoWindow { source, output: output.into() }
    }
}
