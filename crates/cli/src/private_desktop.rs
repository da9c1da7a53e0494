//! `desktop run`.

use crate::failure::Failure;
use std::{ffi::OsString, process::ExitCode};
use surehand_testbed::{DesktopConfiguration, PrivateDesktop, ScreenSize};

/// Runs a command on a private desktop and ends the desktop with it. Exits as the command did.
pub(crate) fn run(screen: (u16, u16), command: &[OsString]) -> Result<ExitCode, Failure> {
    let screen = ScreenSize { width: screen.0, height: screen.1 };
    let desktop = PrivateDesktop::start(&DesktopConfiguration { screen, ..DesktopConfiguration::default() })?;
    let (program, arguments) = command.split_first().expect("the command line requires a command");
    let status = desktop.run(program, arguments);
    desktop.stop()?;
    let code = status?.code().and_then(|code| u8::try_from(code).ok());
    // Ended by a signal, as shells report it without saying which.
    Ok(ExitCode::from(code.unwrap_or(128)))
}
