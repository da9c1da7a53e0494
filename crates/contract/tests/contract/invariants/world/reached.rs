use super::*;

/// How much happened in many worlds.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    writes: usize,
    fenced: usize,
    lost: usize,
    live: usize,
    not_actionable: usize,
    dropped: usize,
    accepted: usize,
    ended_sessions: usize,
    consumed: usize,
    retired: usize,
}

impl Reached {
    pub(crate) fn add(&mut self, world: &World) {
        let looks = || world.history.looks();
        self.writes += world.journal.len();
        self.fenced += world.fenced;
        self.lost += world.actions.iter().filter(|action| action.state == ActionState::Lost).count();
        self.live += looks().filter(|look| matches!(look.ended, Some(Ended::Live(_)))).count();
        self.not_actionable += looks().filter(|look| matches!(look.ended, Some(Ended::NotActionable(_)))).count();
        self.dropped += looks().filter(|look| matches!(look.ended, Some(Ended::Dropped(..)))).count();
        self.accepted += world.history.accepted_refusals();
        self.ended_sessions += world.sessions.iter().filter(|s| world.history.ended(**s).is_some()).count();
        self.consumed += looks().filter(|look| look.fates.contains(&Code::DuplicateAction)).count();
        self.retired += looks().map(|look| look.retired.len()).sum::<usize>();
    }

    pub(crate) fn assert_all(&self) {
        let Self { writes, fenced, lost, live, not_actionable, dropped, accepted, ended_sessions, consumed, retired } =
            *self;
        let counts = [writes, fenced, lost, live, not_actionable, dropped, accepted, ended_sessions, consumed, retired];
        assert!(counts.iter().all(|count| *count > 0), "{self:?}");
    }
}
