use crate::{Generation, SessionId};

/// Counts every fact that is set and can refuse an action.
///
/// The generation of a session × window is the newest count that applies to it: of the seat, its session, its
/// application, or itself. So it rises whenever such a fact is set, at a cost that does not grow with the number
/// of sessions and windows, and no count is ever used twice.
#[derive(Debug, Default)]
pub(super) struct Raises {
    newest: Generation,
    seat: Generation,
    locked: Generation,
    /// The newest raise of any application that was forgotten since.
    forgotten_applications: Generation,
}

impl Raises {
    pub(super) fn next(&mut self) -> Generation {
        self.newest = self.newest.next();
        self.newest
    }

    pub(super) fn raise_seat(&mut self) {
        self.seat = self.next();
    }

    /// Notes that the raise of the seat just made is a lock.
    pub(super) fn mark_locked(&mut self) {
        self.locked = self.seat;
    }

    /// The newest raise that was a lock.
    pub(super) const fn locked(&self) -> Generation {
        self.locked
    }

    pub(super) const fn newest(&self) -> Generation {
        self.newest
    }

    pub(super) const fn seat(&self) -> Generation {
        self.seat
    }

    pub(super) const fn forgotten_applications(&self) -> Generation {
        self.forgotten_applications
    }

    pub(super) fn forget_application(&mut self, raise: Generation) {
        self.forgotten_applications = self.forgotten_applications.max(raise);
    }
}

/// The newest raise of an application as each session sees it: a session's own mutations do not count for it.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct SharedRaise {
    newest: Generation,
    newest_by: Option<SessionId>,
    /// The newest raise by anybody but `newest_by`.
    newest_by_others: Generation,
}

impl SharedRaise {
    pub(super) const fn from(raise: Generation) -> Self {
        Self { newest: raise, newest_by: None, newest_by_others: raise }
    }

    /// `by` is the session that acted, or nobody for what counts for all.
    pub(super) fn raise(&mut self, to: Generation, by: Option<SessionId>) {
        if by.is_none() {
            *self = Self::from(to);
            return;
        }
        if by != self.newest_by {
            self.newest_by_others = self.newest;
        }
        self.newest = to;
        self.newest_by = by;
    }

    pub(super) fn seen_by(&self, session: SessionId) -> Generation {
        if self.newest_by == Some(session) { self.newest_by_others } else { self.newest }
    }

    pub(super) const fn newest(&self) -> Generation {
        self.newest
    }
}
