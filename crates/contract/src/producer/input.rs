use crate::{Capability, CompositorProtocol, DeviceName, Event, EventKind, HoldId, InputScope, Source, Standing};

/// A person's input devices. Held by whoever reads the display server's raw events and drops surehand's own.
///
/// It has no room for key codes, buttons or coordinates.
#[derive(Debug)]
pub struct InputDevices {
    newest: HoldId,
}

impl InputDevices {
    pub(super) fn new() -> Self {
        Self { newest: HoldId::default() }
    }

    /// A person's input arrived, and where it went is not known yet.
    pub fn held(&mut self, device: u32, name: DeviceName, server_time_ms: u32) -> (HeldInput, Event) {
        self.newest = self.newest.next();
        let held = HeldInput { hold: self.newest, device, name, server_time_ms };
        let event = Event::new(held.source(), EventKind::InputHeld { hold: held.hold });
        (held, event)
    }

    /// A press on one of surehand's own controls came from this device, and the device is a person's.
    pub fn press(&self, device: u32, name: DeviceName, server_time_ms: u32) -> PersonPress {
        PersonPress { device, name, server_time_ms }
    }

    /// What the producer itself claims about this machine.
    pub fn claim(&self, standing: Standing) -> Event {
        let capability = Capability::PhysicalInput;
        Event::new(Source::Producer { capability }, EventKind::ClaimChanged { capability, standing })
    }
}

/// One piece of input that waits to be placed. Placing it spends it.
#[derive(Debug)]
#[must_use = "input that is never placed holds the seat until its producer is lost"]
pub struct HeldInput {
    hold: HoldId,
    device: u32,
    name: DeviceName,
    server_time_ms: u32,
}

impl HeldInput {
    /// The input went there.
    pub fn scoped(self, scope: InputScope) -> Event {
        Event::new(self.source(), EventKind::InputScoped { hold: Some(self.hold), scope })
    }

    fn source(&self) -> Source {
        Source::InputDevice { device: self.device, name: self.name.clone(), server_time_ms: self.server_time_ms }
    }
}

/// Proof that a person pressed. Used once.
#[derive(Debug)]
pub struct PersonPress {
    pub(super) device: u32,
    pub(super) name: DeviceName,
    pub(super) server_time_ms: u32,
}

/// The compositor's idle statement, where raw events cannot be had.
#[derive(Debug)]
pub struct Compositor(());

impl Compositor {
    pub(super) fn new() -> Self {
        Self(())
    }

    /// Someone is active somewhere on the seat.
    pub fn active(&self, protocol: CompositorProtocol) -> Event {
        let kind = EventKind::InputScoped { hold: None, scope: InputScope::Anywhere };
        Event::new(Source::Compositor { protocol }, kind)
    }

    /// What the producer itself claims about this machine.
    pub fn claim(&self, standing: Standing) -> Event {
        let capability = Capability::PhysicalInput;
        Event::new(Source::Producer { capability }, EventKind::ClaimChanged { capability, standing })
    }
}
