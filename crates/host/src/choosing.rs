//! Which application and window a name means. A name that fits several chooses none.

use crate::{
    refusal::{Candidate, Refusal},
    task::with_candidates,
    view::application_id,
};
use surehand_contract::{Code, Target, UiText, WindowIdentity};
use surehand_wire::{Application, Visibility, Window};

/// A candidate's name this short does not match by standing inside the name that was asked for.
const LEAST_CONTAINED: usize = 3;

pub(crate) mod choose {
    use super::*;

    pub(crate) fn by_application(
        name: &str,
        applications: &[Application],
        windows: &[Window],
    ) -> Result<Target, Refusal> {
        let mut fitting = matching(name, applications);
        if fitting.len() > 1 {
            let with_windows =
                |application: &&Application| windows_of(application.process.pid, windows).next().is_some();
            let shown: Vec<_> = fitting.iter().copied().filter(with_windows).collect();
            if !shown.is_empty() {
                fitting = shown;
            }
        }
        match fitting.as_slice() {
            [] => Err(with_candidates(Code::TargetMissing, candidates_with_windows(applications, windows))),
            [one] => frontmost(windows_of(one.process.pid, windows))
                .ok_or_else(|| with_candidates(Code::TargetMissing, candidates_with_windows(applications, windows))),
            several => {
                let several = several.iter().map(|application| candidate(application, windows));
                Err(with_candidates(Code::AmbiguousTarget, several.collect()))
            }
        }
    }

    pub(crate) fn by_pid(pid: u32, windows: &[Window]) -> Result<Target, Refusal> {
        frontmost(windows_of(pid, windows)).ok_or_else(|| missing(windows))
    }

    pub(crate) fn by_label(label: &str, windows: &[Window]) -> Result<Target, Refusal> {
        let found = windows.iter().find(|window| window_label(&window.target.window).eq_ignore_ascii_case(label));
        found.map(|window| window.target.clone()).ok_or_else(|| missing(windows))
    }

    fn missing(windows: &[Window]) -> Refusal {
        let there = windows.iter().map(|window| Candidate {
            application: application_id(&window.application).to_owned(),
            pid: window.target.process.pid,
            window: Some((window_label(&window.target.window), window.title.clone())),
        });
        with_candidates(Code::TargetMissing, there.collect())
    }
}

/// Applications that the name fits: exactly if any does, otherwise by containment. In any case.
pub(crate) fn matching<'a>(name: &str, applications: &'a [Application]) -> Vec<&'a Application> {
    let wanted = name.trim().to_lowercase();
    let fits = |test: &dyn Fn(&str) -> bool| {
        let fitting = applications.iter().filter(|application| names(application).iter().any(|name| test(name)));
        fitting.collect::<Vec<_>>()
    };
    if wanted.is_empty() {
        return Vec::new();
    }
    let exactly = fits(&|name| name == wanted);
    if !exactly.is_empty() {
        return exactly;
    }
    let contained = |name: &str| name.chars().count() >= LEAST_CONTAINED && wanted.contains(name);
    fits(&|name| name.contains(&wanted) || contained(name))
}

/// What an application answers to, in lower case: its id, the last part of it, and its own name.
fn names(application: &Application) -> Vec<String> {
    let id = application_id(&application.identity).to_lowercase();
    let id = id.strip_suffix(".desktop").unwrap_or(&id).to_owned();
    let last = id.rsplit(['/', '.']).next().unwrap_or(&id).to_owned();
    let file = id.rsplit('/').next().unwrap_or(&id).to_owned();
    let mut names = vec![id, last, file, application.name.expose().trim().to_lowercase()];
    names.retain(|name| !name.is_empty());
    names
}

/// Front to back, so the first shown one is in front.
fn frontmost<'a>(windows: impl Iterator<Item = &'a Window> + Clone) -> Option<Target> {
    let shown = windows.clone().find(|window| window.visibility == Visibility::Shown);
    shown.or_else(|| windows.clone().next()).map(|window| window.target.clone())
}

pub(crate) fn windows_of(pid: u32, windows: &[Window]) -> impl Iterator<Item = &Window> + Clone {
    windows.iter().filter(move |window| window.target.process.pid == pid)
}

fn candidates_with_windows(applications: &[Application], windows: &[Window]) -> Vec<Candidate> {
    let with_windows = applications.iter().filter(|application| application.windows > 0);
    with_windows.map(|application| candidate(application, windows)).collect()
}

fn candidate(application: &Application, windows: &[Window]) -> Candidate {
    let window = windows_of(application.process.pid, windows).next();
    Candidate {
        application: application_id(&application.identity).to_owned(),
        pid: application.process.pid,
        window: window.map(|window| (window_label(&window.target.window), UiText::clone(&window.title))),
    }
}

/// How a window is named to the model: what the display server calls it, or else where its frame stands.
pub fn window_label(window: &WindowIdentity) -> String {
    match window {
        WindowIdentity::X11 { window, .. } => format!("{window:#x}"),
        WindowIdentity::Accessible { unique_name, path, .. } => format!("{unique_name}{path}"),
    }
}
