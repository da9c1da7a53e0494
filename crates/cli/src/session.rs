//! One command's host and session.

use crate::{
    arguments::{OptionalWindowArguments, WindowArguments},
    failure::Failure,
};
use surehand_host::{ClientInfo, ClientKind, ExecutorCommand, Host, HostConfiguration, Session, WindowChoice};

/// A host whose executor is this same program.
pub(crate) fn start_host() -> Result<Host, Failure> {
    let own_program = std::env::current_exe().map_err(Failure::io("this program's own path cannot be read"))?;
    Ok(Host::start(HostConfiguration::new(ExecutorCommand::program(own_program)))?)
}

/// Runs one command in a session of its own, and ends the host before it returns.
pub(crate) async fn with_session<T, Work>(work: impl FnOnce(Session) -> Work) -> Result<T, Failure>
where
    Work: Future<Output = Result<T, Failure>>,
{
    let host = start_host()?;
    let client = ClientInfo {
        name: "surehand command line".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        kind: ClientKind::CommandLine,
    };
    let outcome = match host.open_session(&client) {
        Ok(session) => work(session).await,
        Err(refusal) => Err(refusal.into()),
    };
    host.shut_down().await;
    outcome
}

impl WindowArguments {
    pub(crate) fn choice(&self) -> Result<WindowChoice, Failure> {
        choose(self.app.as_ref(), self.window.as_ref(), self.pid)
    }
}

impl OptionalWindowArguments {
    pub(crate) fn choice(&self) -> Result<WindowChoice, Failure> {
        choose(self.app.as_ref(), self.window.as_ref(), self.pid)
    }
}

fn choose(app: Option<&String>, window: Option<&String>, pid: Option<u32>) -> Result<WindowChoice, Failure> {
    match (app, window, pid) {
        (Some(app), _, _) => Ok(WindowChoice::Application(app.clone())),
        (_, Some(window), _) => Ok(WindowChoice::Window(window.clone())),
        (_, _, Some(pid)) => Ok(WindowChoice::Pid(pid)),
        _ => Err(Failure::Usage { what: "name a window by --app, --window or --pid".to_owned() }),
    }
}
