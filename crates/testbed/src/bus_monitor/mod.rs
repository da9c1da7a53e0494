//! A monitor on the accessibility bus: what was asked of applications, what was written to them, and when.
//!
//! It sees what passes the bus. A client that talks to an application over a socket of their own is not seen.

mod message;

use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use message::{Argument, BusMessage};

use crate::bounds;
use crate::desktop::{DesktopError, PrivateDesktop};

const MONITOR: &str = "dbus-monitor";
const ASKER: &str = "dbus-send";

/// A running monitor. Dropping it ends it.
#[derive(Debug)]
pub struct BusMonitor<'desktop> {
    desktop: &'desktop PrivateDesktop,
    address: String,
    process: Child,
    seen: Arc<Seen>,
}

/// What the reading thread has seen so far.
#[derive(Debug, Default)]
struct Seen {
    messages: Mutex<Vec<BusMessage>>,
    more: Condvar,
}

/// Why the bus could not be watched.
#[derive(Debug, thiserror::Error)]
pub enum BusMonitorError {
    /// The desktop has no accessibility bus.
    #[error("the desktop has no accessibility bus")]
    NoBus,
    /// A tool could not be started.
    #[error(transparent)]
    Desktop(#[from] DesktopError),
    /// The monitor saw nothing of what was sent.
    #[error("the monitor did not see {what} within {within:?}")]
    Silent {
        /// What should have passed.
        what: &'static str,
        /// The time given.
        within: Duration,
    },
    /// The bus refused a question.
    #[error("the bus did not answer: {0}")]
    Refused(String),
}

impl<'desktop> BusMonitor<'desktop> {
    /// Starts watching method calls; every call made after the return is seen.
    ///
    /// # Errors
    /// There is no such bus, or it does not let itself be watched.
    pub fn start(desktop: &'desktop PrivateDesktop) -> Result<Self, BusMonitorError> {
        let address = desktop.accessibility_bus_address().ok_or(BusMonitorError::NoBus)?.to_owned();
        let mut process = desktop
            .command(MONITOR)?
            .args(["--address", &address, "--binary", "type='method_call'"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|source| DesktopError::not_started(MONITOR, source))?;
        let stream = process.stdout.take().expect("stdout was asked to be a pipe");
        let seen = Arc::new(Seen::default());
        let monitor = Self { desktop, address, process, seen: Arc::clone(&seen) };
        std::thread::spawn(move || seen.fill_from(stream));
        // The bus takes a monitor's name away at the moment from which it sees everything.
        let loses_name = |message: &BusMessage| message.member == "NameLost";
        monitor.seen.wait_for("the loss of its own name", loses_name)?;
        Ok(monitor)
    }

    /// Every method call that was made before this one, in the order of the bus. Calls to the bus itself are left out.
    ///
    /// # Errors
    /// The monitor or the bus has ended.
    pub fn calls(&self) -> Result<Vec<BusMessage>, BusMonitorError> {
        static ASKED: AtomicU32 = AtomicU32::new(0);
        // What comes after this call on the bus was made after it.
        let path = format!("/org/surehand/barrier/{}", ASKED.fetch_add(1, Ordering::Relaxed));
        self.ask(&path, "org.freedesktop.DBus.GetId", &[])?;
        let until = self.seen.wait_for("a call of its own", |message| message.path == path)?;
        let messages = self.seen.messages.lock().unwrap_or_else(PoisonError::into_inner);
        let is_call = |message: &&BusMessage| message.kind == 1 && message.destination != "org.freedesktop.DBus";
        Ok(messages[..until].iter().filter(is_call).cloned().collect())
    }

    /// The calls of [`BusMonitor::calls`] that write.
    ///
    /// # Errors
    /// The monitor or the bus has ended.
    pub fn writes(&self) -> Result<Vec<BusMessage>, BusMonitorError> {
        Ok(self.calls()?.into_iter().filter(BusMessage::is_write).collect())
    }

    /// The process that owns a name on the accessibility bus.
    ///
    /// # Errors
    /// Nobody owns it.
    pub fn process_of(&self, name: &str) -> Result<u32, BusMonitorError> {
        let argument = format!("string:{name}");
        let member = "org.freedesktop.DBus.GetConnectionUnixProcessID";
        let output = self.ask("/org/freedesktop/DBus", member, &[&argument])?;
        let answer = String::from_utf8_lossy(&output.stdout);
        let number = answer.split_whitespace().last().and_then(|word| word.parse().ok());
        number.ok_or_else(|| BusMonitorError::Refused(String::from_utf8_lossy(&output.stderr).into_owned()))
    }

    fn ask(&self, path: &str, member: &str, arguments: &[&str]) -> Result<Output, BusMonitorError> {
        let mut command: Command = self.desktop.command(ASKER)?;
        command.arg(format!("--bus={}", self.address)).args(["--print-reply=literal", "--dest=org.freedesktop.DBus"]);
        let output = command.args([path, member]).args(arguments).stdin(Stdio::null()).output();
        Ok(output.map_err(|source| DesktopError::not_started(ASKER, source))?)
    }
}

impl Drop for BusMonitor<'_> {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

impl Seen {
    fn fill_from(&self, stream: ChildStdout) {
        let mut stream = std::io::BufReader::new(stream);
        while let Some(message) = BusMessage::read_from(&mut stream) {
            self.messages.lock().unwrap_or_else(PoisonError::into_inner).push(message);
            self.more.notify_all();
        }
    }

    /// Waits for a message that matches, and says at which place it came.
    fn wait_for(&self, what: &'static str, matches: impl Fn(&BusMessage) -> bool) -> Result<usize, BusMonitorError> {
        let within = bounds::BUS_ANSWER;
        let deadline = Instant::now() + within;
        let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(place) = messages.iter().position(&matches) {
                return Ok(place);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(BusMonitorError::Silent { what, within });
            }
            messages = self.more.wait_timeout(messages, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
