//! What an X server can say, as values to compare.

use x11rb::protocol::xproto::Window;

/// A window that an application shows, as the window manager lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientWindow {
    /// The window.
    pub id: Window,
    /// The process that made it, as the server knows; `None` for a client that is not on this machine.
    pub process: Option<u32>,
    /// Its title.
    pub title: String,
    /// Where it is, without decorations.
    pub bounds: WindowBounds,
}

/// Where a window is, in pixels of the root window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the usual four")]
pub struct WindowBounds {
    pub x: i32,
    pub y: i32,
    pub width: u32,
    pub height: u32,
}

/// Everything about the desktop that an action in the background must leave as it was. Compare one before with one after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posture {
    /// Each master pointer, and where it is.
    pub pointers: Vec<PointerPosition>,
    /// Each master keyboard, and the window that has its focus.
    pub focuses: Vec<KeyboardFocus>,
    /// What the window manager says is active.
    pub active_window: Option<Window>,
    /// The clients' windows from the lowest to the highest.
    pub stacking: Vec<Window>,
    /// Every input device.
    pub devices: Vec<InputDevice>,
}

/// A master pointer's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointerPosition {
    /// The master device.
    pub device: u16,
    /// Pixels from the left of the root window.
    pub x: i32,
    /// Pixels from its top.
    pub y: i32,
}

/// A master keyboard's focus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyboardFocus {
    /// The master device.
    pub device: u16,
    /// The application's window; a toolkit moves the focus between windows of its own inside it at will. Without one, what
    /// the server names, or one of the protocol's special values (0 none, 1 wherever the pointer is).
    pub window: Window,
}

/// An input device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputDevice {
    /// Its id.
    pub id: u16,
    /// Its name.
    pub name: String,
    /// Its kind (XInput 2: 1 and 2 master pointer and keyboard, 3 and 4 their slaves, 5 floating).
    pub kind: u16,
    /// The device it is paired with or attached to.
    pub attachment: u16,
}

impl WindowBounds {
    /// The point in the middle.
    pub fn centre(self) -> (i32, i32) {
        let half = |length: u32| i32::try_from(length / 2).expect("a window is smaller than a coordinate");
        (self.x + half(self.width), self.y + half(self.height))
    }
}
