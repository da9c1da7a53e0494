//! What the protocol's role numbers mean for reading and acting.

use atspi_common::Role;
use std::borrow::Cow;

/// The protocol's own name of a role number. Numbers newer than this list are shown as numbers.
pub(crate) fn name(role: u32) -> Cow<'static, str> {
    match Role::try_from(role) {
        Ok(role) => Cow::Borrowed(role.name()),
        Err(_) => Cow::Owned(format!("role {role}")),
    }
}

pub(crate) fn is(role: u32, roles: &[Role]) -> bool {
    roles.iter().any(|candidate| *candidate as u32 == role)
}

/// Surfaces of their own, which may reach beyond their window.
pub(crate) const POPUPS: &[Role] = &[Role::Menu, Role::PopupMenu, Role::Window, Role::ToolTip];

/// Roles whose number is a quantity that is shown or can be set.
pub(crate) const QUANTITIES: &[Role] = &[
    Role::Slider,
    Role::SpinButton,
    Role::ProgressBar,
    Role::ScrollBar,
    Role::LevelBar,
    Role::Dial,
    Role::Rating,
    // Where its divider is.
    Role::SplitPane,
];

/// Quantities that only show.
pub(crate) const READ_ONLY_QUANTITIES: &[Role] = &[Role::ProgressBar, Role::LevelBar];

/// Roles whose text is their value and not their label.
pub(crate) const TEXTS: &[Role] = &[
    Role::Text,
    Role::Entry,
    Role::PasswordText,
    Role::Terminal,
    Role::SpinButton,
    Role::Editbar,
    Role::TableCell,
    Role::Paragraph,
    Role::DocumentText,
];

/// Roles a person reads as words on the screen even where they have no accessible name.
pub(crate) const LABELS: &[Role] = &[Role::Label, Role::Static, Role::Heading, Role::StatusBar, Role::InfoBar];
