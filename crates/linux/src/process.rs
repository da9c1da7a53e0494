//! Process instances: which run of which program a pid names, and the proof that it ended.

use rustix::{
    event::{PollFd, PollFlags, poll},
    fs::{fstat, fstatfs, stat},
    process::{Pid, PidfdFlags, pidfd_open},
    time::{ClockId, Timespec, clock_gettime},
};
use std::{
    collections::HashMap,
    fs,
    os::fd::OwnedFd,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};
use surehand_contract::{Code, ExeIdentity, ProcessInstance};

/// `PID_FS_MAGIC` of linux/magic.h. Only pidfds that live there have an inode of their own.
const PIDFS_MAGIC: i64 = 0x5049_4446;

/// A process instance with its pidfd held open: as long as it is held, its end can be proved.
#[derive(Debug)]
pub(crate) struct HeldProcess {
    pub(crate) instance: ProcessInstance,
    pidfd: OwnedFd,
}

impl HeldProcess {
    /// Opens the pidfd first, so that everything read afterwards is of this instance or the pidfd is readable.
    fn acquire(pid: u32) -> Option<Self> {
        let raw = Pid::from_raw(i32::try_from(pid).ok()?)?;
        let pidfd = pidfd_open(raw, PidfdFlags::empty()).ok()?;
        let held = Self { instance: read_instance(pid, &pidfd)?, pidfd };
        held.is_alive().then_some(held)
    }

    /// Whether the process has not ended, by its pidfd.
    pub(crate) fn is_alive(&self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        matches!(poll(&mut [PollFd::new(&self.pidfd, PollFlags::IN)], Some(&now)), Ok(0))
    }

    /// Whether this is still the same run of the same file. `exec` keeps everything but the file.
    fn is_unchanged(&self) -> bool {
        self.is_alive() && read_exe(self.instance.pid).as_ref() == Some(&self.instance.exe)
    }
}

/// The processes whose windows were shown to someone.
#[derive(Debug, Default)]
pub(crate) struct Processes(Mutex<HashMap<u32, Arc<HeldProcess>>>);

impl Processes {
    /// The instance that has this pid now. `None`: there is none, or it may not be looked at.
    pub(crate) fn current(&self, pid: u32) -> Option<Arc<HeldProcess>> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|_, process| process.is_alive());
        if let Some(process) = held.get(&pid).filter(|process| process.is_unchanged()) {
            return Some(Arc::clone(process));
        }
        let process = Arc::new(HeldProcess::acquire(pid)?);
        held.insert(pid, Arc::clone(&process));
        Some(process)
    }

    /// Proves that `instance` is what runs under its pid at this moment.
    pub(crate) fn verify(&self, instance: &ProcessInstance) -> Result<(), Code> {
        match self.current(instance.pid) {
            Some(process) if process.instance == *instance => Ok(()),
            _ => Err(Code::TargetMissing),
        }
    }
}

/// Whether pidfds name instances on this kernel.
pub(crate) fn pidfds_have_inodes() -> bool {
    pidfd_open(rustix::process::getpid(), PidfdFlags::empty()).is_ok_and(|pidfd| pidfd_inode(&pidfd).is_some())
}

fn read_instance(pid: u32, pidfd: &OwnedFd) -> Option<ProcessInstance> {
    Some(ProcessInstance {
        pid,
        pidfd_inode: pidfd_inode(pidfd),
        start_time_ticks: read_start_time(pid)?,
        boot_id: boot_id().to_owned(),
        exe: read_exe(pid)?,
    })
}

fn pidfd_inode(pidfd: &OwnedFd) -> Option<u64> {
    let on_pidfs = fstatfs(pidfd).is_ok_and(|file_system| file_system.f_type == PIDFS_MAGIC);
    on_pidfs.then(|| fstat(pidfd).ok().map(|status| status.st_ino)).flatten()
}

/// Field 22 of `/proc/PID/stat`. The second field may hold spaces and parentheses, so counting starts after the
/// last parenthesis.
fn read_start_time(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let after_name = &stat[stat.rfind(')')? + 1..];
    after_name.split_ascii_whitespace().nth(19)?.parse().ok()
}

fn read_exe(pid: u32) -> Option<ExeIdentity> {
    let link = format!("/proc/{pid}/exe");
    let path = fs::read_link(&link).ok()?;
    let status = stat(&link).ok()?;
    Some(ExeIdentity { path: path.to_string_lossy().into_owned(), device: status.st_dev, inode: status.st_ino })
}

/// How long ago the process started; nothing for what says it starts in the future.
pub(crate) fn age(instance: &ProcessInstance) -> Duration {
    let now = clock_gettime(ClockId::Boottime);
    let since_boot = Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0));
    since_boot.saturating_sub(Duration::from_millis(instance.start_time_ticks.saturating_mul(1_000 / TICKS_PER_SECOND)))
}

/// What `/proc` counts time in (`USER_HZ`), the same on every architecture Rust runs on.
const TICKS_PER_SECOND: u64 = 100;

pub(crate) fn parent_pid(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat[stat.rfind(')')? + 1..].split_ascii_whitespace().nth(1)?.parse().ok()
}

fn boot_id() -> &'static str {
    static BOOT_ID: OnceLock<String> = OnceLock::new();
    BOOT_ID.get_or_init(|| {
        fs::read_to_string("/proc/sys/kernel/random/boot_id").map(|id| id.trim().to_owned()).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn an_ended_process_never_verifies() {
        let processes = Processes::default();
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("cat starts");
        let instance = processes.current(child.id()).expect("it runs").instance.clone();
        assert_eq!(processes.verify(&instance), Ok(()));
        drop(child.stdin.take());
        child.wait().expect("cat ends at the end of its input");
        assert_eq!(processes.verify(&instance), Err(Code::TargetMissing));
    }

    #[test]
    fn a_process_is_as_old_as_it_ran() {
        let own = Processes::default().current(std::process::id()).expect("it runs").instance.clone();
        let age_now = age(&own);
        assert!(age_now < Duration::from_secs(600), "{age_now:?}");
        let first = ProcessInstance { start_time_ticks: 0, ..own };
        assert!(age(&first) > age_now);
    }

    #[test]
    fn exec_changes_the_instance() {
        let processes = Processes::default();
        let mut child = Command::new("sh")
            .args(["-c", "read line; exec cat"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh starts");
        let before = processes.current(child.id()).expect("it runs").instance.clone();
        let mut input = child.stdin.take().expect("a pipe was asked for");
        let mut output = child.stdout.take().expect("a pipe was asked for");
        use std::io::{Read, Write};
        input.write_all(b"go\nx").expect("sh reads");
        output.read_exact(&mut [0]).expect("cat echoes");
        assert_eq!(processes.verify(&before), Err(Code::TargetMissing));
        let after = processes.current(child.id()).expect("it runs on").instance.clone();
        assert_eq!((after.pid, after.start_time_ticks), (before.pid, before.start_time_ticks));
        assert_ne!(after.exe, before.exe);
        drop(input);
        child.wait().expect("cat ends at the end of its input");
    }
}
