/// One kind of fact that a seat holds. What a status says is derived from these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fact {
    pub name: &'static str,
    /// What it holds for.
    pub scope: &'static str,
    pub set_by: &'static str,
    pub cleared_by: &'static str,
    /// The status it gives, if it gives one.
    pub status: Option<&'static str>,
}

impl Fact {
    /// Every fact. Those that give a status come first, in the order in which they are asked.
    pub const ALL: &'static [Fact] = &[
        Fact {
            name: "halted",
            scope: "seat",
            set_by: "`StopRequested`",
            cleared_by: "`Resumed` for the seat",
            status: Some("halted"),
        },
        Fact {
            name: "ended",
            scope: "session",
            set_by: "`StopRequested`, `BlockedUrl`, `SessionEnded`, a blocked address in a `DispatchOutcome`",
            cleared_by: "never; the first reason stays",
            status: Some("ended"),
        },
        Fact {
            name: "locked",
            scope: "seat",
            set_by: "`LockVote`, `SleepChanged`, `SessionActiveChanged`, a lost lock in `ClaimChanged`, a locked screen in a `DispatchOutcome`",
            cleared_by: "the voters' own answers, or `Resumed` for the vote of a voter that is gone; a request to lock also by its time",
            status: Some("locked"),
        },
        Fact {
            name: "intervention",
            scope: "one application, or the seat",
            set_by: "`InputScoped`, a person met in a `DispatchOutcome`",
            cleared_by: "its time alone, which each further input moves later",
            status: Some("intervention"),
        },
        Fact {
            name: "held",
            scope: "seat",
            set_by: "`InputHeld`",
            cleared_by: "`InputScoped` for the last input held",
            status: Some("held"),
        },
        Fact {
            name: "unobserved",
            scope: "session × window",
            set_by: "the session's beginning",
            cleared_by: "the first observation of the window that may be acted on",
            status: Some("unobserved"),
        },
        Fact {
            name: "needs observation",
            scope: "session × window",
            set_by: "whatever raises the generation, uses the observation up, or outlasts its time",
            cleared_by: "an observation of that window that began after it",
            status: Some("needs_observation"),
        },
        Fact {
            name: "blocked",
            scope: "principal",
            set_by: "`BlockedUrl`, a blocked address in a `DispatchOutcome`",
            cleared_by: "`Resumed` for the principal",
            status: None,
        },
        Fact {
            name: "denied",
            scope: "principal × application",
            set_by: "`GrantChanged`",
            cleared_by: "`GrantChanged`",
            status: None,
        },
        Fact {
            name: "input lost",
            scope: "seat",
            set_by: "`ClaimChanged`",
            cleared_by: "`ClaimChanged`",
            status: None,
        },
        Fact {
            name: "generation",
            scope: "session × window",
            set_by: "rises with every fact set that applies to the pair and can refuse",
            cleared_by: "never",
            status: None,
        },
        Fact {
            name: "executor generation",
            scope: "host",
            set_by: "`ExecutorStarted`",
            cleared_by: "`ExecutorReleased`",
            status: None,
        },
        Fact {
            name: "fence epoch",
            scope: "host",
            set_by: "rises with every refusing event",
            cleared_by: "never",
            status: None,
        },
    ];
}
