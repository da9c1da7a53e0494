//! A tool's arguments, taken apart before anything is asked. What does not fit is answered by naming the argument
//! and the rule, never by what was given.

use rmcp::model::JsonObject;
use serde_json::Value;
use std::str::FromStr;
use surehand_contract::ObservationId;
use surehand_host::{
    ArgumentRule, Refusal, WindowChoice,
    bounds::{APPLICATION_CHARACTERS, ID_CHARACTERS},
};

pub(crate) struct Arguments(JsonObject);

impl Arguments {
    /// Refuses what the tool does not take. `null` is an absent argument.
    pub(crate) fn new(given: Option<JsonObject>, takes: &[&'static str]) -> Result<Self, Refusal> {
        let mut given = given.unwrap_or_default();
        if let Some(name) = given.keys().find(|name| !takes.contains(&name.as_str())) {
            return Err(Refusal::argument(name.clone(), ArgumentRule::Unknown { takes: takes.to_vec() }));
        }
        given.retain(|_, value| !value.is_null());
        Ok(Self(given))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A string of 1 to `longest` characters.
    pub(crate) fn string(&self, name: &'static str, longest: usize) -> Result<Option<String>, Refusal> {
        let text = self.text(name, longest)?;
        match text {
            Some(text) if text.is_empty() => Err(Refusal::argument(name, ArgumentRule::Empty)),
            text => Ok(text),
        }
    }

    /// A string of up to `longest` characters, which may be empty.
    pub(crate) fn text(&self, name: &'static str, longest: usize) -> Result<Option<String>, Refusal> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        let Value::String(text) = value else { return Err(Refusal::argument(name, ArgumentRule::Type("a string"))) };
        if text.chars().nth(longest).is_some() {
            return Err(Refusal::argument(name, ArgumentRule::Characters { longest }));
        }
        if text.contains('\0') {
            return Err(Refusal::argument(name, ArgumentRule::Type("a string without NUL characters")));
        }
        Ok(Some(text.clone()))
    }

    /// A name on one line.
    pub(crate) fn name(&self, name: &'static str, longest: usize) -> Result<Option<String>, Refusal> {
        let text = self.string(name, longest)?;
        if text.as_ref().is_some_and(|text| text.chars().any(char::is_control)) {
            return Err(Refusal::argument(name, ArgumentRule::Type("a string without control characters")));
        }
        Ok(text)
    }

    pub(crate) fn integer(&self, name: &'static str, least: i64, most: i64) -> Result<Option<i64>, Refusal> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        // A number without a fraction is an integer however it is written.
        let whole = value.as_i64().or_else(|| value.as_f64().filter(|n| n.fract() == 0.0).map(|n| n as i64));
        let Some(number) = whole else { return Err(Refusal::argument(name, ArgumentRule::Type("an integer"))) };
        if (least..=most).contains(&number) {
            Ok(Some(number))
        } else {
            Err(Refusal::argument(name, ArgumentRule::Range { least, most }))
        }
    }

    pub(crate) fn flag(&self, name: &'static str) -> Result<bool, Refusal> {
        match self.0.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(Refusal::argument(name, ArgumentRule::Type("true or false"))),
        }
    }

    /// One of a closed set of words.
    pub(crate) fn word<T: Copy>(&self, name: &'static str, words: &[(&'static str, T)]) -> Result<Option<T>, Refusal> {
        let Some(text) = self.text(name, ID_CHARACTERS)? else { return Ok(None) };
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning);
        let rule = || ArgumentRule::OneOf(words.iter().map(|(word, _)| *word).collect());
        found.map(Some).ok_or_else(|| Refusal::argument(name, rule()))
    }

    pub(crate) fn observation(&self) -> Result<Option<ObservationId>, Refusal> {
        let Some(text) = self.string("observation", ID_CHARACTERS)? else { return Ok(None) };
        let not_an_id = || Refusal::argument("observation", ArgumentRule::NotAnId);
        ObservationId::from_str(&text).map(Some).map_err(|_| not_an_id())
    }

    /// An element's number, also when it is written as a string.
    pub(crate) fn element(&self) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.0.get("element") else { return Ok(None) };
        let number = match value {
            Value::String(text) if text.len() <= ID_CHARACTERS => text.parse().ok(),
            value => value.as_u64(),
        };
        let rule = ArgumentRule::Type("the integer that begins the element's line");
        number.map(Some).ok_or_else(|| Refusal::argument("element", rule))
    }

    /// The one window that is meant.
    pub(crate) fn window(&self) -> Result<WindowChoice, Refusal> {
        let given: Vec<&str> = WINDOW.iter().copied().filter(|name| self.has(name)).collect();
        let exactly_one = || Refusal::argument("window", ArgumentRule::ExactlyOne(WINDOW.to_vec()));
        let [name] = given.as_slice() else { return Err(exactly_one()) };
        let choice = match *name {
            "app" => self.name("app", APPLICATION_CHARACTERS)?.map(WindowChoice::Application),
            "pid" => self.integer("pid", 1, i64::from(u32::MAX))?.map(|pid| WindowChoice::Pid(pid as u32)),
            "window" => self.name("window", ID_CHARACTERS)?.map(WindowChoice::Window),
            _ => self.observation()?.map(WindowChoice::Observation),
        };
        choice.ok_or_else(exactly_one)
    }
}

/// The arguments that choose a window.
pub(crate) const WINDOW: &[&str] = &["app", "pid", "window", "observation"];

pub(crate) fn required<T>(name: &'static str, given: Option<T>) -> Result<T, Refusal> {
    given.ok_or_else(|| Refusal::argument(name, ArgumentRule::Required))
}
