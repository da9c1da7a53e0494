//! The structured part of an action's answer. Ids, codes and fixed sentences: no text from a screen.

use rmcp::model::JsonObject;
use serde::Serialize;
use serde_json::json;
use surehand_contract::{Code, Delivery, Effect, Method, ObservationId, Verdict};
use surehand_host::Refusal;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActionVerdict {
    delivery: Delivery,
    effect: Effect,
    method: Method,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Code>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wait_ms: Option<u64>,
    /// The fresh observation.
    #[serde(skip_serializing_if = "Option::is_none")]
    observation: Option<ObservationId>,
    next: &'static str,
}

impl ActionVerdict {
    pub(crate) const fn of(verdict: &Verdict, fresh: Option<ObservationId>) -> Self {
        let next = match (verdict.code, verdict.effect, fresh) {
            (Some(code), ..) => code.advice(),
            (None, Effect::Confirmed, Some(_)) => {
                "It took effect; do not repeat it. Use the fresh observation; observe shows it again."
            }
            (None, _, Some(_)) => "Look in the fresh observation whether it took effect before anything else.",
            (None, _, None) => "Observe before anything else; do not repeat it.",
        };
        Self {
            delivery: verdict.delivery,
            effect: verdict.effect,
            method: verdict.method,
            code: verdict.code,
            wait_ms: None,
            observation: fresh,
            next,
        }
    }

    pub(crate) const fn refused(refusal: &Refusal) -> Self {
        let Verdict { delivery, effect, method, code } = Verdict::not_sent(refusal.code);
        Self {
            delivery,
            effect,
            method,
            code,
            wait_ms: refusal.wait_ms,
            observation: None,
            next: refusal.code.advice(),
        }
    }
}

/// The schema of [`ActionVerdict`]. Its root is an object: older clients drop any other.
pub(crate) fn verdict_schema() -> JsonObject {
    let schema = json!({
        "type": "object",
        "properties": {
            "delivery": { "type": "string", "enum": ["not_sent", "refused", "delivered", "unknown"] },
            "effect": { "type": "string", "enum": ["confirmed", "unverifiable", "suspected_noop"] },
            "method": { "type": "string" },
            "code": { "type": "string" },
            "waitMs": { "type": "integer" },
            "observation": { "type": "string" },
            "next": { "type": "string" }
        },
        "required": ["delivery", "effect", "method", "next"]
    });
    match schema {
        serde_json::Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}
