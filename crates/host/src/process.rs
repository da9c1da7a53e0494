use std::{fs, io, os::unix::fs::MetadataExt};
use surehand_contract::{ExeIdentity, ProcessInstance};

/// This process, as the kernel names it: the peer of every client that speaks through it.
pub(crate) fn this_process() -> io::Result<ProcessInstance> {
    let malformed = || io::Error::new(io::ErrorKind::InvalidData, "/proc/self/stat is not as documented");
    let stat = fs::read_to_string("/proc/self/stat")?;
    // The command in field 2 may hold anything, also parentheses; fields are counted from the last one.
    let after_command = stat.rsplit_once(')').ok_or_else(malformed)?.1;
    let start_time = after_command.split_ascii_whitespace().nth(19).ok_or_else(malformed)?;
    let exe = fs::metadata("/proc/self/exe")?;
    Ok(ProcessInstance {
        pid: std::process::id(),
        pidfd_inode: None,
        start_time_ticks: start_time.parse().map_err(|_| malformed())?,
        boot_id: fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim_end().to_owned(),
        exe: ExeIdentity {
            path: fs::read_link("/proc/self/exe")?.to_string_lossy().into_owned(),
            device: exe.dev(),
            inode: exe.ino(),
        },
    })
}
