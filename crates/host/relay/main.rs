//! A process without a mind: what the host writes to it goes to the test, what the test says goes to the host. It
//! ends when either end closes, and can be killed like any executor.

use std::{
    io::{self, Read, Write},
    net::Shutdown,
    os::unix::net::UnixStream,
    process::ExitCode,
};

fn main() -> ExitCode {
    let Some(socket) = std::env::args_os().nth(1) else {
        eprintln!("usage: relay-executor SOCKET");
        return ExitCode::from(64);
    };
    match relay(&socket) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn relay(socket: &std::ffi::OsStr) -> io::Result<()> {
    let mut test = UnixStream::connect(socket)?;
    test.write_all(&std::process::id().to_be_bytes())?;
    let mut to_test = test.try_clone()?;
    std::thread::spawn(move || {
        let copied = copy(&mut io::stdin().lock(), &mut to_test);
        let closed = to_test.shutdown(Shutdown::Both);
        copied.and(closed)
    });
    copy(&mut test, &mut io::stdout().lock())
}

fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut bytes = [0; 65536];
    loop {
        match from.read(&mut bytes)? {
            0 => return Ok(()),
            read => to.write_all(&bytes[..read])?,
        }
        to.flush()?;
    }
}
