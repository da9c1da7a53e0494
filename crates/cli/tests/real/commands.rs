//! The command line: every command as text and as JSON, its exit codes, and what it refuses.

use crate::stage::{QUIET, SUREHAND, WITHIN, desktop, effects, element};
use serde_json::Value;
use std::process::{Command, Stdio};
use surehand_testbed::{
    Entry, Fixture, Journal, Mark, Order, PrivateDesktop, ToolAnswer, Toolkit, XServer, process_table,
};

/// How a command ended.
#[derive(Debug)]
struct Ended {
    code: i32,
    out: String,
    complaint: String,
}

impl Ended {
    fn json(&self) -> Value {
        assert_eq!(self.out.lines().count(), 1, "one object on one line: {self:?}");
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{self:?}"))
    }

    /// Requires that it was refused with that code, in JSON.
    fn refused(&self, exit: i32, code: &str) {
        assert_eq!((self.code, self.json()["error"]["code"].as_str()), (exit, Some(code)), "{self:?}");
        assert!(self.json()["error"]["advice"].is_string(), "{self:?}");
    }
}

fn end(command: &mut Command) -> Ended {
    let output = command.stdin(Stdio::null()).output().unwrap();
    Ended {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        complaint: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs it as the desktop's user.
fn surehand(desktop: &PrivateDesktop, arguments: &[&str]) -> Ended {
    end(desktop.command(SUREHAND).unwrap().args(arguments))
}

/// Runs it and requires success.
fn done(desktop: &PrivateDesktop, arguments: &[&str]) -> Ended {
    let ended = surehand(desktop, arguments);
    assert_eq!((ended.code, ended.complaint.as_str()), (0, ""), "{arguments:?}: {ended:?}");
    ended
}

const COMMANDS: [&[&str]; 17] = [
    &["mcp"],
    &["apps"],
    &["windows"],
    &["observe"],
    &["act"],
    &["act", "click"],
    &["act", "set-value"],
    &["act", "select"],
    &["act", "scroll"],
    &["act", "perform"],
    &["wait"],
    &["launch"],
    &["doctor"],
    &["desktop", "run"],
    &["executor"],
    &["completions"],
    &["man"],
];

#[test]
fn help_and_what_is_not_understood() {
    let run = |arguments: &[&str]| end(Command::new(SUREHAND).args(arguments));
    let whole = run(&["--help"]);
    assert_eq!(whole.code, 0);
    assert!(whole.out.contains("Exit codes:"), "{}", whole.out);
    for command in COMMANDS {
        assert!(whole.out.contains(command[0]), "{command:?}");
        let help = run(&[command, &["--help"]].concat());
        assert_eq!((help.code, help.complaint.as_str()), (0, ""), "{command:?}");
        assert!(help.out.contains("Usage: surehand"), "{command:?}: {}", help.out);
        let unknown = run(&[command, &["--no-such-flag"]].concat());
        assert_eq!((unknown.code, unknown.out.as_str()), (2, ""), "{command:?}");
        assert!(unknown.complaint.contains("--no-such-flag"), "{command:?}: {}", unknown.complaint);
    }
    for wrong in [
        &[][..],
        &["fly"],
        &["observe"],
        &["observe", "--app", "a", "--pid", "1"],
        &["observe", "--pid", "one"],
        &["wait", "--pid", "1"],
        &["act", "click", "--observation", "x"],
        &["act", "click", "--element", "1"],
        &["act", "scroll", "sideways", "--pid", "1", "--name", "a"],
        &["act", "set-value"],
        &["desktop", "run"],
        &["desktop", "run", "--screen", "0x0", "--", "true"],
        &["launch"],
    ] {
        let ended = run(wrong);
        assert_eq!((ended.code, ended.out.as_str()), (2, ""), "{wrong:?}: {ended:?}");
        assert!(!ended.complaint.is_empty(), "{wrong:?}");
    }
    assert_eq!(run(&["--version"]).code, 0);
    let bash = run(&["completions", "bash"]);
    assert!(bash.code == 0 && bash.out.contains("surehand"), "{bash:?}");
}

#[test]
fn listing_and_looking() {
    let desktop = desktop();
    let fixture = Fixture::start(&desktop, Toolkit::Gtk3).unwrap();
    let pid = fixture.application().id().to_string();
    let window = format!("{:#x}", fixture.window().id);

    let apps = done(&desktop, &["apps"]).out;
    assert!(apps.contains(&format!("pid={pid}")) && apps.contains("Fixture gtk3"), "{apps}");
    let apps = done(&desktop, &["apps", "--json"]).json();
    let own = |application: &&Value| application["process"]["pid"].as_u64() == pid.parse().ok();
    assert_eq!(apps["applications"].as_array().unwrap().iter().filter(own).count(), 1, "{apps}");
    let none = done(&desktop, &["apps", "no such application", "--json"]).json();
    assert_eq!(none["applications"], Value::Array(Vec::new()));

    let windows = done(&desktop, &["windows"]).out;
    assert!(windows.contains(&window) && windows.contains("\"Fixture gtk3\""), "{windows}");
    let windows = done(&desktop, &["windows", "--json"]).json();
    assert_eq!(windows["windows"][0]["title"], "Fixture gtk3", "{windows}");
    assert_eq!(windows["windows"][0]["bounds"]["width"], fixture.window().bounds.width, "{windows}");

    for choice in [["--pid", &pid], ["--window", &window], ["--app", "gtk3.py"]] {
        let text = done(&desktop, &[&["observe"][..], &choice].concat()).out;
        assert!(text.contains("button \"Save\"") && text.contains("[begin untrusted"), "{text}");
    }
    let observed = done(&desktop, &["observe", "--pid", &pid, "--json"]).json();
    assert!(named(&observed, "Save")["digest"].as_str().unwrap().starts_with("sha256:"), "{observed}");
    let found = done(&desktop, &["observe", "--pid", &pid, "--query", "passphrase"]).out;
    assert!(found.contains("Passphrase") && !found.contains("Remember me"), "{found}");
    let picture = desktop.home().join("window.png");
    done(&desktop, &["observe", "--pid", &pid, "--screenshot", picture.to_str().unwrap()]);
    assert_eq!(&std::fs::read(&picture).unwrap()[..8], b"\x89PNG\r\n\x1a\n");
    surehand(&desktop, &["observe", "--pid", "4194303", "--json"]).refused(1, "target_missing");
    let missing = surehand(&desktop, &["observe", "--app", "no such application"]);
    assert!(missing.code == 1 && missing.complaint.contains("refused: target_missing"), "{missing:?}");

    let met = done(&desktop, &["wait", "--pid", &pid, "--text", "Records", "--json"]).json();
    assert_eq!(met["met"], true, "{met}");
    assert!(done(&desktop, &["wait", "--pid", &pid, "--window-title", "gtk3"]).out.contains("Fixture gtk3"));
    let unmet = surehand(&desktop, &["wait", "--pid", &pid, "--text", "no such text", "--timeout-ms", "100", "--json"]);
    assert_eq!((unmet.code, &unmet.json()["met"]), (5, &Value::Bool(false)), "{unmet:?}");
}

fn named<'a>(observed: &'a Value, name: &str) -> &'a Value {
    let elements = observed["snapshot"]["elements"].as_array().unwrap();
    elements.iter().find(|element| element["name"] == name).unwrap_or_else(|| panic!("{observed}"))
}

/// What `act` rests on: an observation that is used up by it, a digest, or a look of its own.
#[test]
fn acting() {
    let desktop = desktop();
    let fixture = Fixture::start(&desktop, Toolkit::Gtk3).unwrap();
    let pid = fixture.application().id().to_string();
    let journal = fixture.journal();
    let observed = done(&desktop, &["observe", "--pid", &pid, "--json"]).json();
    let observation = observed["observation"].as_str().unwrap();
    let save = named(&observed, "Save");
    let (id, digest) = (save["stableId"].to_string(), save["digest"].as_str().unwrap());

    let by_observation = ["act", "click", "--observation", observation, "--element", &id, "--json"];
    let mark = journal.mark().unwrap();
    let acted = done(&desktop, &by_observation).json();
    assert_eq!((&acted["basis"], &acted["verdict"]["delivery"]), (&"observation".into(), &"delivered".into()));
    require_press(journal, mark);
    let mark = journal.mark().unwrap();
    surehand(&desktop, &by_observation).refused(1, "duplicate_action");
    surehand(&desktop, &["act", "click", "--observation", "o0000000000000", "--element", "1", "--json"])
        .refused(1, "stale_observation");
    surehand(&desktop, &["act", "click", "--observation", "../../escape", "--element", "1", "--json"])
        .refused(1, "stale_observation");

    // The button is what it was, and so is its digest.
    let by_digest = ["act", "click", "--pid", &pid, "--expect", digest, "--json"];
    assert_eq!(effects(&journal.since(mark).unwrap()), [""; 0]);
    let acted = done(&desktop, &by_digest).json();
    assert_eq!(acted["basis"], "digest");
    require_press(journal, mark);
    fixture.order(&Order::RenameButton { label: "Delete everything".to_owned() }).unwrap();
    let mark = journal.mark().unwrap();
    surehand(&desktop, &by_digest).refused(1, "target_changed");
    surehand(&desktop, &["act", "click", "--pid", &pid, "--name", "Save", "--json"]).refused(1, "target_missing");
    surehand(&desktop, &["act", "click", "--pid", &pid, "--name", "Delete", "--json"]).refused(1, "ambiguous_target");
    surehand(&desktop, &["act", "click", "--pid", &pid, "--name", "Locked", "--json"]).refused(1, "not_actionable");
    let write = ["act", "set-value", "x", "--pid", &pid, "--name", "Passphrase", "--json"];
    surehand(&desktop, &write).refused(1, "grant_missing");
    let nameless = surehand(&desktop, &["act", "click", "--pid", &pid]);
    assert!(nameless.code == 2 && nameless.complaint.contains("--name"), "{nameless:?}");
    assert_eq!(effects(&journal.since(mark).unwrap()), [""; 0]);

    fixture.order(&Order::RenameButton { label: "Save".to_owned() }).unwrap();
    let mark = journal.mark().unwrap();
    let text = done(&desktop, &["act", "click", "--pid", &pid, "--name", "Save"]).out;
    assert!(text.contains("a look of this command's own"), "{text}");
    require_press(journal, mark);
    verbs(&desktop, &fixture, &pid);
}

fn require_press(journal: &Journal, mark: Mark) {
    let press = |entry: &Entry| entry.is_outside("save", "activated");
    journal.require_exactly_one(mark, WITHIN, QUIET, press).unwrap();
}

fn verbs(desktop: &PrivateDesktop, fixture: &Fixture, pid: &str) {
    for (verb, element, received) in [
        (&["set-value", "Zoë"][..], &["--role", "text", "--name", "Full name"][..], "name edited \"Zoë\""),
        (&["set-value", "70"], &["--role", "slider"], "volume valued 70.0"),
        (&["select"], &["--role", "list item", "--name", "Cleo"], "records selected \"Cleo\""),
        (&["scroll", "down"], &["--role", "scroll bar"], "lines scrolled 198.0"),
        (&["perform", "click"], &["--role", "check box"], "remember toggled true"),
    ] {
        let mark = fixture.journal().mark().unwrap();
        let arguments = [&["act"], verb, &["--pid", pid, "--json"], element].concat();
        let acted = done(desktop, &arguments).json();
        assert_eq!(
            (&acted["basis"], &acted["verdict"]["effect"]),
            (&"own_look".into(), &"confirmed".into()),
            "{acted}"
        );
        fixture.settle().unwrap();
        assert_eq!(effects(&fixture.journal().since(mark).unwrap()), [received], "{arguments:?}");
    }
}

/// An observation as text names elements by the numbers that `act` takes.
#[test]
fn from_text_to_action() {
    let desktop = desktop();
    let fixture = Fixture::start(&desktop, Toolkit::Qt6).unwrap();
    let pid = fixture.application().id().to_string();
    let text = done(&desktop, &["observe", "--pid", &pid]).out;
    let look = ToolAnswer { text, structured: None, picture: None, is_error: false }.look().unwrap();
    let save = element(&look, "button", "Save").to_string();
    let mark = fixture.journal().mark().unwrap();
    let acted = done(&desktop, &["act", "click", "--observation", &look.observation, "--element", &save]).out;
    assert!(acted.contains("delivered"), "{acted}");
    require_press(fixture.journal(), mark);
}

#[test]
fn launching() {
    let desktop = desktop();
    let x_server = XServer::of(&desktop).unwrap();
    let launched = done(&desktop, &["launch", "galculator", "--json"]).json();
    assert_eq!(launched["verdict"]["delivery"], "delivered", "{launched}");
    let window = x_server.wait_for_window("the calculator", WITHIN, |window| window.title == "galculator").unwrap();
    assert_eq!(launched["launched"]["process"]["pid"], window.process.unwrap(), "{launched}");
    // It outlives the command that started it.
    assert!(process_table::is_running(window.process.unwrap()));
    let text = done(&desktop, &["launch", "mousepad"]).out;
    assert!(text.starts_with("started pid="), "{text}");
    surehand(&desktop, &["launch", "no-such-program", "--json"]).refused(1, "target_missing");
}

#[test]
fn doctor() {
    let desktop = desktop();
    let claims = |report: &Value| {
        let capabilities = report["desktop"]["capabilities"].as_array().unwrap().clone();
        let claim = |capability: Value| format!("{} {}", capability["name"], capability["claim"]).replace('"', "");
        capabilities.into_iter().map(claim).collect::<Vec<_>>()
    };
    let well = done(&desktop, &["doctor", "--json"]).json();
    for claimed in ["windows claimed", "pictures claimed", "accessibility claimed"] {
        assert!(claims(&well).contains(&claimed.to_owned()), "{well}");
    }
    assert!(done(&desktop, &["doctor"]).out.contains("accessibility: claimed"));

    let blind = |arguments: &[&str]| {
        end(desktop.command(SUREHAND).unwrap().args(arguments).env_remove("DISPLAY").env_remove("XAUTHORITY"))
    };
    let report = blind(&["doctor", "--json"]);
    assert_eq!(report.code, 5, "{report:?}");
    for missing in ["windows not_claimed", "pictures not_claimed", "accessibility not_claimed"] {
        assert!(claims(&report.json()).contains(&missing.to_owned()), "{report:?}");
    }
    let text = blind(&["doctor"]);
    assert!(text.code == 5 && text.out.contains("repair: ") && text.out.contains("DISPLAY"), "{text:?}");
    for command in [&["apps", "--json"][..], &["windows", "--json"], &["observe", "--app", "any", "--json"]] {
        blind(command).refused(4, "desktop_unavailable");
    }
    let nowhere = "unix:path=/nonexistent/bus";
    let mut deaf = desktop.command(SUREHAND).unwrap();
    let deaf = end(deaf.args(["doctor", "--json"]).env("DBUS_SESSION_BUS_ADDRESS", nowhere));
    assert_eq!(deaf.code, 5, "{deaf:?}");
    assert!(claims(&deaf.json()).contains(&"accessibility not_claimed".to_owned()), "{deaf:?}");
}

/// The desktop of a command ends with it, and it exits as the command did.
#[test]
fn private_desktops() {
    let run = |command: &[&str]| end(Command::new(SUREHAND).args(["desktop", "run", "--"]).args(command));
    assert_eq!(run(&["false"]).code, 1);
    assert_eq!(run(&["sh", "-c", "exit 42"]).code, 42);
    assert_eq!(run(&["sh", "-c", "kill -9 $$"]).code, 128);
    let missing = run(&["/no/such/program"]);
    assert!(missing.code == 4 && missing.complaint.contains("/no/such/program"), "{missing:?}");
    let told = run(&["sh", "-c", "sleep 600 & echo $SUREHAND_DESKTOP $HOME $DISPLAY"]);
    assert_eq!(told.code, 0, "{told:?}");
    let [marker, home, display] = told.out.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{told:?}") };
    assert!(!std::path::Path::new(home).exists(), "{home}");
    let carries_marker = |id: u32| {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == format!("SUREHAND_DESKTOP={marker}").as_bytes())
    };
    let left: Vec<_> = process_table::processes().into_iter().filter(|process| carries_marker(process.id)).collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!std::path::Path::new(&format!("/tmp/.X11-unix/X{}", &display[1..])).exists(), "{display}");
    let size = run(&["xdpyinfo"]);
    assert!(size.out.contains("1280x1024 pixels"), "{size:?}");
    let mut wide = Command::new(SUREHAND);
    let wide = end(wide.args(["desktop", "run", "--screen", "1920x1080", "--", "xdpyinfo"]));
    assert!(wide.out.contains("1920x1080 pixels"), "{wide:?}");
}

#[test]
fn the_executor_alone() {
    let empty = end(Command::new(SUREHAND).arg("executor"));
    assert_eq!((empty.code, empty.out.as_str()), (0, ""), "{empty:?}");
}

#[test]
fn manual_pages() {
    let desktop = desktop();
    let folder = desktop.home().join("man");
    done(&desktop, &["man", desktop.home().to_str().unwrap()]);
    let pages: Vec<_> = std::fs::read_dir(desktop.home()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(pages.iter().any(|page| page == "surehand-observe.1"), "{pages:?}");
    let nowhere = surehand(&desktop, &["man", folder.join("none").to_str().unwrap()]);
    assert!(nowhere.code == 4 && !nowhere.complaint.is_empty(), "{nowhere:?}");
}
