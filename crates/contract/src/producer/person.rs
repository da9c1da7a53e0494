use super::PersonPress;
use crate::{
    ApplicationIdentity, Authority, BusName, Control, Event, EventKind, GrantChange, PolicyChange, Principal, Resume,
    Source,
};

/// surehand's own controls. Held by whoever shows them; each use needs a press that the input producer attributes
/// to a person.
#[derive(Debug)]
pub struct PersonControls(());

impl PersonControls {
    pub(super) fn new() -> Self {
        Self(())
    }

    /// The person stops everything.
    pub fn stop(&self, control: Control, press: PersonPress) -> Event {
        Self::event(control, press, EventKind::StopRequested)
    }

    /// The person lifts a halt, a block or a vote.
    pub fn resume(&self, press: PersonPress, resume: Resume) -> Event {
        Self::event(Control::Prompt, press, EventKind::Resumed { resume })
    }

    /// The person lets a principal work in an application.
    pub fn allow(&self, press: PersonPress, principal: Principal, application: ApplicationIdentity) -> Event {
        let change = GrantChange::Allowed(application);
        Self::event(Control::Prompt, press, EventKind::GrantChanged { principal, change })
    }

    /// The person keeps a principal out of an application.
    pub fn deny(&self, press: PersonPress, principal: Principal, application: ApplicationIdentity) -> Event {
        let change = GrantChange::Denied(application);
        Self::event(Control::Prompt, press, EventKind::GrantChanged { principal, change })
    }

    /// The person confirms a policy that allows more than before.
    pub fn looser_policy(&self, press: PersonPress) -> Event {
        Self::event(Control::Prompt, press, EventKind::PolicyChanged { change: PolicyChange::Looser })
    }

    fn event(control: Control, press: PersonPress, kind: EventKind) -> Event {
        let PersonPress { device, name, server_time_ms } = press;
        Event::new(Source::Person { control, device, name, server_time_ms }, kind)
    }
}

/// What widens where no press can be attributed to a person. Held by whoever asks polkit, and by whoever opens the
/// policy file and finds that only root can write it.
#[derive(Debug)]
pub struct Authorities(());

impl Authorities {
    pub(super) fn new() -> Self {
        Self(())
    }

    /// polkit authenticated a person; `daemon` owns its well-known name.
    pub fn polkit(&self, daemon: BusName) -> Authorisation {
        Authorisation(Authority::Polkit { daemon })
    }

    /// The open file is owned by root, and neither it nor its folders can be written by another user.
    pub fn root_policy_file(&self, device: u64, inode: u64) -> Authorisation {
        Authorisation(Authority::RootPolicyFile { device, inode })
    }
}

/// One authorisation. Used once.
#[derive(Debug)]
pub struct Authorisation(Authority);

impl Authorisation {
    /// A halt, a block or a vote is lifted.
    pub fn resume(self, resume: Resume) -> Event {
        self.event(EventKind::Resumed { resume })
    }

    /// A principal may work in an application.
    pub fn allow(self, principal: Principal, application: ApplicationIdentity) -> Event {
        self.event(EventKind::GrantChanged { principal, change: GrantChange::Allowed(application) })
    }

    /// A policy that allows more than before is in force.
    pub fn looser_policy(self) -> Event {
        self.event(EventKind::PolicyChanged { change: PolicyChange::Looser })
    }

    fn event(self, kind: EventKind) -> Event {
        Event::new(Source::Authority { authority: self.0 }, kind)
    }
}
