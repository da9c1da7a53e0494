use crate::{
    Detail, DomainError, ElementToken, FiniteNumber, SessionId, Snapshot, SnapshotId, ToolCallId, answer::Answer, text,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use surehand_contract::{Code, Delivery, Digest, Effect, Happened, Method as EffectMethod, Target, UiText, Verdict};

/// `dispatch.element`: one action on one element of one snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DispatchElement {
    pub session: SessionId,
    pub snapshot_id: SnapshotId,
    pub tool_call_id: ToolCallId,
    pub element_token: ElementToken,
    /// The digest the snapshot gave the element.
    pub expect_element_digest: Digest,
    /// The target the snapshot named.
    pub target: Target,
    /// The newest fence the host knew when it let this call go.
    pub fence_epoch: u64,
    pub action: Action,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Action {
    Click {},
    SetValue {
        value: SetValue,
    },
    /// Makes the element the selected one of its container, or opens the choice it stands for.
    Select {},
    Scroll {
        direction: Direction,
        pages: u32,
    },
    /// One of the element's own actions, by name.
    Perform {
        name: String,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum SetValue {
    Text {
        #[serde(with = "text")]
        text: UiText,
    },
    Number {
        number: FiniteNumber,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
}

macro_rules! routes {
    ($($(#[$doc:meta])* $name:ident, $text:literal;)+) => {
        /// The way an action took into the application.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Route { $($(#[$doc])* #[serde(rename = $text)] $name,)+ }

        impl Route {
            pub const ALL: &'static [Route] = &[$(Route::$name,)+];

            pub const fn as_str(self) -> &'static str {
                match self { $(Route::$name => $text,)+ }
            }
        }
    };
}

routes! {
    A11yAction, "a11y_action";
    A11yValue, "a11y_value";
    A11yText, "a11y_text";
    A11ySelection, "a11y_selection";
    /// Nothing was sent, or it is not known whether and how.
    None, "none";
}

/// What became of a dispatch. It is the answer in both arms: `ok` says whether the action was delivered.
#[derive(Debug, Clone, PartialEq)]
pub struct DispatchReport {
    pub tool_call_id: ToolCallId,
    pub verdict: Verdict,
    pub route: Route,
    /// Why it was not delivered, beyond the verdict's code.
    pub detail: Option<Detail>,
    /// Absent when nothing was sent.
    pub settle: Option<Settled>,
    /// What the window shows now. It is live and replaces the snapshot that was acted on.
    pub snapshot: Option<Snapshot>,
    pub post_observation_error: Option<PostObservationError>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Settled {
    /// Measured, from the write on.
    pub waited_ms: u64,
    pub reason: SettleReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SettleReason {
    /// The effect was seen and two looks agreed.
    Quiet,
    /// No effect was seen for as long as toolkits take.
    NothingSeen,
    /// It went on changing.
    Ceiling,
    /// The window or its process went away.
    Gone,
    /// The application stopped answering.
    Unresponsive,
}

/// Why there is no snapshot after a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PostObservationError {
    pub code: Code,
}

/// The parts of a dispatch's answer contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InconsistentReport {
    #[error("`ok` is not whether the action was delivered")]
    OkIsNotDelivered,
    #[error("a delivered action carries an error, or another one carries none")]
    ErrorWithoutCause,
    #[error("the verdict's code is not the error's")]
    CodesDiffer,
    #[error("the code says something else of what was sent than the delivery does")]
    CodeOfAnotherDelivery,
    #[error("an effect is confirmed of an action that was not delivered")]
    ConfirmedUndelivered,
    #[error("nothing was sent, yet a route, a settling or a new snapshot is given")]
    SentNothingYetActed,
    #[error("an action was sent by no route")]
    SentByNoRoute,
}

impl DispatchReport {
    /// Nothing was sent, or, with [`Code::OutcomeUnknown`], it is not known whether anything was.
    pub fn unsent(tool_call_id: ToolCallId, error: DomainError) -> Self {
        let verdict = match error.code {
            Code::OutcomeUnknown => Verdict::unknown(),
            code => Verdict::not_sent(code),
        };
        Self {
            tool_call_id,
            verdict,
            route: Route::None,
            detail: error.detail,
            settle: None,
            snapshot: None,
            post_observation_error: None,
        }
    }

    /// The parts that must agree, whoever made the report.
    pub fn check(&self) -> Result<(), InconsistentReport> {
        let verdict = &self.verdict;
        let delivered = verdict.delivery == Delivery::Delivered;
        if delivered != verdict.code.is_none() || (delivered && self.detail.is_some()) {
            return Err(InconsistentReport::ErrorWithoutCause);
        }
        let happened = match verdict.delivery {
            Delivery::NotSent => Some(Happened::Nothing),
            Delivery::Refused => Some(Happened::Sent),
            Delivery::Unknown => Some(Happened::Perhaps),
            Delivery::Delivered => None,
        };
        if verdict.code.map(Code::happened) != happened {
            return Err(InconsistentReport::CodeOfAnotherDelivery);
        }
        if !delivered && verdict.effect == Effect::Confirmed {
            return Err(InconsistentReport::ConfirmedUndelivered);
        }
        if verdict.delivery == Delivery::NotSent {
            let acted = self.route != Route::None
                || self.settle.is_some()
                || self.snapshot.is_some()
                || self.post_observation_error.is_some()
                || verdict.method != EffectMethod::None;
            return if acted { Err(InconsistentReport::SentNothingYetActed) } else { Ok(()) };
        }
        let by_no_route = self.route == Route::None && verdict.delivery != Delivery::Unknown;
        if by_no_route { Err(InconsistentReport::SentByNoRoute) } else { Ok(()) }
    }
}

/// The answer's own form on the wire.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ReadForm {
    ok: bool,
    tool_call_id: ToolCallId,
    verdict: Verdict,
    route: Route,
    #[serde(default)]
    settle: Option<Settled>,
    #[serde(default)]
    snapshot: Option<Snapshot>,
    #[serde(default)]
    post_observation_error: Option<PostObservationError>,
    #[serde(default)]
    error: Option<DomainError>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenForm<'a> {
    ok: bool,
    tool_call_id: &'a ToolCallId,
    verdict: &'a Verdict,
    route: Route,
    #[serde(skip_serializing_if = "Option::is_none")]
    settle: Option<Settled>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<&'a Snapshot>,
    #[serde(skip_serializing_if = "Option::is_none")]
    post_observation_error: Option<PostObservationError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<DomainError>,
}

impl Answer for DispatchReport {
    fn refused(call: Option<&ToolCallId>, error: DomainError) -> Self {
        let call = call.expect("every dispatch names its tool call").clone();
        DispatchReport::unsent(call, error)
    }

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let error = self.verdict.code.map(|code| DomainError { code, detail: self.detail.clone() });
        WrittenForm {
            ok: self.verdict.delivery == Delivery::Delivered,
            tool_call_id: &self.tool_call_id,
            verdict: &self.verdict,
            route: self.route,
            settle: self.settle,
            snapshot: self.snapshot.as_ref(),
            post_observation_error: self.post_observation_error,
            error,
        }
        .serialize(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(_ok: bool, deserializer: D) -> Result<Self, D::Error> {
        let form = ReadForm::deserialize(deserializer)?;
        form.into_report().map_err(serde::de::Error::custom)
    }
}

impl ReadForm {
    fn into_report(self) -> Result<DispatchReport, InconsistentReport> {
        if self.ok != (self.verdict.delivery == Delivery::Delivered) {
            return Err(InconsistentReport::OkIsNotDelivered);
        }
        if self.verdict.code != self.error.as_ref().map(|error| error.code) {
            return Err(InconsistentReport::CodesDiffer);
        }
        let report = DispatchReport {
            tool_call_id: self.tool_call_id,
            verdict: self.verdict,
            route: self.route,
            detail: self.error.and_then(|error| error.detail),
            settle: self.settle,
            snapshot: self.snapshot,
            post_observation_error: self.post_observation_error,
        };
        report.check()?;
        Ok(report)
    }
}
