use super::Seat;
use crate::{
    ApplicationKey, FenceScope, Generation, GoneTarget, Moment, Notice, Response, WindowKey, bounds::GONE_TARGETS,
};
use std::collections::VecDeque;

/// Targets that ended a short while ago, for the looks that were under way.
#[derive(Debug, Default)]
pub(super) struct Gone {
    recent: VecDeque<(Generation, GoneTarget)>,
    /// What is older is forgotten: a look that began before this is not trusted.
    forgotten: Generation,
}

/// What is known of a look's target since the look began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Since {
    Alive,
    Gone,
    Unknown,
}

impl Gone {
    pub(super) fn since(&self, began: Generation, window: &WindowKey) -> Since {
        let is_gone = self.recent.iter().any(|(at, target)| *at > began && target.includes(window));
        match is_gone {
            true => Since::Gone,
            false if began < self.forgotten => Since::Unknown,
            false => Since::Alive,
        }
    }

    fn add(&mut self, at: Generation, target: GoneTarget) {
        if self.recent.len() >= GONE_TARGETS
            && let Some((forgotten, _)) = self.recent.pop_front()
        {
            self.forgotten = forgotten;
        }
        self.recent.push_back((at, target));
    }
}

impl GoneTarget {
    fn includes(&self, window: &WindowKey) -> bool {
        match self {
            Self::Process(application) => window.belongs_to(application),
            Self::Window(gone) => window == gone,
        }
    }

    fn application(&self) -> ApplicationKey {
        match self {
            Self::Process(application) => application.clone(),
            Self::Window(window) => window.application(),
        }
    }
}

impl Seat {
    pub(super) fn target_gone(&mut self, now: Moment, target: GoneTarget, out: &mut Vec<Response>) {
        if self.sessions.values().any(|known| known.uses(&target)) {
            self.fence(now, FenceScope::Application(target.application()), out);
        }
        let observations = self.sessions.values_mut().map(|known| known.withdraw_gone(&target)).sum();
        let at = self.raises.next();
        self.gone.add(at, target);
        out.push(Response::Tell(Notice::TargetGone { observations }));
    }
}
