//! A private desktop with real applications, fixtures that journal what they receive, and oracles outside the product.

mod application;
mod bounded_line;
pub mod bounds;
mod desktop;

pub use application::Application;
pub use bounded_line::LineError;
pub use desktop::{
    Accessibility, DesktopConfiguration, DesktopError, DisplayError, Ending, Environment, Premises, PrivateDesktop,
    ScreenSize, WindowManager,
};
