//! The only ways to make an event. Each handle belongs to the one module that can check its evidence.
//!
//! [`Seat::new`](crate::Seat::new) gives them out once. None can be copied or made elsewhere, so whoever holds no
//! handle can say nothing.

mod client;
mod desktop;
mod executor;
mod input;
mod lock;
mod person;

pub use client::{ClientConnection, Clients};
pub use desktop::{Processes, WindowServer};
pub use executor::{Executor, ExecutorCall, ExecutorCapability, Executors};
pub use input::{Compositor, HeldInput, InputDevices, PersonPress};
pub use lock::{Lockers, LoginManager};
pub use person::{Authorisation, Authorities, PersonControls};

/// Every producer of one seat.
#[derive(Debug)]
pub struct Producers {
    pub executors: Executors,
    pub input_devices: InputDevices,
    pub compositor: Compositor,
    pub lockers: Lockers,
    pub login_manager: LoginManager,
    pub processes: Processes,
    pub window_server: WindowServer,
    pub clients: Clients,
    pub person_controls: PersonControls,
    pub authorities: Authorities,
}

impl Producers {
    pub(crate) fn new() -> Self {
        Self {
            executors: Executors::new(),
            input_devices: InputDevices::new(),
            compositor: Compositor::new(),
            lockers: Lockers::new(),
            login_manager: LoginManager::new(),
            processes: Processes::new(),
            window_server: WindowServer::new(),
            clients: Clients::new(),
            person_controls: PersonControls::new(),
            authorities: Authorities::new(),
        }
    }
}
