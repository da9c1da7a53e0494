use super::{Seat, speaking};
use crate::{
    ExecutorGeneration, FenceScope, LockMechanism, LockStatement, LockedWhy, Moment, Notice, Response, Source, Voter,
    VoterOwner,
    bounds::{LOCK_REQUEST_MS, LOCK_VOTERS},
};
use std::collections::BTreeMap;

/// Everything that makes the seat count as locked.
#[derive(Debug, Default)]
pub(super) struct Lock {
    votes: BTreeMap<Voter, Vote>,
    requested_until: Option<Moment>,
    asleep: bool,
    inactive: bool,
    producer_lost: bool,
    too_many_voters: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Vote {
    locked: bool,
    vanished: bool,
    /// Not heard since the machine woke up or the session became active.
    unread: bool,
}

impl Vote {
    const fn locks(self) -> bool {
        self.locked || self.unread
    }
}

impl Lock {
    pub(super) fn why(&self, now: Moment) -> Option<LockedWhy> {
        if self.votes.values().any(|vote| vote.locked) {
            Some(LockedWhy::Voted)
        } else if self.asleep {
            Some(LockedWhy::Asleep)
        } else if self.inactive {
            Some(LockedWhy::SessionInactive)
        } else if self.votes.values().any(|vote| vote.unread) {
            Some(LockedWhy::SourcesUnread)
        } else if self.producer_lost || self.too_many_voters {
            Some(LockedWhy::ProducerLost)
        } else {
            self.requested_until.filter(|until| now < *until).map(|until| LockedWhy::Requested { until })
        }
    }

    pub(super) const fn request_ends(&self) -> Option<Moment> {
        self.requested_until
    }

    pub(super) fn producer_changed(&mut self, was_held: bool, is_lost: bool) {
        self.producer_lost = is_lost && (was_held || self.producer_lost);
        self.too_many_voters &= is_lost;
    }

    /// An explicit answer: sets this voter's vote, and takes over those that earlier owners left.
    fn answer(&mut self, voter: Voter, locked: bool) -> bool {
        let before = self.votes.len();
        let mechanism = voter.mechanism;
        self.votes.retain(|other, vote| *other == voter || other.mechanism != mechanism || !vote.vanished);
        let took_over = self.votes.len() < before;
        if self.votes.len() >= LOCK_VOTERS && !self.votes.contains_key(&voter) {
            self.too_many_voters = true;
            return took_over;
        }
        self.votes.insert(voter, Vote { locked, vanished: false, unread: false });
        if locked {
            self.requested_until = None;
        }
        took_over
    }

    fn vanish(&mut self, voter: &Voter) -> bool {
        let Some(vote) = self.votes.get_mut(voter) else { return false };
        vote.vanished = true;
        if !vote.locks() {
            self.votes.remove(voter);
        }
        true
    }

    fn read_again(&mut self) {
        self.votes.values_mut().for_each(|vote| vote.unread = true);
    }

    /// A person lifts the vote of a voter that is gone.
    pub(super) fn lift(&mut self, voter: &Voter) -> bool {
        let is_gone = self.votes.get(voter).is_some_and(|vote| vote.vanished);
        if is_gone {
            self.votes.remove(voter);
        }
        is_gone
    }

    pub(super) fn executor_gone(&mut self, generation: ExecutorGeneration) -> bool {
        self.vanish(&Voter::executor(generation))
    }
}

impl Seat {
    pub(super) fn lock_vote(
        &mut self,
        now: Moment,
        source: &Source,
        statement: LockStatement,
        out: &mut Vec<Response>,
    ) {
        if speaking(source).is_some() && speaking(source) != self.running {
            out.push(Response::Tell(Notice::Ignored));
            return;
        }
        match statement {
            LockStatement::Locked { voter } => self.lock_answer(now, voter, true, out),
            LockStatement::Unlocked { voter } => self.lock_answer(now, voter, false, out),
            LockStatement::Vanished { voter } => {
                if self.lock.vanish(&voter) {
                    out.push(Response::Tell(Notice::VoterVanished { voter }));
                }
            }
            LockStatement::LockRequested { .. } => self.change_lock(now, out, |lock| {
                let until = now.plus_ms(LOCK_REQUEST_MS);
                lock.requested_until = Some(lock.requested_until.map_or(until, |earlier| earlier.max(until)));
            }),
            LockStatement::UnlockRequested { .. } => {}
            LockStatement::RequestLapsed => self.lock_request_lapsed(now, out),
        }
    }

    fn lock_answer(&mut self, now: Moment, voter: Voter, locked: bool, out: &mut Vec<Response>) {
        let of = voter.clone();
        if self.change_lock(now, out, |lock| lock.answer(of, locked)) {
            out.push(Response::Tell(Notice::VoteTakenOver { voter }));
        }
    }

    fn lock_request_lapsed(&mut self, now: Moment, out: &mut Vec<Response>) {
        let has_lapsed = self.lock.requested_until.is_some_and(|until| until <= now);
        if has_lapsed {
            self.lock.requested_until = None;
            out.push(Response::Tell(Notice::LockRequestLapsed));
        } else {
            out.push(Response::Tell(Notice::Ignored));
        }
    }

    pub(super) fn sleep_changed(&mut self, now: Moment, asleep: bool, out: &mut Vec<Response>) {
        let ends = self.lock.asleep && !asleep;
        self.change_lock(now, out, |lock| {
            lock.asleep = asleep;
            if ends {
                lock.read_again();
            }
        });
        if ends {
            out.push(Response::ReadLockSources);
        }
    }

    pub(super) fn session_active_changed(&mut self, now: Moment, active: bool, out: &mut Vec<Response>) {
        let ends = self.lock.inactive && active;
        self.change_lock(now, out, |lock| {
            lock.inactive = !active;
            if ends {
                lock.read_again();
            }
        });
        if ends {
            out.push(Response::ReadLockSources);
        }
    }

    /// The executor found the screen locked while it acted.
    pub(super) fn executor_finds_lock(&mut self, now: Moment, generation: ExecutorGeneration, out: &mut Vec<Response>) {
        let voter = Voter { mechanism: LockMechanism::Executor, owner: VoterOwner::Executor { generation } };
        self.lock_answer(now, voter, true, out);
    }

    /// Changes a fact of the lock, and raises the fence when the seat becomes locked by it.
    pub(super) fn change_lock<T>(
        &mut self,
        now: Moment,
        out: &mut Vec<Response>,
        change: impl FnOnce(&mut Lock) -> T,
    ) -> T {
        let was_locked = self.lock.why(now).is_some();
        let changed = change(&mut self.lock);
        match self.lock.why(now) {
            Some(why) if !was_locked => {
                self.refuse_seat(now, out);
                self.raises.mark_locked();
                out.push(Response::CancelCalls { scope: FenceScope::Seat, code: why.refusal(now).code });
                out.push(Response::Tell(Notice::Locked { why }));
            }
            None if was_locked => out.push(Response::Tell(Notice::Unlocked)),
            _ => {}
        }
        changed
    }
}
