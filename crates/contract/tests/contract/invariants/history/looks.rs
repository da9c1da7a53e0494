//! Looks, what befell them, and what may be done with them.

use super::*;

impl History {
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
    pub(super) fn is_disturbed(&self, look: &Look, window: Window) -> bool {
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
}
