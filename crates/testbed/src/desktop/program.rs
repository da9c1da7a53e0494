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

/// The file or directory itself, or a copy of it that the desktop's user can reach. What is not there stays as it is.
pub(super) fn within_reach(premises: &Premises, original: &OsStr) -> Result<OsString, DesktopError> {
    let path = Path::new(original);
    if premises.user.is_none() || !path.is_absolute() || everyone_may_use(path) || !path.exists() {
        return Ok(original.to_owned());
    }
    let directory = premises.directory.join("copies");
    let copy = directory.join(path.file_name().unwrap_or(original));
    if !is_same_version(path, &copy) {
        std::fs::create_dir_all(&directory).map_err(DesktopError::file(&directory))?;
        copy_for_everyone(path, &copy).map_err(DesktopError::file(&copy))?;
    }
    Ok(copy.into_os_string())
}

/// Whether everyone may do with it what its owner may: read it, and run it if it can be run.
fn everyone_may_use(path: &Path) -> bool {
    let mode = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.permissions().mode());
    let Ok(path) = path.canonicalize() else { return false };
    let own = mode(&path) & 0o500;
    let others = mode(&path) & 0o005;
    others == own >> 6 && path.ancestors().skip(1).all(|directory| mode(directory) & 0o001 != 0)
}

fn is_same_version(original: &Path, copy: &Path) -> bool {
    let (Ok(original), Ok(copy)) = (original.metadata(), copy.metadata()) else { return false };
    original.len() == copy.len() && original.mtime() <= copy.mtime()
}

fn copy_for_everyone(original: &Path, copy: &Path) -> std::io::Result<()> {
    let metadata = original.metadata()?;
    if metadata.is_dir() {
        std::fs::create_dir_all(copy)?;
        for entry in std::fs::read_dir(original)? {
            let entry = entry?;
            copy_for_everyone(&entry.path(), &copy.join(entry.file_name()))?;
        }
    } else {
        // Renamed when whole: another thread may be starting the same program.
        let partial = copy.with_extension(format!("partial-{:?}", std::thread::current().id()));
        std::fs::copy(original, &partial)?;
        std::fs::rename(&partial, copy)?;
    }
    let owner = metadata.permissions().mode() & 0o500;
    std::fs::set_permissions(copy, std::fs::Permissions::from_mode(owner | owner >> 3 | owner >> 6))
}
