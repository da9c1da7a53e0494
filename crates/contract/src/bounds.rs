//! Every bound of the contract, and what happens when it is hit.

macro_rules! bounds {
    ($($name:ident: $type:ty = $value:literal, $what:literal, $hit:literal;)+) => {
        $(
            #[doc = concat!($what, ". Beyond it: ", $hit, ".")]
            pub const $name: $type = $value;
        )+

        /// Every bound by name and value, what it bounds and what happens beyond it, in the order of the document.
        pub const LIST: &[(&str, u64, &str, &str)] = &[$((stringify!($name), $value, $what, $hit),)+];
    };
}

bounds! {
    OBSERVATION_TTL_MS: u64 = 120_000,
        "How long an observation counts as just made",
        "`stale_observation`";
    SESSION_IDLE_MS: u64 = 120_000,
        "How long a session may do nothing before it gives up what it holds",
        "the session gives up what it holds";
    QUIET_MS: u64 = 1_000,
        "How long a person's last input keeps an agent away",
        "the intervention is over";
    LOCK_REQUEST_MS: u64 = 5_000,
        "How long the login manager's request to lock is believed without a vote",
        "it lapses with a notice";
    ACKNOWLEDGEMENT_MS: u64 = 250,
        "How long the executor may take to acknowledge a fence or a clearing",
        "the executor is killed";
    HELD_WAIT_MS: u64 = 50,
        "The wait told to a call that meets input of unknown scope: it is placed well within it",
        "ask again";
    OBSERVATIONS_PER_SESSION: usize = 256,
        "Observations one session keeps",
        "the oldest that nobody can act on reads as `stale_observation`; with none, `limit_reached`";
    WINDOWS_PER_SESSION: usize = 128,
        "Windows one session keeps apart",
        "the one looked at longest ago reads as never observed";
    OPEN_SESSIONS: usize = 256,
        "Sessions open at once",
        "`limit_reached`";
    ENDED_SESSIONS: usize = 4_096,
        "Ended sessions whose reason is remembered",
        "the oldest reads as closed";
    LAUNCH_CALLS_PER_SESSION: usize = 1_024,
        "Launch call ids one session may claim: forgetting one could start it twice",
        "`limit_reached`";
    RETIRED_ACTIONS_PER_OBSERVATION: usize = 64,
        "Refused actions remembered for one observation",
        "`stale_observation`";
    APPLICATIONS: usize = 1_024,
        "Applications whose touches are kept apart",
        "those with nobody in them are forgotten; a look under way is then not actionable";
    HOLDS: usize = 64,
        "Pieces of input of unknown scope at once",
        "further input counts for everything";
    LOCK_VOTERS: usize = 64,
        "Lock voters at once",
        "the lock is unknown, which refuses everything";
    BLOCKED_PRINCIPALS: usize = 256,
        "Blocked principals remembered",
        "nobody gets a session until a person resumes one";
    GONE_TARGETS: usize = 256,
        "Ended processes and windows remembered for the looks under way",
        "a look under way is not actionable";
    OUTSTANDING_FENCES: usize = 4_096,
        "Fences waiting for their acknowledgement",
        "the executor is ended";
    GRANT_DECISIONS: usize = 4_096,
        "Grant decisions remembered",
        "a denial counts for every application";
    NAME_BYTES: usize = 256,
        "Bytes of a name that a client, a bus or a device chose",
        "the name is refused";
    EXECUTOR_QUIET_MS_AT_MOST: u64 = 60_000,
        "The longest quiet the executor may ask for after it met a person",
        "a longer one counts as this";
}
