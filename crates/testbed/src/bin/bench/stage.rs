//! The desktop, the windows and the servers, each started when it is first needed.

use crate::{peers, subject::Subject};
use std::{collections::HashMap, path::PathBuf};
use surehand_testbed::{Agent, Compared, DesktopConfiguration, PrivateDesktop, ScreenSize, Started};

pub(crate) type Error = Box<dyn std::error::Error>;

pub(crate) struct Programs {
    pub(crate) surehand: PathBuf,
    pub(crate) cua_driver: PathBuf,
}

/// Which window everybody looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) process: u32,
    pub(crate) id: u32,
}

pub(crate) struct Stage {
    programs: Programs,
    agent: Option<Agent>,
    cua_driver: Option<Agent>,
    started: HashMap<Subject, Started>,
    compared: HashMap<Subject, Compared>,
    /// Dropped last: it ends every process of the desktop.
    desktop: PrivateDesktop,
}

impl Stage {
    pub(crate) fn set(programs: Programs) -> Result<Self, Error> {
        let screen = ScreenSize { width: 1600, height: 1000 };
        let desktop = PrivateDesktop::start(&DesktopConfiguration { screen, ..DesktopConfiguration::default() })?;
        let (started, compared) = (HashMap::new(), HashMap::new());
        Ok(Self { programs, agent: None, cua_driver: None, started, compared, desktop })
    }

    pub(crate) const fn desktop(&self) -> &PrivateDesktop {
        &self.desktop
    }

    pub(crate) const fn programs(&self) -> &Programs {
        &self.programs
    }

    pub(crate) fn agent(&mut self) -> Result<&mut Agent, Error> {
        if self.agent.is_none() {
            self.agent = Some(Agent::start(&self.desktop, &self.programs.surehand)?);
        }
        Ok(self.agent.as_mut().expect("it was just started"))
    }

    pub(crate) fn cua_driver(&mut self) -> Result<&mut Agent, Error> {
        if self.cua_driver.is_none() {
            self.cua_driver = Some(peers::start_cua_driver(&self.desktop, &self.programs.cua_driver)?);
        }
        Ok(self.cua_driver.as_mut().expect("it was just started"))
    }

    pub(crate) fn window(&mut self, subject: Subject) -> Result<Window, Error> {
        if !self.started.contains_key(&subject) {
            self.started.insert(subject, subject.start(&self.desktop)?);
        }
        let window = &self.started[&subject].window;
        Ok(Window { process: window.process.ok_or("the window has no process")?, id: window.id })
    }

    /// surehand's whole answer beside pyatspi's whole reading.
    pub(crate) fn compared(&mut self, subject: Subject) -> Result<&Compared, Error> {
        let process = self.window(subject)?.process;
        if !self.compared.contains_key(&subject) {
            self.agent()?;
            let agent = self.agent.as_mut().expect("it was just started");
            self.compared.insert(subject, Compared::of(&self.desktop, agent, process)?);
        }
        Ok(&self.compared[&subject])
    }

    /// What the answer lacks: a row does not count with any.
    pub(crate) fn faults(&mut self, subject: Subject) -> Result<Vec<String>, Error> {
        Ok(self.compared(subject)?.lacks.iter().map(ToString::to_string).collect())
    }
}
