//! The executor dies with its host.

use crate::{Fence, FenceScope};
use rustix::{
    event::{PollFd, PollFlags, poll},
    process::{Pid, PidfdFlags, pidfd_open},
};
use std::{os::fd::OwnedFd, sync::Arc};

/// The host names a process that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the host's process is not there")]
pub(crate) struct NoSuchHost;

/// Once the process `host_pid` has ended nothing is written to an application any more, and `ended` is called.
pub(crate) fn watch(host_pid: u32, fence: Arc<Fence>, ended: impl FnOnce() + Send + 'static) -> Result<(), NoSuchHost> {
    let pid = i32::try_from(host_pid).ok().and_then(Pid::from_raw).ok_or(NoSuchHost)?;
    let host = pidfd_open(pid, PidfdFlags::empty()).map_err(|_| NoSuchHost)?;
    let watching = std::thread::Builder::new().name("host-watch".to_owned()).spawn(move || {
        wait_for_end(&host);
        fence.raise(u64::MAX, FenceScope::Seat);
        ended();
    });
    watching.map(drop).map_err(|_| NoSuchHost)
}

fn wait_for_end(process: &OwnedFd) {
    let mut watched = [PollFd::new(process, PollFlags::IN)];
    while poll(&mut watched, None) == Err(rustix::io::Errno::INTR) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fenced;
    use std::{
        process::{Command, Stdio},
        sync::mpsc::{RecvTimeoutError, channel},
        time::Duration,
    };

    #[test]
    fn when_the_host_has_ended_every_permission_is_void() {
        let mut host = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("cat runs");
        let fence = Fence::new();
        let gate = fence.admit(1, 0, 1);
        let (ended, told) = channel();
        watch(host.id(), Arc::clone(&fence), move || ended.send(()).expect("the test listens"))
            .expect("the host is there");
        assert_eq!(gate.pass(|| ()), Ok(()));
        assert_eq!(told.recv_timeout(Duration::ZERO), Err(RecvTimeoutError::Timeout));
        host.kill().expect("it can be killed");
        assert_eq!(told.recv_timeout(Duration::from_secs(5)), Ok(()));
        assert_eq!(gate.pass(|| ()), Err(Fenced));
        host.wait().expect("it has ended");
    }
}
