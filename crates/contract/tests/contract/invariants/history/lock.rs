//! The lock, read from what its voters said.

use super::*;

/// Voters 0 and 1 speak for one mechanism, 2 and 3 for another; every generation of the executor is one from 4 on.
fn mechanism(voter: usize) -> usize {
    (voter / 2).min(2)
}

impl History {
    pub(crate) fn is_locked(&self, now: Moment) -> bool {
        self.locked_code(now).is_some()
    }

    pub(crate) fn locked_code(&self, now: Moment) -> Option<Code> {
        self.remembered(&self.locked, now, || self.read_lock(now))
    }

    pub(super) fn read_lock(&self, now: Moment) -> Option<Code> {
        let votes = (0..self.voters()).any(|voter| self.vote_locks(voter));
        let asleep = self.last(|happening| match happening {
            Happening::Asleep(asleep) => Some(*asleep),
            _ => None,
        });
        let active = self.last(|happening| match happening {
            Happening::Active(active) => Some(*active),
            _ => None,
        });
        if votes || asleep == Some(true) || active == Some(false) {
            return Some(Code::ScreenLocked);
        }
        if self.lock_producer_is_lost() {
            return Some(Code::CapabilityMissing);
        }
        self.is_lock_requested(now).then_some(Code::ScreenLocked)
    }

    pub(super) fn last<T>(&self, pick: impl Fn(&Happening) -> Option<T>) -> Option<T> {
        self.iter().rev().find_map(|(_, happening)| pick(happening))
    }

    pub(super) fn lock_producer_is_lost(&self) -> bool {
        let claimed = |happening: &Happening| match happening {
            Happening::LockClaimed(claimed) => Some(*claimed),
            _ => None,
        };
        let ever = self.iter().any(|(_, happening)| claimed(happening) == Some(true));
        ever && self.last(claimed) == Some(false)
    }

    pub(crate) fn sees_input(&self) -> bool {
        let claimed = self.last(|happening| match happening {
            Happening::InputClaimed(claimed) => Some(*claimed),
            _ => None,
        });
        claimed == Some(true)
    }

    pub(super) fn is_lock_requested(&self, now: Moment) -> bool {
        let locked_last = self.iter().rev().find(|(_, h)| matches!(h, Happening::Answered { locked: true, .. }));
        let since = locked_last.map_or(0, |(at, _)| at);
        self.iter().any(|(at, happening)| {
            at > since && matches!(happening, Happening::LockRequested { until } if now < *until)
        })
    }

    pub(super) fn voters(&self) -> usize {
        let voter = |happening: &Happening| match happening {
            Happening::Answered { voter, .. } => voter + 1,
            _ => 0,
        };
        self.iter().map(|(_, happening)| voter(happening)).max().unwrap_or(0)
    }

    /// A vote locks from its voter's own word, or while it was not heard since the desktop came back, until the voter
    /// speaks, a person lifts it, or, once the voter is gone, another of its mechanism speaks.
    pub(super) fn vote_locks(&self, voter: usize) -> bool {
        self.vote_locks_at(voter, self.at())
    }

    pub(super) fn vote_locks_at(&self, voter: usize, up_to: At) -> bool {
        let until_then = || self.iter().filter(move |(at, _)| *at <= up_to);
        let mut spoke = until_then().filter_map(|(at, happening)| match happening {
            Happening::Answered { voter: of, locked } if *of == voter => Some((at, *locked)),
            _ => None,
        });
        let Some((spoke, said_locked)) = spoke.next_back() else { return false };
        let came_back = until_then().find(|(at, happening)| {
            let before = at - 1;
            *at > spoke
                && match happening {
                    Happening::Asleep(false) => self.was(
                        before,
                        |h| matches!(h, Happening::Asleep(true)),
                        |h| matches!(h, Happening::Asleep(_)),
                    ),
                    Happening::Active(true) => self.was(
                        before,
                        |h| matches!(h, Happening::Active(false)),
                        |h| matches!(h, Happening::Active(_)),
                    ),
                    _ => false,
                }
        });
        let vanished = until_then().find_map(|(at, happening)| {
            (at > spoke && matches!(happening, Happening::Vanished { voter: of } if *of == voter)).then_some(at)
        });
        let Some(vanished) = vanished else { return said_locked || came_back.is_some() };
        let locked_then = said_locked || came_back.is_some_and(|(at, _)| at < vanished);
        let replaced = until_then().any(|(at, happening)| {
            at > vanished
                && match happening {
                    Happening::Answered { voter: of, .. } => *of != voter && mechanism(*of) == mechanism(voter),
                    Happening::Lifted { voter: of } => *of == voter,
                    _ => false,
                }
        });
        locked_then && !replaced
    }

    /// Whether the last happening of a kind up to `before` is the one asked for.
    pub(super) fn was(
        &self,
        before: At,
        asked: impl Fn(&Happening) -> bool,
        kind: impl Fn(&Happening) -> bool,
    ) -> bool {
        self.iter().rev().find(|(at, happening)| *at <= before && kind(happening)).is_some_and(|(_, last)| asked(last))
    }
}
