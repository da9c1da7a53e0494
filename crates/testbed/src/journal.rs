//! What a fixture received, read from the file it writes; `fixtures/journal.py` says the format.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::inotify;
use serde::Deserialize;

use crate::bounded_line::is_readable_before;

/// One line of a journal.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// When it was received, in microseconds of `CLOCK_MONOTONIC`.
    pub at_us: u64,
    /// Which program wrote it.
    pub program: String,
    /// The fixture's own key of the element; `window` for what concerns no single one.
    pub element: String,
    /// What happened.
    pub kind: String,
    /// The details of that kind.
    pub data: serde_json::Value,
    /// Who caused it.
    pub cause: Cause,
}

/// Who caused an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The program changed itself, as the test had ordered.
    #[serde(rename = "self")]
    Itself,
    /// Anybody else.
    Outside,
}

/// A place in a journal: everything before it is past.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(usize);

impl Mark {
    /// The beginning.
    pub const START: Self = Self(0);
}

/// A journal that a fixture is writing.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    changes: OwnedFd,
}

/// Why a journal does not show what was required.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// No entry matched within the time.
    #[error("no entry matched within {within:?}; the journal has {seen:#?}")]
    Missing {
        /// The time given.
        within: Duration,
        /// Everything since the mark.
        seen: Vec<Entry>,
    },
    /// More or fewer entries matched than required.
    #[error("{} entries matched instead of {required}: {matching:#?}", matching.len())]
    Count {
        /// How many were required.
        required: usize,
        /// Those that matched.
        matching: Vec<Entry>,
    },
    /// The file cannot be read.
    #[error("the journal cannot be read")]
    Unreadable(#[from] std::io::Error),
    /// A line is not an entry: the fixture is at fault.
    #[error("a line of the journal is no entry")]
    Malformed(#[from] serde_json::Error),
}

impl Entry {
    /// Whether it came from outside, at `element`, as `kind`.
    pub fn is_outside(&self, element: &str, kind: &str) -> bool {
        self.cause == Cause::Outside && self.element == element && self.kind == kind
    }

    /// Whether it is input that reached the program: keys, buttons, the wheel, the pointer.
    pub fn is_input(&self) -> bool {
        ["key_", "button_", "wheel_", "pointer_"].iter().any(|prefix| self.kind.starts_with(prefix))
    }
}

impl Journal {
    /// Reads the journal at `path`, which exists.
    ///
    /// # Errors
    /// The file cannot be watched.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, JournalError> {
        let path = path.into();
        let flags = inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK;
        let changes = inotify::init(flags).map_err(std::io::Error::from)?;
        inotify::add_watch(&changes, &path, inotify::WatchFlags::MODIFY).map_err(std::io::Error::from)?;
        Ok(Self { path, changes })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The end of the journal as it is now.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn mark(&self) -> Result<Mark, JournalError> {
        Ok(Mark(self.since(Mark::START)?.len()))
    }

    /// The entries after `mark`.
    ///
    /// # Errors
    /// The journal cannot be read, or holds a line that is no entry.
    pub fn since(&self, mark: Mark) -> Result<Vec<Entry>, JournalError> {
        let text = std::fs::read_to_string(&self.path)?;
        // A line that is still being written has no end yet.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let entries = whole.lines().skip(mark.0).map(serde_json::from_str);
        Ok(entries.collect::<Result<_, _>>()?)
    }

    /// Waits for the first entry after `mark` that matches.
    ///
    /// # Errors
    /// None came within the time.
    pub fn wait_for(
        &self,
        mark: Mark,
        within: Duration,
        matches: impl Fn(&Entry) -> bool,
    ) -> Result<Entry, JournalError> {
        let deadline = Instant::now() + within;
        loop {
            let seen = self.since(mark)?;
            if let Some(entry) = seen.iter().find(|entry| matches(entry)) {
                return Ok(entry.clone());
            }
            if !self.changes_before(deadline)? {
                return Err(JournalError::Missing { within, seen });
            }
        }
    }

    /// Waits for a match, then for `quiet` without any further entry, and requires that there was exactly one match.
    ///
    /// # Errors
    /// None came within the time, or more than one came.
    pub fn require_exactly_one(
        &self,
        mark: Mark,
        within: Duration,
        quiet: Duration,
        matches: impl Fn(&Entry) -> bool,
    ) -> Result<Entry, JournalError> {
        let entry = self.wait_for(mark, within, &matches)?;
        self.require_count(1, mark, quiet, matches)?;
        Ok(entry)
    }

    /// Waits for `quiet` without any further entry, and requires that none matched.
    ///
    /// # Errors
    /// At least one matched.
    pub fn require_none(
        &self,
        mark: Mark,
        quiet: Duration,
        matches: impl Fn(&Entry) -> bool,
    ) -> Result<(), JournalError> {
        self.require_count(0, mark, quiet, matches)
    }

    fn require_count(
        &self,
        required: usize,
        mark: Mark,
        quiet: Duration,
        matches: impl Fn(&Entry) -> bool,
    ) -> Result<(), JournalError> {
        while self.changes_before(Instant::now() + quiet)? {}
        let matching: Vec<_> = self.since(mark)?.into_iter().filter(|entry| matches(entry)).collect();
        if matching.len() == required { Ok(()) } else { Err(JournalError::Count { required, matching }) }
    }

    /// Whether the file was written to before `deadline`; every write until now is told once.
    fn changes_before(&self, deadline: Instant) -> Result<bool, JournalError> {
        if !is_readable_before(&self.changes, deadline)? {
            return Ok(false);
        }
        let mut buffer = [0; 4096];
        match rustix::io::read(&self.changes, &mut buffer) {
            Ok(_) | Err(rustix::io::Errno::AGAIN) => Ok(true),
            Err(error) => Err(std::io::Error::from(error).into()),
        }
    }
}
