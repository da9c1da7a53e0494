//! What the model reads of an action: the verdict, what follows from it, and the window after it.

use crate::{refusal::Refusal, request::Acted};
use std::fmt::Write;
use surehand_contract::{Code, Delivery, Effect, Happened, Method, Verdict};

impl Acted {
    pub(crate) fn text(&self, nonce: &str) -> Result<String, Refusal> {
        let verdict = &self.verdict;
        let mut out = String::from(headline(verdict));
        let _ = write!(out, " (effect {}", word(&verdict.effect));
        if verdict.method != Method::None {
            let _ = write!(out, " by {}", word(&verdict.method));
        }
        out.push_str(")\n");
        if let Some(code) = verdict.code {
            let _ = writeln!(out, "{code}: {}", after_sending(code));
        }
        out.push_str(if self.window_is_gone {
            "The window is gone. list_apps shows what is there.\n"
        } else {
            next(verdict, self.fresh.is_some())
        });
        if self.input_is_lost {
            out.push_str("notice: a person's input can no longer be seen on this machine.\n");
        }
        if let Some(fresh) = &self.fresh {
            out.push_str("Fresh observation:\n");
            out.push_str(&fresh.text_after(nonce)?);
        }
        Ok(out)
    }
}

const fn headline(verdict: &Verdict) -> &'static str {
    match (verdict.delivery, verdict.effect) {
        (Delivery::Delivered, Effect::Confirmed) => "ok: delivered",
        (Delivery::Delivered, Effect::Unverifiable) => "delivered, effect not seen",
        (Delivery::Delivered, Effect::SuspectedNoop) => "delivered, but nothing seems to have changed",
        (Delivery::Refused, _) => "refused by the application",
        (Delivery::Unknown, _) => "unknown whether it took effect",
        (Delivery::NotSent, _) => "not sent",
    }
}

/// The codes' own advice speaks of what was refused before it was sent.
const fn after_sending(code: Code) -> &'static str {
    match code.happened() {
        Happened::Nothing => "this happened after the action had been sent, so its result is not shown.",
        Happened::Perhaps | Happened::Sent => code.advice(),
    }
}

const fn next(verdict: &Verdict, fresh: bool) -> &'static str {
    match (verdict.delivery, verdict.effect, fresh) {
        (Delivery::Delivered, Effect::Confirmed, true) => "Do not repeat it. Go on with the fresh observation.\n",
        (Delivery::Delivered, _, true) => "Do not simply repeat it: look in the fresh observation first.\n",
        (Delivery::Delivered, _, false) => "Do not repeat it. Observe before anything else.\n",
        (_, _, true) => "Look in the fresh observation before anything else.\n",
        (_, _, false) => "Observe before anything else.\n",
    }
}

/// The word by which every wire and document writes it.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}
