//! What changed between two observations of one window, for whoever has read the first.

use super::{
    action_sets::ActionSets,
    element_line::element_line,
    observation::{Facts, continued, fenced, header, legend_of, omissions, window_line},
    outline::{Line, Outline},
    weight::weight,
};
use crate::{
    bounds::{DIFFERENCE_SHARE_PERCENT, PAGE_WEIGHT},
    view::View,
};
use std::{
    collections::{BTreeSet, HashMap},
    fmt::Write,
};

/// The later observation as a difference, or nothing where the whole says it better: much changed, elements
/// stand in another order, or the difference would not fit on one page.
pub(crate) fn difference_text(
    base: &View,
    base_id: &str,
    view: &View,
    facts: Facts<'_>,
    nonce: &str,
) -> Option<String> {
    let (before, after) = (Outline::of(base, None), Outline::of(view, None));
    if before.lines.is_empty() || after.lines.is_empty() || is_reordered(base, &before, view, &after) {
        return None;
    }
    let sets = ActionSets::of(view, &after);
    let known: HashMap<u64, String> =
        before.lines.iter().map(|line| (id_of(base, *line), described(base, &before, &sets, *line))).collect();
    let mut changes = Vec::new();
    for line in &after.lines {
        let id = id_of(view, *line);
        let now = described(view, &after, &sets, *line);
        match known.get(&id) {
            Some(then) if *then == now => {}
            Some(_) => changes.push(format!("~ {now}\n")),
            None => changes.push(format!("+ {now}\n")),
        }
    }
    let remaining: BTreeSet<u64> = after.lines.iter().map(|line| id_of(view, *line)).collect();
    let removed: BTreeSet<u64> = known.keys().copied().filter(|id| !remaining.contains(id)).collect();
    let touched = changes.len() + removed.len();
    let heavy = changes.iter().map(|line| weight(line)).sum::<usize>() > PAGE_WEIGHT;
    if heavy || touched * 100 > after.lines.len() * DIFFERENCE_SHARE_PERCENT {
        return None;
    }

    let mut out = String::new();
    header(&mut out, view, &after, facts);
    let _ = writeln!(
        out,
        "difference from {base_id}: {} changed (~) or new (+), {} gone (-). All else is as it was there; observe with this \
         observation and page=1 lists it.",
        changes.len(),
        removed.len(),
    );
    continued(&mut out, facts);
    omissions(&mut out, view);
    fenced(&mut out, nonce, |out| {
        window_line(out, view);
        legend_of(out, &sets, &changes);
        if !removed.is_empty() {
            out.push('-');
            for (first, last) in ranges(&removed) {
                let _ = if first == last { write!(out, " {first}") } else { write!(out, " {first}-{last}") };
            }
            out.push('\n');
        }
        changes.iter().for_each(|line| out.push_str(line));
    });
    Some(out)
}

fn id_of(view: &View, line: Line) -> u64 {
    view.elements()[line.element].stable_id
}

/// An element's line with all that its place in a listing would say.
fn described(view: &View, outline: &Outline, sets: &ActionSets<'_>, line: Line) -> String {
    let mut text = String::with_capacity(64);
    element_line(&mut text, view, sets, line.element);
    if let Some(parent) = line.parent {
        let _ = write!(text, " in={}", id_of(view, outline.lines[parent]));
    }
    if !line.on_screen {
        text.push_str(" (not on screen)");
    }
    text
}

/// Whether elements that stay where they stand come in another order. One that moved elsewhere is a change.
fn is_reordered(base: &View, before: &Outline, view: &View, after: &Outline) -> bool {
    [true, false].into_iter().any(|part| {
        let (then, now) = (places(base, before, part), places(view, after, part));
        let (in_then, in_now): (BTreeSet<_>, BTreeSet<_>) =
            (then.iter().copied().collect(), now.iter().copied().collect());
        let kept = then.iter().filter(|place| in_now.contains(place));
        !kept.eq(now.iter().filter(|place| in_then.contains(place)))
    })
}

/// Each listed element of one part, with what it stands in.
fn places(view: &View, outline: &Outline, on_screen: bool) -> Vec<(Option<u64>, u64)> {
    let of_part = outline.lines.iter().filter(|line| line.on_screen == on_screen);
    of_part.map(|line| (line.parent.map(|parent| id_of(view, outline.lines[parent])), id_of(view, *line))).collect()
}

/// Runs of ids that are all gone.
fn ranges(removed: &BTreeSet<u64>) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for id in removed {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *id => *last = *id,
            _ => ranges.push((*id, *id)),
        }
    }
    ranges
}
