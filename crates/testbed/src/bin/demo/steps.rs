//! What is shown, in order. Each step says what the contract promises, does it, and asks an oracle.

use crate::stage::{Error, Stage};
use serde_json::json;
use std::time::{Duration, Instant};
use surehand_testbed::{Agent, Entry, Fixture, Look, Order, Toolkit, editable_texts};

pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) expect: &'static str,
    pub(crate) run: fn(&mut Stage) -> Result<Seen, Error>,
}

pub(crate) struct Seen {
    pub(crate) saw: String,
    pub(crate) ok: bool,
}

pub(crate) const STEPS: &[Step] = &[
    Step {
        name: "compute in a calculator",
        expect: "7 × 8 = 56 in gnome-calculator's own display; pointer, focus and stacking unmoved",
        run: compute,
    },
    Step {
        name: "edit and read back a document",
        expect: "mousepad holds the two lines that were written, confirmed by readback",
        run: edit,
    },
    Step {
        name: "choose in a Qt application",
        expect: "the check box and the slider journal one change each; nothing else is journalled",
        run: choose,
    },
    Step { name: "wait for a dialog", expect: "the wait ends when the dialog opens, before its limit", run: dialog },
    Step {
        name: "a stale action",
        expect: "needs_observation or stale_observation; the journal shows nothing",
        run: stale,
    },
    Step { name: "a duplicate", expect: "duplicate_action; the journal shows one press", run: duplicate },
    Step { name: "a changed control", expect: "target_changed; the journal shows nothing", run: changed },
    Step {
        name: "an application restarted between observe and act",
        expect: "target_missing; the new run's journal shows nothing",
        run: restarted,
    },
    Step {
        name: "the executor killed in the middle of an action",
        expect: "outcome_unknown, at most one press, never replayed; the next observation works",
        run: killed,
    },
    Step {
        name: "a stopped application holds up nobody",
        expect: "unresponsive from the stopped one; the calculator is observed meanwhile",
        run: stopped,
    },
];

/// A bound on what an application needs to journal something.
const WITHIN: Duration = Duration::from_secs(5);
/// How long nothing more may arrive after what was expected.
const QUIET: Duration = Duration::from_millis(400);

fn compute(stage: &mut Stage) -> Result<Seen, Error> {
    let posture = stage.posture()?;
    let process = stage.calculator.window.process.ok_or("the calculator's window has no process")?;
    let mut look = stage.agent.observe_process(process)?;
    for key in ["7 7", "× ×", "8 8", "= ="] {
        let element = look.find("button", key).ok_or("a key is missing")?.id;
        look = stage.agent.act("click", &look, element, json!({}))?.look()?;
    }
    let shown = editable_texts(&stage.desktop, process)?;
    let display = shown.iter().find(|text| !text.is_empty()).cloned().unwrap_or_default();
    let is_unmoved = stage.posture()? == posture;
    Ok(Seen { saw: format!("display {display:?}, posture unmoved: {is_unmoved}"), ok: display == "56" && is_unmoved })
}

fn edit(stage: &mut Stage) -> Result<Seen, Error> {
    const WRITTEN: &str = "Dear reader,\nthis line was written by an agent.";
    let process = stage.editor.window.process.ok_or("the editor's window has no process")?;
    let look = stage.agent.observe_process(process)?;
    let text = look.find_role("text").ok_or("the editor shows no text")?.id;
    let answer = stage.agent.act("set_value", &look, text, json!({ "value": WRITTEN }))?;
    let is_read_back = answer.look()?.text.contains("this line was written by an agent.");
    let held = editable_texts(&stage.desktop, process)?.iter().any(|text| text == WRITTEN);
    let verdict = answer.verdict();
    let ok = held && is_read_back && verdict == "delivered/confirmed";
    Ok(Seen { saw: format!("{verdict}, held by the editor: {held}, read back: {is_read_back}"), ok })
}

fn choose(stage: &mut Stage) -> Result<Seen, Error> {
    let mark = stage.qt.journal().mark()?;
    let look = stage.agent.observe_process(stage.qt.application().id())?;
    let remember = look.find("check box", "Remember me").ok_or("no check box")?.id;
    let checked = stage.agent.act("click", &look, remember, json!({}))?;
    let look = checked.look()?;
    let volume = look.find_role("slider").ok_or("no slider")?.id;
    let moved = stage.agent.act("set_value", &look, volume, json!({ "value": "70" }))?;
    stage.qt.journal().wait_for(mark, WITHIN, |entry| entry.element == "volume")?;
    stage.qt.settle()?;
    let received = outside(&stage.qt.journal().since(mark)?);
    let state = stage.qt.state()?;
    let saw = format!("{} then {}; journal: {}", checked.verdict(), moved.verdict(), received.join(", "));
    let ok = state.remember && state.volume == 70.0 && received.len() == 2;
    Ok(Seen { saw, ok })
}

fn dialog(stage: &mut Stage) -> Result<Seen, Error> {
    let look = observe(&mut stage.agent, &stage.gtk)?;
    let button = look.find("button", "Open dialog").ok_or("no such button")?.id;
    let began = Instant::now();
    let wait = json!({ "pid": stage.gtk.application().id(), "window_title": "Confirm", "timeout_ms": 10_000 });
    let pending = stage.agent.begin("wait_for", wait)?;
    let clicked = stage.agent.act("click", &look, button, json!({}))?;
    let waited = stage.agent.finish(pending)?;
    let took = began.elapsed();
    let is_open = stage.gtk.state()?.dialog;
    stage.gtk.order(&Order::CloseDialog)?;
    let saw = format!("click {}; wait ended after {} ms, dialog open: {is_open}", clicked.verdict(), took.as_millis());
    Ok(Seen { saw, ok: !waited.is_error && is_open && took < Duration::from_secs(9) })
}

fn stale(stage: &mut Stage) -> Result<Seen, Error> {
    let old = observe(&mut stage.agent, &stage.gtk)?;
    let _newer = observe(&mut stage.agent, &stage.gtk)?;
    refused_without_a_trace(stage, &old, "Save", &["stale_observation", "needs_observation"])
}

fn duplicate(stage: &mut Stage) -> Result<Seen, Error> {
    let mark = stage.gtk.journal().mark()?;
    let look = observe(&mut stage.agent, &stage.gtk)?;
    let save = look.find("button", "Save").ok_or("no such button")?.id;
    let first = stage.agent.act("click", &look, save, json!({}))?;
    let second = stage.agent.act("click", &look, save, json!({}))?;
    let pressed = |entry: &Entry| entry.is_outside("save", "activated");
    stage.gtk.journal().require_exactly_one(mark, WITHIN, QUIET, pressed)?;
    let code = second.code().unwrap_or_default();
    Ok(Seen { saw: format!("{} then {code}; one press", first.verdict()), ok: code == "duplicate_action" })
}

fn changed(stage: &mut Stage) -> Result<Seen, Error> {
    let look = observe(&mut stage.agent, &stage.gtk)?;
    stage.gtk.order(&Order::RenameButton { label: "Delete everything".to_owned() })?;
    let seen = refused_without_a_trace(stage, &look, "Save", &["target_changed"]);
    stage.gtk.order(&Order::RenameButton { label: "Save".to_owned() })?;
    seen
}

fn restarted(stage: &mut Stage) -> Result<Seen, Error> {
    let first = Fixture::start_with_title(&stage.desktop, Toolkit::Gtk3, "Short-lived")?;
    let look = observe(&mut stage.agent, &first)?;
    let save = look.find("button", "Save").ok_or("no such button")?.id;
    first.into_application().kill()?;
    let second = Fixture::start_with_title(&stage.desktop, Toolkit::Gtk3, "Short-lived")?;
    let mark = second.journal().mark()?;
    let answer = stage.agent.act("click", &look, save, json!({}))?;
    second.journal().require_none(mark, QUIET, Entry::is_input)?;
    second.journal().require_none(mark, QUIET, |entry| entry.is_outside("save", "activated"))?;
    let code = answer.code().unwrap_or_default();
    second.into_application().kill()?;
    Ok(Seen { saw: format!("{code}; nothing in the new run"), ok: code == "target_missing" })
}

fn killed(stage: &mut Stage) -> Result<Seen, Error> {
    let mark = stage.gtk.journal().mark()?;
    let look = observe(&mut stage.agent, &stage.gtk)?;
    let save = look.find("button", "Save").ok_or("no such button")?.id;
    let executor = stage.agent.executor_process().ok_or("there is no executor")?;
    let pending = stage.agent.begin("click", Agent::action(&look, save, json!({})))?;
    let pressed = |entry: &Entry| entry.is_outside("save", "activated");
    // The press is journalled while the executor still waits for the window to settle: it dies in between.
    stage.gtk.journal().wait_for(mark, WITHIN, pressed)?;
    kill(executor)?;
    let answer = stage.agent.finish(pending)?;
    stage.gtk.journal().require_exactly_one(mark, WITHIN, QUIET, pressed)?;
    let again = observe(&mut stage.agent, &stage.gtk)?;
    let is_back = again.find("button", "Save").is_some() && stage.agent.executor_process() != Some(executor);
    let code = answer.code().unwrap_or_default();
    let saw = format!("{code}; one press; a new executor observes: {is_back}");
    Ok(Seen { saw, ok: code == "outcome_unknown" && is_back })
}

fn stopped(stage: &mut Stage) -> Result<Seen, Error> {
    let calculator = stage.calculator.window.process.ok_or("the calculator's window has no process")?;
    stage.qt.application().freeze()?;
    let pending = stage.agent.begin("observe", json!({ "pid": stage.qt.application().id() }))?;
    let began = Instant::now();
    let healthy = stage.agent.observe_process(calculator)?;
    let took = began.elapsed();
    let hung = stage.agent.finish(pending)?;
    stage.qt.application().thaw()?;
    let code = hung.code().unwrap_or_default();
    let is_seen = healthy.find("button", "= =").is_some();
    let saw = format!("{code}; calculator observed in {} ms", took.as_millis());
    Ok(Seen { saw, ok: code == "unresponsive" && is_seen && took < Duration::from_millis(900) })
}

fn observe(agent: &mut Agent, fixture: &Fixture) -> Result<Look, Error> {
    Ok(agent.observe_process(fixture.application().id())?)
}

/// Clicks by an observation that must not serve any more, and asks the journal.
fn refused_without_a_trace(stage: &mut Stage, look: &Look, button: &str, codes: &[&str]) -> Result<Seen, Error> {
    let mark = stage.gtk.journal().mark()?;
    let element = look.find("button", button).ok_or("no such button")?.id;
    let answer = stage.agent.act("click", look, element, json!({}))?;
    stage.gtk.journal().require_none(mark, QUIET, |entry| entry.kind == "activated")?;
    let code = answer.code().unwrap_or_default();
    Ok(Seen { saw: format!("{code}; nothing journalled"), ok: codes.contains(&code.as_str()) })
}

/// What came from outside the application itself.
fn outside(entries: &[Entry]) -> Vec<String> {
    entries
        .iter()
        .filter(|entry| entry.cause == surehand_testbed::Cause::Outside)
        .map(|entry| format!("{} {}", entry.element, entry.kind))
        .collect()
}

fn kill(process: u32) -> Result<(), Error> {
    let process = rustix::process::Pid::from_raw(i32::try_from(process)?).ok_or("no process")?;
    rustix::process::kill_process(process, rustix::process::Signal::KILL)?;
    Ok(())
}
