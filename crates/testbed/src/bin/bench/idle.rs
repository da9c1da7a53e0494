//! What the servers cost while nothing is asked of them.

use crate::{
    peers,
    rows::Measured,
    sample::Sample,
    stage::{Error, Stage},
    subject::Subject,
};
use std::{
    collections::HashMap,
    time::{Duration, Instant},
};
use surehand_testbed::process_table;

const OBSERVED_FOR: Duration = Duration::from_secs(60);
/// In which Linux counts processor time towards programs, on every architecture.
const TICKS_PER_SECOND: f64 = 100.0;

/// The processor time of host and executor while applications are open that both have looked at.
pub(crate) fn measure(stage: &mut Stage) -> Result<Measured, Error> {
    for subject in Subject::ALL {
        let window = stage.window(subject)?;
        stage.agent()?.observe_process(window.process)?;
        peers::cua_driver_read(stage.cua_driver()?, window, peers::Reach::Default)?;
    }
    let surehand = stage.agent()?.server_process();
    let cua_driver = stage.cua_driver()?.server_process();
    let began = Instant::now();
    let (surehand_before, cua_driver_before) = (ticks(surehand), ticks(cua_driver));
    std::thread::sleep(OBSERVED_FOR);
    let (surehand_after, cua_driver_after) = (ticks(surehand), ticks(cua_driver));
    let ticks_passed = began.elapsed().as_secs_f64() * TICKS_PER_SECOND;
    let percent = |before, after| Sample::single(100.0 * spent(before, after) as f64 / ticks_passed);
    let mut faults = Vec::new();
    if surehand_after.len() < 2 {
        faults.push("host and executor are not both there".to_owned());
    }
    Ok(Measured {
        value: percent(&surehand_before, &surehand_after),
        peers: vec![(peers::CUA_DRIVER, percent(&cua_driver_before, &cua_driver_after))],
        faults,
    })
}

/// The processor time of a process and its descendants so far, by process.
fn ticks(process: u32) -> HashMap<u32, u64> {
    let descendants = process_table::descendants(process).into_iter().map(|entry| entry.id);
    std::iter::once(process).chain(descendants).filter_map(|id| Some((id, ticks_of(id)?))).collect()
}

/// In user and kernel mode, threads that have ended included.
fn ticks_of(process: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before it may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

fn spent(before: &HashMap<u32, u64>, after: &HashMap<u32, u64>) -> u64 {
    after.iter().map(|(process, ticks)| ticks - before.get(process).unwrap_or(&0)).sum()
}
