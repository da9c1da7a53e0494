//! The session bus, and the accessibility bus that it starts.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::error::DesktopError;
use super::keeper::Premises;
use crate::bounded_line::read_line_within;
use crate::bounds;

const PROGRAM: &str = "dbus-daemon";
/// Where distributions install it, Debian first.
const LAUNCHERS: [&str; 3] =
    ["/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher", "/usr/lib/at-spi-bus-launcher"];

/// A running session bus.
#[derive(Debug)]
pub(super) struct SessionBus {
    pub(super) process: Child,
    pub(super) address: String,
}

/// Where the bus of a desktop will listen; known before it does.
pub(super) fn session_bus_address(premises: &Premises) -> String {
    format!("unix:path={}", premises.directory.join("run/bus").display())
}

impl SessionBus {
    /// `prepare` makes a command that runs as the desktop's user.
    pub(super) fn start(
        premises: &Premises,
        with_accessibility: bool,
        prepare: impl FnOnce(&str) -> Command,
    ) -> Result<Self, DesktopError> {
        let configuration = write_configuration(premises, with_accessibility)?;
        let mut process = prepare(PROGRAM)
            .arg("--config-file")
            .arg(configuration)
            .args(["--nofork", "--nopidfile", "--nosyslog", "--print-address=1"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|source| DesktopError::not_started(PROGRAM, source))?;
        let mut said = process.stdout.take().expect("stdout was asked to be a pipe");
        let address = read_line_within(&mut said, bounds::BUS_START)
            .map_err(|source| DesktopError::NotReady { what: "the session bus", source })?;
        Ok(Self { process, address })
    }
}

/// Starts the accessibility bus, waits until its registry owns its name, and says where it listens.
///
/// Both questions start the service they are put to, and are answered when it serves: nothing is asked twice.
pub(super) fn start_accessibility(prepare: impl Fn(&str) -> Command) -> Result<String, DesktopError> {
    let address = ask(
        prepare("dbus-send"),
        "the session bus",
        "org.a11y.Bus.GetAddress",
        &["--session", "--dest=org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus.GetAddress"],
    )?;
    ask(
        prepare("dbus-send"),
        "the accessibility bus",
        "org.freedesktop.DBus.StartServiceByName",
        &[
            &format!("--bus={address}"),
            "--dest=org.freedesktop.DBus",
            "/org/freedesktop/DBus",
            "org.freedesktop.DBus.StartServiceByName",
            "string:org.a11y.atspi.Registry",
            "uint32:0",
        ],
    )?;
    Ok(address)
}

fn ask(
    mut command: Command,
    bus: &'static str,
    question: &'static str,
    arguments: &[&str],
) -> Result<String, DesktopError> {
    let timeout = format!("--reply-timeout={}", bounds::BUS_START.as_millis());
    let output = command
        .args(["--print-reply=literal", &timeout])
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|source| DesktopError::not_started("dbus-send", source))?;
    if !output.status.success() {
        let answer = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(DesktopError::BusSilent { bus, question, answer });
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A bus that starts nothing but the accessibility bus: what else is installed would differ from machine to machine.
fn write_configuration(premises: &Premises, with_accessibility: bool) -> Result<PathBuf, DesktopError> {
    let services = premises.directory.join("services");
    std::fs::create_dir(&services).map_err(DesktopError::file(&services))?;
    if with_accessibility {
        let launcher = LAUNCHERS
            .into_iter()
            .find(|candidate| Path::new(candidate).exists())
            .ok_or_else(|| DesktopError::NotInstalled { program: "at-spi-bus-launcher".to_owned() })?;
        let service = format!("[D-BUS Service]\nName=org.a11y.Bus\nExec={launcher} --launch-immediately --a11y=1\n");
        let path = services.join("org.a11y.Bus.service");
        std::fs::write(&path, service).map_err(DesktopError::file(&path))?;
    }
    let path = premises.directory.join("session-bus.conf");
    let address = session_bus_address(premises);
    let services = services.display();
    let configuration = format!(
        r#"<busconfig>
  <type>session</type>
  <listen>{address}</listen>
  <auth>EXTERNAL</auth>
  <servicedir>{services}</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#
    );
    std::fs::write(&path, configuration).map_err(DesktopError::file(&path))?;
    Ok(path)
}
