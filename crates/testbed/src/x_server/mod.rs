//! What the X server itself says: pointers, focus, stacking, devices, windows and whose they are.

mod facts;

use std::time::{Duration, Instant};

use x11rb::connection::Connection;
use x11rb::errors::ReplyError;
use x11rb::protocol::res::{ClientIdMask, ClientIdSpec, ConnectionExt as _};
use x11rb::protocol::xinput::{ConnectionExt as _, Device as DeviceSelector, DeviceType};
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask, ImageFormat, MapState, Window,
};
use x11rb::rust_connection::RustConnection;

use crate::bounded_line::is_readable_before;
use crate::desktop::{DisplayError, PrivateDesktop};
use crate::process_table;

pub use facts::{ClientWindow, InputDevice, KeyboardFocus, PointerPosition, Posture, WindowBounds};

/// A connection that asks and changes nothing.
#[derive(Debug)]
pub struct XServer {
    connection: RustConnection,
    root: Window,
    atoms: Atoms,
}

/// Why the X server did not say it.
#[derive(Debug, thiserror::Error)]
pub enum XServerError {
    /// The connection or a request failed.
    #[error(transparent)]
    Display(#[from] DisplayError),
    /// What was waited for did not come.
    #[error("{what} did not appear within {within:?}; there are {seen:?}")]
    Missing {
        /// What it was.
        what: String,
        /// The time given.
        within: Duration,
        /// The windows there are.
        seen: Vec<ClientWindow>,
    },
}

x11rb::atom_manager! {
    /// The atoms the oracle reads.
    Atoms: AtomsCookie {
        _NET_ACTIVE_WINDOW,
        _NET_CLIENT_LIST,
        _NET_CLIENT_LIST_STACKING,
        _NET_WM_NAME,
        WM_STATE,
    }
}

impl XServer {
    /// Connects to the server of `desktop`.
    ///
    /// # Errors
    /// It does not serve.
    pub fn of(desktop: &PrivateDesktop) -> Result<Self, XServerError> {
        Ok(Self::over(desktop.connect()?)?)
    }

    fn over(connection: RustConnection) -> Result<Self, DisplayError> {
        let root = connection.setup().roots[0].root;
        let atoms = Atoms::new(&connection)?.reply()?;
        connection.xinput_xi_query_version(2, 3)?.reply()?;
        connection.res_query_version(1, 2)?.reply()?;
        let mask = EventMask::PROPERTY_CHANGE | EventMask::SUBSTRUCTURE_NOTIFY;
        let attributes = ChangeWindowAttributesAux::new().event_mask(mask);
        connection.change_window_attributes(root, &attributes)?.check()?;
        Ok(Self { connection, root, atoms })
    }

    /// The connection, for what this oracle does not ask.
    pub fn connection(&self) -> &RustConnection {
        &self.connection
    }

    /// The root window.
    pub fn root(&self) -> Window {
        self.root
    }

    /// Pointers, focus, active window, stacking and devices at once.
    ///
    /// # Errors
    /// The server does not serve.
    pub fn posture(&self) -> Result<Posture, XServerError> {
        Ok(self.read_posture()?)
    }

    /// Where the first master pointer is, in pixels of the root window.
    ///
    /// # Errors
    /// The server does not serve.
    pub fn pointer(&self) -> Result<(i32, i32), XServerError> {
        let pointer = self.connection.query_pointer(self.root).map_err(DisplayError::from)?;
        let pointer = pointer.reply().map_err(DisplayError::from)?;
        Ok((pointer.root_x.into(), pointer.root_y.into()))
    }

    /// The windows of applications, oldest first.
    ///
    /// # Errors
    /// The server does not serve.
    pub fn client_windows(&self) -> Result<Vec<ClientWindow>, XServerError> {
        let listed = self.listed(self.atoms._NET_CLIENT_LIST)?;
        let mut windows = Vec::new();
        for id in listed {
            windows.extend(gone_is_none(self.describe(id))?);
        }
        Ok(windows)
    }

    /// One window as it is now.
    ///
    /// # Errors
    /// It is gone, or the server does not serve.
    pub fn client_window(&self, id: Window) -> Result<ClientWindow, XServerError> {
        Ok(self.describe(id)?)
    }

    /// Waits until `process` or a descendant of it shows a window, and says the first.
    ///
    /// # Errors
    /// It did not within the time.
    pub fn wait_for_window_of(&self, process: u32, within: Duration) -> Result<ClientWindow, XServerError> {
        self.wait_for_window(&format!("a window of process {process}"), within, |window| {
            window.process.is_some_and(|owner| owner == process || process_table::is_descendant(owner, process))
        })
    }

    /// Waits until a window that matches is shown. `what` names it in the error.
    ///
    /// # Errors
    /// None was within the time.
    pub fn wait_for_window(
        &self,
        what: &str,
        within: Duration,
        matches: impl Fn(&ClientWindow) -> bool,
    ) -> Result<ClientWindow, XServerError> {
        self.wait_until(what, within, |windows| windows.iter().find(|window| matches(window)).cloned())
    }

    /// Waits until no window matches any more. `what` names it in the error.
    ///
    /// # Errors
    /// One still does after the time.
    pub fn wait_until_no_window(
        &self,
        what: &str,
        within: Duration,
        matches: impl Fn(&ClientWindow) -> bool,
    ) -> Result<(), XServerError> {
        self.wait_until(what, within, |windows| (!windows.iter().any(&matches)).then_some(()))
    }

    /// Waits until the window manager has minimised `window`.
    ///
    /// # Errors
    /// It did not within the time.
    pub fn wait_until_minimised(&self, window: Window, within: Duration) -> Result<(), XServerError> {
        let state = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        let selected = self.connection.change_window_attributes(window, &state).map_err(DisplayError::from)?;
        selected.check().map_err(DisplayError::from)?;
        let deadline = Instant::now() + within;
        while !self.is_minimised(window)? {
            if !self.something_happened_before(deadline)? {
                let what = format!("the minimised state of window {window:#x}");
                return Err(XServerError::Missing { what, within, seen: self.client_windows()? });
            }
        }
        Ok(())
    }

    /// The pixels that `window` shows on the screen now, its covers included: rows from the top, red, green and blue a byte
    /// each.
    ///
    /// # Errors
    /// It is not on the screen.
    pub fn pixels_on_screen(&self, window: Window) -> Result<Vec<u8>, XServerError> {
        Ok(self.read_pixels(window)?)
    }

    /// Waits until the window manager says that `window` is active, and says whether it did within the time. Without a
    /// window manager none is.
    ///
    /// # Errors
    /// The server does not serve.
    pub fn becomes_active(&self, window: Window, within: Duration) -> Result<bool, XServerError> {
        let deadline = Instant::now() + within;
        while self.windows_in(self.atoms._NET_CLIENT_LIST)?.is_some() {
            if self.active_window()? == Some(window) {
                return Ok(true);
            }
            if !self.something_happened_before(deadline)? {
                break;
            }
        }
        Ok(false)
    }

    /// The process that made `window`, which the server knows and no client can forge.
    ///
    /// # Errors
    /// The server does not serve.
    pub fn process_of(&self, window: Window) -> Result<Option<u32>, XServerError> {
        Ok(self.read_process(window)?)
    }

    fn wait_until<T>(
        &self,
        what: &str,
        within: Duration,
        found: impl Fn(&[ClientWindow]) -> Option<T>,
    ) -> Result<T, XServerError> {
        let deadline = Instant::now() + within;
        loop {
            let seen = self.client_windows()?;
            if let Some(found) = found(&seen) {
                return Ok(found);
            }
            if !self.something_happened_before(deadline)? {
                return Err(XServerError::Missing { what: what.to_owned(), within, seen });
            }
        }
    }

    fn something_happened_before(&self, deadline: Instant) -> Result<bool, DisplayError> {
        let mut happened = false;
        loop {
            while self.connection.poll_for_event()?.is_some() {
                happened = true;
            }
            if happened {
                return Ok(true);
            }
            if !is_readable_before(self.connection.stream(), deadline)? {
                return Ok(false);
            }
        }
    }

    fn read_posture(&self) -> Result<Posture, DisplayError> {
        let devices = self.read_devices()?;
        let masters = |kind: DeviceType| devices.iter().filter(move |device| device.kind == u16::from(kind));
        let mut pointers = Vec::new();
        for master in masters(DeviceType::MASTER_POINTER) {
            let place = self.connection.xinput_xi_query_pointer(self.root, master.id)?.reply()?;
            pointers.push(PointerPosition { device: master.id, x: place.root_x >> 16, y: place.root_y >> 16 });
        }
        let active_window = self.active_window()?;
        let stacking = self.listed(self.atoms._NET_CLIENT_LIST_STACKING)?;
        let mut focuses = Vec::new();
        for master in masters(DeviceType::MASTER_KEYBOARD) {
            let named = self.connection.xinput_xi_get_focus(master.id)?.reply()?.focus;
            let window = self.client_around(named, &stacking)?.unwrap_or(named);
            focuses.push(KeyboardFocus { device: master.id, window });
        }
        Ok(Posture { pointers, focuses, active_window, stacking, devices })
    }

    fn active_window(&self) -> Result<Option<Window>, DisplayError> {
        let named = self.windows_in(self.atoms._NET_ACTIVE_WINDOW)?;
        Ok(named.and_then(|windows| windows.first().copied()))
    }

    fn read_devices(&self) -> Result<Vec<InputDevice>, DisplayError> {
        let reply = self.connection.xinput_xi_query_device(DeviceSelector::ALL)?.reply()?;
        let devices = reply.infos.into_iter().map(|device| InputDevice {
            id: device.deviceid,
            name: String::from_utf8_lossy(&device.name).into_owned(),
            kind: device.type_.into(),
            attachment: device.attachment,
        });
        Ok(devices.collect())
    }

    fn client_around(&self, window: Window, clients: &[Window]) -> Result<Option<Window>, DisplayError> {
        let mut at = window;
        while at > 1 && at != self.root {
            if clients.contains(&at) {
                return Ok(Some(at));
            }
            let Some(tree) = gone_is_none(self.connection.query_tree(at)?.reply().map_err(Into::into))? else { break };
            at = tree.parent;
        }
        Ok(None)
    }

    /// What the window manager lists; without one, the children of the root that are shown.
    fn listed(&self, list: Atom) -> Result<Vec<Window>, DisplayError> {
        if let Some(windows) = self.windows_in(list)? {
            return Ok(windows);
        }
        let children = self.connection.query_tree(self.root)?.reply()?.children;
        let mut shown = Vec::new();
        for child in children {
            let attributes = gone_is_none(self.connection.get_window_attributes(child)?.reply().map_err(Into::into))?;
            if attributes.is_some_and(|found| found.map_state == MapState::VIEWABLE && !found.override_redirect) {
                shown.push(child);
            }
        }
        Ok(shown)
    }

    fn windows_in(&self, property: Atom) -> Result<Option<Vec<Window>>, DisplayError> {
        let value = self.connection.get_property(false, self.root, property, AtomEnum::WINDOW, 0, 4096)?.reply()?;
        Ok(value.value32().map(|windows| windows.collect()))
    }

    fn describe(&self, id: Window) -> Result<ClientWindow, DisplayError> {
        // Selected before it is read: a later change of its title or place then ends a wait.
        let mask = EventMask::PROPERTY_CHANGE | EventMask::STRUCTURE_NOTIFY;
        let attributes = ChangeWindowAttributesAux::new().event_mask(mask);
        self.connection.change_window_attributes(id, &attributes)?.check()?;
        let place = self.connection.translate_coordinates(id, self.root, 0, 0)?.reply()?;
        let size = self.connection.get_geometry(id)?.reply()?;
        let bounds = WindowBounds {
            x: place.dst_x.into(),
            y: place.dst_y.into(),
            width: size.width.into(),
            height: size.height.into(),
        };
        Ok(ClientWindow { id, process: self.read_process(id)?, title: self.read_title(id)?, bounds })
    }

    /// ICCCM, `WM_STATE`: 3 is iconic.
    fn is_minimised(&self, window: Window) -> Result<bool, DisplayError> {
        let state = self.connection.get_property(false, window, self.atoms.WM_STATE, AtomEnum::ANY, 0, 1)?.reply()?;
        Ok(state.value32().and_then(|mut values| values.next()) == Some(3))
    }

    fn read_pixels(&self, window: Window) -> Result<Vec<u8>, DisplayError> {
        let bounds = self.describe(window)?.bounds;
        let short = |length: i32| i16::try_from(length).expect("a screen is smaller than a coordinate");
        let length = |length: u32| u16::try_from(length).expect("a screen is smaller than a length");
        let (x, y, width, height) = (short(bounds.x), short(bounds.y), length(bounds.width), length(bounds.height));
        let image = self.connection.get_image(ImageFormat::Z_PIXMAP, self.root, x, y, width, height, !0)?.reply()?;
        Ok(image.data.chunks_exact(4).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect())
    }

    fn read_title(&self, window: Window) -> Result<String, DisplayError> {
        for property in [self.atoms._NET_WM_NAME, AtomEnum::WM_NAME.into()] {
            let value = self.connection.get_property(false, window, property, AtomEnum::ANY, 0, 1024)?.reply()?.value;
            if !value.is_empty() {
                return Ok(String::from_utf8_lossy(&value).into_owned());
            }
        }
        Ok(String::new())
    }

    fn read_process(&self, window: Window) -> Result<Option<u32>, DisplayError> {
        let asked = [ClientIdSpec { client: window, mask: ClientIdMask::LOCAL_CLIENT_PID }];
        let reply = self.connection.res_query_client_ids(&asked)?.reply()?;
        Ok(reply.ids.first().and_then(|found| found.value.first().copied()))
    }
}

/// A window may go between being listed and being asked about.
fn gone_is_none<T>(answer: Result<T, DisplayError>) -> Result<Option<T>, DisplayError> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(DisplayError::Reply(ReplyError::X11Error(_))) => Ok(None),
        Err(error) => Err(error),
    }
}
