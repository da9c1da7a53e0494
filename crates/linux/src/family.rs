//! How the toolkits differ, measured: in what they announce, what their bulk answer holds, and where they say
//! things are.

use crate::accessible::Coordinates;
use surehand_executor::ToolkitFamily;

/// From `Application.ToolkitName` and `Application.Version` as the application reports them. LibreOffice draws by
/// GTK and says so; its own objects behind that are another toolkit's.
pub(crate) fn of(name: &str, version: &str, application: &str) -> ToolkitFamily {
    match name {
        _ if application == "soffice" => ToolkitFamily::LibreOffice,
        "gtk" => ToolkitFamily::Gtk3,
        "GTK" if version.starts_with('4') => ToolkitFamily::Gtk4,
        "GTK" => ToolkitFamily::Gtk3,
        "Qt" => ToolkitFamily::Qt,
        "Chromium" => ToolkitFamily::Chromium,
        "VCL" => ToolkitFamily::LibreOffice,
        _ => ToolkitFamily::Other,
    }
}

/// Whether one bulk call answers most of the tree. Qt answers it with nothing.
pub(crate) const fn answers_in_bulk(family: ToolkitFamily) -> bool {
    matches!(family, ToolkitFamily::Gtk3 | ToolkitFamily::Gtk4 | ToolkitFamily::Chromium | ToolkitFamily::LibreOffice)
}

/// Whether the bulk answer lists only objects that some client has walked to before.
pub(crate) const fn lists_only_what_was_walked(family: ToolkitFamily) -> bool {
    matches!(family, ToolkitFamily::Gtk4)
}

/// Whether "showing" is set on widgets at all. GTK4 (4.8) never sets it below the window.
pub(crate) const fn marks_what_shows(family: ToolkitFamily) -> bool {
    !matches!(family, ToolkitFamily::Gtk4)
}

/// Whether screen extents are relative to the window, whatever was asked for.
pub(crate) const fn extents_are_window_relative(family: ToolkitFamily) -> bool {
    matches!(family, ToolkitFamily::Gtk4)
}

/// GTK4 answers the same to either question, but complains on its standard error of every one about the screen.
pub(crate) const fn coordinates(family: ToolkitFamily) -> Coordinates {
    if extents_are_window_relative(family) { Coordinates::Window } else { Coordinates::Screen }
}

/// Whether object paths name the same object on every read. LibreOffice mints a new one each time.
pub(crate) const fn has_stable_paths(family: ToolkitFamily) -> bool {
    !matches!(family, ToolkitFamily::LibreOffice)
}
