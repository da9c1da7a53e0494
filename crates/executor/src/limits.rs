//! What this executor says of itself when it is greeted.

use crate::bounds;
use std::{num::NonZeroU64, time::Duration};
use surehand_wire::{
    Abilities, ExecutorName, ImageFormat, Limits, PROTOCOL, Route, Verb, Welcome, bounds as wire_bounds,
};

pub(crate) fn welcome() -> Welcome {
    Welcome {
        protocol: PROTOCOL.to_owned(),
        executor: ExecutorName {
            name: "surehand".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: None,
        },
        pid: std::process::id(),
        abilities: Abilities {
            verbs: vec![Verb::Click, Verb::SetValue, Verb::Select, Verb::Scroll, Verb::Perform],
            routes: Route::ALL.to_vec(),
            image_formats: vec![ImageFormat::Png],
        },
        limits: limits(),
    }
}

fn limits() -> Limits {
    Limits {
        sessions: count(bounds::SESSIONS),
        snapshots_per_session: count(bounds::SNAPSHOTS_PER_SESSION),
        snapshot_ttl_ms: milliseconds(bounds::SNAPSHOT_TTL),
        max_elements: count(bounds::ELEMENTS),
        max_depth: count(bounds::DEPTH),
        max_text_chars: count(bounds::TEXT_CHARACTERS),
        max_line_bytes: count(wire_bounds::LINE_BYTES),
        max_response_bytes: count(wire_bounds::RESPONSE_BYTES),
        requests_in_flight: count(wire_bounds::REQUESTS_IN_FLIGHT),
        settle_ceiling_ms: milliseconds(bounds::SETTLE_CEILING),
        shutdown_grace_ms: milliseconds(bounds::SHUTDOWN_GRACE + bounds::FLUSH_TIME),
        image_dir_budget_bytes: NonZeroU64::new(bounds::IMAGE_BUDGET_BYTES).expect("no bound is zero"),
    }
}

fn count(bound: usize) -> NonZeroU64 {
    NonZeroU64::new(bound as u64).expect("no bound is zero")
}

fn milliseconds(bound: Duration) -> NonZeroU64 {
    u64::try_from(bound.as_millis()).ok().and_then(NonZeroU64::new).expect("no bound is zero, or longer than an age")
}
