//! One line from a pipe, within a time.

use std::io::Read;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::bounds;

/// Why no line came.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// The time passed first.
    #[error("nothing was said within {0:?}")]
    TimedOut(Duration),
    /// The other end closed before a whole line.
    #[error("the pipe ended before a whole line, after {said:?}")]
    Ended {
        /// What had been said until then.
        said: String,
    },
    /// The line passed [`bounds::LINE_BYTES`].
    #[error("a line passed {} bytes", bounds::LINE_BYTES)]
    TooLong,
    /// The pipe could not be read.
    #[error(transparent)]
    Failed(#[from] std::io::Error),
}

/// Reads up to and without the next line feed. Reads no byte beyond it.
///
/// # Errors
/// See [`LineError`].
pub(crate) fn read_line_within<R: Read + AsFd>(pipe: &mut R, within: Duration) -> Result<String, LineError> {
    let deadline = Instant::now() + within;
    let mut line = Vec::new();
    loop {
        if !is_readable_before(pipe, deadline)? {
            return Err(LineError::TimedOut(within));
        }
        let mut byte = [0];
        match pipe.read(&mut byte) {
            Ok(0) => return Err(LineError::Ended { said: String::from_utf8_lossy(&line).into_owned() }),
            Ok(_) if byte[0] == b'\n' => return Ok(String::from_utf8_lossy(&line).into_owned()),
            Ok(_) if line.len() == bounds::LINE_BYTES => return Err(LineError::TooLong),
            Ok(_) => line.push(byte[0]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Waits until `source` has something to read, and says whether that came before `deadline`.
///
/// # Errors
/// The descriptor cannot be polled.
pub(crate) fn is_readable_before<F: AsFd>(source: &F, deadline: Instant) -> Result<bool, std::io::Error> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).expect("a bound of seconds fits a timespec");
        let mut watched = [PollFd::new(source, PollFlags::IN)];
        match poll(&mut watched, Some(&timeout)) {
            Ok(ready) => return Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
