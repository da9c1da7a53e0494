use super::Seat;
use crate::{
    ApplicationIdentity, FenceScope, GrantChange, Moment, Notice, PolicyChange, Principal, Response, SessionId,
    bounds::GRANT_DECISIONS,
};
use std::collections::{BTreeMap, BTreeSet};

/// What each principal may work in, as far as anybody decided.
#[derive(Debug, Default)]
pub(super) struct Grants {
    decisions: BTreeMap<Principal, BTreeMap<ApplicationIdentity, bool>>,
    count: usize,
    /// Principals with more denials than are remembered one by one.
    denied_everything: BTreeSet<Principal>,
}

impl Grants {
    fn decide(&mut self, principal: &Principal, application: ApplicationIdentity, allowed: bool) {
        let known = self.decisions.entry(principal.clone()).or_default();
        if let Some(decision) = known.get_mut(&application) {
            *decision = allowed;
        } else if self.count < GRANT_DECISIONS {
            known.insert(application, allowed);
            self.count += 1;
        } else if !allowed {
            self.denied_everything.insert(principal.clone());
        }
    }
}

impl Seat {
    /// Whether the principal was allowed or denied the application; none when nobody was asked.
    pub fn grant(&self, principal: &Principal, application: &ApplicationIdentity) -> Option<bool> {
        if self.grants.denied_everything.contains(principal) {
            return Some(false);
        }
        self.grants.decisions.get(principal)?.get(application).copied()
    }

    pub(super) fn grant_changed(
        &mut self,
        now: Moment,
        principal: Principal,
        change: GrantChange,
        out: &mut Vec<Response>,
    ) {
        match change {
            GrantChange::Allowed(application) => self.grants.decide(&principal, application, true),
            GrantChange::Denied(application) => {
                self.refuse_principal(now, &principal, out);
                self.grants.decide(&principal, application, false);
                out.push(Response::Tell(Notice::GrantDenied { principal }));
            }
        }
    }

    pub(super) fn policy_changed(&mut self, now: Moment, change: PolicyChange, out: &mut Vec<Response>) {
        if change == PolicyChange::Stricter {
            self.refuse_seat(now, out);
            out.push(Response::Tell(Notice::PolicyStricter));
        }
    }

    fn refuse_principal(&mut self, now: Moment, principal: &Principal, out: &mut Vec<Response>) {
        let of_principal = self.sessions.iter().filter(|(_, known)| known.principal == *principal);
        let sessions: Vec<SessionId> = of_principal.map(|(session, _)| *session).collect();
        for session in sessions {
            self.fence(now, FenceScope::Session(session), out);
            let raise = self.raises.next();
            if let Some(known) = self.sessions.get_mut(&session) {
                known.raise = raise;
            }
        }
    }
}
