//! Measures surehand beside its peers, on the same windows of one private desktop, in one run.
//!
//!     bench --surehand PATH --cua-driver PATH [--json] [ROW…]
//!
//! `docs/reference/benchmarks.md` says what each row measures. The exit status is 0 when everything asked for was
//! measured, whatever the numbers are; 1 when something could not be measured; 2 when the arguments are wrong.

mod idle;
mod peers;
mod report;
mod rows;
mod sample;
mod stage;
mod step;
mod subject;

use report::Report;
use rows::{ROWS, Row};
use stage::{Programs, Stage};
use std::{path::PathBuf, process::ExitCode};

fn main() -> ExitCode {
    let arguments = match Arguments::read(std::env::args_os().skip(1)) {
        Ok(arguments) => arguments,
        Err(complaint) => {
            eprintln!("bench: {complaint}");
            eprintln!("usage: bench --surehand PATH --cua-driver PATH [--json] [ROW…]");
            return ExitCode::from(2);
        }
    };
    let report = Report::new(arguments.as_json);
    let measured = Stage::set(arguments.programs).map(|mut stage| {
        report.begin();
        let mut is_whole = true;
        for row in arguments.rows {
            report.progress(row.name);
            match (row.measure)(&mut stage) {
                Ok(measured) => report.add(row, &measured),
                Err(error) => {
                    report.not_measured(row, &with_causes(&*error));
                    is_whole = false;
                }
            }
        }
        report.close();
        is_whole
    });
    match measured {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bench: {}", with_causes(&*error));
            ExitCode::FAILURE
        }
    }
}

struct Arguments {
    programs: Programs,
    as_json: bool,
    rows: Vec<&'static Row>,
}

impl Arguments {
    fn read(mut words: impl Iterator<Item = std::ffi::OsString>) -> Result<Self, String> {
        let (mut surehand, mut cua_driver, mut as_json, mut rows) = (None, None, false, Vec::new());
        while let Some(word) = words.next() {
            match word.to_str() {
                Some("--surehand") => surehand = words.next(),
                Some("--cua-driver") => cua_driver = words.next(),
                Some("--json") => as_json = true,
                Some(name) => rows.push(row(name)?),
                None => return Err(format!("{} is no argument", word.display())),
            }
        }
        if rows.is_empty() {
            rows.extend(ROWS);
        }
        // Paths must hold in whatever directory they are started from.
        let program = |given: Option<std::ffi::OsString>, flag: &str| {
            let path = PathBuf::from(given.ok_or_else(|| format!("{flag} PATH is missing"))?);
            path.canonicalize().map_err(|error| format!("{flag} {}: {error}", path.display()))
        };
        let programs =
            Programs { surehand: program(surehand, "--surehand")?, cua_driver: program(cua_driver, "--cua-driver")? };
        Ok(Self { programs, as_json, rows })
    }
}

fn row(name: &str) -> Result<&'static Row, String> {
    ROWS.iter().find(|row| row.name == name).ok_or_else(|| {
        let names: Vec<_> = ROWS.iter().map(|row| row.name).collect();
        format!("there is no row {name}; there are {}", names.join(", "))
    })
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
