//! The environment of every process of a desktop.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use super::keeper::Premises;

/// By this variable the keeper knows the processes of its desktop. A desktop inside another one carries both marks.
const MARKER: &str = "SUREHAND_DESKTOP";

/// Variables and their values, in the order of their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

impl Environment {
    pub(super) fn of(premises: &Premises) -> Self {
        let mut environment = Self { variables: BTreeMap::new() };
        let user = premises.user.clone().or_else(|| std::env::var("USER").ok()).unwrap_or_else(|| "user".to_owned());
        let marker = match std::env::var(MARKER) {
            Ok(outer) => format!("{outer}:{}", premises.marker),
            Err(_) => premises.marker.clone(),
        };
        environment.set(MARKER, marker);
        environment.set("USER", &user);
        environment.set("LOGNAME", user);
        environment.set("HOME", premises.directory.join("home"));
        environment.set("TMPDIR", premises.directory.join("tmp"));
        environment.set("XDG_RUNTIME_DIR", premises.directory.join("run"));
        environment.set("XDG_SESSION_TYPE", "x11");
        environment.set("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/games");
        environment.set("SHELL", "/bin/sh");
        environment.set("LANG", "C.UTF-8");
        // Settings of a person would make applications differ; a portal would answer from outside.
        environment.set("GSETTINGS_BACKEND", "memory");
        environment.set("GTK_USE_PORTAL", "0");
        environment.set("GIO_USE_VFS", "local");
        environment.set("GDK_BACKEND", "x11");
        environment.set("QT_QPA_PLATFORM", "xcb");
        environment.set("SAL_USE_VCLPLUGIN", "gtk3");
        environment.set("LIBGL_ALWAYS_SOFTWARE", "1");
        // Without a graphics card GTK 4 spends seconds of a core on its first frame.
        environment.set("GSK_RENDERER", "cairo");
        environment
    }

    pub(super) fn set(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) {
        self.variables.insert(name.as_ref().to_owned(), value.as_ref().to_owned());
    }

    /// The value of one variable.
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.variables.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// Every variable and its value.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}
