//! The text of one observation: a header of surehand's own facts, then what came from the screen between two
//! marks that nothing on the screen can know.

use super::{action_sets::ActionSets, element_line::element_line, outline::Outline, quote::*, weight::weight};
use crate::{
    bounds::{APPLICATION_CHARACTERS, INDENT_DEPTH, OFF_SCREEN_ON_FIRST_PAGE, PAGE_WEIGHT, VALUE_CHARACTERS},
    view::{View, application_id},
};
use std::{fmt::Write, ops::Range};

/// What the text says of an observation besides what it saw.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts<'a> {
    pub(crate) observation: &'a str,
    pub(crate) window: &'a str,
    /// Nothing can be done with it: something happened while it was made.
    pub(crate) not_actionable: bool,
    /// From 1.
    pub(crate) page: usize,
    pub(crate) query: Option<&'a str>,
}

/// The page that was asked for lies past the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoSuchPage {
    pub(crate) pages: usize,
}

/// One page of an observation. `nonce` is fresh for every answer.
pub(crate) fn observation_text(view: &View, facts: Facts<'_>, nonce: &str) -> Result<String, NoSuchPage> {
    let outline = Outline::of(view, facts.query);
    let sets = ActionSets::of(view, &outline);
    let lines = lines(view, &outline, &sets);
    let pages = pages(&outline, &lines);
    let page = facts.page.checked_sub(1).and_then(|page| pages.get(page));
    let range = page.cloned().ok_or(NoSuchPage { pages: pages.len() })?;

    let mut out = String::new();
    header(&mut out, view, &outline, facts);
    notices(&mut out, view, &outline, facts, &pages, &range);
    fenced(&mut out, nonce, |out| {
        window_line(out, view);
        legend_of(out, &sets, &lines[range.clone()]);
        if let Some(first) = range.clone().next()
            && outline.lines[first].depth > 0
        {
            continuation(out, view, &outline, first);
        }
        for position in range {
            if position == outline.on_screen {
                out.push_str("not on screen:\n");
            }
            out.push_str(&lines[position]);
        }
    });
    Ok(out)
}

/// Explains the sets that these lines name.
pub(super) fn legend_of(out: &mut String, sets: &ActionSets<'_>, lines: &[String]) {
    sets.legend(out, |number| {
        let mark = format!(" +*{number}");
        lines.iter().any(|line| line.contains(&mark))
    });
}

/// Puts what came from the screen between two marks that nothing on the screen can know.
pub(crate) fn fenced(out: &mut String, nonce: &str, write: impl FnOnce(&mut String)) {
    let _ = writeln!(out, "[begin untrusted {nonce}]");
    write(out);
    let _ = writeln!(out, "[end untrusted {nonce}]");
}

pub(super) fn header(out: &mut String, view: &View, outline: &Outline, facts: Facts<'_>) {
    let _ = write!(
        out,
        "observation={} pid={} window={} frame=window_px {}x{} elements={} listed={}",
        facts.observation,
        view.snapshot.target.process.pid,
        facts.window,
        view.snapshot.bounds.width,
        view.snapshot.bounds.height,
        view.elements().len(),
        outline.lines.len(),
    );
    if let Some(matches) = outline.matches {
        let _ = write!(out, " matches={matches}");
    }
    out.push('\n');
}

/// What this text leaves out, and how to get it.
fn notices(
    out: &mut String,
    view: &View,
    outline: &Outline,
    facts: Facts<'_>,
    pages: &[Range<usize>],
    range: &Range<usize>,
) {
    continued(out, facts);
    if outline.matches.is_some() {
        out.push_str("query: only matches and what they stand in are listed; observe without query for the rest.\n");
    }
    if pages.len() > 1 {
        let _ =
            write!(out, "page {} of {}: {} of {} lines.", facts.page, pages.len(), range.len(), outline.lines.len());
        if facts.page < pages.len() {
            let below = if range.end >= outline.on_screen { " (what is not on screen)" } else { "" };
            let _ = write!(out, " For more{below}: observe with this observation and page={}.", facts.page + 1);
        }
        out.push('\n');
    }
    omissions(out, view);
}

/// Whether one may go on with it.
pub(super) fn continued(out: &mut String, facts: Facts<'_>) {
    if facts.not_actionable {
        out.push_str("not_actionable: something happened while this was read; observe again before acting.\n");
    }
}

/// What the reading itself left out.
pub(super) fn omissions(out: &mut String, view: &View) {
    let omitted = view.omitted;
    if omitted.window_not_shown {
        out.push_str(
            "not shown: the window is minimised, unmapped or on another workspace; this may be out of date.\n",
        );
    }
    for (count, why) in [
        (omitted.elements, "exceeded the limit on elements"),
        (omitted.unread, "did not answer in time"),
        (omitted.malformed, "were misreported by the application"),
    ] {
        if count > 0 {
            let _ = writeln!(out, "truncated: {count} elements {why}; one you expect may exist and not be listed.");
        }
    }
}

pub(super) fn window_line(out: &mut String, view: &View) {
    out.push_str("app=");
    bare_or_quoted(out, application_id(&view.snapshot.application), APPLICATION_CHARACTERS);
    out.push_str(" title=");
    quoted(out, view.snapshot.title.expose(), VALUE_CHARACTERS);
    out.push('\n');
}

fn continuation(out: &mut String, view: &View, outline: &Outline, first: usize) {
    out.push_str("continues under");
    for line in outline.ancestors(first) {
        let _ = write!(out, " {}", view.elements()[outline.lines[line].element].stable_id);
    }
    out.push('\n');
}

fn lines(view: &View, outline: &Outline, sets: &ActionSets<'_>) -> Vec<String> {
    outline
        .lines
        .iter()
        .map(|line| {
            let mut text = String::with_capacity(64);
            text.extend(std::iter::repeat_n(' ', line.depth.min(INDENT_DEPTH)));
            element_line(&mut text, view, sets, line.element);
            if line.depth == 0
                && let Some(parent) = line.parent
            {
                let _ = write!(text, " in={}", view.elements()[outline.lines[parent].element].stable_id);
            }
            text.push('\n');
            text
        })
        .collect()
}

/// Cuts the listing where a page is full, and before what is not on screen unless that is little. There is
/// always a first page, and no page but a first one is empty.
fn pages(outline: &Outline, lines: &[String]) -> Vec<Range<usize>> {
    let off_screen = lines.len() - outline.on_screen;
    let own_page = off_screen > OFF_SCREEN_ON_FIRST_PAGE && outline.matches.is_none();
    let mut pages = Vec::new();
    let (mut start, mut filled) = (0, 0);
    for (position, line) in lines.iter().enumerate() {
        let weight = weight(line);
        let full = filled + weight > PAGE_WEIGHT || (own_page && position == outline.on_screen);
        if full && position > start {
            pages.push(start..position);
            (start, filled) = (position, 0);
        }
        filled += weight;
    }
    pages.push(start..lines.len());
    pages
}
