use crate::{ApplicationKey, Capability, Event, EventKind, GoneTarget, Source, Standing, WindowKey};

/// The ends of processes. Held by whoever holds their pidfds.
#[derive(Debug)]
pub struct Processes(());

impl Processes {
    pub(super) fn new() -> Self {
        Self(())
    }

    /// The process's pidfd became readable.
    pub fn exited(&self, process: ApplicationKey) -> Event {
        let kind = EventKind::TargetGone { target: GoneTarget::Process(process.clone()) };
        Event::new(Source::Process { process }, kind)
    }

    /// What the producer itself claims about this machine.
    pub fn claim(&self, standing: Standing) -> Event {
        let capability = Capability::ProcessExit;
        Event::new(Source::Producer { capability }, EventKind::ClaimChanged { capability, standing })
    }
}

/// The display server. Held by whoever reads its events.
#[derive(Debug)]
pub struct WindowServer(());

impl WindowServer {
    pub(super) fn new() -> Self {
        Self(())
    }

    /// The server announced that the window was destroyed.
    pub fn destroyed(&self, window: WindowKey) -> Event {
        let source = Source::WindowServer { window: Some(window.window().clone()) };
        Event::new(source, EventKind::TargetGone { target: GoneTarget::Window(window) })
    }

    /// The connection to the display ended.
    pub fn display_lost(&self) -> Event {
        Event::new(Source::WindowServer { window: None }, EventKind::DisplayLost)
    }

    /// What the producer itself claims about this machine.
    pub fn claim(&self, standing: Standing) -> Event {
        let capability = Capability::WindowEvents;
        Event::new(Source::Producer { capability }, EventKind::ClaimChanged { capability, standing })
    }
}
