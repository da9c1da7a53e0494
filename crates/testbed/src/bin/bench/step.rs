//! The contract's own benchmark, which needs no desktop: it is a target of cargo and prints its rows as JSON.

use crate::{rows::Measured, sample::Sample, stage::Error};
use std::process::Command;

const ROW: &str = "contract_step";

pub(crate) fn measure() -> Result<Measured, Error> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["bench", "--locked", "--quiet", "--package", "surehand-contract", "--bench", "step"]);
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let printed = String::from_utf8(output.stdout)?;
    let rows = printed.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let value = rows.into_iter().find(|row| row["row"] == ROW).and_then(|row| row["value"].as_f64());
    let value = Sample::single(value.ok_or("the contract's benchmark printed no such row")?);
    Ok(Measured { value, peers: Vec::new(), faults: Vec::new() })
}
