use serde::{Deserialize, Serialize};

/// Whether anything reached an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Happened {
    Nothing,
    Perhaps,
    Sent,
}

/// Whether the same call can succeed later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Repeat {
    /// It will be refused again.
    Useless,
    /// After a fresh observation, with what that shows.
    AfterObserving,
    /// After the stated or a short wait.
    AfterWaiting,
    /// Only a person can change it.
    AfterAPerson,
    /// It could act twice.
    Never,
}

impl Happened {
    /// The word that documents use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Perhaps => "perhaps",
            Self::Sent => "sent",
        }
    }
}

impl Repeat {
    /// The words that documents use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Useless => "useless",
            Self::AfterObserving => "after observing",
            Self::AfterWaiting => "after waiting",
            Self::AfterAPerson => "after a person",
            Self::Never => "never",
        }
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident, $text:literal, $happened:ident, $repeat:ident, $advice:literal;)+) => {
        /// The closed list of reasons, shared by the contract, the executor's wire and the clients.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Code { $($(#[$doc])* $name,)+ }

        impl Code {
            /// Every code, in the order of the document.
            pub const ALL: &'static [Code] = &[$(Code::$name,)+];

            /// The code as every wire and document writes it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)+ }
            }

            /// Whether anything reached an application when a call ends with this code.
            pub const fn happened(self) -> Happened {
                match self { $(Code::$name => Happened::$happened,)+ }
            }

            /// Whether the same call can help after this code.
            pub const fn repeat(self) -> Repeat {
                match self { $(Code::$name => Repeat::$repeat,)+ }
            }

            /// What happened and what to do next, written for the model. Holds no application text.
            pub const fn advice(self) -> &'static str {
                match self { $(Code::$name => $advice,)+ }
            }
        }
    };
}

codes! {
    InvalidArgument, "invalid_argument", Nothing, Useless,
        "The arguments do not fit this tool. Nothing was sent. Correct the named argument and call again.";
    Unobserved, "unobserved", Nothing, AfterObserving,
        "This session has not observed that window. Nothing was sent. Call observe and use the ids it returns.";
    StaleObservation, "stale_observation", Nothing, AfterObserving,
        "That observation is no longer current (replaced, expired, unknown or another session's). Nothing was sent. Call observe and choose again from what it shows.";
    NeedsObservation, "needs_observation", Nothing, AfterObserving,
        "Something happened since that observation, so it may no longer be true. Nothing was sent. Call observe and decide again.";
    DuplicateAction, "duplicate_action", Nothing, Never,
        "That observation has already been used for an action, which was or may have been sent. Nothing more was sent. Observe and look whether it took effect before doing anything else.";
    AlreadyRefused, "already_refused", Nothing, Useless,
        "This same action was already refused on this observation and would be again. Nothing was sent. Choose another action or element.";
    TargetMissing, "target_missing", Nothing, AfterObserving,
        "The application, window or element is gone. Nothing was sent. List the applications or observe to see what exists now.";
    AmbiguousTarget, "ambiguous_target", Nothing, Useless,
        "More than one application, window or element fits. Nothing was sent. Name one of the listed ids.";
    TargetChanged, "target_changed", Nothing, AfterObserving,
        "The element is not what it was when it was observed. Nothing was sent. Observe and decide again.";
    NotActionable, "not_actionable", Nothing, AfterObserving,
        "The element is disabled or takes no such input now. Nothing was sent. Do what enables it, or choose another element.";
    UnsupportedAction, "unsupported_action", Nothing, Useless,
        "The element does not offer that action. Nothing was sent. Use an action it lists, or another element.";
    GrantMissing, "grant_missing", Nothing, AfterAPerson,
        "This needs a grant that only the person can give. Nothing was sent. Ask the person, or go on without it.";
    NotReady, "not_ready", Nothing, AfterWaiting,
        "The application does not describe its window yet. Nothing was sent. Follow the stated repair, then observe again.";
    Unresponsive, "unresponsive", Nothing, AfterWaiting,
        "The application does not answer. Nothing was sent. Work elsewhere, or wait and observe it again.";
    Timeout, "timeout", Nothing, AfterObserving,
        "The time limit passed before the condition held. Nothing was sent. Observe to see the current state.";
    CaptureFailed, "capture_failed", Nothing, AfterObserving,
        "No picture of that window could be taken. Nothing was sent. Observe it as text, or make it visible first.";
    ResponseTooLarge, "response_too_large", Nothing, Useless,
        "The answer would exceed its limit even when shortened. Nothing was sent. Narrow the request with query.";
    DispatchRefused, "dispatch_refused", Sent, Useless,
        "The application was sent the action and declined it. Nothing is known to have changed. Choose another way.";
    OutcomeUnknown, "outcome_unknown", Perhaps, Never,
        "The action may or may not have taken effect, and it will not be repeated. Observe and look before doing anything else.";
    Aborted, "aborted", Nothing, AfterObserving,
        "The call was cancelled before anything was sent.";
    Held, "held", Nothing, AfterWaiting,
        "A person's input has just arrived and it is not yet known where it went. Nothing was sent and nothing is spent. Repeat the same call after the stated wait.";
    UserIntervened, "user_intervened", Nothing, AfterWaiting,
        "A person is using this application. Nothing was sent. Wait as stated, then observe and decide again.";
    ScreenLocked, "screen_locked", Nothing, AfterAPerson,
        "The screen is locked. Nothing was sent and nothing can be seen. Wait for the person to unlock it, then observe.";
    Halted, "halted", Nothing, AfterAPerson,
        "A person stopped all agents. Nothing was sent. Stop working until the person resumes.";
    SessionEnded, "session_ended", Nothing, Useless,
        "This session has ended. Nothing was sent. Start a new session if the task still needs one.";
    BlockedUrl, "blocked_url", Nothing, AfterAPerson,
        "A blocked address ended this session. Nothing more was sent. Tell the person.";
    CapabilityMissing, "capability_missing", Nothing, AfterAPerson,
        "surehand does not see what this needs to be safe: the screen lock, or a person's input. Nothing was sent. Tell the person; surehand doctor says more.";
    LimitReached, "limit_reached", Nothing, Useless,
        "This session or host has reached one of its limits. Nothing was sent. Finish, and go on in a new session.";
    DesktopUnavailable, "desktop_unavailable", Nothing, AfterWaiting,
        "The display or its accessibility bus is not there. Nothing was sent. Run surehand doctor for the repair.";
    ServiceUnavailable, "service_unavailable", Nothing, AfterWaiting,
        "The executor is not running. Nothing was sent. Wait as stated, then observe again.";
    ServiceMismatch, "service_mismatch", Nothing, AfterAPerson,
        "The executor broke its protocol and was ended. Tell the person; surehand doctor says more.";
}

impl std::fmt::Display for Code {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.as_str())
    }
}
