//! The reference: everything that happened, in order, and the contract's rules read from that list.

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

/// Voters 0 and 1 speak for one mechanism, 2 and 3 for another; every generation of the executor is one from 4 on.
fn mechanism(voter: usize) -> usize {
    (voter / 2).min(2)
}

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

    // Facts of the seat and its sessions.

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

    // The lock.

    pub(crate) fn is_locked(&self, now: Moment) -> bool {
        self.locked_code(now).is_some()
    }

    pub(crate) fn locked_code(&self, now: Moment) -> Option<Code> {
        self.remembered(&self.locked, now, || self.read_lock(now))
    }

    fn read_lock(&self, now: Moment) -> Option<Code> {
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

    fn last<T>(&self, pick: impl Fn(&Happening) -> Option<T>) -> Option<T> {
        self.iter().rev().find_map(|(_, happening)| pick(happening))
    }

    fn lock_producer_is_lost(&self) -> bool {
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

    fn is_lock_requested(&self, now: Moment) -> bool {
        let locked_last = self.iter().rev().find(|(_, h)| matches!(h, Happening::Answered { locked: true, .. }));
        let since = locked_last.map_or(0, |(at, _)| at);
        self.iter().any(|(at, happening)| {
            at > since && matches!(happening, Happening::LockRequested { until } if now < *until)
        })
    }

    fn voters(&self) -> usize {
        let voter = |happening: &Happening| match happening {
            Happening::Answered { voter, .. } => voter + 1,
            _ => 0,
        };
        self.iter().map(|(_, happening)| voter(happening)).max().unwrap_or(0)
    }

    /// A vote locks from its voter's own word, or while it was not heard since the desktop came back, until the voter
    /// speaks, a person lifts it, or, once the voter is gone, another of its mechanism speaks.
    fn vote_locks(&self, voter: usize) -> bool {
        self.vote_locks_at(voter, self.at())
    }

    fn vote_locks_at(&self, voter: usize, up_to: At) -> bool {
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
    fn was(&self, before: At, asked: impl Fn(&Happening) -> bool, kind: impl Fn(&Happening) -> bool) -> bool {
        self.iter().rev().find(|(at, happening)| *at <= before && kind(happening)).is_some_and(|(_, last)| asked(last))
    }

    // Looks.

    pub(crate) fn begin_look(&mut self, now: Moment, session: SessionId, id: ObservationId) {
        let look = Look {
            id,
            session,
            began: self.at(),
            began_at: now,
            ended: None,
            fates: Vec::new(),
            retired: Vec::new(),
            has_open_claim: false,
        };
        self.looks.insert(id, look);
    }

    pub(crate) fn look(&self, id: ObservationId) -> &Look {
        &self.looks[&id]
    }

    pub(crate) fn look_mut(&mut self, id: ObservationId) -> &mut Look {
        self.looks.get_mut(&id).expect("a look of this world")
    }

    pub(crate) fn looks(&self) -> impl Iterator<Item = &Look> {
        self.looks.values()
    }

    /// What a look that reads `window` now is worth.
    pub(crate) fn judge(&self, id: ObservationId, window: Window, now: Moment) -> Ended {
        let look = self.look(id);
        if let Some(code) = self.locked_code(now) {
            return Ended::Dropped(window, code);
        }
        if self.iter().any(|(at, happening)| at > look.began && matches!(happening, Happening::BecameLocked)) {
            return Ended::Dropped(window, Code::ScreenLocked);
        }
        if self.is_gone_since(window, look.began) {
            return Ended::Dropped(window, Code::TargetMissing);
        }
        let later_one = self.looks.values().any(|other| {
            let was_live = matches!(other.ended, Some(Ended::Live(of)) if of == window);
            was_live && other.session == look.session && other.id > look.id
        });
        if self.is_disturbed(look, window) || later_one { Ended::NotActionable(window) } else { Ended::Live(window) }
    }

    pub(crate) fn is_gone_since(&self, window: Window, since: At) -> bool {
        self.iter().any(|(at, happening)| {
            at > since
                && match happening {
                    Happening::WindowGone { window: of } => *of == window,
                    Happening::ProcessGone { process } => *process == process_of(window),
                    _ => false,
                }
        })
    }

    /// Whether anything that refuses happened to the look's window since the look began, or was in force then.
    fn is_disturbed(&self, look: &Look, window: Window) -> bool {
        let process = process_of(window);
        let principal = self.principal(look.session);
        let since = self.iter().any(|(at, happening)| {
            at > look.began
                && match happening {
                    Happening::Halted
                    | Happening::StricterPolicy
                    | Happening::ExecutorReleased
                    | Happening::DisplayLost
                    | Happening::BecameLocked => true,
                    Happening::GaveUp { session } => *session == look.session,
                    Happening::Denied { principal: of } => Some(*of) == principal,
                    Happening::Touched { process: of, .. } => of.is_none_or(|of| of == process),
                    Happening::Doubted { process: of } => *of == process,
                    Happening::LookAgain { session, window: of } => *session == look.session && *of == window,
                    Happening::Mutated { session, process: of } => *session != look.session && *of == process,
                    _ => false,
                }
        });
        let counts = |of: Option<usize>| of.is_none_or(|of| of == process);
        since || self.touches(look.began, counts, look.began_at).is_some()
    }

    pub(crate) fn end_look(&mut self, id: ObservationId, ended: Ended) {
        let session = self.look(id).session;
        if let Ended::Live(window) = ended {
            let replaced = self.looks.values_mut().filter(|other| {
                other.session == session && other.ended == Some(Ended::Live(window)) && other.fates.is_empty()
            });
            replaced.for_each(|other| other.fates.push(Code::StaleObservation));
        }
        self.look_mut(id).ended = Some(ended);
    }

    /// Something befalls every shown look that `concerns` and was not befallen before.
    pub(crate) fn befall(&mut self, code: Code, concerns: impl Fn(&Look) -> bool) {
        for look in self.looks.values_mut() {
            if look.is_shown() && look.fates.is_empty() && concerns(look) {
                look.fates.push(code);
            }
        }
    }

    // Answers.

    pub(crate) fn may_look(&self, session: SessionId, now: Moment) -> Result<(), Code> {
        if self.is_halted() {
            return Err(Code::Halted);
        }
        if let Some(reason) = self.ended(session) {
            return Err(reason.code());
        }
        self.locked_code(now).map_or(Ok(()), Err)
    }

    pub(crate) fn may_act(
        &self,
        session: SessionId,
        id: ObservationId,
        pointer: bool,
        configuration: &SeatConfiguration,
        now: Moment,
    ) -> Result<(), Code> {
        self.may_look(session, now)?;
        let look = self.looks.get(&id).filter(|look| look.session == session);
        let Some((look, window)) = look.and_then(|look| Some((look, look.window()?))) else {
            let has_observed = self
                .looks
                .values()
                .any(|other| other.session == session && matches!(other.ended, Some(Ended::Live(_))));
            return Err(if has_observed { Code::StaleObservation } else { Code::Unobserved });
        };
        let touched = if pointer { self.intervention_anywhere(now) } else { self.intervention(window, now) };
        if touched.is_some() {
            return Err(Code::UserIntervened);
        }
        if self.is_held() {
            return Err(Code::Held);
        }
        if pointer && !self.sees_input() {
            return Err(Code::CapabilityMissing);
        }
        if look.fates.contains(&Code::DuplicateAction) {
            return Err(Code::DuplicateAction);
        }
        match look.ended {
            Some(Ended::Dropped(_, Code::TargetMissing)) => return Err(Code::TargetMissing),
            Some(Ended::Dropped(..)) => return Err(Code::NeedsObservation),
            _ => {}
        }
        if let Some(fate) = look.fates.first() {
            return Err(*fate);
        }
        if matches!(look.ended, Some(Ended::NotActionable(_))) || self.is_disturbed(look, window) {
            return Err(Code::NeedsObservation);
        }
        if look.began_at.plus_ms(configuration.observation_ttl_ms) <= now {
            return Err(Code::StaleObservation);
        }
        Ok(())
    }

    // Refusals and their acceptance.

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
