use serde::Serialize;

/// A point on the host's monotonic clock, in milliseconds. Times of servers and wall clocks are evidence, never
/// this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
pub struct Moment(pub u64);

impl Moment {
    /// `ms` later, or the end of time.
    pub const fn plus_ms(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds from here until `later`; zero if it has passed.
    pub const fn ms_until(self, later: Self) -> u64 {
        later.0.saturating_sub(self.0)
    }
}
