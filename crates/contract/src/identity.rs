use crate::Digest;
use serde::{Deserialize, Serialize};

/// One run of one program. Two values are equal only if they name the same run.
///
/// `exec` keeps pid, start time and pidfd inode, so `exe` is part of the identity and is read again
/// before each dispatch.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProcessInstance {
    pub pid: u32,
    /// Unique per boot where pidfds live on pidfs (Linux 6.9 and later); absent elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pidfd_inode: Option<u64>,
    /// Field 22 of `/proc/PID/stat`: clock ticks after boot. Equal on a fast pid reuse, so it names
    /// an instance only together with the other fields.
    pub start_time_ticks: u64,
    /// `/proc/sys/kernel/random/boot_id`.
    pub boot_id: String,
    pub exe: ExeIdentity,
}

/// The file a process runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExeIdentity {
    pub path: String,
    pub device: u64,
    pub inode: u64,
}

/// A window, named by whoever owns its identity.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum WindowIdentity {
    /// An X11 window id together with the count of windows the server has since announced destroyed
    /// under that id: a reused id is a different window.
    X11 { window: u32, incarnation: u32 },
    /// Where there is no X window: the accessible frame under the bus's GUID and its owner's unique name.
    Accessible { bus_guid: String, unique_name: String, path: String },
}

/// What an action is bound to. `content` and `page` narrow it to the shown document.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Target {
    pub process: ProcessInstance,
    pub window: WindowIdentity,
    /// A digest of the shown document's identity (URL, tab, file), never its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageIdentity>,
}

/// A page inside a browser window.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PageIdentity {
    pub target: String,
    pub frame: String,
    pub loader: String,
    pub origin: Digest,
}

/// What a grant names. It outlives processes, and says by which rule the application was recognised.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum ApplicationIdentity {
    DesktopEntry {
        id: String,
    },
    Flatpak {
        id: String,
    },
    Snap {
        id: String,
    },
    /// A script under its interpreter: the interpreter alone would name every script.
    Script {
        interpreter: String,
        script: String,
    },
    Executable {
        path: String,
    },
}
