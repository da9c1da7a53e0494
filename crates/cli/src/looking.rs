//! `observe` and `wait`.

use crate::{
    arguments::{ConditionArguments, Output, WindowArguments},
    failure::{Failure, UNMET, print_line, print_text},
    remembered::Remembered,
    session::with_session,
};
use serde_json::{Value, json};
use std::{path::PathBuf, process::ExitCode, time::Duration};
use surehand_contract::UiText;
use surehand_host::{Condition, ObserveRequest, Observed, WaitRequest, WindowChoice};

pub(crate) async fn observe(
    window: WindowArguments,
    query: Option<String>,
    screenshot: Option<PathBuf>,
    output: Output,
) -> Result<ExitCode, Failure> {
    let choice = window.choice()?;
    with_session(async |session| {
        let query = query.map(UiText::new);
        let answer = session.observe(ObserveRequest { window: choice, query: query.clone(), page: None }).await;
        let observed = answer.outcome?;
        Remembered::keep(&observed)?;
        if let Some(path) = &screenshot {
            let picture = session.screenshot(WindowChoice::Observation(observed.observation)).await.outcome?;
            std::fs::write(path, &picture.png).map_err(Failure::io("the picture cannot be written"))?;
        }
        if output.json {
            print_line(&observed_as_json(&observed));
            return Ok(ExitCode::SUCCESS);
        }
        print_text(answer.model.expose());
        let further_pages = (2..).map_while(|page| observed.model(query.as_ref(), page).ok());
        further_pages.for_each(|text| print_text(text.expose()));
        Ok(ExitCode::SUCCESS)
    })
    .await
}

pub(crate) fn observed_as_json(observed: &Observed) -> Value {
    json!({
        "observation": observed.observation,
        "actionable": observed.actionable,
        "window": observed.window,
        "snapshot": observed.snapshot(),
    })
}

pub(crate) async fn wait(
    window: WindowArguments,
    condition: ConditionArguments,
    timeout_ms: u64,
    output: Output,
) -> Result<ExitCode, Failure> {
    let request = WaitRequest {
        window: window.choice()?,
        condition: condition.into_condition(),
        timeout: Duration::from_millis(timeout_ms),
    };
    with_session(async |session| {
        let answer = session.wait(request, |_| ()).await;
        let waited = answer.outcome?;
        if output.json {
            let waited_ms = u64::try_from(waited.waited.as_millis()).unwrap_or(u64::MAX);
            print_line(&json!({
                "met": waited.met,
                "waitedMs": waited_ms,
                "observed": waited.observed.as_ref().map(observed_as_json),
            }));
        } else {
            print_text(answer.model.expose());
        }
        Ok(if waited.met { ExitCode::SUCCESS } else { ExitCode::from(UNMET) })
    })
    .await
}

impl ConditionArguments {
    fn into_condition(self) -> Condition {
        match (self.text, self.text_gone, self.window_title) {
            (Some(text), _, _) => Condition::Text(UiText::new(text)),
            (_, Some(text), _) => Condition::TextGone(UiText::new(text)),
            (_, _, Some(title)) => Condition::Window(UiText::new(title)),
            _ => Condition::Quiet,
        }
    }
}
