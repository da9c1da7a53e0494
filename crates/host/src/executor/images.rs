//! The folder that executors put pictures in, and what hosts that were killed left behind of theirs.

use std::{
    fs::{self, File, TryLockError},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
};

/// This host's folder, readable by this user only. It is removed with the host; a killed host's is removed by
/// the next one.
#[derive(Debug)]
pub(crate) struct ImageFolder {
    folder: PathBuf,
    lock_path: PathBuf,
    /// Locked as long as the folder is in use.
    _lock: File,
}

const LOCK_SUFFIX: &str = ".lock";

impl ImageFolder {
    /// Makes a folder called `name` in `root`, after removing the folders in it that no host holds any more.
    pub(crate) fn create(root: &Path, name: &str) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(root)?;
        let owner = fs::symlink_metadata(root)?;
        if !owner.is_dir() || owner.uid() != rustix::process::geteuid().as_raw() || owner.mode() & 0o077 != 0 {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the image folder is open to other users"));
        }
        purge(root)?;
        let lock_path = root.join(format!("{name}{LOCK_SUFFIX}"));
        let lock = hold(&lock_path)?;
        let folder = root.join(name);
        fs::DirBuilder::new().mode(0o700).create(&folder)?;
        Ok(Self { folder, lock_path, _lock: lock })
    }

    /// Makes the folder of one generation.
    pub(crate) fn generation(&self, generation: u64) -> io::Result<GenerationFolder> {
        let folder = self.folder.join(format!("g{generation}"));
        fs::DirBuilder::new().mode(0o700).create(&folder)?;
        Ok(GenerationFolder(folder))
    }
}

impl ImageFolder {
    /// Removes the folder. No generation can be made in it any more.
    pub(crate) fn remove(&self) {
        // What cannot be removed now is removed by the next host, which finds the lock free.
        if fs::remove_dir_all(&self.folder).is_ok() {
            let _ = fs::remove_file(&self.lock_path);
        }
    }
}

impl Drop for ImageFolder {
    fn drop(&mut self) {
        self.remove();
    }
}

/// The pictures of one executor generation. They go with it.
#[derive(Debug)]
pub(crate) struct GenerationFolder(PathBuf);

impl GenerationFolder {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for GenerationFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Opens and locks the file, and makes sure that the path still names it: another host may have removed it
/// between the two.
fn hold(path: &Path) -> io::Result<File> {
    loop {
        let file = File::options().create(true).truncate(false).write(true).open(path)?;
        file.lock()?;
        let held = file.metadata()?;
        match fs::metadata(path) {
            Ok(named) if (named.dev(), named.ino()) == (held.dev(), held.ino()) => return Ok(file),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
}

/// Removes every folder whose lock is free or missing. A folder is made only while its lock is held, so a
/// folder without one belongs to nobody.
fn purge(root: &Path) -> io::Result<()> {
    for entry in fs::read_dir(root)? {
        let name = entry?.file_name();
        let Some(name) = name.to_str() else { continue };
        let folder_name = name.strip_suffix(LOCK_SUFFIX).unwrap_or(name);
        let lock_path = root.join(format!("{folder_name}{LOCK_SUFFIX}"));
        let lock = match File::options().write(true).open(&lock_path) {
            Ok(lock) => match lock.try_lock() {
                Ok(()) => Some(lock),
                Err(TryLockError::WouldBlock) => continue,
                Err(TryLockError::Error(error)) => return Err(error),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        match fs::remove_dir_all(root.join(folder_name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        if lock.is_some() {
            let _ = fs::remove_file(&lock_path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> PathBuf {
        let name = format!("surehand-images-{}-{:x}", std::process::id(), getrandom::u64().unwrap());
        std::env::temp_dir().join(name)
    }

    #[test]
    fn a_killed_hosts_folder_is_removed_and_a_living_ones_is_not() {
        let root = root();
        let living = ImageFolder::create(&root, "living").unwrap();
        let picture = living.generation(1).unwrap();
        fs::write(picture.path().join("p.png"), b"x").unwrap();
        fs::create_dir_all(root.join("killed/g1")).unwrap();
        fs::write(root.join("killed.lock"), b"").unwrap();
        fs::create_dir_all(root.join("lockless/g1")).unwrap();

        let other = ImageFolder::create(&root, "other").unwrap();
        assert!(!root.join("killed").exists() && !root.join("killed.lock").exists());
        assert!(!root.join("lockless").exists());
        assert!(picture.path().join("p.png").exists());

        drop((picture, living, other));
        assert_eq!(fs::read_dir(&root).unwrap().count(), 0);
        fs::remove_dir(&root).unwrap();
    }

    #[test]
    fn a_folder_open_to_others_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let root = root();
        fs::create_dir(&root).unwrap();
        fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
        let refused = ImageFolder::create(&root, "x").unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
        fs::remove_dir(&root).unwrap();
    }
}
