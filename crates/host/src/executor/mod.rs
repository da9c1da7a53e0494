//! The executor process as its host sees it: started, greeted, spoken with, ended.

mod command;
mod connection;
#[cfg(test)]
mod connection_tests;
mod images;
mod process;
mod restarts;
mod supervisor;

pub use command::{Embedded, ExecutorCommand, Program};
pub(crate) use connection::{Answered, CallFailure, Connection, Failed};
pub(crate) use images::ImageFolder;
pub use process::Exit;
pub(crate) use process::Spawner;
pub use supervisor::ExecutorStanding;
pub(crate) use supervisor::{Seated, Supervisor, default_image_root};
