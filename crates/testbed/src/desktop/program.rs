//! Commands that run as a desktop's user.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use super::environment::Environment;
use super::error::DesktopError;
use super::keeper::Premises;

/// A command of the desktop's user, with the desktop's environment, in its home directory.
pub(super) fn command(premises: &Premises, environment: &Environment, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(environment.iter()).current_dir(premises.directory.join("home"));
    if premises.user.is_some() {
        // The standard library drops root's supplementary groups with the user.
        command.uid(premises.uid).gid(premises.gid);
    }
    command
}

/// The program itself, or a copy of it that the desktop's user can reach.
pub(super) fn within_reach(premises: &Premises, program: &OsStr) -> Result<OsString, DesktopError> {
    let path = Path::new(program);
    if premises.user.is_none() || !path.is_absolute() || everyone_may_run(path) || !path.is_file() {
        return Ok(program.to_owned());
    }
    let directory = premises.directory.join("programs");
    let name = path.file_name().unwrap_or(program);
    let copy = directory.join(name);
    std::fs::create_dir_all(&directory).map_err(DesktopError::file(&directory))?;
    if !is_same_version(path, &copy) {
        std::fs::copy(path, &copy).map_err(DesktopError::file(&copy))?;
        std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o755)).map_err(DesktopError::file(&copy))?;
    }
    Ok(copy.into_os_string())
}

fn everyone_may_run(path: &Path) -> bool {
    let permits = |path: &Path, bits: u32| {
        std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & bits == bits)
    };
    let Ok(path) = path.canonicalize() else { return false };
    permits(&path, 0o005) && path.ancestors().skip(1).all(|directory| permits(directory, 0o001))
}

fn is_same_version(original: &Path, copy: &Path) -> bool {
    let (Ok(original), Ok(copy)) = (original.metadata(), copy.metadata()) else { return false };
    original.len() == copy.len() && original.mtime() <= copy.mtime()
}
