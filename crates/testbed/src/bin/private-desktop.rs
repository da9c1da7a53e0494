//! Starts a private desktop, says how to reach it, and runs a command inside.
//!
//!     cargo run -p surehand-testbed --bin private-desktop -- gnome-calculator
//!
//! Without a command it waits for the end of its standard input.

use std::io::Read;
use std::process::ExitCode;
use std::time::Instant;

use surehand_testbed::{DesktopConfiguration, DesktopError, PrivateDesktop};

fn main() -> Result<ExitCode, DesktopError> {
    let began = Instant::now();
    let desktop = PrivateDesktop::start(&DesktopConfiguration::default())?;
    eprintln!("# ready after {} ms, as {:?}", began.elapsed().as_millis(), desktop.premises());
    for (name, value) in desktop.environment().iter() {
        println!("export {}='{}'", name.display(), value.display());
    }
    println!("export AT_SPI_BUS_ADDRESS='{}'", desktop.accessibility_bus_address().unwrap_or_default());
    let mut arguments = std::env::args_os().skip(1);
    let status = match arguments.next() {
        Some(program) => desktop.run(program, arguments)?.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1),
        None => {
            std::io::stdin().read_to_end(&mut Vec::new()).ok();
            0
        }
    };
    let ending = desktop.stop()?;
    eprintln!("# ended {} processes", ending.ended.len());
    Ok(ExitCode::from(status))
}
