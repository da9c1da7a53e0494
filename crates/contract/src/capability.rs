use serde::Serialize;

/// What surehand can claim about this machine. Each has one producer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// A person's input is seen and placed. Lost: pointer and keyboard routes are refused.
    PhysicalInput,
    /// The lock is known. Lost: everything is refused.
    ScreenLock,
    /// The end of a process is seen.
    ProcessExit,
    /// The end of a window is seen.
    WindowEvents,
    /// Processes are named beyond pid and start time.
    ProcessIdentity,
    /// The executor acknowledges a fence.
    Fence,
    /// Clients say when their turn ends.
    TurnEnd,
    /// Windows can be read and operated through accessibility.
    Accessibility,
    /// Pictures of windows can be taken.
    Pictures,
}

impl Capability {
    /// Every capability, in the order of the document.
    pub const ALL: &'static [Capability] = &[
        Self::PhysicalInput,
        Self::ScreenLock,
        Self::ProcessExit,
        Self::WindowEvents,
        Self::ProcessIdentity,
        Self::Fence,
        Self::TurnEnd,
        Self::Accessibility,
        Self::Pictures,
    ];

    /// The capability as every wire and document writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PhysicalInput => "physical_input",
            Self::ScreenLock => "screen_lock",
            Self::ProcessExit => "process_exit",
            Self::WindowEvents => "window_events",
            Self::ProcessIdentity => "process_identity",
            Self::Fence => "fence",
            Self::TurnEnd => "turn_end",
            Self::Accessibility => "accessibility",
            Self::Pictures => "pictures",
        }
    }
}

/// How far a capability holds. The reasons are fixed sentences, so no text from a screen can be in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "standing", content = "why", rename_all = "snake_case")]
pub enum Standing {
    /// Its producer runs and has proved itself here.
    Claimed,
    Degraded(&'static str),
    NotClaimed(&'static str),
}
