//! The web page that the benchmarks read.

use std::path::PathBuf;

use crate::desktop::{DesktopError, PrivateDesktop};
use crate::fixture::{PYTHON, script};

/// How many nodes Chromium's tree of the page has, from its document down.
pub const BENCHMARK_PAGE_NODES: usize = 4362;

/// Writes the page into the desktop's home directory, where its user can open it.
///
/// # Errors
/// It cannot be generated or written.
pub fn write_benchmark_page(desktop: &PrivateDesktop) -> Result<PathBuf, DesktopError> {
    let output = desktop
        .command(PYTHON)?
        .arg("-B")
        .arg(script(desktop, "page.py")?)
        .output()
        .map_err(|source| DesktopError::not_started(PYTHON, source))?;
    let path = desktop.home().join("benchmark.html");
    std::fs::write(&path, output.stdout).map_err(DesktopError::file(&path))?;
    Ok(path)
}
