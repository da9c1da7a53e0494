use crate::{
    bounds::{APPLICATION_CHARACTERS, APPLICATIONS_LISTED, FRAME_WEIGHT, NAME_CHARACTERS, PAGE_WEIGHT},
    choosing::{matching, window_label, windows_of},
    refusal::Refusal,
    request::{Answer, Listed},
    task::Task,
    text::{bare_or_quoted, fenced, quoted, weight},
    view::application_id,
};
use std::fmt::Write;
use surehand_wire::{Accessibility, Application, Visibility, Window};

impl Task {
    pub(crate) async fn list(mut self, filter: Option<String>) -> Answer<Listed> {
        let outcome = self.try_list(filter.as_deref()).await;
        if let Ok(listed) = &outcome {
            self.record.count = Some(listed.applications.len() as u64);
        }
        self.answer(outcome, |listed, nonce| Ok(list_text(listed, filter.is_some(), nonce)))
    }

    async fn try_list(&mut self, filter: Option<&str>) -> Result<Listed, Refusal> {
        let connection = self.connection().await?;
        let (mut applications, windows) = self.everything(&connection).await?;
        self.may_look()?;
        match filter {
            Some(filter) => {
                let fitting: Vec<u32> = matching(filter, &applications).iter().map(|fits| fits.process.pid).collect();
                applications.retain(|application| fitting.contains(&application.process.pid));
            }
            None => applications.retain(|application| windows_of(application.process.pid, &windows).next().is_some()),
        }
        Ok(Listed { applications, windows })
    }
}

fn list_text(listed: &Listed, filtered: bool, nonce: &str) -> String {
    let mut entries = Vec::new();
    let mut filled = 0;
    for application in listed.applications.iter().take(APPLICATIONS_LISTED) {
        let entry = entry(application, &listed.windows);
        filled += weight(&entry);
        if filled > PAGE_WEIGHT - FRAME_WEIGHT {
            break;
        }
        entries.push(entry);
    }
    let mut out = format!("applications={}\n", listed.applications.len());
    let left_out = listed.applications.len() - entries.len();
    if left_out > 0 {
        let _ = writeln!(out, "truncated: {left_out} more; narrow with query.");
    }
    if listed.applications.is_empty() {
        out.push_str(if filtered {
            "Nothing that fits is running. list_apps without query shows what has windows; launch_app starts one.\n"
        } else {
            "No application has a window. launch_app starts one.\n"
        });
        return out;
    }
    fenced(&mut out, nonce, |out| entries.iter().for_each(|entry| out.push_str(entry)));
    out
}

/// One application, and its windows below it.
fn entry(application: &Application, windows: &[Window]) -> String {
    let mut out = String::from("app=");
    bare_or_quoted(&mut out, application_id(&application.identity), APPLICATION_CHARACTERS);
    let _ = write!(out, " pid={}", application.process.pid);
    if !application.name.is_empty() {
        out.push(' ');
        quoted(&mut out, application.name.expose(), NAME_CHARACTERS);
    }
    if application.accessibility == Accessibility::Off {
        out.push_str(" [accessibility off]");
    }
    out.push('\n');
    for window in windows_of(application.process.pid, windows) {
        let _ = write!(out, " window={} ", window_label(&window.target.window));
        quoted(&mut out, window.title.expose(), NAME_CHARACTERS);
        out.push_str(match window.visibility {
            Visibility::Shown if window.active => " [active]",
            Visibility::Shown => "",
            Visibility::Minimised => " [minimised]",
            Visibility::OtherWorkspace => " [other workspace]",
            Visibility::Unmapped => " [unmapped]",
        });
        out.push('\n');
    }
    out
}
