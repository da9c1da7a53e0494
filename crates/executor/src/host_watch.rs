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
