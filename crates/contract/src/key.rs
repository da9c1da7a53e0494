use crate::{ProcessInstance, Target, WindowIdentity};
use serde::{Serialize, Serializer};
use std::{
    cmp::Ordering,
    hash::{Hash, Hasher},
    sync::Arc,
};

/// One running application: what lanes, interventions and fences are scoped to.
///
/// Equal for one run whatever file it runs now, so that an `exec` between two looks hides no person's touch.
/// A fast pid reuse within one clock tick is equal too, which can only refuse more.
#[derive(Debug, Clone)]
pub struct ApplicationKey(Arc<ProcessInstance>);

impl ApplicationKey {
    /// The application that this process runs.
    pub fn of(process: &ProcessInstance) -> Self {
        Self(Arc::new(process.clone()))
    }

    /// The process as whoever made the key saw it.
    pub fn process(&self) -> &ProcessInstance {
        &self.0
    }

    fn run(&self) -> (u32, u64, &str) {
        run(&self.0)
    }
}

/// What stays the same for one run of a process.
fn run(process: &ProcessInstance) -> (u32, u64, &str) {
    (process.pid, process.start_time_ticks, &process.boot_id)
}

impl PartialEq for ApplicationKey {
    fn eq(&self, other: &Self) -> bool {
        self.run() == other.run()
    }
}

impl Eq for ApplicationKey {}

impl PartialOrd for ApplicationKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ApplicationKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.run().cmp(&other.run())
    }
}

impl Hash for ApplicationKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.run().hash(state);
    }
}

impl Serialize for ApplicationKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// One window of one process instance: what observations are kept apart by. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WindowKey {
    process: Arc<ProcessInstance>,
    window: Arc<WindowIdentity>,
}

impl WindowKey {
    pub fn new(process: ProcessInstance, window: WindowIdentity) -> Self {
        Self { process: Arc::new(process), window: Arc::new(window) }
    }

    /// The window of a target, whatever document it shows.
    pub fn of(target: &Target) -> Self {
        Self::new(target.process.clone(), target.window.clone())
    }

    /// The application that owns it.
    pub fn application(&self) -> ApplicationKey {
        ApplicationKey(Arc::clone(&self.process))
    }

    /// Whether the application owns this window.
    pub fn belongs_to(&self, application: &ApplicationKey) -> bool {
        run(&self.process) == application.run()
    }

    pub fn process(&self) -> &ProcessInstance {
        &self.process
    }

    pub fn window(&self) -> &WindowIdentity {
        &self.window
    }
}

impl Serialize for WindowKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut out = serializer.serialize_struct("WindowKey", 2)?;
        out.serialize_field("process", &*self.process)?;
        out.serialize_field("window", &*self.window)?;
        out.end()
    }
}
