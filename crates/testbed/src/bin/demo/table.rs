//! The live table, and the one JSON line at its end.

use serde_json::{Value, json};
use std::{
    io::{IsTerminal, Write},
    process::ExitCode,
    time::Instant,
};

pub(crate) struct Table {
    as_json: bool,
    on_terminal: bool,
    began: Instant,
    steps: Vec<Value>,
    ok: bool,
}

impl Table {
    pub(crate) fn new(as_json: bool) -> Self {
        let on_terminal = std::io::stderr().is_terminal();
        Self { as_json, on_terminal, began: Instant::now(), steps: Vec::new(), ok: true }
    }

    /// What is under way; overwritten by what came of it.
    pub(crate) fn progress(&self, doing: &str) {
        if self.on_terminal {
            self.say(&format!("\r\x1b[K… {doing}"));
        }
    }

    pub(crate) fn add(&mut self, name: &str, expect: &str, saw: &str, ok: bool) {
        self.ok &= ok;
        self.steps.push(json!({ "name": name, "expect": expect, "saw": saw, "ok": ok }));
        let mark = if ok { "ok  " } else { "FAIL" };
        let (start, red, plain) = match (self.on_terminal, ok) {
            (true, true) => ("\r\x1b[K", "\x1b[32m", "\x1b[0m"),
            (true, false) => ("\r\x1b[K", "\x1b[31m", "\x1b[0m"),
            (false, _) => ("", "", ""),
        };
        let at_s = self.began.elapsed().as_secs_f64();
        self.say(&format!("{start}{red}{mark}{plain} {at_s:6.1} s  {name}\n                expected {expect}\n                saw      {saw}\n"));
    }

    pub(crate) fn fail(&mut self, name: &str, expect: &str, error: &str) {
        self.add(name, expect, error, false);
    }

    pub(crate) fn close(self) -> ExitCode {
        let passed = self.steps.iter().filter(|step| step["ok"] == true).count();
        let failed = self.steps.len() - passed;
        self.say(&format!("{passed} passed, {failed} failed\n"));
        if self.as_json {
            println!("{}", json!({ "ok": self.ok, "steps": self.steps }));
        }
        if self.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// Where the JSON line owns standard output, the table goes to standard error; so it does always.
    fn say(&self, text: &str) {
        let mut out = std::io::stderr();
        // Nobody is left to tell when it is closed.
        drop(out.write_all(text.as_bytes()));
        drop(out.flush());
    }
}
