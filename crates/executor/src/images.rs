//! Pictures as files that only this user can read.

use crate::{Picture, bounds};
use sha2::{Digest as _, Sha256};
use std::{
    collections::VecDeque,
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};
use surehand_contract::Digest;
use surehand_wire::{Image, ImageFormat, SessionId};

/// Where the host reads pictures from.
#[derive(Debug)]
pub(crate) struct ImageFolder {
    path: PathBuf,
    kept: VecDeque<Kept>,
    bytes: u64,
    budget_bytes: u64,
}

#[derive(Debug)]
struct Kept {
    session: SessionId,
    path: PathBuf,
    bytes: u64,
}

impl ImageFolder {
    /// The folder must be absolute and take files.
    pub(crate) fn open(path: &str) -> io::Result<Self> {
        let path = PathBuf::from(path);
        if !path.is_absolute() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let probe = path.join(".surehand-probe");
        create_private(&probe)?;
        fs::remove_file(&probe)?;
        Ok(Self { path, kept: VecDeque::new(), bytes: 0, budget_bytes: bounds::IMAGE_BUDGET_BYTES })
    }

    pub(crate) fn path_for(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.png"))
    }

    /// Keeps a written picture until its session ends or its room is needed. False: it alone is over the budget.
    pub(crate) fn keep(&mut self, session: SessionId, path: PathBuf, bytes: u64) -> bool {
        if bytes > self.budget_bytes {
            remove(&path);
            return false;
        }
        while self.bytes + bytes > self.budget_bytes {
            let Some(oldest) = self.kept.pop_front() else { break };
            self.bytes -= oldest.bytes;
            remove(&oldest.path);
        }
        self.bytes += bytes;
        self.kept.push_back(Kept { session, path, bytes });
        true
    }

    /// Removes the session's pictures; says how many there were.
    pub(crate) fn end(&mut self, session: &SessionId) -> u64 {
        let (ended, kept): (VecDeque<_>, VecDeque<_>) =
            std::mem::take(&mut self.kept).into_iter().partition(|kept| kept.session == *session);
        self.kept = kept;
        self.bytes = self.kept.iter().map(|kept| kept.bytes).sum();
        ended.iter().for_each(|ended| remove(&ended.path));
        ended.len() as u64
    }

    pub(crate) fn images(&self) -> u64 {
        self.kept.len() as u64
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for ImageFolder {
    fn drop(&mut self) {
        self.kept.iter().for_each(|kept| remove(&kept.path));
    }
}

/// Writes the picture. Blocks.
pub(crate) fn write(path: &Path, picture: &Picture) -> io::Result<Image> {
    let mut file = create_private(path)?;
    file.write_all(&picture.png)?;
    let path = path.to_str().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    Ok(Image {
        path,
        format: ImageFormat::Png,
        sha256: Digest::from_bytes(Sha256::digest(&picture.png).into()),
        byte_length: picture.png.len() as u64,
        width: picture.width,
        height: picture.height,
    })
}

fn create_private(path: &Path) -> io::Result<fs::File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

fn remove(path: &Path) {
    // The host clears the whole folder when this process has ended.
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(kind = ?error.kind(), "a picture could not be removed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(name: &str) -> SessionId {
        SessionId::new(name).expect("an identifier")
    }

    struct Scene {
        root: PathBuf,
        folder: ImageFolder,
    }

    impl Scene {
        fn new(name: &str, budget_bytes: u64) -> Self {
            let root = std::env::temp_dir().join(format!("surehand-images-{name}-{}", std::process::id()));
            fs::create_dir_all(&root).expect("a folder for the test");
            let mut folder = ImageFolder::open(root.to_str().expect("text")).expect("it takes files");
            folder.budget_bytes = budget_bytes;
            Self { root, folder }
        }

        fn add(&mut self, owner: &str, name: &str, bytes: usize) -> bool {
            let path = self.folder.path_for(name);
            let image = write(&path, &Picture { png: vec![0; bytes], width: 1, height: 1 }).expect("it is written");
            self.folder.keep(session(owner), path, image.byte_length)
        }

        fn files(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.root).expect("the folder is there");
            let name = |entry: io::Result<fs::DirEntry>| entry.expect("an entry").file_name().into_string();
            let mut names: Vec<String> = entries.map(|entry| name(entry).expect("text")).collect();
            names.sort();
            names
        }
    }

    impl Drop for Scene {
        fn drop(&mut self) {
            drop(fs::remove_dir_all(&self.root));
        }
    }

    #[test]
    fn the_oldest_pictures_make_room() {
        let mut scene = Scene::new("budget", 100);
        assert!(scene.add("s", "a", 40) && scene.add("t", "b", 40) && scene.add("s", "c", 40));
        assert_eq!(scene.files(), ["b.png", "c.png"]);
        assert_eq!((scene.folder.images(), scene.folder.bytes()), (2, 80));
    }

    #[test]
    fn a_picture_that_fits_no_budget_is_not_kept_and_costs_no_other() {
        let mut scene = Scene::new("large", 100);
        assert!(scene.add("s", "a", 40));
        assert!(!scene.add("s", "b", 101));
        assert_eq!(scene.files(), ["a.png"]);
    }

    #[test]
    fn a_session_ends_with_its_own_pictures_and_the_folder_with_all() {
        let mut scene = Scene::new("end", 100);
        assert!(scene.add("s", "a", 10) && scene.add("t", "b", 10) && scene.add("s", "c", 10));
        assert_eq!(scene.folder.end(&session("s")), 2);
        assert_eq!(scene.files(), ["b.png"]);
        assert_eq!(scene.folder.bytes(), 10);
        let path = scene.root.to_str().expect("text").to_owned();
        scene.folder = ImageFolder::open(&path).expect("it takes files");
        assert!(scene.files().is_empty());
    }

    #[test]
    fn a_picture_overwrites_nothing() {
        let scene = Scene::new("exists", 100);
        let path = scene.folder.path_for("a");
        fs::write(&path, b"someone else's").expect("written");
        let picture = Picture { png: vec![0], width: 1, height: 1 };
        assert_eq!(write(&path, &picture).map_err(|error| error.kind()), Err(io::ErrorKind::AlreadyExists));
    }
}
