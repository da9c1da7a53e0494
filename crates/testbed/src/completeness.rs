//! Whether an observation lists what a full read by pyatspi finds on screen, with whole names.

use std::collections::{HashMap, VecDeque};
use std::fmt;

use serde_json::json;

use crate::accessible_reading::{AccessibleElement, AccessibleReading, ReadingError};
use crate::agent::{Agent, AgentError, Look, SeenElement};
use crate::bounds;
use crate::desktop::PrivateDesktop;

/// A window as a model can read it: every page of one observation.
#[derive(Debug, Clone)]
pub struct WholeLook {
    /// The elements of all pages, and the texts of all answers one after the other.
    pub look: Look,
    /// How many answers it took.
    pub pages: usize,
    /// How many lines of elements the answers say there are.
    pub listed: usize,
}

/// An observation and the reading it is held against, taken while nothing changed.
#[derive(Debug, Clone)]
pub struct Compared {
    /// What surehand said.
    pub whole: WholeLook,
    /// What pyatspi read.
    pub reading: AccessibleReading,
    /// What of the reading the observation lacks.
    pub lacks: Vec<Lack>,
}

/// An element on screen, named or operable, that an observation lacks.
#[derive(Debug, Clone, PartialEq)]
pub struct Lack {
    /// What pyatspi reads.
    pub element: AccessibleElement,
    /// What is wrong.
    pub kind: LackKind,
}

/// What is wrong about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LackKind {
    /// No line is left for it that has its role and name.
    NotListed,
    /// Its name is shorter than [`NAME_CHARACTERS_UNCUT`], and a line of its role has only this beginning of it.
    NameCut {
        /// What is listed.
        listed: String,
    },
    /// It has an action that clicks it, and its line says that it cannot be clicked.
    NotClickable,
}

/// Why nothing could be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompletenessError {
    /// The server did not answer with an observation.
    #[error("surehand's observation")]
    Agent(#[from] AgentError),
    /// pyatspi read nothing.
    #[error("pyatspi's reading")]
    Reading(#[from] ReadingError),
    /// Two readings around the observation differed every time.
    #[error("the window changed during each of {} observations", bounds::SETTLED_LOOKS)]
    Restless,
}

/// Names up to this many characters are listed whole.
pub const NAME_CHARACTERS_UNCUT: usize = 80;

impl WholeLook {
    /// Observes the frontmost window of a process and turns all pages.
    ///
    /// # Errors
    /// An answer is no observation, or the pages end before everything that they promise is listed.
    pub fn of(agent: &mut Agent, process: u32) -> Result<Self, AgentError> {
        let mut look = agent.observe_process(process)?;
        let listed = listed(&look).ok_or(AgentError::Shape("no count of listed elements"))?;
        let mut pages = 1;
        while look.elements.len() < listed {
            pages += 1;
            let arguments = json!({ "observation": look.observation, "page": pages });
            let page = agent.call("observe", arguments)?.look()?;
            if page.elements.is_empty() {
                return Err(AgentError::Shape("a page without elements"));
            }
            look.elements.extend(page.elements);
            look.text.push_str(&page.text);
        }
        Ok(Self { look, pages, listed })
    }

    /// Characters of all answers, everything included: headers, marks and notices as well as elements.
    pub fn characters(&self) -> usize {
        self.look.text.chars().count()
    }
}

fn listed(look: &Look) -> Option<usize> {
    let header = look.text.lines().next()?;
    header.split(' ').find_map(|fact| fact.strip_prefix("listed="))?.parse().ok()
}

impl Compared {
    /// Reads, observes and reads again, until nothing changed in between.
    ///
    /// # Errors
    /// See [`CompletenessError`].
    pub fn of(desktop: &PrivateDesktop, agent: &mut Agent, process: u32) -> Result<Self, CompletenessError> {
        let mut before = AccessibleReading::of(desktop, process)?;
        for _ in 0..bounds::SETTLED_LOOKS {
            let whole = WholeLook::of(agent, process)?;
            let reading = AccessibleReading::of(desktop, process)?;
            if reading == before {
                let lacks = lacks(&reading, &whole.look);
                return Ok(Self { whole, reading, lacks });
            }
            before = reading;
        }
        Err(CompletenessError::Restless)
    }
}

/// What an observation lacks of a reading of the same window. Lines serve once each, so that of three buttons of one
/// name three must be listed; and they are told apart by role and name alone, because places are what toolkits are
/// least agreed on.
pub fn lacks(reading: &AccessibleReading, look: &Look) -> Vec<Lack> {
    let mut lines: HashMap<(&str, &str), VecDeque<&SeenElement>> = HashMap::new();
    for element in &look.elements {
        lines.entry((&element.role, &element.name)).or_default().push_back(element);
    }
    let mut lacks = Vec::new();
    for element in of_the_window(reading, look) {
        let key = (role(element), kept_of(&element.name));
        let kind = match lines.get_mut(&key).and_then(VecDeque::pop_front) {
            Some(line) if has_click(element) && line.rest.split(' ').any(|word| word == "-click") => {
                LackKind::NotClickable
            }
            Some(_) => continue,
            None => absence(element, look),
        };
        lacks.push(Lack { element: element.clone(), kind });
    }
    lacks
}

/// The names that toolkits give what a click does.
const CLICKS: [&str; 9] = ["click", "press", "activate", "toggle", "check", "uncheck", "jump", "open", "select"];

fn has_click(element: &AccessibleElement) -> bool {
    element.actions.iter().any(|name| CLICKS.contains(&name.to_lowercase().as_str()))
}

/// An application may have several windows; the observation is of the one that its first line names.
fn of_the_window<'a>(reading: &'a AccessibleReading, look: &Look) -> Vec<&'a AccessibleElement> {
    let is_root = |element: &&AccessibleElement| {
        let first = look.elements.first();
        element.path.len() == 1
            && first.is_some_and(|first| first.role == role(element) && first.name == kept_of(&element.name))
    };
    let window = reading.elements.iter().find(is_root).and_then(|element| element.path.first());
    let is_of_window = |element: &&AccessibleElement| window.is_none() || element.path.first() == window;
    reading.elements.iter().filter(is_of_window).collect()
}

/// The protocol renamed one role; pyatspi still says the old name.
fn role(element: &AccessibleElement) -> &str {
    if element.role == "push button" { "button" } else { &element.role }
}

/// Of a long name, what must be listed at least.
fn kept_of(name: &str) -> &str {
    name.char_indices().nth(NAME_CHARACTERS_UNCUT).map_or(name, |(end, _)| &name[..end])
}

fn absence(element: &AccessibleElement, look: &Look) -> LackKind {
    let is_beginning = |line: &&SeenElement| {
        line.role == role(element) && line.rest.starts_with('…') && element.name.starts_with(&line.name)
    };
    match look.elements.iter().find(is_beginning) {
        Some(line) => LackKind::NameCut { listed: line.name.clone() },
        None => LackKind::NotListed,
    }
}

impl fmt::Display for Lack {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AccessibleElement { path, role, name, operable, states, actions, extents } = &self.element;
        write!(formatter, "{role} {name:?} ")?;
        match &self.kind {
            LackKind::NotListed => write!(formatter, "is not listed")?,
            LackKind::NameCut { listed } => write!(formatter, "is listed as {listed:?}")?,
            LackKind::NotClickable => write!(formatter, "is listed as one that cannot be clicked")?,
        }
        write!(
            formatter,
            " (operable {operable}, states {states:?}, actions {actions:?}, at {extents:?}, path {path:?})"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(path: &[i64], role: &str, name: &str) -> AccessibleElement {
        let (role, name) = (role.to_owned(), name.to_owned());
        let (states, actions, extents) = (Vec::new(), Vec::new(), [0; 4]);
        AccessibleElement { path: path.to_vec(), role, name, operable: true, states, actions, extents }
    }

    fn reading(elements: Vec<AccessibleElement>) -> AccessibleReading {
        AccessibleReading { application: "one".into(), toolkit: "GTK 3".into(), nodes: elements.len(), elements }
    }

    fn look(lines: &str) -> Look {
        Look::read(&format!("observation=1 listed=9\n{lines}")).unwrap()
    }

    #[test]
    fn every_element_needs_a_line_of_its_own() {
        let reading = reading(vec![
            element(&[0], "frame", "One"),
            element(&[0, 0], "push button", "Save"),
            element(&[0, 1], "push button", "Save"),
            element(&[0, 2], "entry", ""),
        ]);
        assert_eq!(lacks(&reading, &look("1 frame \"One\"\n 2 button \"Save\"\n 3 button \"Save\"\n 4 entry")), []);
        let lacking = lacks(&reading, &look("1 frame \"One\"\n 2 button \"Save\"\n 3 entry \"Save\""));
        let paths: Vec<_> = lacking.iter().map(|lack| lack.element.path.as_slice()).collect();
        assert_eq!(paths, [&[0, 1][..], &[0, 2]]);
        assert!(lacking.iter().all(|lack| lack.kind == LackKind::NotListed));
    }

    #[test]
    fn a_name_may_be_cut_only_from_its_eighty_first_character() {
        let long = "n".repeat(81);
        let reading = reading(vec![element(&[0], "push button", &long), element(&[0, 0], "check box", "Remember me")]);
        let kept = &long[..80];
        let cut = look(&format!("1 button \"{kept}\"…(+1)\n 2 check box \"Remem\"…(+6)"));
        let lacking = lacks(&reading, &cut);
        assert_eq!(lacking.len(), 1);
        assert_eq!(lacking[0].kind, LackKind::NameCut { listed: "Remem".into() });
    }

    #[test]
    fn what_can_be_clicked_is_listed_so() {
        let mut button = element(&[0, 0], "push button", "Save");
        button.actions = vec!["Press".to_owned()];
        let reading = reading(vec![button]);
        assert_eq!(lacks(&reading, &look("1 button \"Save\" @1,2 3x4")), []);
        let lacking = lacks(&reading, &look("1 button \"Save\" -click"));
        assert_eq!(lacking.len(), 1);
        assert_eq!(lacking[0].kind, LackKind::NotClickable);
    }

    #[test]
    fn other_windows_of_the_application_are_left_out() {
        let reading = reading(vec![
            element(&[0], "frame", "One"),
            element(&[1], "frame", "Two"),
            element(&[1, 0], "push button", "Of two"),
        ]);
        assert_eq!(lacks(&reading, &look("1 frame \"One\"")), []);
        assert_eq!(lacks(&reading, &look("1 frame \"Two\"")).len(), 1);
    }
}
