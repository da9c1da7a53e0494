use std::time::{Duration, Instant};
use surehand_contract::Moment;

/// The host's monotonic clock. The contract counts its milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn now(&self) -> Moment {
        Moment(u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// How long until `moment`; nothing if it has passed.
    pub(crate) fn until(&self, moment: Moment) -> Duration {
        Duration::from_millis(self.now().ms_until(moment))
    }
}
