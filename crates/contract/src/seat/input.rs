use super::{Application, Intervention, Seat, SharedRaise};
use crate::{
    ApplicationKey, FenceScope, Generation, HoldId, InputScope, Moment, Notice, Response, SessionId, YieldScope,
    bounds::{APPLICATIONS, HOLDS},
};
use std::collections::BTreeMap;

/// A person's input on the seat.
#[derive(Debug, Default)]
pub(super) struct Input {
    /// Input that is not placed yet, with its receipt.
    pub(super) holds: BTreeMap<HoldId, Moment>,
    /// The intervention that counts for every application.
    pub(super) everywhere: Intervention,
    /// The latest end of an intervention in an application that was forgotten since.
    forgotten_until: Moment,
    /// The latest end of any intervention.
    pub(super) anywhere_until: Moment,
    /// The producer was claimed, and is lost.
    pub(super) lost: bool,
}

impl Seat {
    pub(super) fn input_held(&mut self, now: Moment, hold: HoldId, out: &mut Vec<Response>) {
        if self.input.holds.len() >= HOLDS {
            self.intervene(now, now, None, out);
            return;
        }
        let is_first = self.input.holds.is_empty();
        self.input.holds.insert(hold, now);
        if is_first {
            self.fence(now, FenceScope::Seat, out);
            out.push(Response::Tell(Notice::Held));
        }
    }

    pub(super) fn input_scoped(
        &mut self,
        now: Moment,
        hold: Option<HoldId>,
        scope: InputScope,
        out: &mut Vec<Response>,
    ) {
        let received = hold.and_then(|hold| self.input.holds.remove(&hold));
        match scope {
            InputScope::Nowhere => {}
            InputScope::Anywhere => self.intervene(now, received.unwrap_or(now), None, out),
            InputScope::Application(application) => {
                let scope = (self.configuration.yield_scope == YieldScope::Target).then_some(application);
                self.intervene(now, received.unwrap_or(now), scope, out);
            }
        }
        if received.is_some() && self.input.holds.is_empty() {
            out.push(Response::Tell(Notice::HoldEnded));
        }
    }

    /// A person is in `application`, or anywhere, since `received`.
    pub(super) fn intervene(
        &mut self,
        now: Moment,
        received: Moment,
        application: Option<ApplicationKey>,
        out: &mut Vec<Response>,
    ) {
        let until = received.plus_ms(self.configuration.quiet_ms);
        self.intervene_until(now, until, application, out);
    }

    pub(super) fn intervene_until(
        &mut self,
        now: Moment,
        until: Moment,
        application: Option<ApplicationKey>,
        out: &mut Vec<Response>,
    ) {
        self.input.anywhere_until = self.input.anywhere_until.max(until);
        let intervention = match &application {
            None => &mut self.input.everywhere,
            Some(application) => &mut self.application(application).intervention,
        };
        let is_extension = now < intervention.until;
        intervention.until = intervention.until.max(until);
        intervention.unannounced = true;
        let until = intervention.until;
        if is_extension {
            return;
        }
        match &application {
            None => self.refuse_seat(now, out),
            Some(key) => self.refuse_application(now, key, out),
        }
        out.push(Response::Tell(Notice::InterventionBegan { application, until }));
    }

    /// Closes the fence for a fact of one application that refuses, and makes every look at it untrusted.
    pub(super) fn refuse_application(&mut self, now: Moment, key: &ApplicationKey, out: &mut Vec<Response>) {
        self.fence(now, FenceScope::Application(key.clone()), out);
        self.raise_application(key, None);
    }

    /// `by`: the session whose mutation it is, for which it does not count.
    pub(super) fn raise_application(&mut self, key: &ApplicationKey, by: Option<SessionId>) {
        let raise = self.raises.next();
        self.application(key).raise.raise(raise, by);
    }

    pub(super) fn intervention_quiet(&mut self, now: Moment, scope: Option<ApplicationKey>, out: &mut Vec<Response>) {
        let intervention = match &scope {
            None => Some(&mut self.input.everywhere),
            Some(application) => self.applications.get_mut(application).map(|known| &mut known.intervention),
        };
        match intervention {
            Some(intervention) if intervention.unannounced && intervention.until <= now => {
                intervention.unannounced = false;
                out.push(Response::Tell(Notice::InterventionQuiet { application: scope }));
            }
            _ => out.push(Response::Tell(Notice::Ignored)),
        }
    }

    /// What was held can no longer be placed, so it counts for everything.
    pub(super) fn input_lost(&mut self, now: Moment, was_held: bool, out: &mut Vec<Response>) {
        self.input.lost |= was_held;
        let received = self.input.holds.values().max().copied();
        self.input.holds.clear();
        if let Some(received) = received {
            self.intervene(now, received, None, out);
            out.push(Response::Tell(Notice::HoldEnded));
        }
    }

    /// The end of the intervention in force for this application, if one is.
    pub(super) fn intervention_at(&self, now: Moment, application: &ApplicationKey) -> Option<Moment> {
        let until = self.last_intervention(application);
        (now < until).then_some(until)
    }

    /// The end of the latest intervention that counted for this application.
    pub(super) fn last_intervention(&self, application: &ApplicationKey) -> Moment {
        let of_application = self.applications.get(application).map(|known| known.intervention.until);
        self.input.everywhere.until.max(of_application.unwrap_or(self.input.forgotten_until))
    }

    pub(super) fn application_raise(&self, application: &ApplicationKey, session: SessionId) -> Generation {
        match self.applications.get(application) {
            Some(known) => known.raise.seen_by(session),
            None => self.raises.forgotten_applications(),
        }
    }

    fn application(&mut self, key: &ApplicationKey) -> &mut Application {
        if !self.applications.contains_key(key) && self.applications.len() >= APPLICATIONS {
            self.forget_applications();
        }
        let raise = SharedRaise::from(self.raises.forgotten_applications());
        let until = self.input.forgotten_until;
        self.applications
            .entry(key.clone())
            .or_insert_with(|| Application { raise, intervention: Intervention { until, unannounced: false } })
    }

    /// Forgets the applications without an intervention in force; if all have one, their interventions count for
    /// everything.
    fn forget_applications(&mut self) {
        let now = self.latest;
        let all_in_force = self.applications.values().all(|known| now < known.intervention.until);
        if all_in_force {
            self.input.everywhere.until = self.input.everywhere.until.max(self.input.anywhere_until);
            self.input.everywhere.unannounced = true;
            self.raises.raise_seat();
        }
        let (raises, input) = (&mut self.raises, &mut self.input);
        self.applications.retain(|_, known| {
            let stays = !all_in_force && now < known.intervention.until;
            if !stays {
                raises.forget_application(known.raise.newest());
                input.forgotten_until = input.forgotten_until.max(known.intervention.until.min(now));
            }
            stays
        });
    }
}
