//! One tool call: arguments in, the host's answer out as a tool result.

use crate::{
    arguments::{Arguments, WINDOW, required},
    definitions::{AwaitedState, STATE_WORDS},
    verdict::ActionVerdict,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use std::time::Duration;
use surehand_contract::{Code, Delivery, LaunchCallId, UiText};
use surehand_host::{
    ActRequest, Action, Answer, ArgumentRule, Condition, Direction, LaunchRequest, ObserveRequest, Pictured, Refusal,
    Session, SetValue, WaitRequest,
    bounds::{
        APPLICATION_CHARACTERS, ID_CHARACTERS, QUERY_CHARACTERS, SCROLL_PAGES, TEXT_CHARACTERS, WAIT_DEFAULT,
        WAIT_LONGEST,
    },
};

/// A call whose arguments fit.
#[derive(Debug)]
pub(crate) enum ToolCall {
    ListApps(Option<String>),
    Launch(LaunchRequest),
    Observe(ObserveRequest),
    Screenshot(surehand_host::WindowChoice),
    Act(ActRequest),
    Wait(WaitRequest),
}

/// Which kind of result a tool gives: verdicts carry structured content, what shows a screen never does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gives {
    Content,
    Verdict,
}

/// No tool has this name.
#[derive(Debug)]
pub(crate) struct UnknownTool;

impl ToolCall {
    pub(crate) fn gives(tool: &str) -> Result<Gives, UnknownTool> {
        match tool {
            "list_apps" | "observe" | "screenshot" | "wait_for" => Ok(Gives::Content),
            "launch_app" | "click" | "set_value" | "select" | "scroll" | "perform" => Ok(Gives::Verdict),
            _ => Err(UnknownTool),
        }
    }

    /// `call` stands for the client's own id of the call where it gives none.
    pub(crate) fn read(tool: &str, given: Option<JsonObject>, call: &str) -> Result<Self, Refusal> {
        match tool {
            "list_apps" => {
                let given = Arguments::new(given, &["query"])?;
                Ok(Self::ListApps(given.name("query", QUERY_CHARACTERS)?))
            }
            "launch_app" => launch(&Arguments::new(given, &["app", "call_id"])?, call),
            "observe" => observe(&Arguments::new(given, &with_window(&["query", "page"]))?),
            "screenshot" => Ok(Self::Screenshot(Arguments::new(given, WINDOW)?.window()?)),
            "wait_for" => wait(&Arguments::new(given, &with_window(WAIT))?),
            _ => act(tool, given),
        }
    }
}

const WAIT: &[&str] = &["text", "text_gone", "window_title", "quiet", "element", "state", "value", "timeout_ms"];

fn with_window(more: &[&'static str]) -> Vec<&'static str> {
    WINDOW.iter().chain(more).copied().collect()
}

fn launch(given: &Arguments, call: &str) -> Result<ToolCall, Refusal> {
    let application = required("app", given.name("app", APPLICATION_CHARACTERS)?)?;
    let call_id = given.name("call_id", ID_CHARACTERS)?;
    let call = LaunchCallId::new(call_id.as_deref().unwrap_or(call))
        .map_err(|_| Refusal::argument("call_id", ArgumentRule::Characters { longest: ID_CHARACTERS }))?;
    Ok(ToolCall::Launch(LaunchRequest { application, call }))
}

fn observe(given: &Arguments) -> Result<ToolCall, Refusal> {
    let window = given.window()?;
    let page = given.integer("page", 1, i64::from(u32::MAX))?.map(|page| page as usize);
    if page.is_some() && !given.has("observation") {
        return Err(Refusal::argument("page", ArgumentRule::Needs("observation")));
    }
    let query = given.string("query", QUERY_CHARACTERS)?.map(UiText::new);
    Ok(ToolCall::Observe(ObserveRequest { window, query, page }))
}

fn act(tool: &str, given: Option<JsonObject>) -> Result<ToolCall, Refusal> {
    let more: &[&'static str] = match tool {
        "set_value" => &["observation", "element", "value"],
        "scroll" => &["observation", "element", "direction", "pages"],
        "perform" => &["observation", "element", "action"],
        _ => &["observation", "element"],
    };
    let given = Arguments::new(given, more)?;
    let observation = required("observation", given.observation()?)?;
    let element = required("element", given.element()?)?;
    let action = match tool {
        "set_value" => {
            let text = required("value", given.text("value", TEXT_CHARACTERS)?)?;
            Action::SetValue { value: SetValue::Text { text: UiText::new(text) } }
        }
        "scroll" => Action::Scroll {
            direction: required("direction", given.word("direction", DIRECTIONS)?)?,
            pages: given.integer("pages", 1, i64::from(SCROLL_PAGES))?.unwrap_or(1) as u32,
        },
        "perform" => Action::Perform { name: required("action", given.name("action", QUERY_CHARACTERS)?)? },
        "select" => Action::Select {},
        _ => Action::Click {},
    };
    Ok(ToolCall::Act(ActRequest { observation, element, action }))
}

const DIRECTIONS: &[(&str, Direction)] =
    &[("up", Direction::Up), ("down", Direction::Down), ("left", Direction::Left), ("right", Direction::Right)];

fn wait(given: &Arguments) -> Result<ToolCall, Refusal> {
    let window = given.window()?;
    let quiet = given.flag("quiet")?;
    let mut conditions = Vec::new();
    let text = |name| Ok::<_, Refusal>(given.string(name, QUERY_CHARACTERS)?.map(UiText::new));
    conditions.extend(text("text")?.map(Condition::Text));
    conditions.extend(text("text_gone")?.map(Condition::TextGone));
    conditions.extend(text("window_title")?.map(Condition::Window));
    conditions.extend(quiet.then_some(Condition::Quiet));
    conditions.extend(element_condition(given)?);
    let one = <[Condition; 1]>::try_from(conditions).map_err(|_| {
        Refusal::argument(
            "text",
            ArgumentRule::ExactlyOne(vec!["text", "text_gone", "window_title", "quiet", "element"]),
        )
    })?;
    let [condition] = one;
    let longest = i64::try_from(WAIT_LONGEST.as_millis()).unwrap_or(i64::MAX);
    let timeout = given.integer("timeout_ms", 0, longest)?;
    let timeout = timeout.map_or(WAIT_DEFAULT, |ms| Duration::from_millis(ms.unsigned_abs()));
    Ok(ToolCall::Wait(WaitRequest { window, condition, timeout }))
}

fn element_condition(given: &Arguments) -> Result<Option<Condition>, Refusal> {
    let element = given.element()?;
    let state = given.word("state", STATE_WORDS)?;
    let value = given.text("value", TEXT_CHARACTERS)?.map(UiText::new);
    let Some(element) = element else {
        let lone = [("state", state.is_some()), ("value", value.is_some())];
        return match lone.into_iter().find(|(_, given)| *given) {
            Some((name, _)) => Err(Refusal::argument(name, ArgumentRule::Needs("element"))),
            None => Ok(None),
        };
    };
    match (state, value) {
        (Some(AwaitedState::Gone), None) => Ok(Some(Condition::ElementGone { element })),
        (Some(AwaitedState::Is(state)), None) => Ok(Some(Condition::State { element, state, holds: true })),
        (Some(AwaitedState::IsNot(state)), None) => Ok(Some(Condition::State { element, state, holds: false })),
        (None, Some(value)) => Ok(Some(Condition::Value { element, value })),
        _ => Err(Refusal::argument("element", ArgumentRule::ExactlyOne(vec!["state", "value"]))),
    }
}

/// A result, and whether the session it came from is over.
pub(crate) struct Called {
    pub(crate) result: CallToolResult,
    pub(crate) session_is_over: bool,
}

impl ToolCall {
    /// What a wait takes at most; nothing else waits.
    pub(crate) const fn waits_at_most(&self) -> Duration {
        match self {
            Self::Wait(request) => request.timeout,
            _ => Duration::ZERO,
        }
    }

    /// `progress` hears how long a wait has lasted.
    pub(crate) async fn run(self, session: &Session, progress: impl FnMut(Duration) + Send + 'static) -> Called {
        match self {
            Self::ListApps(filter) => content(session.applications(filter).await),
            Self::Observe(request) => content(session.observe(request).await),
            Self::Wait(request) => content(session.wait(request, progress).await),
            Self::Screenshot(window) => picture(session.screenshot(window).await),
            Self::Launch(request) => {
                let answer = session.launch(request).await;
                let verdict = answer.outcome.as_ref().ok().map(|launched| ActionVerdict::of(&launched.verdict, None));
                let done = answer.outcome.as_ref().is_ok_and(|launched| is_done(&launched.verdict));
                verdict_result(answer, verdict, done)
            }
            Self::Act(request) => {
                let answer = session.act(request).await;
                let acted = answer.outcome.as_ref().ok();
                let verdict = acted.map(|acted| {
                    ActionVerdict::of(&acted.verdict, acted.fresh.as_ref().map(|fresh| fresh.observation))
                });
                let done = acted.is_some_and(|acted| is_done(&acted.verdict));
                verdict_result(answer, verdict, done)
            }
        }
    }
}

fn is_done(verdict: &surehand_contract::Verdict) -> bool {
    verdict.delivery == Delivery::Delivered && verdict.code.is_none()
}

/// A refusal that no session was asked for.
pub(crate) fn refused(refusal: &Refusal, gives: Gives) -> CallToolResult {
    // Nothing of a screen is in it, so its mark protects nothing.
    let mut result = CallToolResult::error(vec![ContentBlock::text(refusal.model_text("none"))]);
    if gives == Gives::Verdict {
        result.structured_content = structured(&ActionVerdict::refused(refusal));
    }
    result
}

fn content<T>(answer: Answer<T>) -> Called {
    let session_is_over = is_over(&answer.outcome);
    let blocks = vec![ContentBlock::text(answer.model.into_exposed())];
    let result = if answer.outcome.is_ok() { CallToolResult::success(blocks) } else { CallToolResult::error(blocks) };
    Called { result, session_is_over }
}

fn picture(answer: Answer<Pictured>) -> Called {
    let png = answer.outcome.as_ref().ok().map(|pictured| STANDARD.encode(&pictured.png));
    let mut called = content(answer);
    called.result.content.extend(png.map(|png| ContentBlock::image(png, "image/png")));
    called
}

fn verdict_result<T>(answer: Answer<T>, verdict: Option<ActionVerdict>, done: bool) -> Called {
    let session_is_over = is_over(&answer.outcome);
    let verdict = match &answer.outcome {
        Err(refusal) => Some(ActionVerdict::refused(refusal)),
        Ok(_) => verdict,
    };
    let blocks = vec![ContentBlock::text(answer.model.into_exposed())];
    let mut result = if done { CallToolResult::success(blocks) } else { CallToolResult::error(blocks) };
    result.structured_content = verdict.as_ref().and_then(structured);
    Called { result, session_is_over }
}

fn structured(verdict: &ActionVerdict) -> Option<serde_json::Value> {
    serde_json::to_value(verdict).ok()
}

fn is_over<T>(outcome: &Result<T, Refusal>) -> bool {
    let code = outcome.as_ref().err().map(|refusal| refusal.code);
    matches!(code, Some(Code::SessionEnded | Code::BlockedUrl | Code::Halted))
}
