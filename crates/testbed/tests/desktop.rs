//! The private desktop: ready in time, ordinary, apart from everything else, and gone without a trace.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use surehand_testbed::{
    Accessibility, DesktopConfiguration, DesktopError, Premises, PrivateDesktop, WindowManager, XServer, process_table,
};

/// Generous: two cores may be busy with other tests.
const FOUR_DESKTOPS: Duration = Duration::from_secs(30);
const GONE: Duration = Duration::from_secs(20);

fn desktop() -> PrivateDesktop {
    PrivateDesktop::start(&DesktopConfiguration::default()).unwrap()
}

fn said(desktop: &PrivateDesktop, program: &str, arguments: &[&str]) -> String {
    let output = desktop.command(program).unwrap().args(arguments).output().unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn user_exists(name: &str) -> bool {
    std::fs::read_to_string("/etc/passwd").unwrap().lines().any(|line| line.starts_with(&format!("{name}:")))
}

/// A display's socket; the next desktop may take the same number, and even the same user number, but not at the same time.
#[derive(Debug, PartialEq, Eq)]
struct Socket {
    display: String,
    made: Option<(u64, i64, i64)>,
}

impl Socket {
    fn of(display: &str) -> Self {
        let path = format!("/tmp/.X11-unix/X{}", display.trim_start_matches(':'));
        let made = std::fs::metadata(&path).ok().map(|found| (found.ino(), found.ctime(), found.ctime_nsec()));
        Self { display: display.to_owned(), made }
    }
}

/// What is still there of a desktop.
fn remains(premises: &Premises, socket: &Socket) -> Vec<String> {
    let mut remains = Vec::new();
    if premises.directory.exists() {
        remains.push(format!("directory {}", premises.directory.display()));
    }
    assert!(socket.made.is_some(), "the socket was there before");
    if Socket::of(&socket.display) == *socket {
        remains.push(format!("{socket:?}"));
    }
    if let Some(user) = premises.user.as_ref().filter(|user| user_exists(user)) {
        remains.push(format!("user {user}"));
    }
    let marker = format!("SUREHAND_DESKTOP={}", premises.marker);
    for process in process_table::processes() {
        let environment = std::fs::read(format!("/proc/{}/environ", process.id)).unwrap_or_default();
        if String::from_utf8_lossy(&environment).split('\0').any(|variable| variable == marker) {
            remains.push(format!("process {process:?}"));
        }
    }
    remains
}

#[test]
fn four_desktops_start_together() {
    let began = Instant::now();
    let starts: Vec<_> = (0..4).map(|_| std::thread::spawn(desktop)).collect();
    let desktops: Vec<_> = starts.into_iter().map(|start| start.join().unwrap()).collect();
    assert!(began.elapsed() < FOUR_DESKTOPS, "took {:?}", began.elapsed());
    let different = |values: Vec<String>| values.into_iter().collect::<HashSet<_>>().len();
    assert_eq!(different(desktops.iter().map(PrivateDesktop::display_name).collect()), 4);
    assert_eq!(different(desktops.iter().map(|one| one.premises().directory.display().to_string()).collect()), 4);
    if is_root() {
        assert_eq!(different(desktops.iter().map(|one| one.premises().uid.to_string()).collect()), 4);
    }
    for desktop in &desktops {
        assert_eq!(said(desktop, "xdotool", &["getdisplaygeometry"]), "1280 1024");
    }
}

#[test]
fn everything_runs_as_an_ordinary_user() {
    let desktop = desktop();
    let premises = desktop.premises();
    assert_ne!(said(&desktop, "id", &["-u"]), "0");
    assert_eq!(said(&desktop, "id", &["-u"]), premises.uid.to_string());
    assert_eq!(said(&desktop, "pwd", &[]), desktop.home().display().to_string());
    if is_root() {
        assert_eq!(said(&desktop, "id", &["-G"]), premises.gid.to_string(), "root's further groups are dropped");
        let services: Vec<_> = process_table::of_user(premises.uid).into_iter().map(|entry| entry.name).collect();
        for service in ["Xvfb", "dbus-daemon", "openbox", "at-spi-bus-laun", "at-spi2-registr"] {
            assert!(services.iter().any(|name| name == service), "{service} is not among {services:?}");
        }
    }
}

#[test]
fn only_its_own_user_is_let_in() {
    let desktop = desktop();
    for private in ["home", "run", "tmp"] {
        let mode = premises_mode(&desktop, private);
        assert_eq!(mode & 0o077, 0, "{private} is open to others: {mode:o}");
    }
    let cookieless = Command::new("xdotool")
        .arg("getmouselocation")
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("DISPLAY", desktop.display_name())
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(!cookieless.success(), "the X server let in a client without the cookie");
}

fn premises_mode(desktop: &PrivateDesktop, name: &str) -> u32 {
    std::fs::metadata(desktop.premises().directory.join(name)).unwrap().permissions().mode()
}

#[test]
fn the_environment_of_the_caller_does_not_leak_in() {
    let desktop = desktop();
    let variables = said(&desktop, "env", &[]);
    let names: HashSet<_> = variables.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    let ours: HashSet<_> = desktop.environment().iter().map(|(name, _)| name.to_str().unwrap()).collect();
    assert_eq!(names, ours);
    assert!(!names.contains("NO_AT_BRIDGE") && !names.contains("CARGO_MANIFEST_DIR"));
}

#[test]
fn stopping_leaves_nothing() {
    let desktop = desktop();
    let premises = desktop.premises().clone();
    let socket = Socket::of(&desktop.display_name());
    // One that leaves its parent, its session and its process group, one that ignores being asked, one that hangs.
    let mut stopped = desktop.spawn("sleep", ["1000"]).unwrap();
    stopped.freeze().unwrap();
    let script =
        "setsid setsid sleep 1000 & trap '' TERM HUP INT; mkdir /tmp/$USER-stray; echo up; sleep 1000; sleep 1000";
    let mut stubborn = desktop.command("sh").unwrap().args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(stubborn.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "up\n");
    let ending = desktop.stop().unwrap();
    assert!(ending.ended.contains(&stopped.id()) && ending.ended.contains(&stubborn.id()), "{ending:?}");
    assert!(!stubborn.wait().unwrap().success());
    assert!(stopped.ended().unwrap().is_some());
    assert_eq!(remains(&premises, &socket), Vec::<String>::new());
    if let Some(user) = &premises.user {
        let stray = PathBuf::from(format!("/tmp/{user}-stray"));
        assert!(!stray.exists(), "what the user left in /tmp goes with it");
    } else {
        std::fs::remove_dir(format!("/tmp/{}-stray", std::env::var("USER").unwrap_or_else(|_| "user".into()))).ok();
    }
}

#[test]
fn a_desktop_that_cannot_start_says_why() {
    let mut configuration = DesktopConfiguration::default();
    configuration.screen.width = 0;
    let error = PrivateDesktop::start(&configuration).unwrap_err();
    let DesktopError::NotFurnished { source, log } = error else { panic!("{error:?}") };
    assert!(matches!(*source, DesktopError::NotReady { what: "the X server", .. }), "{source:?}");
    assert!(log.contains("Fatal server error"), "the X server's own words are told: {log}");
}

/// The desktop of a process of its own, which can then be killed.
struct Owner {
    process: Child,
    premises: Premises,
    socket: Socket,
}

impl Owner {
    fn start() -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_private-desktop"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut variables = std::collections::HashMap::new();
        for line in BufReader::new(process.stdout.as_mut().unwrap()).lines() {
            let line = line.unwrap();
            let (name, value) = line.strip_prefix("export ").unwrap().split_once('=').unwrap();
            variables.insert(name.to_owned(), value.trim_matches('\'').to_owned());
            if name == "AT_SPI_BUS_ADDRESS" {
                break;
            }
        }
        let home = PathBuf::from(&variables["HOME"]);
        let metadata = home.metadata().unwrap();
        let premises = Premises {
            directory: home.parent().unwrap().to_owned(),
            marker: variables["SUREHAND_DESKTOP"].clone(),
            user: is_root().then(|| variables["USER"].clone()),
            uid: metadata.uid(),
            gid: metadata.gid(),
        };
        Self { process, premises, socket: Socket::of(&variables["DISPLAY"]) }
    }

    fn keeper(&self) -> u32 {
        let children = process_table::descendants(self.process.id());
        children.into_iter().find(|child| child.name.starts_with("python3")).expect("the keeper is a child").id
    }

    fn kill(mut self) -> (Premises, Socket) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        (self.premises, self.socket)
    }
}

/// Watches the directory's parent for its removal, which is the keeper's last step.
fn wait_until_removed(directory: &Path) {
    use rustix::fs::inotify;
    let watch = inotify::init(inotify::CreateFlags::CLOEXEC).unwrap();
    inotify::add_watch(&watch, "/tmp", inotify::WatchFlags::DELETE).unwrap();
    let deadline = Instant::now() + GONE;
    while directory.exists() {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut watched = [rustix::event::PollFd::new(&watch, rustix::event::PollFlags::IN)];
        let ready = rustix::event::poll(&mut watched, Some(&left.try_into().unwrap())).unwrap();
        assert!(ready > 0, "{} is still there after {GONE:?}", directory.display());
        rustix::io::read(&watch, &mut [0; 4096]).unwrap();
    }
}

#[test]
fn killing_its_owner_leaves_nothing() {
    let owner = Owner::start();
    assert!(!remains(&owner.premises, &owner.socket).is_empty());
    let (premises, socket) = owner.kill();
    wait_until_removed(&premises.directory);
    assert_eq!(remains(&premises, &socket), Vec::<String>::new());
}

#[test]
fn the_next_desktop_clears_away_what_a_killed_keeper_left() {
    let owner = Owner::start();
    let keeper = rustix::process::Pid::from_raw(owner.keeper().cast_signed()).unwrap();
    rustix::process::kill_process(keeper, rustix::process::Signal::KILL).unwrap();
    let (premises, socket) = owner.kill();
    let next = desktop();
    assert_eq!(remains(&premises, &socket), Vec::<String>::new());
    assert!(!remains(next.premises(), &Socket::of(&next.display_name())).is_empty(), "a living desktop is spared");
}

#[test]
fn it_needs_no_root() {
    let outer = desktop();
    // Inside a desktop of an ordinary user, another one runs as that same user.
    let output = outer.command(env!("CARGO_BIN_EXE_private-desktop")).unwrap().args(["id", "-u"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text.lines().last().unwrap(), outer.premises().uid.to_string());
    assert!(text.contains(&format!("SUREHAND_DESKTOP='{}:", outer.premises().marker)), "it carries both marks");
    assert_eq!(said(&outer, "xdotool", &["getdisplaygeometry"]), "1280 1024", "the outer one goes on");
}

#[test]
fn a_command_hands_back_its_exit_status() {
    let desktop = desktop();
    assert_eq!(desktop.run("sh", ["-c", "exit 7"]).unwrap().code(), Some(7));
    let missing = desktop.run("no-such-program", [""; 0]).unwrap_err();
    assert!(matches!(missing, DesktopError::NotInstalled { program } if program == "no-such-program"));
}

#[test]
fn what_is_out_of_reach_is_copied_in() {
    let desktop = desktop();
    let directory = PathBuf::from(format!("/tmp/surehand-out-of-reach-{}", std::process::id()));
    std::fs::create_dir_all(directory.join("data/deep")).unwrap();
    let program = directory.join("program");
    for (path, text, mode) in [
        (&program, "#!/bin/sh\nid -u\ncat \"$1\"\n", 0o700),
        (&directory.join("data/deep/file"), "text", 0o600),
        (&directory, "", 0o700),
    ] {
        if !text.is_empty() {
            std::fs::write(path, text).unwrap();
        }
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let data = desktop.bring(directory.join("data")).unwrap();
    let said = said(&desktop, program.to_str().unwrap(), &[data.join("deep/file").to_str().unwrap()]);
    std::fs::remove_dir_all(&directory).unwrap();
    assert_eq!(said, format!("{}\ntext", desktop.premises().uid));
    assert_eq!(desktop.bring("/usr/bin/env").unwrap(), Path::new("/usr/bin/env"), "what is in reach stays in place");
}

#[test]
fn nothing_but_accessibility_is_started_by_the_bus() {
    let desktop = desktop();
    let names = said(
        &desktop,
        "dbus-send",
        &[
            "--session",
            "--print-reply=literal",
            "--dest=org.freedesktop.DBus",
            "/org/freedesktop/DBus",
            "org.freedesktop.DBus.ListActivatableNames",
        ],
    );
    let names: Vec<_> = names.split_whitespace().filter(|word| word.contains('.')).collect();
    assert_eq!(names, ["org.freedesktop.DBus", "org.a11y.Bus"]);
}

#[test]
fn accessibility_and_window_manager_can_be_left_out() {
    let configuration = DesktopConfiguration {
        accessibility: Accessibility::Absent,
        window_manager: WindowManager::None,
        ..DesktopConfiguration::default()
    };
    let desktop = PrivateDesktop::start(&configuration).unwrap();
    assert_eq!(desktop.accessibility_bus_address(), None);
    let asked = desktop
        .command("dbus-send")
        .unwrap()
        .args(["--session", "--print-reply", "--dest=org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus.GetAddress"])
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(!asked.success(), "no accessibility bus may start by itself");
    assert_eq!(XServer::of(&desktop).unwrap().posture().unwrap().active_window, None);
    let mut names = String::new();
    for process in process_table::of_user(desktop.premises().uid) {
        names += &process.name;
    }
    assert!(!is_root() || !names.contains("openbox"), "{names}");
}
