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
