use super::{Intervention, Seat};
use crate::{Event, EventKind, LockStatement, Moment, SessionId, Source};

impl Seat {
    /// The next moment at which [`Seat::due`] has something, if nothing else happens.
    pub fn next_deadline(&self) -> Option<Moment> {
        let everywhere = self.input.everywhere;
        let interventions = self.applications.values().map(|known| known.intervention).chain([everywhere]);
        let quiet = interventions.filter(|known| known.unannounced).map(|known| known.until).min();
        let idle = self.sessions.keys().filter_map(|session| self.idle_at(*session)).min();
        [quiet, idle, self.lock.request_ends()].into_iter().flatten().min()
    }

    /// A deadline that has passed, as an event of the clock. Call until there is none.
    pub fn due(&self, now: Moment) -> Option<Event> {
        let now = self.latest.max(now);
        let kind = self.quiet_due(now).or_else(|| self.lapse_due(now)).or_else(|| self.idle_due(now))?;
        Some(Event::new(Source::Clock, kind))
    }

    fn quiet_due(&self, now: Moment) -> Option<EventKind> {
        let is_due = |known: &Intervention| known.unannounced && known.until <= now;
        if is_due(&self.input.everywhere) {
            return Some(EventKind::InterventionQuiet { scope: None });
        }
        let (application, _) = self.applications.iter().find(|(_, known)| is_due(&known.intervention))?;
        Some(EventKind::InterventionQuiet { scope: Some(application.clone()) })
    }

    fn lapse_due(&self, now: Moment) -> Option<EventKind> {
        self.lock.request_ends().filter(|until| *until <= now)?;
        Some(EventKind::LockVote { statement: LockStatement::RequestLapsed })
    }

    fn idle_due(&self, now: Moment) -> Option<EventKind> {
        let is_due = |session: &SessionId| self.idle_at(*session).is_some_and(|idle_at| idle_at <= now);
        self.sessions.keys().copied().find(is_due).map(|session| EventKind::SessionIdle { session })
    }
}
