//! The X server of a desktop, and the cookie that only its user holds.

use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use x11rb::rust_connection::{DefaultStream, RustConnection};

use super::configuration::ScreenSize;
use super::error::{DesktopError, DisplayError};
use super::keeper::Premises;
use crate::bounded_line::read_line_within;
use crate::bounds;

const PROGRAM: &str = "Xvfb";
const COOKIE_NAME: &str = "MIT-MAGIC-COOKIE-1";
const COOKIE_BYTES: usize = 16;

/// A running X server.
#[derive(Debug)]
pub(super) struct Display {
    pub(super) process: Child,
    number: u32,
    cookie: Cookie,
}

/// What lets a client in.
#[derive(Debug, Clone)]
pub(super) struct Cookie {
    secret: [u8; COOKIE_BYTES],
    pub(super) file: PathBuf,
}

impl Display {
    /// `prepare` makes a command that runs as the desktop's user.
    pub(super) fn start(
        premises: &Premises,
        screen: ScreenSize,
        prepare: impl FnOnce(&str) -> Command,
    ) -> Result<Self, DesktopError> {
        let cookie = Cookie::bake(premises)?;
        let mut process = prepare(PROGRAM)
            .args(["-displayfd", "1", "-nolisten", "tcp", "-noreset", "-dpi", "96"])
            .args(["-screen", "0", &format!("{}x{}x24", screen.width, screen.height)])
            .arg("-auth")
            .arg(&cookie.file)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|source| DesktopError::not_started(PROGRAM, source))?;
        let mut said = process.stdout.take().expect("stdout was asked to be a pipe");
        let not_ready = |source| DesktopError::NotReady { what: "the X server", source };
        let line = read_line_within(&mut said, bounds::DISPLAY_START).map_err(not_ready)?;
        let number =
            line.trim().parse().map_err(|_| not_ready(crate::bounded_line::LineError::Ended { said: line.clone() }))?;
        Ok(Self { process, number, cookie })
    }

    /// The value of `DISPLAY`.
    pub(super) fn name(&self) -> String {
        format!(":{}", self.number)
    }

    pub(super) fn cookie_file(&self) -> &Path {
        &self.cookie.file
    }

    /// A connection of the calling process, whatever its own environment says.
    pub(super) fn connect(&self) -> Result<RustConnection, DisplayError> {
        let stream = UnixStream::connect(format!("/tmp/.X11-unix/X{}", self.number))?;
        let (stream, _) = DefaultStream::from_unix_stream(stream)?;
        let connection = RustConnection::connect_to_stream_with_auth_info(
            stream,
            0,
            COOKIE_NAME.into(),
            self.cookie.secret.to_vec(),
        )?;
        Ok(connection)
    }
}

impl Cookie {
    fn bake(premises: &Premises) -> Result<Self, DesktopError> {
        let mut secret = [0; COOKIE_BYTES];
        let source = Path::new("/dev/urandom");
        std::fs::File::open(source)
            .and_then(|mut file| file.read_exact(&mut secret))
            .map_err(DesktopError::file(source))?;
        let file = premises.directory.join("run/xauthority");
        let write = || {
            let mut open = std::fs::OpenOptions::new();
            let mut opened = open.write(true).create_new(true).mode(0o600).open(&file)?;
            std::io::Write::write_all(&mut opened, &authority_entry(&secret))?;
            std::os::unix::fs::chown(&file, Some(premises.uid), Some(premises.gid))
        };
        write().map_err(DesktopError::file(&file))?;
        Ok(Self { secret, file })
    }
}

/// One entry of an authority file that fits every address and display (Xau library: family 65535 is the wildcard).
fn authority_entry(secret: &[u8]) -> Vec<u8> {
    let mut entry = u16::MAX.to_be_bytes().to_vec();
    for field in [b"".as_slice(), b"", COOKIE_NAME.as_bytes(), secret] {
        let length = u16::try_from(field.len()).expect("a cookie is short");
        entry.extend(length.to_be_bytes());
        entry.extend(field);
    }
    entry
}
