//! A private desktop with real applications, fixtures that journal what they receive, and oracles outside the product.
#![forbid(unsafe_code)]

mod accessible_reading;
mod agent;
mod application;
mod bounded_line;
pub mod bounds;
mod bus_monitor;
mod completeness;
mod desktop;
mod fixture;
mod journal;
mod page;
pub mod process_table;
mod third_party;
mod x_server;

pub use accessible_reading::{AccessibleElement, AccessibleReading, ReadingError, editable_texts};
pub use agent::{Agent, AgentError, Look, PROTOCOL_REVISION, Pending, SeenElement, ToolAnswer};
pub use application::Application;
pub use bounded_line::LineError;
pub use bus_monitor::{Argument, BusMessage, BusMonitor, BusMonitorError};
pub use completeness::{Compared, CompletenessError, Lack, LackKind, NAME_CHARACTERS_UNCUT, WholeLook, lacks};
pub use desktop::{
    Accessibility, DesktopConfiguration, DesktopError, DisplayError, Ending, Environment, Premises, PrivateDesktop,
    ScreenSize, WindowManager,
};
pub use fixture::{Fixture, FixtureError, Order, Sentinel, State, Toolkit};
pub use journal::{Cause, Entry, Journal, JournalError, Mark};
pub use page::{BENCHMARK_PAGE_NODES, write_benchmark_page};
pub use third_party::{Started, ThirdParty, ThirdPartyError};
pub use x_server::{
    ClientWindow, InputDevice, KeyboardFocus, PointerPosition, Posture, WindowBounds, XServer, XServerError,
};
