//! Every bound of the contract, and what happens when it is hit.

/// How long an observation counts as just made. Older: `stale_observation`.
pub const OBSERVATION_TTL_MS: u64 = 120_000;

/// How long a session may do nothing before it gives up what it holds.
pub const SESSION_IDLE_MS: u64 = 120_000;

/// How long a person's last input keeps an agent away.
pub const QUIET_MS: u64 = 1_000;

/// How long the login manager's request to lock counts as locked when no vote follows it.
pub const LOCK_REQUEST_MS: u64 = 5_000;

/// How long the executor may take to acknowledge a fence, or a clearing with its counts, before it is killed.
pub const ACKNOWLEDGEMENT_MS: u64 = 250;

/// The wait told to a call that meets input of unknown scope: that input is placed well within it.
pub const HELD_WAIT_MS: u64 = 50;

/// Observation records kept for one session. Beyond it the oldest that nobody can act on is forgotten, and its id
/// then reads as `stale_observation`.
pub const OBSERVATIONS_PER_SESSION: usize = 256;

/// Windows one session keeps apart. Beyond it the one observed longest ago reads as never observed.
pub const WINDOWS_PER_SESSION: usize = 128;

/// Sessions open at once. Beyond it: `limit_reached`.
pub const OPEN_SESSIONS: usize = 256;

/// Ended sessions whose reason is remembered. Beyond it the oldest reads as closed.
pub const ENDED_SESSIONS: usize = 4_096;

/// Launch call ids one session may claim. Beyond it: `limit_reached`, since forgetting one could start it twice.
pub const LAUNCH_CALLS_PER_SESSION: usize = 1_024;

/// Refused actions remembered for one observation. Beyond it the observation reads as `stale_observation`.
pub const RETIRED_ACTIONS_PER_OBSERVATION: usize = 64;

/// Applications whose touches are kept apart. Beyond it the ones nobody works in are forgotten, which can only
/// make an observation in progress not actionable.
pub const APPLICATIONS: usize = 1_024;

/// Inputs of unknown scope at once. Beyond it they count as input to everything.
pub const HOLDS: usize = 64;

/// Lock voters at once. Beyond it the lock is unknown, which refuses everything.
pub const LOCK_VOTERS: usize = 64;

/// Blocked principals remembered. Beyond it no principal gets a session until a person resumes one.
pub const BLOCKED_PRINCIPALS: usize = 256;

/// Ended processes and windows remembered for the looks under way. Beyond it such a look is not actionable.
pub const GONE_TARGETS: usize = 256;

/// Fences waiting for their acknowledgement. Beyond it the executor counts as unresponsive and is ended.
pub const OUTSTANDING_FENCES: usize = 4_096;

/// Grant decisions remembered. Beyond it a denial counts for every application of its principal.
pub const GRANT_DECISIONS: usize = 4_096;

/// Bytes of a name that a client or a device chose (principal, call id, device name). Longer ones are refused by
/// their constructors.
pub const NAME_BYTES: usize = 256;

/// The longest quiet the executor may ask for after it met a person. Longer ones count as this.
pub const EXECUTOR_QUIET_MS_AT_MOST: u64 = 60_000;
