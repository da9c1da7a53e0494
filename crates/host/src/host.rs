use crate::{
    calls::Calls,
    clock::Clock,
    executor::{ExecutorCommand, ExecutorStanding, ImageFolder, Seated, Spawner, Supervisor, default_image_root},
    ids::Ids,
    lanes::Lanes,
    process::this_process,
    refusal::Refusal,
    seat::SeatKeeper,
    session::{Session, SessionState},
};
use std::{
    io,
    path::PathBuf,
    sync::{Arc, Weak},
};
use surehand_contract::{
    ApplicationKey, Capability, Code, Event, Notice, Peer, Principal, SeatConfiguration, ServiceReason, Standing,
    producer::{Executor, Producers},
};
use surehand_wire::{Health, ReadHealth, bounds::REQUEST_DEADLINE};
use tokio::sync::broadcast;

/// Notices that a slow watcher may be behind before it misses some.
const NOTICES: usize = 256;

#[derive(Debug, Clone)]
pub struct HostConfiguration {
    pub executor: ExecutorCommand,
    pub seat: SeatConfiguration,
    /// The folder that pictures pass through; it belongs to this user alone. Absent: the user's runtime folder.
    pub image_root: Option<PathBuf>,
}

impl HostConfiguration {
    pub fn new(executor: ExecutorCommand) -> Self {
        Self { executor, seat: SeatConfiguration::default(), image_root: None }
    }
}

/// The host could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the folder for pictures cannot be used")]
    Images(#[source] io::Error),
    #[error("the thread that starts the executor cannot be made")]
    Spawner(#[source] io::Error),
    #[error("the kernel gives no random bytes")]
    Random(#[source] getrandom::Error),
    #[error("this process cannot be read")]
    Process(#[source] io::Error),
}

/// Who connects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientInfo {
    /// As the client calls itself. It is the principal that grants and blocks are kept for.
    pub name: String,
    pub version: String,
    pub kind: ClientKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientKind {
    /// An agent over MCP.
    Mcp,
    /// A command in a terminal.
    CommandLine,
    /// A program that embeds the host.
    Embedded,
}

/// The host of one desktop. Cheap to clone; the last clone ends the executor.
#[derive(Clone)]
pub struct Host(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) keeper: SeatKeeper,
    pub(crate) calls: Arc<Calls>,
    pub(crate) lanes: Lanes,
    pub(crate) ids: Ids,
    pub(crate) supervisor: Arc<Supervisor>,
    own_process: ApplicationKey,
}

/// What works here, with the evidence for it.
#[derive(Debug, Clone)]
pub struct HostHealth {
    pub executor: ExecutorStanding,
    /// The executor's own account, or why there is none.
    pub desktop: Result<Health, Refusal>,
    pub capabilities: Vec<(Capability, Standing)>,
}

impl Host {
    /// Starts the host. Cheap: the executor starts with the first call that needs it, or by
    /// [`Host::start_executor`]. Must be called inside an async runtime with time and I/O.
    pub fn start(configuration: HostConfiguration) -> Result<Self, StartError> {
        let ids = Ids::draw().map_err(StartError::Random)?;
        let root = configuration.image_root.unwrap_or_else(default_image_root);
        let name = format!("{}-{:x}", std::process::id(), ids.next());
        let images = ImageFolder::create(&root, &name).map_err(StartError::Images)?;
        let spawner = Spawner::start().map_err(StartError::Spawner)?;
        let own_process = ApplicationKey::of(&this_process().map_err(StartError::Process)?);
        let (notices, _) = broadcast::channel(NOTICES);
        let inner = Arc::new_cyclic(|inner: &Weak<Inner>| {
            let seated: Weak<dyn Seated> = inner.clone();
            let calls = Arc::new(Calls::default());
            let supervisor = Supervisor::new(configuration.executor, spawner, images, seated);
            Inner {
                keeper: SeatKeeper::new(
                    Clock::start(),
                    configuration.seat,
                    Arc::clone(&calls),
                    Arc::clone(&supervisor),
                    notices,
                ),
                calls,
                lanes: Lanes::default(),
                ids,
                supervisor,
                own_process,
            }
        });
        inner.keeper.keep_deadlines(Arc::downgrade(&inner));
        Ok(Self(inner))
    }

    /// Starts the executor in the background, so that the first call need not wait for it.
    pub fn start_executor(&self) {
        let supervisor = Arc::clone(&self.0.supervisor);
        tokio::spawn(async move {
            // A failure is met again, and answered, by the first call that needs the executor.
            drop(supervisor.connection(&mut crate::cancel::Cancelled::never()).await);
        });
    }

    /// Opens a session for a connected client. Dropping the last clone of the handle ends it.
    pub fn open_session(&self, client: &ClientInfo) -> Result<Session, Refusal> {
        let principal = principal(client).map_err(|_| Refusal::of(Code::InvalidArgument))?;
        let id = self.0.ids.session();
        let peer = Peer {
            connection: self.0.ids.connection(),
            principal: principal.clone(),
            process: self.0.own_process.clone(),
        };
        let connection = self.0.keeper.with_producers(|producers| producers.clients.connected(peer));
        self.0.keeper.seat(|seat, now| seat.open_session(now, id, principal))?;
        let state = Arc::new(SessionState::new(id));
        self.0.keeper.attend(&state);
        Ok(Session::new(Arc::clone(&self.0), state, connection))
    }

    /// Takes in what a producer says. The returned future ends when it is accepted (contract 5.9): the executor
    /// acknowledged the fence, or was killed and reaped. The fence is up in this host before this returns.
    pub fn report(&self, event: Event) -> impl Future<Output = ()> + Send + use<> {
        self.0.keeper.step(event).accepted()
    }

    /// The handles by which the rest of the desktop reports: devices, lockers, controls. Given out once.
    pub fn take_producers(&self) -> Option<DesktopProducers> {
        self.0.keeper.take_desktop_producers()
    }

    /// What changes, for whoever watches. Holds no text from a screen.
    pub fn notices(&self) -> broadcast::Receiver<Notice> {
        self.0.keeper.notices()
    }

    pub async fn health(&self) -> HostHealth {
        let mut cancelled = crate::cancel::Cancelled::never();
        let desktop = match self.0.supervisor.connection(&mut cancelled).await {
            Ok(connection) => match connection.call(REQUEST_DEADLINE, cancelled, |_| Ok(ReadHealth {})).await {
                Ok(answered) => answered.answer.map_err(Refusal::from),
                Err(failed) => Err(failed.failure.refusal().into()),
            },
            Err(refusal) => Err(refusal),
        };
        let capabilities = self.0.keeper.seat(|seat, _| seat.capabilities().collect());
        HostHealth { executor: self.0.supervisor.standing(), desktop, capabilities }
    }

    /// Ends the executor and waits until it was reaped. Later calls are refused.
    pub async fn shut_down(&self) {
        self.0.supervisor.close().await;
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Host")
    }
}

/// The producers of everything that neither a client nor the executor says.
#[derive(Debug)]
pub struct DesktopProducers {
    pub input_devices: surehand_contract::producer::InputDevices,
    pub compositor: surehand_contract::producer::Compositor,
    pub lockers: surehand_contract::producer::Lockers,
    pub login_manager: surehand_contract::producer::LoginManager,
    pub processes: surehand_contract::producer::Processes,
    pub window_server: surehand_contract::producer::WindowServer,
    pub person_controls: surehand_contract::producer::PersonControls,
    pub authorities: surehand_contract::producer::Authorities,
}

impl DesktopProducers {
    pub(crate) fn split(
        producers: Producers,
    ) -> (surehand_contract::producer::Executors, surehand_contract::producer::Clients, Self) {
        let Producers {
            executors,
            input_devices,
            compositor,
            lockers,
            login_manager,
            processes,
            window_server,
            clients,
            person_controls,
            authorities,
        } = producers;
        let desktop = Self {
            input_devices,
            compositor,
            lockers,
            login_manager,
            processes,
            window_server,
            person_controls,
            authorities,
        };
        (executors, clients, desktop)
    }
}

impl Seated for Inner {
    fn executor_started(&self) -> Option<Executor> {
        let (executor, started) = self.keeper.with_producers(|producers| producers.executors.started());
        self.keeper.step(started);
        Some(executor)
    }

    fn executor_released(&self, executor: Executor, reason: ServiceReason) {
        self.keeper.step(executor.released(reason));
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.supervisor.close_now();
    }
}

fn principal(client: &ClientInfo) -> Result<Principal, surehand_contract::MalformedName> {
    let longest = surehand_contract::bounds::NAME_BYTES;
    let mut name: String = client.name.chars().filter(|character| !character.is_control()).collect();
    while name.len() > longest {
        name.pop();
    }
    Principal::new(if name.is_empty() { "unnamed" } else { &name })
}
