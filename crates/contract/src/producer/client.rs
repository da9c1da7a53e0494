use crate::{
    ApplicationIdentity, Capability, EndReason, Event, EventKind, GrantChange, Peer, PolicyChange, Principal,
    SessionId, Source, Standing,
};

/// Connected programs. Held by whoever accepts connections and asks the kernel who the peer is.
#[derive(Debug)]
pub struct Clients(());

impl Clients {
    pub(super) fn new() -> Self {
        Self(())
    }

    /// A program connected, and the kernel said who it is.
    pub fn connected(&self, peer: Peer) -> ClientConnection {
        ClientConnection { peer }
    }

    /// Whether the connected programs say when a turn ends.
    pub fn claim_turn_end(&self, standing: Standing) -> Event {
        let capability = Capability::TurnEnd;
        Event::new(Source::Producer { capability }, EventKind::ClaimChanged { capability, standing })
    }
}

/// One connected program. What it says only ever narrows.
#[derive(Debug)]
pub struct ClientConnection {
    peer: Peer,
}

impl ClientConnection {
    pub const fn peer(&self) -> &Peer {
        &self.peer
    }

    /// The client finished its turn.
    pub fn turn_ended(&self, session: SessionId) -> Event {
        self.event(EventKind::TurnEnded { session })
    }

    /// The client closed the session, or went away.
    pub fn session_ended(&self, session: SessionId) -> Event {
        self.event(EventKind::SessionEnded { session, reason: EndReason::Closed })
    }

    /// The client asks to stop everything.
    pub fn stop(&self) -> Event {
        self.event(EventKind::StopRequested)
    }

    /// The client asks to keep a principal out of an application.
    pub fn deny(&self, principal: Principal, application: ApplicationIdentity) -> Event {
        self.event(EventKind::GrantChanged { principal, change: GrantChange::Denied(application) })
    }

    /// The policy that the client set forbids more than before.
    pub fn stricter_policy(&self) -> Event {
        self.event(EventKind::PolicyChanged { change: PolicyChange::Stricter })
    }

    fn event(&self, kind: EventKind) -> Event {
        let Peer { connection, principal, process } = self.peer.clone();
        Event::new(Source::Client { connection, principal, process }, kind)
    }
}
