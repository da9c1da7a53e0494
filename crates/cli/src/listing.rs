//! `apps`, `windows` and `launch`.

use crate::{
    arguments::Output,
    failure::{Failure, print_line, print_text},
    session::with_session,
};
use serde_json::json;
use std::{fmt::Write, process::ExitCode};
use surehand_contract::LaunchCallId;
use surehand_host::{LaunchRequest, window_label};

pub(crate) async fn apps(filter: Option<String>, output: Output) -> Result<ExitCode, Failure> {
    with_session(async |session| {
        let answer = session.applications(filter).await;
        let listed = answer.outcome?;
        if output.json {
            print_line(&json!({ "applications": listed.applications }));
        } else {
            print_text(answer.model.expose());
        }
        Ok(ExitCode::SUCCESS)
    })
    .await
}

pub(crate) async fn windows(output: Output) -> Result<ExitCode, Failure> {
    with_session(async |session| {
        let listed = session.applications(None).await.outcome?;
        if output.json {
            print_line(&json!({ "windows": listed.windows }));
            return Ok(ExitCode::SUCCESS);
        }
        let mut text = String::new();
        for window in &listed.windows {
            let bounds = window.bounds;
            // Writing to a string does not fail; titles are quoted so that none can imitate a line.
            let _ = writeln!(
                text,
                "{} pid={} {:?} {}x{} at {},{}{}",
                window_label(&window.target.window),
                window.target.process.pid,
                window.title.expose(),
                bounds.width,
                bounds.height,
                bounds.x,
                bounds.y,
                if window.active { " active" } else { "" },
            );
        }
        print_text(&text);
        Ok(ExitCode::SUCCESS)
    })
    .await
}

pub(crate) async fn launch(application: String, output: Output) -> Result<ExitCode, Failure> {
    with_session(async |session| {
        let call = LaunchCallId::new("command").expect("the literal is a name");
        let answer = session.launch(LaunchRequest { application, call }).await;
        let launched = answer.outcome?;
        if output.json {
            print_line(&json!({ "verdict": launched.verdict, "launched": launched.launched.as_deref() }));
        } else {
            print_text(answer.model.expose());
        }
        Ok(ExitCode::SUCCESS)
    })
    .await
}
