//! How a command ends: one error, reported once, and one exit code.

use serde_json::{Value, json};
use std::{io::Write, process::ExitCode};
use surehand_contract::Code;
use surehand_host::Refusal;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{}", .0.code)]
    Refused(Refusal),
    #[error("{what}")]
    Usage { what: String },
    #[error("the host could not start")]
    Host(#[from] surehand_host::StartError),
    #[error("the executor could not start")]
    Executor(#[from] surehand_executor::StartError),
    #[error("the client could not be served")]
    Serve(#[from] surehand_mcp::ServeError),
    #[error("the private desktop did not come up")]
    Desktop(#[from] surehand_testbed::DesktopError),
    #[error("{doing}")]
    Io { doing: &'static str, source: std::io::Error },
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

pub(crate) const REFUSED: u8 = 1;
pub(crate) const USAGE: u8 = 2;
pub(crate) const OUTCOME_UNKNOWN: u8 = 3;
pub(crate) const UNREACHABLE: u8 = 4;
pub(crate) const UNMET: u8 = 5;

pub(crate) const fn exit_code_of(code: Code) -> u8 {
    match code {
        Code::OutcomeUnknown => OUTCOME_UNKNOWN,
        Code::DesktopUnavailable | Code::ServiceUnavailable | Code::ServiceMismatch => UNREACHABLE,
        _ => REFUSED,
    }
}

impl Failure {
    pub(crate) fn io(doing: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }

    /// Writes it to standard error, and as JSON to standard output where facts were asked for as JSON.
    pub(crate) fn report(&self, as_json: bool) -> ExitCode {
        let (code, text) = match self {
            Self::Refused(refusal) => {
                (exit_code_of(refusal.code), refusal.model_text("surehand").trim_end().to_owned())
            }
            Self::Usage { what } => (USAGE, format!("error: {what}")),
            other => (UNREACHABLE, format!("error: {}", with_causes(other))),
        };
        if as_json {
            print_line(&self.as_json(&text));
        } else {
            // Nobody is left to tell when standard error is closed.
            drop(writeln!(std::io::stderr(), "{text}"));
        }
        ExitCode::from(code)
    }

    fn as_json(&self, text: &str) -> Value {
        match self {
            Self::Refused(refusal) => refusal_as_json(refusal),
            _ => json!({ "error": { "message": text } }),
        }
    }
}

pub(crate) fn refusal_as_json(refusal: &Refusal) -> Value {
    json!({ "error": {
        "code": refusal.code,
        "waitMs": refusal.wait_ms,
        "advice": refusal.code.advice(),
        "detail": refusal.model_text("surehand"),
    } })
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// One JSON value on one line. A reader that went away is no error of ours.
pub(crate) fn print_line(value: &Value) {
    drop(writeln!(std::io::stdout(), "{value}"));
}

pub(crate) fn print_text(text: &str) {
    let mut out = std::io::stdout();
    drop(out.write_all(text.as_bytes()));
    if !text.ends_with('\n') {
        drop(out.write_all(b"\n"));
    }
}
