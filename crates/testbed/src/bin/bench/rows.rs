//! What is measured, with its targets.

use crate::{
    idle, peers,
    sample::Sample,
    stage::{Error, Stage},
    step,
    subject::Subject,
};
use surehand_testbed::Agent;

pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) target: Target,
    pub(crate) measure: fn(&mut Stage) -> Result<Measured, Error>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    AtMost(f64),
    Under(f64),
}

/// What came of one row.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) value: Sample,
    pub(crate) peers: Vec<(&'static str, Sample)>,
    /// Why the value does not count, one line each.
    pub(crate) faults: Vec<String>,
}

impl Target {
    pub(crate) const fn value(self) -> f64 {
        match self {
            Self::AtMost(value) | Self::Under(value) => value,
        }
    }

    fn is_met_by(self, value: f64) -> bool {
        match self {
            Self::AtMost(target) => value <= target,
            Self::Under(target) => value < target,
        }
    }
}

impl Measured {
    pub(crate) fn is_ok(&self, target: Target) -> bool {
        self.faults.is_empty() && target.is_met_by(self.value.median)
    }
}

pub(crate) const ROWS: &[Row] = &[
    Row {
        name: "observe_gnome_calculator",
        unit: "ms",
        target: Target::AtMost(60.0),
        measure: |stage| observe(stage, Subject::GnomeCalculator),
    },
    Row {
        name: "observe_gedit",
        unit: "ms",
        target: Target::AtMost(100.0),
        measure: |stage| observe(stage, Subject::Gedit),
    },
    Row {
        name: "observe_page_4362",
        unit: "ms",
        target: Target::AtMost(500.0),
        measure: |stage| observe(stage, Subject::Page),
    },
    Row { name: "initialize", unit: "ms", target: Target::AtMost(60.0), measure: initialize },
    Row {
        name: "characters_per_element_gnome_calculator",
        unit: "characters",
        target: Target::AtMost(45.0),
        measure: |stage| characters(stage, Subject::GnomeCalculator),
    },
    Row {
        name: "characters_per_element_gedit",
        unit: "characters",
        target: Target::AtMost(45.0),
        measure: |stage| characters(stage, Subject::Gedit),
    },
    Row {
        name: "characters_per_element_page",
        unit: "characters",
        target: Target::AtMost(45.0),
        measure: |stage| characters(stage, Subject::Page),
    },
    Row { name: "contract_step", unit: "us", target: Target::Under(2.0), measure: |_| step::measure() },
    Row { name: "idle", unit: "% of a core", target: Target::AtMost(0.1), measure: idle::measure },
];

/// Measurements of surehand; before them, some that do not count.
const SAMPLES: usize = 15;
/// The same of a peer: they are slow.
const PEER_SAMPLES: usize = 5;
const WARM_UP: usize = 2;

fn observe(stage: &mut Stage, subject: Subject) -> Result<Measured, Error> {
    let window = stage.window(subject)?;
    let faults = stage.faults(subject)?;
    let process = window.process;
    let agent = stage.agent()?;
    let value = Sample::take(WARM_UP, SAMPLES, || milliseconds(|| agent.observe_process(process)))?;
    let cua_driver = stage.cua_driver()?;
    let mut peers = Vec::new();
    let mut take = |name, reach| -> Result<(), Error> {
        let sample =
            Sample::take(WARM_UP, PEER_SAMPLES, || milliseconds(|| peers::cua_driver_read(cua_driver, window, reach)))?;
        peers.push((name, sample));
        Ok(())
    };
    take(peers::CUA_DRIVER, peers::Reach::Default)?;
    if peers::cua_driver_read(stage.cua_driver()?, window, peers::Reach::Default)?.is_truncated {
        let cua_driver = stage.cua_driver()?;
        let complete = Sample::take(WARM_UP, PEER_SAMPLES, || {
            milliseconds(|| peers::cua_driver_read(cua_driver, window, peers::Reach::Everything))
        })?;
        peers.push((peers::CUA_DRIVER_COMPLETE, complete));
    }
    peers.push((peers::PYATSPI, Sample::take(1, PEER_SAMPLES, || peers::pyatspi_read_ms(stage.desktop(), window))?));
    Ok(Measured { value, peers, faults })
}

fn milliseconds<T, E>(call: impl FnOnce() -> Result<T, E>) -> Result<f64, E> {
    let began = std::time::Instant::now();
    call()?;
    Ok(began.elapsed().as_secs_f64() * 1000.0)
}

fn initialize(stage: &mut Stage) -> Result<Measured, Error> {
    let desktop = stage.desktop();
    let time = |program| -> Result<f64, Error> {
        let agent = Agent::start(desktop, program)?;
        let initialized_in = agent.initialized_in();
        agent.leave()?;
        Ok(initialized_in.as_secs_f64() * 1000.0)
    };
    let value = Sample::take(WARM_UP, SAMPLES, || time(&stage.programs().surehand))?;
    let peer = Sample::take(WARM_UP, PEER_SAMPLES, || time(&stage.programs().cua_driver))?;
    Ok(Measured { value, peers: vec![(peers::CUA_DRIVER, peer)], faults: Vec::new() })
}

fn characters(stage: &mut Stage, subject: Subject) -> Result<Measured, Error> {
    let window = stage.window(subject)?;
    let faults = stage.faults(subject)?;
    let whole = &stage.compared(subject)?.whole;
    let value = whole.characters() as f64 / whole.look.elements.len() as f64;
    let peer = peers::cua_driver_read(stage.cua_driver()?, window, peers::Reach::Default)?;
    let peer = peer.characters as f64 / peer.elements as f64;
    let peers = vec![(peers::CUA_DRIVER, Sample::single(peer))];
    Ok(Measured { value: Sample::single(value), peers, faults })
}
