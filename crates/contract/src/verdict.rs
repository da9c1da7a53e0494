use crate::Code;
use serde::{Deserialize, Serialize};

/// What became of the write itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// Nothing left the host or the executor.
    NotSent,
    /// The application was sent the action and declined it.
    Refused,
    /// The application was sent the action and answered.
    Delivered,
    /// Something was or may have been sent. Never retried by surehand.
    Unknown,
}

/// What was seen of the action's effect. A transport success is not an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    Confirmed,
    Unverifiable,
    SuspectedNoop,
}

/// How the effect was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    None,
    ActionResult,
    ValueReadback,
    TextReadback,
    StateReadback,
    SelectionReadback,
    TreeDelta,
    WindowAppeared,
}

/// The outcome of one action: two separate facts and, unless it went through, the code that says why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Verdict {
    pub delivery: Delivery,
    pub effect: Effect,
    pub method: Method,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
}

impl Verdict {
    /// Nothing left, for this reason.
    pub const fn not_sent(code: Code) -> Self {
        Self { delivery: Delivery::NotSent, effect: Effect::Unverifiable, method: Method::None, code: Some(code) }
    }

    /// The application was sent the action and declined it.
    pub const fn refused(code: Code) -> Self {
        Self {
            delivery: Delivery::Refused,
            effect: Effect::Unverifiable,
            method: Method::ActionResult,
            code: Some(code),
        }
    }

    /// Something was or may have been sent, and nobody can say what became of it.
    pub const fn unknown() -> Self {
        Self {
            delivery: Delivery::Unknown,
            effect: Effect::Unverifiable,
            method: Method::None,
            code: Some(Code::OutcomeUnknown),
        }
    }

    /// The application was sent the action and answered; the effect is another matter.
    pub const fn delivered(effect: Effect, method: Method) -> Self {
        Self { delivery: Delivery::Delivered, effect, method, code: None }
    }

    /// The same outcome when a stop, a lock or a person overtook it: what was sent stays told, and is no success.
    pub fn overtaken(self) -> Self {
        match self.delivery {
            Delivery::NotSent => self,
            delivery @ (Delivery::Refused | Delivery::Delivered | Delivery::Unknown) => {
                Self { delivery, effect: Effect::Unverifiable, method: Method::None, code: Some(Code::OutcomeUnknown) }
            }
        }
    }

    /// Whether the application may have received anything.
    pub const fn may_have_reached_the_application(&self) -> bool {
        !matches!(self.delivery, Delivery::NotSent)
    }
}
