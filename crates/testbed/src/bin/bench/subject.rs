//! The windows that are looked at.

use crate::stage::Error;
use surehand_testbed::{
    AccessibleReading, BENCHMARK_PAGE_NODES, PrivateDesktop, Started, ThirdParty, write_benchmark_page,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    GnomeCalculator,
    Gedit,
    /// The page of 4,362 nodes, in Chromium.
    Page,
}

impl Subject {
    pub(crate) const ALL: [Self; 3] = [Self::GnomeCalculator, Self::Gedit, Self::Page];

    /// Starts it; everything it will show is there on return.
    pub(crate) fn start(self, desktop: &PrivateDesktop) -> Result<Started, Error> {
        let started = match self {
            Self::GnomeCalculator => ThirdParty::GnomeCalculator.start(desktop, [""; 0])?,
            Self::Gedit => ThirdParty::Gedit.start(desktop, [""; 0])?,
            Self::Page => return page(desktop),
        };
        // It shows its window before it is registered for accessibility, which a reading waits for.
        AccessibleReading::of(desktop, started.application.id())?;
        Ok(started)
    }
}

/// Readings of the page until it is whole; each takes seconds.
const PAGE_READINGS: usize = 20;

fn page(desktop: &PrivateDesktop) -> Result<Started, Error> {
    let started = ThirdParty::Chromium.start(desktop, [write_benchmark_page(desktop)?])?;
    for _ in 0..PAGE_READINGS {
        if AccessibleReading::of(desktop, started.application.id())?.nodes >= BENCHMARK_PAGE_NODES {
            return Ok(started);
        }
    }
    Err("the page never had all its nodes".into())
}
