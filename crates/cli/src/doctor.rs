//! `doctor`: every claim with its evidence, every problem with its repair.

use crate::{
    arguments::Output,
    failure::{Failure, UNMET, print_line, print_text, refusal_as_json},
    session::start_host,
};
use serde_json::json;
use std::{fmt::Write, process::ExitCode};
use surehand_host::HostHealth;
use surehand_wire::{Capability, Claim};

pub(crate) async fn doctor(output: Output) -> Result<ExitCode, Failure> {
    let host = start_host()?;
    let health = host.health().await;
    host.shut_down().await;
    if output.json {
        print_line(&as_json(&health));
    } else {
        print_text(&as_text(&health));
    }
    let is_well = health
        .desktop
        .as_ref()
        .is_ok_and(|desktop| desktop.capabilities.iter().all(|capability| capability.claim != Claim::NotClaimed));
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::from(UNMET) })
}

fn as_json(health: &HostHealth) -> serde_json::Value {
    let desktop = match &health.desktop {
        Ok(desktop) => json!({
            "capabilities": desktop.capabilities.iter().map(|capability| json!({
                "name": capability.name,
                "claim": capability.claim,
                "evidence": capability.evidence,
                "repair": repair(capability),
            })).collect::<Vec<_>>(),
        }),
        Err(refusal) => refusal_as_json(refusal),
    };
    let host =
        health.capabilities.iter().map(|(capability, standing)| json!({ "name": capability, "standing": standing }));
    json!({ "executor": { "running": health.executor.running, "starts": health.executor.starts }, "desktop": desktop, "host": host.collect::<Vec<_>>() })
}

fn as_text(health: &HostHealth) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "executor: {}", if health.executor.running { "running" } else { "not running" });
    match &health.desktop {
        Ok(desktop) => {
            for capability in &desktop.capabilities {
                let claim = match capability.claim {
                    Claim::Claimed => "claimed",
                    Claim::Degraded => "degraded",
                    Claim::NotClaimed => "not claimed",
                };
                let _ = writeln!(text, "{}: {claim} ({})", capability.name, capability.evidence);
                if let Some(repair) = repair(capability) {
                    let _ = writeln!(text, "  repair: {repair}");
                }
            }
        }
        Err(refusal) => text.push_str(&refusal.model_text("surehand")),
    }
    text
}

fn repair(capability: &Capability) -> Option<&'static str> {
    if capability.claim == Claim::Claimed {
        return None;
    }
    Some(match capability.name.as_str() {
        "windows" | "pictures" => {
            "run it inside an X session (DISPLAY and XAUTHORITY set), or on a private one: surehand desktop run -- CMD"
        }
        "accessibility" => {
            "install at-spi2-core, log in again, and check that DBUS_SESSION_BUS_ADDRESS names the session's bus"
        }
        "process_identity" => "a kernel of 6.9 or later gives every process an identity of its own",
        _ => return None,
    })
}
