//! Waiting for a condition: the window is looked at again whenever its application announces something.

use crate::{
    bounds::{REQUEST_MARGIN, WAIT_LONGEST, WAIT_LOOK_INTERVAL, WAIT_QUIET, WAIT_RELOOK, WAIT_WINDOW_INTERVAL},
    choosing::{choose, matching},
    executor::Connection,
    refusal::Refusal,
    request::{Answer, Condition, ElementState, Observed, WaitRequest, Waited, WindowChoice},
    task::Task,
    view::{View, contains_text, value_is},
};
use std::{
    fmt::Write,
    time::{Duration, Instant},
};
use surehand_contract::{Code, ProcessInstance, Target};
use surehand_wire::{Application, ChangeReason, State, WaitForChanges, Window};

impl Task {
    pub(crate) async fn wait(mut self, request: WaitRequest, progress: impl FnMut(Duration) + Send) -> Answer<Waited> {
        let outcome = self.try_wait(&request, progress).await;
        self.note_observed(outcome.as_ref().ok().and_then(|waited| waited.observed.as_ref()));
        if outcome.as_ref().is_ok_and(|waited| !waited.met) {
            self.record.code = Some(Code::Timeout);
        }
        self.answer(outcome, |waited, nonce| waited.text(nonce))
    }

    async fn try_wait(
        &mut self,
        request: &WaitRequest,
        mut progress: impl FnMut(Duration) + Send,
    ) -> Result<Waited, Refusal> {
        let started = Instant::now();
        let until = started + request.timeout.min(WAIT_LONGEST);
        let connection = self.connection().await?;
        if let Condition::Window(title) = &request.condition {
            return self.wait_for_window(&connection, &request.window, title.expose(), until, progress).await;
        }
        let target = self.target(&connection, &request.window).await?;
        loop {
            let looked = Instant::now();
            let seen = self.see(&connection, &target, &request.condition).await?;
            if seen.met || Instant::now() >= until {
                return Ok(Waited { met: seen.met, waited: started.elapsed(), observed: seen.observed });
            }
            progress(started.elapsed());
            let is_quiet = self.next_change(&connection, &target.process, seen.announcements, request, until).await?
                == ChangeReason::Timeout
                && looked.elapsed() >= WAIT_QUIET;
            if request.condition == Condition::Quiet && is_quiet {
                return Ok(Waited { met: true, waited: started.elapsed(), observed: seen.observed });
            }
            self.pause(WAIT_LOOK_INTERVAL.saturating_sub(looked.elapsed())).await?;
        }
    }

    /// One look, and whether it shows what is waited for.
    async fn see(&self, connection: &Connection, target: &Target, condition: &Condition) -> Result<Seen, Refusal> {
        match self.look(connection, target.clone()).await {
            Ok(observed) => Ok(Seen {
                met: holds(condition, &observed.view),
                announcements: observed.view.snapshot.announcements,
                observed: Some(observed),
            }),
            // What is in no window any more is gone.
            Err(Refusal { code: Code::TargetMissing, .. })
                if matches!(condition, Condition::TextGone(_) | Condition::ElementGone { .. }) =>
            {
                Ok(Seen { met: true, announcements: 0, observed: None })
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// Windows are listed, which is cheap, and only the one that appeared is looked at. Neither it nor its
    /// application need be there yet.
    async fn wait_for_window(
        &mut self,
        connection: &Connection,
        choice: &WindowChoice,
        title: &str,
        until: Instant,
        mut progress: impl FnMut(Duration) + Send,
    ) -> Result<Waited, Refusal> {
        let started = Instant::now();
        let title = title.to_lowercase();
        loop {
            let looked = Instant::now();
            let (applications, windows) = self.everything(connection).await?;
            self.may_look()?;
            let processes = self.processes(choice, &applications, &windows)?;
            let appeared = windows.iter().find(|window| {
                processes.contains(&window.target.process) && window.title.expose().to_lowercase().contains(&title)
            });
            if let Some(appeared) = appeared {
                let observed = self.look(connection, appeared.target.clone()).await?;
                return Ok(Waited { met: true, waited: started.elapsed(), observed: Some(observed) });
            }
            if Instant::now() >= until {
                return Ok(Waited { met: false, waited: started.elapsed(), observed: None });
            }
            progress(started.elapsed());
            // A window that appears is no announcement everywhere, so this looks again after a while in any case.
            let left = until.saturating_duration_since(Instant::now());
            self.pause(WAIT_WINDOW_INTERVAL.saturating_sub(looked.elapsed()).min(left)).await?;
        }
    }

    /// Whose windows are meant.
    fn processes(
        &self,
        choice: &WindowChoice,
        applications: &[Application],
        windows: &[Window],
    ) -> Result<Vec<ProcessInstance>, Refusal> {
        let running = applications.iter().map(|application| &application.process);
        let all = running.chain(windows.iter().map(|window| &window.target.process));
        Ok(match choice {
            WindowChoice::Application(name) => {
                matching(name, applications).into_iter().map(|application| application.process.clone()).collect()
            }
            WindowChoice::Pid(pid) => all.filter(|process| process.pid == *pid).cloned().collect(),
            WindowChoice::Window(label) => vec![choose::by_label(label, windows)?.process],
            WindowChoice::Observation(observation) => vec![self.observed_target(*observation)?.process],
        })
    }

    async fn pause(&mut self, pause: Duration) -> Result<(), Refusal> {
        self.call.cancelled.or(tokio::time::sleep(pause)).await.map_err(Refusal::of)
    }

    /// Returns when the application has announced something, or when it is time to look all the same.
    async fn next_change(
        &self,
        connection: &Connection,
        process: &ProcessInstance,
        since_announcements: u64,
        request: &WaitRequest,
        until: Instant,
    ) -> Result<ChangeReason, Refusal> {
        let longest = if request.condition == Condition::Quiet { WAIT_QUIET } else { WAIT_RELOOK };
        let left = until.saturating_duration_since(Instant::now()).min(longest);
        let timeout_ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        let wait = WaitForChanges { process: process.clone(), since_announcements, timeout_ms };
        let asked = connection.call(left + REQUEST_MARGIN, self.call.cancelled.clone(), |_| Ok(wait));
        let answered = self.call.cancelled.clone().or(asked).await.map_err(Refusal::of)?;
        let changes = answered.map_err(Refusal::from)?.answer?;
        // The seat may have refused meanwhile without a call to cancel.
        self.may_look()?;
        Ok(changes.reason)
    }
}

struct Seen {
    met: bool,
    announcements: u64,
    observed: Option<Observed>,
}

fn holds(condition: &Condition, view: &View) -> bool {
    match condition {
        Condition::Text(text) => shows(view, text.expose()),
        Condition::TextGone(text) => !shows(view, text.expose()),
        Condition::State { element, state, holds } => {
            view.element(*element).is_some_and(|found| is_in(view, found, *state) == *holds)
        }
        Condition::Value { element, value } => {
            view.element(*element).is_some_and(|found| value_is(found, value.expose()))
        }
        Condition::ElementGone { element } => view.element(*element).is_none(),
        Condition::Window(_) | Condition::Quiet => false,
    }
}

fn shows(view: &View, text: &str) -> bool {
    let lowered = text.to_lowercase();
    view.elements().iter().any(|element| view.is_on_screen(element) && contains_text(element, &lowered))
}

fn is_in(view: &View, element: &surehand_wire::Element, state: ElementState) -> bool {
    let has = |state| element.states.contains(&state);
    match state {
        ElementState::Enabled => !view.is_disabled(element),
        ElementState::Showing => view.is_on_screen(element),
        ElementState::Focused => has(State::Focused),
        ElementState::Selected => has(State::Selected),
        ElementState::Checked => has(State::Checked),
        ElementState::Expanded => has(State::Expanded),
        ElementState::Busy => has(State::Busy),
    }
}

impl Waited {
    fn text(&self, nonce: &str) -> Result<String, Refusal> {
        let ms = self.waited.as_millis();
        let mut out = String::new();
        let _ = if self.met {
            writeln!(out, "the condition holds after {ms} ms")
        } else {
            writeln!(out, "timeout: after {ms} ms the condition did not hold; this is the window now")
        };
        match &self.observed {
            Some(observed) => out.push_str(&observed.text(None, 1, nonce)?),
            None if self.met => out.push_str("The window is gone.\n"),
            None => out.push_str("No such window has appeared.\n"),
        }
        Ok(out)
    }
}
