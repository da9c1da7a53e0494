//! One running executor: its streams, its end and the one way to bring that about.

use super::command::{ExecutorCommand, Program};
use std::{io, process::Stdio, sync::mpsc as blocking};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    process::{Child, Command},
    runtime,
    sync::{mpsc, oneshot, watch},
};

/// Bytes that stand between an embedded executor and its host before either waits.
const EMBEDDED_PIPE_BYTES: usize = 256 * 1024;

pub(crate) type Reader = Box<dyn AsyncRead + Send + Unpin>;
pub(crate) type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// How an executor ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Status(i32),
    Signal(i32),
    /// An embedded one returned, or its status could not be read.
    Unstated,
}

/// A started executor. Dropping every clone of [`Process::control`] kills it.
pub(crate) struct Process {
    pub(crate) input: Writer,
    pub(crate) output: Reader,
    pub(crate) diagnostics: Option<Reader>,
    pub(crate) control: Control,
}

/// Kills an executor and tells of its end.
#[derive(Debug, Clone)]
pub(crate) struct Control {
    kill: mpsc::Sender<()>,
    exit: watch::Receiver<Option<Exit>>,
}

impl Control {
    /// Sends SIGKILL. The end is told by [`Control::ended`].
    pub(crate) fn kill(&self) {
        // A full channel holds a kill already; a closed one belongs to a process that has been reaped.
        let _ = self.kill.try_send(());
    }

    /// Returns when the process has been reaped.
    pub(crate) async fn ended(&self) -> Exit {
        let mut exit = self.exit.clone();
        match exit.wait_for(Option::is_some).await {
            Ok(exit) => exit.unwrap_or(Exit::Unstated),
            Err(_) => Exit::Unstated,
        }
    }
}

/// Starts executors from one thread that lives as long as the host.
///
/// The signal an executor asks the kernel for at its parent's death comes at the death of the *thread* that
/// started it, and threads of an async runtime come and go.
#[derive(Debug, Clone)]
pub(crate) struct Spawner(blocking::Sender<Order>);

struct Order {
    program: Program,
    started: oneshot::Sender<io::Result<Child>>,
}

impl Spawner {
    /// Must be called inside the runtime that will read the executors' streams.
    pub(crate) fn start() -> io::Result<Self> {
        let (orders, inbox) = blocking::channel::<Order>();
        let runtime = runtime::Handle::current();
        std::thread::Builder::new().name("surehand-executor".into()).spawn(move || {
            let _runtime = runtime.enter();
            for order in inbox {
                // Nobody waits any more: dropping the child kills it.
                let _ = order.started.send(spawn(&order.program));
            }
        })?;
        Ok(Self(orders))
    }

    pub(crate) async fn run(&self, command: &ExecutorCommand) -> io::Result<Process> {
        match command {
            ExecutorCommand::Program(program) => self.run_program(program.clone()).await,
            ExecutorCommand::Embedded(serve) => {
                let (input, executor_input) = tokio::io::duplex(EMBEDDED_PIPE_BYTES);
                let (executor_output, output) = tokio::io::duplex(EMBEDDED_PIPE_BYTES);
                let serving = tokio::spawn(serve(executor_input, executor_output));
                let control = controlled(|mut kill| async move {
                    let abort = serving.abort_handle();
                    tokio::pin!(serving);
                    tokio::select! {
                        _ = &mut serving => {}
                        _ = kill.recv() => {
                            abort.abort();
                            let _ = serving.await;
                        }
                    }
                    Exit::Unstated
                });
                Ok(Process { input: Box::new(input), output: Box::new(output), diagnostics: None, control })
            }
        }
    }

    async fn run_program(&self, program: Program) -> io::Result<Process> {
        let gone = || io::Error::other("the thread that starts executors is gone");
        let (started, child) = oneshot::channel();
        self.0.send(Order { program, started }).map_err(|_| gone())?;
        let mut child = child.await.map_err(|_| gone())??;
        let missing = || io::Error::other("a stream of the executor is missing");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let diagnostics = child.stderr.take().map(|stream| Box::new(stream) as Reader);
        let control = controlled(|mut kill| async move {
            let status = tokio::select! {
                status = child.wait() => status,
                _ = kill.recv() => {
                    // Fails only when the process has been reaped, which `wait` then says.
                    let _ = child.start_kill();
                    child.wait().await
                }
            };
            status.map_or(Exit::Unstated, exit_of)
        });
        Ok(Process { input: Box::new(input), output: Box::new(output), diagnostics, control })
    }
}

fn spawn(program: &Program) -> io::Result<Child> {
    Command::new(&program.path)
        .args(&program.arguments)
        .envs(program.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
}

/// The control over whatever `watch_over` waits for and kills.
pub(crate) fn controlled<Watched>(watch_over: impl FnOnce(mpsc::Receiver<()>) -> Watched) -> Control
where
    Watched: Future<Output = Exit> + Send + 'static,
{
    let (kill, killed) = mpsc::channel(1);
    let (exited, exit) = watch::channel(None);
    let watching = watch_over(killed);
    tokio::spawn(async move {
        let exit = watching.await;
        exited.send_replace(Some(exit));
    });
    Control { kill, exit }
}

fn exit_of(status: std::process::ExitStatus) -> Exit {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Status(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Unstated,
    }
}
