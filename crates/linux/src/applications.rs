//! Applications on the accessibility bus: who they are, what toolkit they say they use, and what they announce.

use crate::{
    accessible::{APPLICATION, Client, ROOT_PATH},
    bounds,
    bus::{Bus, CallError, Member, Peer},
    family,
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use surehand_contract::UiText;
use surehand_executor::{Toolkit, ToolkitFamily};
use tokio::sync::watch;
use zbus::{MatchRule, Message, message::Type};

const REGISTRY: &str = "org.a11y.atspi.Registry";

/// What applications are asked to announce: what a settle waits for and a look can rest on. Bounds are left out:
/// no toolkit announces them reliably.
const EVENTS: &[&str] = &[
    "object:children-changed",
    "object:state-changed",
    "object:text-changed",
    "object:property-change",
    "object:selection-changed",
    "object:visible-data-changed",
    "object:model-changed",
    "object:active-descendant-changed",
    "document:load-complete",
    "window:create",
    "window:destroy",
    "window:activate",
];

/// One program's connection to the accessibility bus.
#[derive(Debug)]
pub(crate) struct Registered {
    pub(crate) peer: Peer,
    pub(crate) pid: u32,
    pub(crate) name: UiText,
    pub(crate) toolkit: Toolkit,
}

impl Registered {
    pub(crate) fn family(&self) -> ToolkitFamily {
        self.toolkit.family
    }
}

/// Counts what each connection announces, and wakes whoever waits for more.
#[derive(Debug, Default)]
pub(crate) struct Announcements(Mutex<HashMap<String, watch::Sender<u64>>>);

impl Announcements {
    pub(crate) fn hear(&self, signal: &Message) {
        let header = signal.header();
        let is_event = header.interface().is_some_and(|interface| interface.starts_with("org.a11y.atspi.Event."));
        let Some(sender) = header.sender().filter(|_| is_event) else { return };
        self.counter(sender.as_str()).send_modify(|count| *count += 1);
    }

    pub(crate) fn of(&self, owner: &str) -> watch::Receiver<u64> {
        self.counter(owner).subscribe()
    }

    fn counter(&self, owner: &str) -> watch::Sender<u64> {
        let mut counters = self.lock();
        if let Some(counter) = counters.get(owner) {
            return counter.clone();
        }
        counters.entry(owner.to_owned()).or_insert_with(|| watch::channel(0).0).clone()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, watch::Sender<u64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The applications that were met. A unique name is never given twice on one bus, so what was learned of one
/// stays true while it lasts.
#[derive(Debug, Default)]
pub(crate) struct Applications(Mutex<HashMap<String, Arc<Registered>>>);

impl Applications {
    /// Everyone registered now. One that does not answer is left out of this look, and costs only its own
    /// deadline.
    pub(crate) async fn registered(&self, bus: &Bus) -> Result<Vec<Arc<Registered>>, CallError> {
        let registry = Peer::new(REGISTRY.to_owned());
        let children = Client { bus, peer: &registry }.children(ROOT_PATH).await?;
        let mut names: Vec<Arc<str>> = children.into_iter().map(|child| child.owner).collect();
        names.sort_unstable();
        names.dedup();
        self.lock().retain(|name, _| names.iter().any(|registered| **registered == **name));
        let met = futures_util::future::join_all(names.iter().map(|name| self.meet(bus, name))).await;
        let mut registered = Vec::new();
        for outcome in met {
            match outcome {
                Ok(application) => registered.push(application),
                Err(CallError::BusLost) => return Err(CallError::BusLost),
                Err(_) => {}
            }
        }
        Ok(registered)
    }

    async fn meet(&self, bus: &Bus, name: &str) -> Result<Arc<Registered>, CallError> {
        if let Some(known) = self.lock().get(name) {
            return Ok(Arc::clone(known));
        }
        let mut peer = Peer::new(name.to_owned());
        let client = Client { bus, peer: &peer };
        let (pid, name_said, toolkit, version) = tokio::try_join!(
            pid_of(bus, name),
            client.property::<String>(ROOT_PATH, crate::accessible::ACCESSIBLE, "Name"),
            client.property::<String>(ROOT_PATH, APPLICATION, "ToolkitName"),
            async { Ok(client.property::<String>(ROOT_PATH, APPLICATION, "Version").await.unwrap_or_default()) },
        )?;
        let family = family::of(&toolkit, &version, &name_said);
        peer.coordinates = family::coordinates(family);
        let toolkit = Toolkit { family, name: toolkit, version };
        let application = Arc::new(Registered { peer, pid, name: UiText::new(name_said), toolkit });
        self.lock().insert(name.to_owned(), Arc::clone(&application));
        Ok(application)
    }

    pub(crate) fn known_for(&self, pid: u32) -> Vec<Arc<Registered>> {
        self.lock().values().filter(|application| application.pid == pid).cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Registered>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bus daemon's own word, from the socket's credentials.
async fn pid_of(bus: &Bus, name: &str) -> Result<u32, CallError> {
    let member = Member {
        destination: "org.freedesktop.DBus",
        path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus",
        member: "GetConnectionUnixProcessID",
    };
    let reply = bus.call(member, &(name,), bounds::CALL).await?;
    reply.body().deserialize().map_err(|_| CallError::Malformed)
}

/// Asks applications to announce changes, and the bus to deliver what they announce.
pub(crate) async fn subscribe(bus: &Bus) -> Result<(), CallError> {
    for interface in ["org.a11y.atspi.Event.Object", "org.a11y.atspi.Event.Window", "org.a11y.atspi.Event.Document"] {
        let rule =
            MatchRule::builder().msg_type(Type::Signal).interface(interface).map_err(|_| CallError::Malformed)?;
        bus.listen(&rule.build()).await?;
    }
    for event in EVENTS {
        let member = Member {
            destination: REGISTRY,
            path: "/org/a11y/atspi/registry",
            interface: "org.a11y.atspi.Registry",
            member: "RegisterEvent",
        };
        let nobody_in_particular = "";
        bus.call(member, &(event, Vec::<&str>::new(), nobody_in_particular), bounds::CALL).await?;
    }
    Ok(())
}
