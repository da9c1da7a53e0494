//! The X server: windows, who owns them, what is visible, and their pixels.

use crate::bounds;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use std::{
    collections::HashMap,
    io,
    os::fd::OwnedFd,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use surehand_contract::{Code, UiText};
use surehand_executor::{Picture, Rect, Visibility};
use tokio::sync::watch;
use x11rb::{
    connection::{Connection, RequestConnection},
    errors::{ReplyError, ReplyOrIdError},
    protocol::{
        Event,
        composite::{self, ConnectionExt as _, Redirect},
        res::{self, ConnectionExt as _},
        shm::{self, ConnectionExt as _},
        xproto::{
            Atom, AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask, ImageFormat, MapState, Window,
        },
    },
    rust_connection::RustConnection,
};

x11rb::atom_manager! {
    Atoms: AtomsCookie {
        _NET_CLIENT_LIST,
        _NET_CLIENT_LIST_STACKING,
        _NET_ACTIVE_WINDOW,
        _NET_WM_NAME,
        _NET_WM_STATE,
        _NET_WM_STATE_HIDDEN,
        _NET_WM_DESKTOP,
        _NET_CURRENT_DESKTOP,
        UTF8_STRING,
        WM_STATE,
    }
}

/// One top-level window as the server describes it.
#[derive(Debug, Clone)]
pub(crate) struct TopLevel {
    pub(crate) window: Window,
    /// How often this id has been destroyed while it was watched.
    pub(crate) incarnation: u32,
    pub(crate) pid: u32,
    pub(crate) title: UiText,
    /// Root-window pixels of the client area.
    pub(crate) bounds: Rect,
    pub(crate) visibility: Visibility,
    pub(crate) active: bool,
}

/// The display could not answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DisplayError {
    #[error("no display")]
    Connect(#[from] x11rb::errors::ConnectError),
    #[error("the display connection is lost")]
    Connection(#[from] x11rb::errors::ConnectionError),
    #[error("the display refused a request")]
    Request(#[source] ReplyError),
    #[error("the window is gone")]
    WindowGone,
    #[error("the window has no picture now")]
    NoPicture,
    #[error("no identifier is left")]
    Exhausted,
    #[error("shared memory")]
    Memory(#[from] io::Error),
}

impl DisplayError {
    pub(crate) const fn code(&self) -> Code {
        match self {
            Self::WindowGone => Code::TargetMissing,
            Self::NoPicture | Self::Memory(_) => Code::CaptureFailed,
            Self::Connect(_) | Self::Connection(_) => Code::DesktopUnavailable,
            Self::Request(_) | Self::Exhausted => Code::CaptureFailed,
        }
    }
}

impl From<ReplyError> for DisplayError {
    fn from(error: ReplyError) -> Self {
        use x11rb::protocol::ErrorKind;
        match error {
            ReplyError::ConnectionError(error) => Self::Connection(error),
            ReplyError::X11Error(error) => match error.error_kind {
                ErrorKind::Window | ErrorKind::Drawable => Self::WindowGone,
                ErrorKind::Match => Self::NoPicture,
                _ => Self::Request(ReplyError::X11Error(error)),
            },
        }
    }
}

impl From<ReplyOrIdError> for DisplayError {
    fn from(error: ReplyOrIdError) -> Self {
        match error {
            ReplyOrIdError::IdsExhausted => Self::Exhausted,
            ReplyOrIdError::ConnectionError(error) => Self::Connection(error),
            ReplyOrIdError::X11Error(error) => ReplyError::X11Error(error).into(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Display {
    connection: RustConnection,
    root: Window,
    atoms: Atoms,
    watched: Arc<Mutex<Watched>>,
    changes: watch::Receiver<u64>,
}

/// Windows whose destruction was asked to be told, and how often each id has been destroyed since.
#[derive(Debug, Default)]
struct Watched {
    incarnations: HashMap<Window, u32>,
    selected: HashMap<Window, u32>,
}

impl Display {
    /// Connects to `$DISPLAY`, redirects every top-level window's drawing to memory for the life of the
    /// connection (so that covered windows keep their own pixels), and starts the thread that hears about
    /// windows being destroyed.
    pub(crate) fn connect() -> Result<Arc<Self>, DisplayError> {
        let (connection, screen) = x11rb::connect(None)?;
        let root = connection.setup().roots[screen].root;
        let atoms = Atoms::new(&connection)?.reply()?;
        connection.composite_query_version(0, 4)?.reply()?;
        connection.res_query_version(1, 2)?.reply()?;
        composite::redirect_subwindows(&connection, root, Redirect::AUTOMATIC)?.check()?;
        let interest =
            ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE | EventMask::SUBSTRUCTURE_NOTIFY);
        connection.change_window_attributes(root, &interest)?.check()?;
        let (told, changes) = watch::channel(0);
        let display = Arc::new(Self { connection, root, atoms, watched: Arc::default(), changes });
        let listening = Arc::downgrade(&display);
        let weak_watched = Arc::clone(&display.watched);
        std::thread::Builder::new()
            .name("x11-events".into())
            .spawn(move || {
                while let Some(display) = listening.upgrade() {
                    let Ok(event) = display.connection.wait_for_event() else { return };
                    if let Event::DestroyNotify(destroyed) = event {
                        let mut watched = lock(&weak_watched);
                        if watched.selected.remove(&destroyed.window).is_some() {
                            *watched.incarnations.entry(destroyed.window).or_default() += 1;
                        }
                    }
                    told.send_modify(|count| *count += 1);
                }
            })
            .map_err(DisplayError::Memory)?;
        Ok(display)
    }

    /// Counts every change of the window set, of a root property or of a window's properties.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.clone()
    }

    /// Top-level windows of applications, front to back.
    pub(crate) fn top_levels(&self) -> Result<Vec<TopLevel>, DisplayError> {
        let mut windows = self.windows_property(self.atoms._NET_CLIENT_LIST_STACKING)?;
        if windows.is_empty() {
            windows = self.client_windows_without_manager()?;
        }
        let active = self.active_window()?;
        let workspace = self.cardinal(self.root, self.atoms._NET_CURRENT_DESKTOP)?;
        let mut found = Vec::with_capacity(windows.len());
        for window in windows.into_iter().rev() {
            match self.top_level(window, active, workspace) {
                Ok(Some(top_level)) => found.push(top_level),
                Ok(None) | Err(DisplayError::WindowGone) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    pub(crate) fn active_window(&self) -> Result<Option<Window>, DisplayError> {
        let active = self.windows_property(self.atoms._NET_ACTIVE_WINDOW)?.first().copied();
        Ok(active.filter(|window| *window != x11rb::NONE))
    }

    /// One window, if it still is the one that was listed under this id.
    pub(crate) fn find(&self, window: Window, incarnation: u32) -> Result<TopLevel, DisplayError> {
        let active = self.active_window()?;
        let workspace = self.cardinal(self.root, self.atoms._NET_CURRENT_DESKTOP)?;
        self.top_level(window, active, workspace)?
            .filter(|top_level| top_level.incarnation == incarnation)
            .ok_or(DisplayError::WindowGone)
    }

    fn top_level(
        &self,
        window: Window,
        active: Option<Window>,
        workspace: Option<u32>,
    ) -> Result<Option<TopLevel>, DisplayError> {
        let incarnation = self.watch(window)?;
        let connection = &self.connection;
        let attributes = connection.get_window_attributes(window)?;
        let geometry = connection.get_geometry(window)?;
        let origin = connection.translate_coordinates(window, self.root, 0, 0)?;
        let owner = connection
            .res_query_client_ids(&[res::ClientIdSpec { client: window, mask: res::ClientIdMask::LOCAL_CLIENT_PID }])?;
        let states = connection.get_property(false, window, self.atoms._NET_WM_STATE, AtomEnum::ATOM, 0, 64)?;
        let desktop = self.cardinal_cookie(window, self.atoms._NET_WM_DESKTOP)?;
        let title = connection.get_property(false, window, self.atoms._NET_WM_NAME, AtomEnum::ANY, 0, 1024)?;
        let plain_title = connection.get_property(false, window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 1024)?;

        let (attributes, geometry, origin) = (attributes.reply()?, geometry.reply()?, origin.reply()?);
        let owner = owner.reply()?.ids.iter().find_map(|id| id.value.first().copied());
        let states: Vec<Atom> = states.reply()?.value32().map(Iterator::collect).unwrap_or_default();
        let desktop = desktop.reply()?.value32().and_then(|mut values| values.next());
        let (title, plain_title) = (title.reply()?.value, plain_title.reply()?.value);
        let Some(pid) = owner else { return Ok(None) };
        let elsewhere = |here: u32| desktop.is_some_and(|desktop| desktop != u32::MAX && desktop != here);
        let visibility = if states.contains(&self.atoms._NET_WM_STATE_HIDDEN) {
            Visibility::Minimised
        } else if workspace.is_some_and(elsewhere) {
            Visibility::OtherWorkspace
        } else if attributes.map_state != MapState::VIEWABLE {
            Visibility::Unmapped
        } else {
            Visibility::Shown
        };
        let title = if title.is_empty() { plain_title } else { title };
        Ok(Some(TopLevel {
            window,
            incarnation,
            pid,
            title: UiText::new(String::from_utf8_lossy(&title)),
            bounds: Rect {
                x: i32::from(origin.dst_x),
                y: i32::from(origin.dst_y),
                width: i32::from(geometry.width),
                height: i32::from(geometry.height),
            },
            visibility,
            active: active == Some(window),
        }))
    }

    /// Asks to be told of the window's destruction before anything is read about it: what is read afterwards is
    /// of this window, or the destruction is heard.
    fn watch(&self, window: Window) -> Result<u32, DisplayError> {
        if let Some(incarnation) = lock(&self.watched).selected.get(&window) {
            return Ok(*incarnation);
        }
        let interest =
            ChangeWindowAttributesAux::new().event_mask(EventMask::STRUCTURE_NOTIFY | EventMask::PROPERTY_CHANGE);
        self.connection.change_window_attributes(window, &interest)?.check()?;
        let mut watched = lock(&self.watched);
        let incarnation = watched.incarnations.get(&window).copied().unwrap_or(0);
        watched.selected.insert(window, incarnation);
        Ok(incarnation)
    }

    /// Without a window manager's list: mapped children of the root that manage themselves as applications do.
    fn client_windows_without_manager(&self) -> Result<Vec<Window>, DisplayError> {
        let mut clients = Vec::new();
        for child in self.connection.query_tree(self.root)?.reply()?.children {
            let Ok(attributes) = self.connection.get_window_attributes(child)?.reply() else { continue };
            if attributes.map_state == MapState::VIEWABLE && !attributes.override_redirect {
                clients.push(child);
            }
        }
        Ok(clients)
    }

    fn windows_property(&self, property: Atom) -> Result<Vec<Window>, DisplayError> {
        let reply =
            self.connection.get_property(false, self.root, property, AtomEnum::WINDOW, 0, bounds::WINDOWS)?.reply()?;
        Ok(reply.value32().map(Iterator::collect).unwrap_or_default())
    }

    fn cardinal(&self, window: Window, property: Atom) -> Result<Option<u32>, DisplayError> {
        Ok(self.cardinal_cookie(window, property)?.reply()?.value32().and_then(|mut values| values.next()))
    }

    fn cardinal_cookie(
        &self,
        window: Window,
        property: Atom,
    ) -> Result<x11rb::cookie::Cookie<'_, RustConnection, x11rb::protocol::xproto::GetPropertyReply>, DisplayError>
    {
        Ok(self.connection.get_property(false, window, property, AtomEnum::CARDINAL, 0, 1)?)
    }

    /// The window's own pixels, covered or not: read from the memory its top-level frame is redirected to.
    pub(crate) fn capture(&self, window: Window, incarnation: u32) -> Result<Picture, DisplayError> {
        let top_level = self.find(window, incarnation)?;
        if top_level.visibility != Visibility::Shown {
            return Err(DisplayError::NoPicture);
        }
        let frame = self.frame_of(window)?;
        let inside = self.connection.translate_coordinates(window, frame, 0, 0)?.reply()?;
        let geometry = self.connection.get_geometry(window)?.reply()?;
        let border = self.connection.get_geometry(frame)?.reply()?.border_width;
        if geometry.width.max(geometry.height) > bounds::PICTURE_EDGE_PX {
            return Err(DisplayError::NoPicture);
        }
        let border = i16::try_from(border).unwrap_or(0);
        let area =
            Area { x: inside.dst_x + border, y: inside.dst_y + border, width: geometry.width, height: geometry.height };
        let pixmap = self.connection.generate_id()?;
        self.connection.composite_name_window_pixmap(frame, pixmap)?.check()?;
        let pixels = self.read_pixels(pixmap, &area);
        self.connection.free_pixmap(pixmap)?;
        // The frame may have been replaced while it was read: only a window that is still there has a picture.
        self.find(window, incarnation)?;
        encode(&pixels?, area.width, area.height).map_err(DisplayError::Memory)
    }

    /// The ancestor that is a child of the root: the window manager's frame, or the window itself.
    fn frame_of(&self, window: Window) -> Result<Window, DisplayError> {
        let mut current = window;
        for _ in 0..bounds::ANCESTORS {
            let parent = self.connection.query_tree(current)?.reply()?.parent;
            if parent == self.root || parent == x11rb::NONE {
                return Ok(current);
            }
            current = parent;
        }
        Err(DisplayError::WindowGone)
    }

    /// Four bytes a pixel, blue first. Through a memory file the server writes into; without that extension, over
    /// the connection.
    fn read_pixels(&self, drawable: u32, area: &Area) -> Result<Vec<u8>, DisplayError> {
        let size = usize::from(area.width) * usize::from(area.height) * 4;
        if self.connection.extension_information(shm::X11_EXTENSION_NAME)?.is_none() {
            let reply = self
                .connection
                .get_image(ImageFormat::Z_PIXMAP, drawable, area.x, area.y, area.width, area.height, !0)?
                .reply()?;
            return if reply.data.len() == size { Ok(reply.data) } else { Err(DisplayError::NoPicture) };
        }
        let file = memfd_create("surehand-picture", MemfdFlags::CLOEXEC).map_err(io::Error::from)?;
        ftruncate(&file, size as u64).map_err(io::Error::from)?;
        let segment = self.connection.generate_id()?;
        let shared: OwnedFd = rustix::io::dup(&file).map_err(io::Error::from)?;
        self.connection.shm_attach_fd(segment, shared, false)?.check()?;
        let image = self.connection.shm_get_image(
            drawable,
            area.x,
            area.y,
            area.width,
            area.height,
            !0,
            ImageFormat::Z_PIXMAP.into(),
            segment,
            0,
        )?;
        let image = image.reply();
        self.connection.shm_detach(segment)?.ignore_error();
        image?;
        let mut pixels = vec![0; size];
        let mut filled = 0;
        while filled < size {
            let read = rustix::io::pread(&file, &mut pixels[filled..], filled as u64).map_err(io::Error::from)?;
            if read == 0 {
                return Err(DisplayError::NoPicture);
            }
            filled += read;
        }
        Ok(pixels)
    }

    /// What the server offers, for `doctor`.
    pub(crate) fn is_xwayland(&self) -> Result<bool, DisplayError> {
        Ok(self.connection.query_extension(b"XWAYLAND")?.reply()?.present)
    }
}

struct Area {
    x: i16,
    y: i16,
    width: u16,
    height: u16,
}

fn encode(pixels: &[u8], width: u16, height: u16) -> io::Result<Picture> {
    let rgb: Vec<u8> = pixels.chunks_exact(4).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect();
    let mut png = Vec::with_capacity(rgb.len() / 8);
    let mut encoder = png::Encoder::new(&mut png, width.into(), height.into());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().map_err(io::Error::other)?;
    writer.write_image_data(&rgb).map_err(io::Error::other)?;
    writer.finish().map_err(io::Error::other)?;
    Ok(Picture { png, width: width.into(), height: height.into() })
}

fn lock(watched: &Mutex<Watched>) -> MutexGuard<'_, Watched> {
    watched.lock().unwrap_or_else(PoisonError::into_inner)
}
