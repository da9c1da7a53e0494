//! What the model reads. Everything here is text for the current turn; nothing of it is kept.

mod acted;
mod action_sets;
mod difference;
mod element_line;
mod observation;
mod outline;
mod quote;
#[cfg(test)]
mod tests;
mod weight;

pub(crate) use difference::difference_text;
pub(crate) use observation::{Facts, NoSuchPage, fenced, observation_text};
pub(crate) use quote::{bare_or_quoted, quoted};
pub(crate) use weight::weight;
