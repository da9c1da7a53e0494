//! The rows as people or programs read them.

use crate::{
    rows::{Measured, Row},
    sample::Sample,
};
use serde_json::{Map, Value, json};

pub(crate) struct Report {
    as_json: bool,
    load_at_start: String,
}

impl Report {
    pub(crate) fn new(as_json: bool) -> Self {
        Self { as_json, load_at_start: load() }
    }

    pub(crate) fn begin(&self) {
        if !self.as_json {
            println!(
                "{:<40} {:>9} {:>19} {:>9}  {:<4} peers (median, times surehand's)",
                "row", "median", "least–most", "target", "ok"
            );
        }
    }

    pub(crate) fn progress(&self, row: &str) {
        eprintln!("bench: measuring {row}");
    }

    pub(crate) fn add(&self, row: &Row, measured: &Measured) {
        for fault in &measured.faults {
            eprintln!("bench: {} does not count: {fault}", row.name);
        }
        let ok = measured.is_ok(row.target);
        if self.as_json {
            let peers: Map<String, Value> = measured
                .peers
                .iter()
                .map(|(name, sample)| ((*name).to_owned(), json!(rounded(sample.median))))
                .collect();
            let value = rounded(measured.value.median);
            println!(
                "{}",
                json!({ "row": row.name, "value": value, "unit": row.unit, "target": row.target.value(), "ok": ok, "peers": peers })
            );
            return;
        }
        let spread = |sample: &Sample| match sample.count {
            1 => "once".to_owned(),
            _ => format!("{}–{} of {}", rounded(sample.least), rounded(sample.most), sample.count),
        };
        let peers: Vec<String> = measured
            .peers
            .iter()
            .map(|(name, sample)| {
                let ratio = sample.median / measured.value.median;
                let ratio = if ratio.is_finite() { format!(", {ratio:.1}×") } else { String::new() };
                format!("{name} {} ({}{ratio})", rounded(sample.median), spread(sample))
            })
            .collect();
        println!(
            "{:<40} {:>9} {:>19} {:>9}  {:<4} {}",
            format!("{} [{}]", row.name, row.unit),
            rounded(measured.value.median),
            spread(&measured.value),
            row.target.value(),
            if ok { "yes" } else { "NO" },
            peers.join("; ")
        );
    }

    pub(crate) fn not_measured(&self, row: &Row, error: &str) {
        eprintln!("bench: {} could not be measured: {error}", row.name);
    }

    pub(crate) fn close(&self) {
        if !self.as_json {
            println!("load average at the start and at the end: {}; {}", self.load_at_start, load());
        }
    }
}

/// To three digits that matter.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let digits = (2.0 - value.abs().log10().floor()).clamp(0.0, 6.0);
    let scale = 10_f64.powf(digits);
    (value * scale).round() / scale
}

/// Of the last minute, five and fifteen.
fn load() -> String {
    let read = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    read.split(' ').take(3).collect::<Vec<_>>().join(" ")
}
