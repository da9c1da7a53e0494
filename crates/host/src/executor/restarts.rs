use crate::bounds::{RESTART_BACKOFF, RESTART_WINDOW, RESTARTS};
use std::{collections::VecDeque, time::Duration, time::Instant};

/// How often the executor may be started: so many times in a window, each start after a longer wait. A start
/// counts whether or not the handshake then went well, and is forgotten when the window has passed it.
#[derive(Debug, Default)]
pub(crate) struct RestartBudget {
    starts: VecDeque<Instant>,
}

/// The executor may not be started yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooSoon {
    pub(crate) wait: Duration,
}

impl RestartBudget {
    pub(crate) fn start(&mut self, now: Instant) -> Result<(), TooSoon> {
        while self.starts.front().is_some_and(|start| now.duration_since(*start) >= RESTART_WINDOW) {
            self.starts.pop_front();
        }
        let not_before = match (self.starts.front(), self.starts.back()) {
            (Some(oldest), _) if self.starts.len() >= RESTARTS => *oldest + RESTART_WINDOW,
            (_, Some(latest)) if self.starts.len() >= 2 => *latest + RESTART_BACKOFF * (1 << (self.starts.len() - 2)),
            _ => now,
        };
        let wait = not_before.saturating_duration_since(now);
        if !wait.is_zero() {
            return Err(TooSoon { wait });
        }
        self.starts.push_back(now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_restart_is_at_once_and_later_ones_wait_longer() {
        let mut budget = RestartBudget::default();
        let mut now = Instant::now();
        assert_eq!(budget.start(now), Ok(()));
        assert_eq!(budget.start(now), Ok(()));
        for doubled in [1, 2, 4] {
            let wait = RESTART_BACKOFF * doubled;
            assert_eq!(budget.start(now), Err(TooSoon { wait }));
            now += wait;
            assert_eq!(budget.start(now), Ok(()));
        }
    }

    #[test]
    fn a_spent_budget_recovers_when_the_window_has_passed() {
        let mut budget = RestartBudget::default();
        let first = Instant::now();
        let mut now = first;
        for _ in 0..RESTARTS {
            while let Err(TooSoon { wait }) = budget.start(now) {
                now += wait;
            }
        }
        now += RESTART_BACKOFF * 64;
        let Err(TooSoon { wait }) = budget.start(now) else { panic!("the budget is spent") };
        assert_eq!(now + wait, first + RESTART_WINDOW);
        assert_eq!(budget.start(now + wait), Ok(()));
    }
}
