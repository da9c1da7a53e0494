//! surehand's main job, end to end, on a private desktop: a scripted agent speaks MCP to the real server, real
//! applications receive what it does, and oracles outside the product judge each step.
//!
//!     demo --surehand PATH [--json]

mod stage;
mod steps;
mod table;

use stage::Stage;
use std::{path::PathBuf, process::ExitCode};
use table::Table;

fn main() -> ExitCode {
    let Some(arguments) = Arguments::read() else {
        eprintln!("usage: demo --surehand PATH [--json]");
        return ExitCode::from(2);
    };
    let mut table = Table::new(arguments.json);
    match play(&arguments, &mut table) {
        Ok(()) => table.close(),
        Err(error) => {
            table.fail(
                "the stage",
                "a private desktop, its applications and the server come up",
                &with_causes(&*error),
            );
            table.close()
        }
    }
}

fn play(arguments: &Arguments, table: &mut Table) -> Result<(), Box<dyn std::error::Error>> {
    table.progress("starting a private desktop");
    let mut stage = Stage::set(&arguments.surehand)?;
    table.progress(&format!("the server greeted back after {} ms", stage.agent.initialized_in().as_millis()));
    for step in steps::STEPS {
        table.progress(step.name);
        match (step.run)(&mut stage) {
            Ok(seen) => table.add(step.name, step.expect, &seen.saw, seen.ok),
            Err(error) => table.fail(step.name, step.expect, &with_causes(&*error)),
        }
    }
    Ok(())
}

struct Arguments {
    surehand: PathBuf,
    json: bool,
}

impl Arguments {
    fn read() -> Option<Self> {
        let (mut surehand, mut json) = (None, false);
        let mut words = std::env::args_os().skip(1);
        while let Some(word) = words.next() {
            match word.to_str() {
                Some("--surehand") => surehand = Some(PathBuf::from(words.next()?)),
                Some("--json") => json = true,
                _ => return None,
            }
        }
        Some(Self { surehand: surehand?, json })
    }
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
