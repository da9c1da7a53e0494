//! openbox, and the moment from which it manages.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{AtomEnum, ChangeWindowAttributesAux, ConnectionExt, EventMask, Window};
use x11rb::rust_connection::RustConnection;

use super::error::{DesktopError, DisplayError};
use super::keeper::Premises;
use crate::bounded_line::is_readable_before;
use crate::bounds;

const PROGRAM: &str = "openbox";

/// One desktop, no keys, no menu: nothing that a test did not ask for. Clicks focus and raise, as people expect.
const CONFIGURATION: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <focus><focusNew>yes</focusNew><followMouse>no</followMouse><focusLast>yes</focusLast></focus>
  <placement><policy>Smart</policy><center>no</center></placement>
  <theme><name>Clearlooks</name><titleLayout>NLIMC</titleLayout><animateIconify>no</animateIconify></theme>
  <desktops><number>1</number><popupTime>0</popupTime></desktops>
  <resize><drawContents>yes</drawContents><popupShow>Never</popupShow></resize>
  <keyboard/>
  <mouse>
    <context name="Titlebar">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Left" action="Drag"><action name="Move"/></mousebind>
    </context>
    <context name="Client">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Middle" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Right" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
    </context>
    <context name="Close"><mousebind button="Left" action="Click"><action name="Close"/></mousebind></context>
    <context name="Iconify"><mousebind button="Left" action="Click"><action name="Iconify"/></mousebind></context>
    <context name="Maximize"><mousebind button="Left" action="Click"><action name="ToggleMaximize"/></mousebind></context>
  </mouse>
</openbox_config>
"#;

/// Starts openbox and waits until it manages. `prepare` makes a command that runs as the desktop's user.
pub(super) fn start(
    premises: &Premises,
    connection: &RustConnection,
    prepare: impl FnOnce(&str) -> Command,
) -> Result<Child, DesktopError> {
    let configuration = write_configuration(premises)?;
    // Asked for before the start, so that no announcement can be missed.
    let root = connection.setup().roots[0].root;
    let attributes = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
    connection
        .change_window_attributes(root, &attributes)
        .map_err(DisplayError::from)?
        .check()
        .map_err(DisplayError::from)?;
    let process = prepare(PROGRAM)
        .args(["--sm-disable", "--config-file"])
        .arg(configuration)
        .stdin(Stdio::null())
        .spawn()
        .map_err(|source| DesktopError::not_started(PROGRAM, source))?;
    let deadline = Instant::now() + bounds::WINDOW_MANAGER_START;
    while !is_managed(connection, root)? {
        wait_for_event(connection, deadline)?;
    }
    Ok(process)
}

/// The property names a window that names itself (EWMH, `_NET_SUPPORTING_WM_CHECK`): one left by a dead manager does not.
fn is_managed(connection: &RustConnection, root: Window) -> Result<bool, DisplayError> {
    let atom = connection.intern_atom(false, b"_NET_SUPPORTING_WM_CHECK")?.reply()?.atom;
    let named_by = |window: Window| -> Result<Option<Window>, DisplayError> {
        match connection.get_property(false, window, atom, AtomEnum::WINDOW, 0, 1)?.reply() {
            Ok(property) => Ok(property.value32().and_then(|mut values| values.next())),
            Err(x11rb::errors::ReplyError::X11Error(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    };
    let Some(window) = named_by(root)? else { return Ok(false) };
    Ok(named_by(window)? == Some(window))
}

fn wait_for_event(connection: &RustConnection, deadline: Instant) -> Result<(), DesktopError> {
    if connection.poll_for_event().map_err(DisplayError::from)?.is_some() {
        return Ok(());
    }
    if !is_readable_before(connection.stream(), deadline).map_err(DisplayError::from)? {
        return Err(DesktopError::NoWindowManager(bounds::WINDOW_MANAGER_START));
    }
    Ok(())
}

fn write_configuration(premises: &Premises) -> Result<PathBuf, DesktopError> {
    let path = premises.directory.join("openbox.xml");
    std::fs::write(&path, CONFIGURATION).map_err(DesktopError::file(&path))?;
    Ok(path)
}
