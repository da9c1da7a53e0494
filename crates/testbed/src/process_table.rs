//! What the kernel says about processes.

use std::collections::HashMap;
use std::os::linux::fs::MetadataExt;
use std::path::PathBuf;

/// One process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessEntry {
    /// Its id.
    pub id: u32,
    /// Its parent's id.
    pub parent: u32,
    /// The kernel's one-letter state: `Z` has ended and waits to be collected.
    pub state: char,
    /// Its short name.
    pub name: String,
    /// The real user.
    pub user: u32,
}

/// Every process there is now.
pub fn processes() -> Vec<ProcessEntry> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter_map(process).collect()
}

/// One process; `None` if there is none of that id.
pub fn process(id: u32) -> Option<ProcessEntry> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    Some(ProcessEntry {
        id,
        parent: field("PPid:")?.parse().ok()?,
        state: field("State:")?.chars().next()?,
        name: field("Name:")?.to_owned(),
        user: field("Uid:")?.split_whitespace().next()?.parse().ok()?,
    })
}

/// Whether a process of that id runs; one that has ended and waits to be collected does not.
pub fn is_running(id: u32) -> bool {
    process(id).is_some_and(|entry| !matches!(entry.state, 'Z' | 'X'))
}

/// The children of a process, and theirs.
pub fn descendants(ancestor: u32) -> Vec<ProcessEntry> {
    let all = processes();
    let parents: HashMap<u32, u32> = all.iter().map(|entry| (entry.id, entry.parent)).collect();
    let descends = |entry: &ProcessEntry| {
        let line = std::iter::successors(Some(entry.parent), |id| parents.get(id).copied());
        line.take_while(|id| *id > 0).any(|id| id == ancestor)
    };
    all.iter().filter(|entry| descends(entry)).cloned().collect()
}

/// Whether `id` is a child of `ancestor`, or a child of such a one.
pub fn is_descendant(id: u32, ancestor: u32) -> bool {
    let line = std::iter::successors(process(id), |entry| process(entry.parent));
    line.skip(1).any(|entry| entry.id == ancestor)
}

/// The running processes of a user.
pub fn of_user(user: u32) -> Vec<ProcessEntry> {
    processes().into_iter().filter(|entry| entry.user == user && !matches!(entry.state, 'Z' | 'X')).collect()
}

/// Where the open descriptors of a process lead.
pub fn descriptors(id: u32) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(format!("/proc/{id}/fd")) else { return Vec::new() };
    entries.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok()).collect()
}

/// How many threads a process has.
pub fn thread_count(id: u32) -> usize {
    std::fs::read_dir(format!("/proc/{id}/task")).map_or(0, Iterator::count)
}

/// Its resident memory in bytes.
pub fn resident_bytes(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// The inode of a pidfd of the process: since Linux 6.9 unique per boot, whatever ids are used again.
pub fn instance_inode(id: u32) -> Option<u64> {
    let id = rustix::process::Pid::from_raw(i32::try_from(id).ok()?)?;
    let descriptor = rustix::process::pidfd_open(id, rustix::process::PidfdFlags::empty()).ok()?;
    std::fs::File::from(descriptor).metadata().ok().map(|metadata| metadata.st_ino())
}
