//! The desktop door on Linux: windows and pictures from X11, trees and semantic actions from AT-SPI, process
//! instances from pidfds.
#![forbid(unsafe_code)]

mod accessible;
mod act;
mod action_names;
mod applications;
mod bounds;
mod bus;
mod desktop;
mod diagnosis;
mod display;
mod family;
mod frame;
mod identity;
mod launch;
mod process;
mod reading;
mod role;
mod scrolling;
mod skeleton;
mod witness;

pub use accessible::Reference;
pub use desktop::LinuxDesktop;
