//! What a private desktop is to be like.

/// What a private desktop is to be like. The default is what most tests want.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesktopConfiguration {
    /// The size of the one screen.
    pub screen: ScreenSize,
    /// Who manages windows.
    pub window_manager: WindowManager,
    /// Whether there is an accessibility bus.
    pub accessibility: Accessibility,
}

/// The size of a screen in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScreenSize {
    /// Width in pixels.
    pub width: u16,
    /// Height in pixels.
    pub height: u16,
}

/// Who manages windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowManager {
    /// openbox, with one desktop and no key bindings of its own.
    Openbox,
    /// Nobody: windows appear where they ask to.
    None,
}

/// Whether there is an accessibility bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accessibility {
    /// The bus runs, its registry owns its name, and applications are told that it is enabled.
    On,
    /// There is none, and none can be started.
    Absent,
}

impl Default for DesktopConfiguration {
    fn default() -> Self {
        Self {
            screen: ScreenSize { width: 1280, height: 1024 },
            window_manager: WindowManager::Openbox,
            accessibility: Accessibility::On,
        }
    }
}
