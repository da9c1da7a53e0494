//! The processes a desktop consists of, started in the order in which they need each other.

use std::process::{Child, Command, Stdio};

use super::buses::{self, SessionBus};
use super::configuration::{Accessibility, DesktopConfiguration, WindowManager};
use super::display::Display;
use super::environment::Environment;
use super::error::DesktopError;
use super::keeper::Premises;
use super::{profile, program, window_manager};

/// Everything that runs in a desktop before the first application.
#[derive(Debug)]
pub(super) struct Services {
    pub(super) display: Display,
    pub(super) environment: Environment,
    pub(super) accessibility_bus_address: Option<String>,
    others: Vec<Child>,
}

impl Services {
    pub(super) fn start(premises: &Premises, configuration: &DesktopConfiguration) -> Result<Self, DesktopError> {
        let log = Log::open(premises)?;
        profile::lay_out(premises)?;
        let mut environment = Environment::of(premises);
        let display = Display::start(premises, configuration.screen, |name| log.command(premises, &environment, name))?;
        environment.set("DISPLAY", display.name());
        environment.set("XAUTHORITY", display.cookie_file());
        let accessible = configuration.accessibility == Accessibility::On;
        let bus = SessionBus::start(premises, accessible, |name| log.command(premises, &environment, name))?;
        environment.set("DBUS_SESSION_BUS_ADDRESS", &bus.address);
        let mut others = vec![bus.process];
        let prepare = |name: &str| log.command(premises, &environment, name);
        if configuration.window_manager == WindowManager::Openbox {
            others.push(window_manager::start(premises, &display.connect()?, prepare)?);
        }
        let accessibility_bus_address = if accessible { Some(buses::start_accessibility(prepare)?) } else { None };
        Ok(Self { display, environment, accessibility_bus_address, others })
    }

    /// Collects what the keeper has killed.
    pub(super) fn reap(&mut self) {
        for process in self.others.iter_mut().chain([&mut self.display.process]) {
            process.wait().ok();
        }
    }
}

/// Takes what the services complain about.
struct Log {
    file: std::fs::File,
}

impl Log {
    fn open(premises: &Premises) -> Result<Self, DesktopError> {
        let path = premises.service_log();
        let file = std::fs::File::create(&path).map_err(DesktopError::file(&path))?;
        Ok(Self { file })
    }

    fn command(&self, premises: &Premises, environment: &Environment, name: &str) -> Command {
        let mut command = program::command(premises, environment, name);
        command.stderr(self.file.try_clone().map_or_else(|_| Stdio::null(), Stdio::from));
        command
    }
}
