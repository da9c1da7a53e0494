use crate::{BusName, Capability, Event, EventKind, LockStatement, Source, Standing, Voter};

/// The programs that lock the screen. Held by whoever listens to them and checks who owns each name.
#[derive(Debug)]
pub struct Lockers(());

impl Lockers {
    pub(super) fn new() -> Self {
        Self(())
    }

    /// The voter's own answer or announcement.
    pub fn vote(&self, voter: Voter, locked: bool) -> Event {
        let of = voter.clone();
        let statement = if locked { LockStatement::Locked { voter } } else { LockStatement::Unlocked { voter } };
        Self::event(of, statement)
    }

    /// The voter left its bus, or its process ended.
    pub fn vanished(&self, voter: Voter) -> Event {
        Self::event(voter.clone(), LockStatement::Vanished { voter })
    }

    /// What the producer itself claims about this machine.
    pub fn claim(&self, standing: Standing) -> Event {
        let capability = Capability::ScreenLock;
        Event::new(Source::Producer { capability }, EventKind::ClaimChanged { capability, standing })
    }

    fn event(Voter { mechanism, owner }: Voter, statement: LockStatement) -> Event {
        Event::new(Source::Locker { mechanism, owner }, EventKind::LockVote { statement })
    }
}

/// logind. Held by whoever listens to it and checks that the sender owns its name.
#[derive(Debug)]
pub struct LoginManager(());

impl LoginManager {
    pub(super) fn new() -> Self {
        Self(())
    }

    /// It sent the signal `Lock`: a request.
    pub fn lock_requested(&self, owner: BusName) -> Event {
        Self::event(owner.clone(), EventKind::LockVote { statement: LockStatement::LockRequested { owner } })
    }

    /// It sent the signal `Unlock`: a request that clears nothing.
    pub fn unlock_requested(&self, owner: BusName) -> Event {
        Self::event(owner.clone(), EventKind::LockVote { statement: LockStatement::UnlockRequested { owner } })
    }

    /// The machine is about to sleep, or is awake again.
    pub fn sleep(&self, owner: BusName, asleep: bool) -> Event {
        Self::event(owner, EventKind::SleepChanged { asleep })
    }

    /// The desktop's session became the seat's active one, or stopped being it.
    pub fn session_active(&self, owner: BusName, active: bool) -> Event {
        Self::event(owner, EventKind::SessionActiveChanged { active })
    }

    fn event(owner: BusName, kind: EventKind) -> Event {
        Event::new(Source::LoginManager { owner }, kind)
    }
}
