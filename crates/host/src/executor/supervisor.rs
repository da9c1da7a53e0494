//! Keeps one executor running for whoever asks, as often as the budget allows.

use super::{
    command::ExecutorCommand,
    connection::{CallFailure, Connection},
    images::{GenerationFolder, ImageFolder},
    process::Spawner,
    restarts::{RestartBudget, TooSoon},
};
use crate::{
    bounds::{RESTART_WAIT_INSIDE, SHUTDOWN_GRACE},
    cancel::Cancelled,
    refusal::Refusal,
};
use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};
use surehand_contract::{Code, ServiceReason, producer::Executor};
use surehand_wire::{Hello, HostName, PROTOCOL, Welcome, bounds::HELLO_DEADLINE};
use tokio::sync::watch;

/// Whoever keeps the seat, told of every executor that comes and goes.
pub(crate) trait Seated: Send + Sync + 'static {
    /// An executor answered its handshake: the handle by which it can be believed.
    fn executor_started(&self) -> Option<Executor>;
    /// It was reaped.
    fn executor_released(&self, executor: Executor, reason: ServiceReason);
}

pub(crate) struct Supervisor {
    command: ExecutorCommand,
    spawner: Spawner,
    images: ImageFolder,
    seated: Weak<dyn Seated>,
    state: watch::Sender<State>,
    budget: Mutex<RestartBudget>,
    starts: AtomicU64,
    latest_reason: Mutex<Option<ServiceReason>>,
}

#[derive(Clone)]
enum State {
    Down,
    Starting,
    Up(Arc<Connection>),
    /// It does not speak this protocol, which starting it again would not change.
    Mismatched,
    Closed,
}

/// What is known of the executor, for a person.
#[derive(Debug, Clone)]
pub struct ExecutorStanding {
    pub running: bool,
    /// Times it was started, however that went.
    pub starts: u64,
    /// Why the latest one ended.
    pub latest_end: Option<ServiceReason>,
    /// The last of what it wrote to standard error.
    pub diagnostics: String,
}

impl Supervisor {
    pub(crate) fn new(
        command: ExecutorCommand,
        spawner: Spawner,
        images: ImageFolder,
        seated: Weak<dyn Seated>,
    ) -> Arc<Self> {
        Arc::new(Self {
            command,
            spawner,
            images,
            seated,
            state: watch::Sender::new(State::Down),
            budget: Mutex::default(),
            starts: AtomicU64::new(0),
            latest_reason: Mutex::default(),
        })
    }

    /// The executor that runs now, if one does.
    pub(crate) fn current(&self) -> Option<Arc<Connection>> {
        match &*self.state.borrow() {
            State::Up(connection) if !connection.is_over() => Some(Arc::clone(connection)),
            _ => None,
        }
    }

    /// The running executor; starts one if none runs and the budget allows.
    pub(crate) async fn connection(self: &Arc<Self>, cancelled: &mut Cancelled) -> Result<Arc<Connection>, Refusal> {
        let mut state = self.state.subscribe();
        loop {
            if let Some(connection) = self.current() {
                return Ok(connection);
            }
            let wait = match self.begin_start() {
                Ok(()) => None,
                Err(NotStarted::TooSoon(TooSoon { wait })) if wait <= RESTART_WAIT_INSIDE => Some(wait),
                Err(NotStarted::TooSoon(TooSoon { wait })) => {
                    let wait_ms = u64::try_from(wait.as_millis()).ok();
                    return Err(Refusal { wait_ms, ..Refusal::of(Code::ServiceUnavailable) });
                }
                Err(NotStarted::Never(code)) => return Err(Refusal::of(code)),
                Err(NotStarted::Busy) => None,
            };
            let change = async {
                match wait {
                    Some(wait) => tokio::time::sleep(wait).await,
                    // The sender lives as long as this supervisor.
                    None => drop(state.changed().await),
                }
            };
            cancelled.or(change).await.map_err(Refusal::of)?;
        }
    }

    pub(crate) fn standing(&self) -> ExecutorStanding {
        let running = self.current();
        ExecutorStanding {
            running: running.is_some(),
            starts: self.starts.load(Ordering::Relaxed),
            latest_end: *self.latest_reason.lock().unwrap_or_else(PoisonError::into_inner),
            diagnostics: running.map(|connection| connection.diagnostics()).unwrap_or_default(),
        }
    }

    /// Ends the executor and starts no other: asks it, then kills it. Returns when it was reaped and its pictures
    /// are gone.
    pub(crate) async fn close(&self) {
        if let State::Up(connection) = self.state.send_replace(State::Closed) {
            connection.close();
            if tokio::time::timeout(SHUTDOWN_GRACE, connection.ended()).await.is_err() {
                connection.kill(ServiceReason::Ended);
                connection.ended().await;
            }
        }
        self.images.remove();
    }

    /// Ends the executor without waiting.
    pub(crate) fn close_now(&self) {
        if let State::Up(connection) = self.state.send_replace(State::Closed) {
            connection.kill(ServiceReason::Ended);
        }
    }

    /// Makes the state `Starting`, and starts.
    fn begin_start(self: &Arc<Self>) -> Result<(), NotStarted> {
        let mut outcome = Err(NotStarted::Busy);
        self.state.send_if_modified(|state| {
            outcome = match state {
                State::Down => {
                    let mut budget = self.budget.lock().unwrap_or_else(PoisonError::into_inner);
                    budget.start(Instant::now()).map_err(NotStarted::TooSoon)
                }
                State::Starting | State::Up(_) => Err(NotStarted::Busy),
                State::Mismatched => Err(NotStarted::Never(Code::ServiceMismatch)),
                State::Closed => Err(NotStarted::Never(Code::ServiceUnavailable)),
            };
            if outcome.is_ok() {
                *state = State::Starting;
            }
            outcome.is_ok()
        });
        if outcome.is_ok() {
            tokio::spawn(Arc::clone(self).start());
        }
        outcome
    }

    async fn start(self: Arc<Self>) {
        let number = self.starts.fetch_add(1, Ordering::Relaxed) + 1;
        let next = match self.try_start(number).await {
            Ok(connection) => State::Up(connection),
            Err(Code::ServiceMismatch) => State::Mismatched,
            Err(_) => State::Down,
        };
        let mut unwanted = None;
        self.state.send_modify(|state| match (&*state, next) {
            (State::Starting, State::Up(connection)) if connection.is_over() => *state = State::Down,
            (State::Starting, next) => *state = next,
            (_, State::Up(connection)) => unwanted = Some(connection),
            _ => {}
        });
        if let Some(connection) = unwanted {
            connection.kill(ServiceReason::Ended);
        }
    }

    async fn try_start(self: &Arc<Self>, number: u64) -> Result<Arc<Connection>, Code> {
        let folder = self.images.generation(number).map_err(|error| {
            tracing::error!(%error, "the image folder cannot be made");
            Code::ServiceUnavailable
        })?;
        let image_dir = folder.path().to_owned();
        let process = self.spawner.run(&self.command).await.map_err(|error| {
            tracing::error!(%error, "the executor cannot be started");
            Code::ServiceUnavailable
        })?;
        let supervisor = Arc::downgrade(self);
        let connection = Connection::open(process, move |reason, executor| {
            released(&supervisor, folder, reason, executor);
        });
        let greeted = connection.handshake(hello(&image_dir), HELLO_DEADLINE).await;
        let code = match greeted {
            Ok(Ok(welcome)) if speaks_this(&welcome) => {
                let executor = self.seated.upgrade().and_then(|seated| seated.executor_started());
                connection.believe(executor.ok_or(Code::ServiceUnavailable)?);
                connection.use_folder(image_dir);
                return Ok(connection);
            }
            Ok(Ok(_)) => Code::ServiceMismatch,
            Ok(Err(refused)) => {
                tracing::error!(code = %refused.code, "the executor refused the handshake");
                Code::ServiceUnavailable
            }
            Err(CallFailure::Rpc(_)) => Code::ServiceMismatch,
            Err(_) => Code::ServiceUnavailable,
        };
        connection.kill(ServiceReason::DeadlinePassed { deadline_ms: HELLO_DEADLINE.as_millis() as u64 });
        connection.ended().await;
        Err(code)
    }
}

enum NotStarted {
    /// Somebody else starts it, or it is ending: the state will change.
    Busy,
    TooSoon(TooSoon),
    Never(Code),
}

fn released(
    supervisor: &Weak<Supervisor>,
    folder: GenerationFolder,
    reason: ServiceReason,
    executor: Option<Executor>,
) {
    drop(folder);
    let Some(supervisor) = supervisor.upgrade() else { return };
    *supervisor.latest_reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
    tracing::info!(?reason, "the executor ended");
    if let (Some(executor), Some(seated)) = (executor, supervisor.seated.upgrade()) {
        seated.executor_released(executor, reason);
    }
    supervisor.state.send_if_modified(|state| match state {
        State::Up(connection) if connection.is_over() => {
            *state = State::Down;
            true
        }
        _ => false,
    });
}

fn hello(image_dir: &std::path::Path) -> Hello {
    Hello {
        protocol: PROTOCOL.into(),
        host: HostName { name: "surehand".into(), version: env!("CARGO_PKG_VERSION").into() },
        host_pid: std::process::id(),
        image_dir: image_dir.to_string_lossy().into_owned(),
    }
}

fn speaks_this(welcome: &Welcome) -> bool {
    welcome.protocol == PROTOCOL
}

/// Where pictures are put when nothing else is said: the user's runtime folder, or a private folder among the
/// temporary ones.
pub(crate) fn default_image_root() -> PathBuf {
    match std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder).join("surehand").join("images"),
        None => std::env::temp_dir().join(format!("surehand-{}", rustix::process::geteuid().as_raw())).join("images"),
    }
}
