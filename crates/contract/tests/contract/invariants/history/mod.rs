//! The reference: everything that happened, in order, and the contract's rules read from that list.

mod lock;
mod looks;

use std::{cell::Cell, collections::BTreeMap};
use surehand_contract::*;

/// The number of a happening; later ones are greater.
pub(crate) type At = usize;

/// The number of an operation of the world.
pub(crate) type Tick = u64;

/// A window of the world, by its number. Windows are never reused; two in a row share a process.
pub(crate) type Window = usize;

pub(crate) fn process_of(window: Window) -> usize {
    window / 2
}

#[derive(Debug, Clone)]
pub(crate) enum Happening {
    Opened {
        session: SessionId,
        principal: usize,
    },
    Ended {
        session: SessionId,
        reason: EndReason,
    },
    GaveUp {
        session: SessionId,
    },
    Halted,
    Resumed,
    Blocked {
        principal: usize,
    },
    Unblocked {
        principal: usize,
    },
    Denied {
        principal: usize,
    },
    StricterPolicy,
    ExecutorStarted,
    ExecutorReleased,
    /// A person's input; no process means everywhere.
    Touched {
        process: Option<usize>,
        until: Moment,
    },
    /// A person was met, and left nothing behind but doubt.
    Doubted {
        process: usize,
    },
    LookAgain {
        session: SessionId,
        window: Window,
    },
    Mutated {
        session: SessionId,
        process: usize,
    },
    Held {
        hold: usize,
    },
    Placed {
        hold: usize,
    },
    Answered {
        voter: usize,
        locked: bool,
    },
    Vanished {
        voter: usize,
    },
    Lifted {
        voter: usize,
    },
    LockRequested {
        until: Moment,
    },
    Asleep(bool),
    Active(bool),
    LockClaimed(bool),
    InputClaimed(bool),
    WindowGone {
        window: Window,
    },
    ProcessGone {
        process: usize,
    },
    DisplayLost,
    /// The seat became locked with the happening before.
    BecameLocked,
}

/// A refusal that was fenced.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub(crate) at: Tick,
    pub(crate) scope: Scope,
    /// Fences that were raised for it and are not acknowledged.
    epochs: Vec<FenceEpoch>,
    pub(crate) accepted: Option<Tick>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Seat,
    Process(usize),
    Session(SessionId),
}

#[derive(Debug, Clone)]
pub(crate) struct Look {
    pub(crate) id: ObservationId,
    pub(crate) session: SessionId,
    pub(crate) began: At,
    pub(crate) began_at: Moment,
    pub(crate) ended: Option<Ended>,
    /// What befell it after it ended, in order.
    pub(crate) fates: Vec<Code>,
    pub(crate) retired: Vec<u8>,
    pub(crate) has_open_claim: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Live(Window),
    NotActionable(Window),
    /// It read this window and may not be shown.
    Dropped(Window, Code),
    Failed,
}

impl Look {
    pub(crate) fn window(&self) -> Option<Window> {
        match self.ended {
            Some(Ended::Live(window) | Ended::NotActionable(window) | Ended::Dropped(window, _)) => Some(window),
            Some(Ended::Failed) | None => None,
        }
    }

    fn is_shown(&self) -> bool {
        matches!(self.ended, Some(Ended::Live(_) | Ended::NotActionable(_)))
    }
}

#[derive(Debug, Default)]
pub(crate) struct History {
    happenings: Vec<(Moment, Happening)>,
    looks: BTreeMap<ObservationId, Look>,
    refusals: Vec<Refusal>,
    held: Remembered<bool>,
    locked: Remembered<Option<Code>>,
}

/// An answer, for as long as nothing happens and no time passes: rereading the list would only be slower.
type Remembered<T> = Cell<Option<(At, Moment, T)>>;

impl History {
    pub(crate) fn add(&mut self, now: Moment, happening: Happening) -> At {
        self.happenings.push((now, happening));
        self.happenings.len()
    }

    pub(crate) fn at(&self) -> At {
        self.happenings.len()
    }

    fn remembered<T: Copy>(&self, memory: &Remembered<T>, now: Moment, read: impl FnOnce() -> T) -> T {
        if let Some((at, moment, answer)) = memory.get()
            && (at, moment) == (self.at(), now)
        {
            return answer;
        }
        let answer = read();
        memory.set(Some((self.at(), now, answer)));
        answer
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = (At, &Happening)> {
        self.happenings.iter().enumerate().map(|(index, (_, happening))| (index + 1, happening))
    }

    pub(crate) fn is_halted(&self) -> bool {
        let last = self.iter().rev().find(|(_, happening)| matches!(happening, Happening::Halted | Happening::Resumed));
        matches!(last, Some((_, Happening::Halted)))
    }

    pub(crate) fn is_blocked(&self, principal: usize) -> bool {
        let last = self.iter().rev().find_map(|(_, happening)| match happening {
            Happening::Blocked { principal: of } if *of == principal => Some(true),
            Happening::Unblocked { principal: of } if *of == principal => Some(false),
            _ => None,
        });
        last == Some(true)
    }

    pub(crate) fn principal(&self, session: SessionId) -> Option<usize> {
        self.iter().find_map(|(_, happening)| match happening {
            Happening::Opened { session: of, principal } if *of == session => Some(*principal),
            _ => None,
        })
    }

    pub(crate) fn ended(&self, session: SessionId) -> Option<EndReason> {
        self.iter().find_map(|(_, happening)| match happening {
            Happening::Ended { session: of, reason } if *of == session => Some(*reason),
            _ => None,
        })
    }

    pub(crate) fn is_held(&self) -> bool {
        self.remembered(&self.held, Moment::default(), || {
            self.iter().any(|(_, happening)| matches!(happening, Happening::Held { hold } if !self.was_placed(*hold)))
        })
    }

    pub(crate) fn was_placed(&self, hold: usize) -> bool {
        self.iter().any(|(_, happening)| matches!(happening, Happening::Placed { hold: of } if *of == hold))
    }

    /// The end of the intervention in force over this window.
    pub(crate) fn intervention(&self, window: Window, now: Moment) -> Option<Moment> {
        self.touches(self.at(), |process| process.is_none_or(|process| process == process_of(window)), now)
    }

    pub(crate) fn intervention_anywhere(&self, now: Moment) -> Option<Moment> {
        self.touches(self.at(), |_| true, now)
    }

    pub(crate) fn is_touched(&self, process: Option<usize>, now: Moment) -> bool {
        self.touches(self.at(), |of| of == process, now).is_some()
    }

    fn touches(&self, up_to: At, counts: impl Fn(Option<usize>) -> bool, now: Moment) -> Option<Moment> {
        let until = self.iter().filter_map(|(at, happening)| match happening {
            Happening::Touched { process, until } if at <= up_to && counts(*process) => Some(*until),
            _ => None,
        });
        until.max().filter(|until| now < *until)
    }

    pub(crate) fn refuse(&mut self, tick: Tick, scope: Scope, epochs: Vec<FenceEpoch>) {
        let accepted = epochs.is_empty().then_some(tick);
        self.refusals.push(Refusal { at: tick, scope, epochs, accepted });
    }

    pub(crate) fn accept(&mut self, tick: Tick, epoch: FenceEpoch) {
        for refusal in &mut self.refusals {
            refusal.epochs.retain(|outstanding| *outstanding != epoch);
            if refusal.epochs.is_empty() && refusal.accepted.is_none() {
                refusal.accepted = Some(tick);
            }
        }
    }

    pub(crate) fn accepted_refusals(&self) -> usize {
        self.refusals.iter().filter(|refusal| refusal.accepted.is_some()).count()
    }

    pub(crate) fn refusals_over(&self, session: SessionId, window: Window) -> impl Iterator<Item = &Refusal> {
        self.refusals.iter().filter(move |refusal| match refusal.scope {
            Scope::Seat => true,
            Scope::Process(process) => process == process_of(window),
            Scope::Session(of) => of == session,
        })
    }
}
