//! The desktop, its applications, the agent, and the oracles.

use std::path::Path;
use surehand_testbed::{
    Agent, DesktopConfiguration, Fixture, Posture, PrivateDesktop, ScreenSize, Started, ThirdParty, Toolkit, XServer,
};

pub(crate) type Error = Box<dyn std::error::Error>;

pub(crate) struct Stage {
    pub(crate) agent: Agent,
    pub(crate) calculator: Started,
    pub(crate) editor: Started,
    pub(crate) gtk: Fixture,
    pub(crate) qt: Fixture,
    pub(crate) x_server: XServer,
    /// Dropped last: it ends every process of the desktop.
    pub(crate) desktop: PrivateDesktop,
}

impl Stage {
    pub(crate) fn set(surehand: &Path) -> Result<Self, Error> {
        let screen = ScreenSize { width: 1600, height: 1000 };
        let desktop = PrivateDesktop::start(&DesktopConfiguration { screen, ..DesktopConfiguration::default() })?;
        let x_server = XServer::of(&desktop)?;
        let calculator = ThirdParty::GnomeCalculator.start(&desktop, [""; 0])?;
        let editor = ThirdParty::Mousepad.start(&desktop, [""; 0])?;
        let gtk = Fixture::start(&desktop, Toolkit::Gtk3)?;
        let qt = Fixture::start(&desktop, Toolkit::Qt6)?;
        let agent = Agent::start(&desktop, surehand)?;
        Ok(Self { agent, calculator, editor, gtk, qt, x_server, desktop })
    }

    /// Pointer, focus and stacking, for proving that none of them moved.
    pub(crate) fn posture(&self) -> Result<Posture, Error> {
        Ok(self.x_server.posture()?)
    }
}
