use crate::{
    ApplicationKey, BusName, CallNumber, Capability, ConnectionId, DeviceName, ExecutorGeneration, Principal,
    WindowIdentity,
};
use serde::Serialize;

/// Who said something, with evidence that can be checked.
///
/// Its variants can be read anywhere and built only by the producers of this crate; it cannot be read from a wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "source", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Source {
    /// A typed outcome of one call, from the closed set.
    #[non_exhaustive]
    Executor { generation: ExecutorGeneration, call: CallNumber },
    /// How one run of the executor began or ended.
    #[non_exhaustive]
    ExecutorService { generation: ExecutorGeneration, reason: ServiceReason },
    /// A person's device, as the display server names it. The server's time is evidence only.
    #[non_exhaustive]
    InputDevice { device: u32, name: DeviceName, server_time_ms: u32 },
    /// The compositor's own statement that someone is active.
    #[non_exhaustive]
    Compositor { protocol: CompositorProtocol },
    /// A lock mechanism and the program that owns it.
    #[non_exhaustive]
    Locker { mechanism: LockMechanism, owner: VoterOwner },
    /// The login manager, by the owner of its well-known name.
    #[non_exhaustive]
    LoginManager { owner: BusName },
    /// The process's own pidfd.
    #[non_exhaustive]
    Process { process: ApplicationKey },
    /// The display server; no window means its connection.
    #[non_exhaustive]
    WindowServer { window: Option<WindowIdentity> },
    /// A connected program: the peer that the kernel named, and for whom it acts.
    #[non_exhaustive]
    Client { connection: ConnectionId, principal: Principal, process: ApplicationKey },
    /// A press on surehand's own control from a device that is a person's.
    #[non_exhaustive]
    Person { control: Control, device: u32, name: DeviceName, server_time_ms: u32 },
    /// An authority above the user, where no press can be attributed.
    #[non_exhaustive]
    Authority { authority: Authority },
    /// A deadline that was declared earlier.
    #[non_exhaustive]
    Clock,
    /// One of surehand's own producers, about itself.
    #[non_exhaustive]
    Producer { capability: Capability },
}

impl Source {
    /// Every source by name, with the evidence it carries and the handle that mints it.
    pub const LIST: &'static [(&'static str, &'static str, &'static str)] = &[
        ("Executor", "generation and request id of the call that was answered", "`producer::ExecutorCall`"),
        (
            "ExecutorService",
            "generation, and the exit status, signal, deadline or rule",
            "`producer::Executors`, `producer::Executor`",
        ),
        (
            "InputDevice",
            "the server's number and name of the device, and the server's time",
            "`producer::InputDevices`",
        ),
        ("Compositor", "the protocol of its idle statement", "`producer::Compositor`"),
        ("Locker", "mechanism, and the bus name and process, or the process, that owns it", "`producer::Lockers`"),
        ("LoginManager", "the owner of its well-known name", "`producer::LoginManager`"),
        ("Process", "the process instance whose pidfd became readable", "`producer::Processes`"),
        ("WindowServer", "the window, or none for the connection itself", "`producer::WindowServer`"),
        ("Client", "connection, principal and process instance of the peer", "`producer::ClientConnection`"),
        ("Person", "the control, and the device that pressed it", "`producer::PersonControls`"),
        (
            "Authority",
            "the polkit daemon's name, or the device and inode of root's policy file",
            "`producer::Authorisation`",
        ),
        ("Clock", "none: the seat itself declared the deadline", "`Seat::due`"),
        ("Producer", "the capability that the producer is of", "every producer's `claim`"),
    ];

    /// The source as the document writes it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Executor { .. } => "Executor",
            Self::ExecutorService { .. } => "ExecutorService",
            Self::InputDevice { .. } => "InputDevice",
            Self::Compositor { .. } => "Compositor",
            Self::Locker { .. } => "Locker",
            Self::LoginManager { .. } => "LoginManager",
            Self::Process { .. } => "Process",
            Self::WindowServer { .. } => "WindowServer",
            Self::Client { .. } => "Client",
            Self::Person { .. } => "Person",
            Self::Authority { .. } => "Authority",
            Self::Clock { .. } => "Clock",
            Self::Producer { .. } => "Producer",
        }
    }
}

/// Why one run of the executor began or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ServiceReason {
    /// It answered the handshake.
    HandshakeAnswered,
    Exited {
        status: i32,
    },
    Signalled {
        signal: i32,
    },
    /// Killed because a deadline of the protocol passed.
    DeadlinePassed {
        deadline_ms: u64,
    },
    /// Killed because it did not acknowledge a fence or a clearing.
    NotAcknowledged,
    /// Killed because it broke a rule of the protocol.
    ProtocolBroken {
        rule: &'static str,
    },
    /// Ended because the host ends.
    Ended,
}

/// How a compositor says that someone is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CompositorProtocol {
    MutterIdleMonitor,
    ExtIdleNotifyV1,
}

/// A way in which a screen says that it is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LockMechanism {
    /// logind's `LockedHint`.
    LockedHint,
    FreedesktopScreenSaver,
    GnomeScreenSaver,
    MateScreenSaver,
    CinnamonScreenSaver,
    XfceScreenSaver,
    /// A locker process that surehand was told to watch.
    WatchedProcess,
    /// The executor's own answer.
    Executor,
}

/// Whose vote it is. The next owner of a mechanism is another voter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum VoterOwner {
    Bus { name: BusName, process: Option<ApplicationKey> },
    Process { process: ApplicationKey },
    Executor { generation: ExecutorGeneration },
}

/// A control of surehand's own that a person can press.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    StopKey,
    StopButton,
    Prompt,
}

/// What may widen where no press can be attributed to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Authority {
    /// polkit authenticated a person for surehand's action.
    Polkit { daemon: BusName },
    /// A policy file that only root can write.
    RootPolicyFile { device: u64, inode: u64 },
}
