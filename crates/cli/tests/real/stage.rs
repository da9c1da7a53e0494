//! What a test here begins with, and the two questions every test asks of an answer.

use rustix::{
    event::{PollFd, PollFlags, poll},
    process::{Pid, PidfdFlags, pidfd_open},
    time::Timespec,
};
use serde_json::json;
use std::time::Duration;
use surehand_testbed::{Agent, Cause, DesktopConfiguration, Entry, Fixture, Look, PrivateDesktop, ToolAnswer};

/// The program under test.
pub(crate) const SUREHAND: &str = env!("CARGO_BIN_EXE_surehand");

/// What an application may take to journal what it was sent.
pub(crate) const WITHIN: Duration = Duration::from_secs(10);
/// How long nothing more may come after what was expected. GTK 4 runs a press a quarter of a second after its reply.
pub(crate) const QUIET: Duration = Duration::from_millis(500);

pub(crate) fn desktop() -> PrivateDesktop {
    PrivateDesktop::start(&DesktopConfiguration::default()).unwrap()
}

pub(crate) fn agent(desktop: &PrivateDesktop) -> Agent {
    Agent::start(desktop, SUREHAND).unwrap()
}

pub(crate) fn observe(agent: &mut Agent, fixture: &Fixture) -> Look {
    agent.observe_process(fixture.application().id()).unwrap()
}

/// The window of an application that has just started, once it has stopped arranging itself.
pub(crate) fn observe_when_quiet(agent: &mut Agent, process: u32) -> Look {
    let answer = agent.call("wait_for", json!({ "pid": process, "quiet": true })).unwrap();
    assert!(!answer.is_error, "{}", answer.text);
    answer.look().unwrap()
}

/// The element's number; the test ends where there is none.
pub(crate) fn element(look: &Look, role: &str, name: &str) -> u64 {
    look.find(role, name).unwrap_or_else(|| panic!("no {role} {name:?} in\n{}", look.text)).id
}

/// The files of pictures that there are in the user's runtime folder, by their paths in it.
pub(crate) fn picture_files(desktop: &PrivateDesktop) -> Vec<String> {
    let root = desktop.premises().directory.join("run");
    let (mut found, mut folders) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        // A folder may go while it is listed.
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "png") {
                found.push(path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found
}

/// Waits for the end of any process by its pidfd.
pub(crate) fn wait_until_ended(process: u32, within: Duration) {
    let id = Pid::from_raw(process.cast_signed()).unwrap();
    // One that is gone already has no pidfd.
    let Ok(pidfd) = pidfd_open(id, PidfdFlags::empty()) else { return };
    let within = Timespec::try_from(within).unwrap();
    let ended = poll(&mut [PollFd::new(&pidfd, PollFlags::IN)], Some(&within)).unwrap();
    assert_eq!(ended, 1, "process {process} runs on");
}

/// How an action ended, in one line: delivery and effect, and the code where there is one.
pub(crate) fn ending(answer: &ToolAnswer) -> String {
    let verdict = answer.verdict();
    answer.code().map_or(verdict.clone(), |code| format!("{verdict} {code}"))
}

/// What others did to the application, one line each, without the focus and the pointer. Toolkits replace a text in
/// several steps, which count as one.
pub(crate) fn effects(entries: &[Entry]) -> Vec<String> {
    let mut effects: Vec<(String, String)> = Vec::new();
    for entry in entries.iter().filter(|entry| entry.cause == Cause::Outside && entry.element != "window") {
        let deed = format!("{} {}", entry.element, entry.kind);
        match effects.last_mut().filter(|(last, _)| entry.kind == "edited" && *last == deed) {
            Some((_, data)) => *data = entry.data.to_string(),
            None => effects.push((deed, entry.data.to_string())),
        }
    }
    effects.into_iter().map(|(deed, data)| format!("{deed} {data}")).collect()
}
