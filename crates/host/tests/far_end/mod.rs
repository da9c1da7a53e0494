//! The executor's end of the wire, in the hands of the test. Every generation is served by default from a small
//! scripted desk; methods that the test holds are handed to it instead.
#![allow(dead_code, unused_imports, unreachable_pub, clippy::unwrap_used)]

mod desk;

pub use desk::{Desk, button, element, entry, process, snapshot, target};

use std::{
    collections::HashSet,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};
use surehand_contract::{Code, ObservationId};
use surehand_host::{
    ActRequest, Action, Answer, ClientInfo, ClientKind, ExecutorCommand, Host, HostConfiguration, ObserveRequest,
    Observed, Program, Session, WindowChoice,
};
use surehand_wire::{
    Call, Framer, FromHost, Method, Reply, Request, RequestId, RpcCode, RpcError, encode_answer, encode_rpc_error,
    parse_from_host,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::UnixListener,
    sync::{mpsc, watch},
};

/// Nothing in these tests takes this long unless it is broken.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub struct FarEnd {
    pub desk: Arc<Mutex<Desk>>,
    pub command: ExecutorCommand,
    pub image_root: PathBuf,
    shared: Arc<Shared>,
    held: tokio::sync::Mutex<mpsc::UnboundedReceiver<Held>>,
    generations: tokio::sync::Mutex<mpsc::UnboundedReceiver<Generation>>,
    folder: PathBuf,
}

struct Shared {
    desk: Arc<Mutex<Desk>>,
    hold: Mutex<HashSet<Method>>,
    handed: mpsc::UnboundedSender<Held>,
    begun: mpsc::UnboundedSender<Generation>,
    log: watch::Sender<Vec<Method>>,
    cancels: watch::Sender<Vec<RequestId>>,
    announcements: watch::Sender<u64>,
}

/// One run of the executor.
#[derive(Clone)]
pub struct Generation {
    /// Of the process, where it is one.
    pub pid: Option<u32>,
    writer: mpsc::UnboundedSender<Out>,
    over: watch::Receiver<bool>,
}

enum Out {
    Bytes(Vec<u8>),
    Close,
}

/// A request that nobody answers but the test.
pub struct Held {
    pub request: Request,
    pub generation: Generation,
}

impl Generation {
    pub fn answer(&self, id: RequestId, reply: &Reply) {
        self.raw(encode_answer(id, reply));
    }

    pub fn raw(&self, bytes: impl Into<Vec<u8>>) {
        let _ = self.writer.send(Out::Bytes(bytes.into()));
    }

    /// Ends the run from its own side.
    pub fn die(&self) {
        let _ = self.writer.send(Out::Close);
    }

    /// Returns when the host's side is closed: it was killed, or asked to end.
    pub async fn over(&self) {
        let mut over = self.over.clone();
        patient(async { drop(over.wait_for(|over| *over).await) }).await;
    }
}

impl Held {
    pub fn answer(&self, reply: Reply) {
        self.generation.answer(self.request.id, &reply);
    }
}

impl FarEnd {
    /// An executor inside the test's own process.
    pub fn embedded() -> Self {
        Self::new(|shared, _| {
            ExecutorCommand::embedded(move |input, output| serve(Arc::clone(&shared), input, output, None))
        })
    }

    /// An executor that is a process of its own, `relay`.
    pub fn process(relay: &str) -> Self {
        let relay = relay.to_owned();
        Self::new(move |shared, folder| {
            let socket = folder.join("far");
            let listener = UnixListener::bind(&socket).unwrap();
            tokio::spawn(async move {
                loop {
                    let (mut stream, _) = listener.accept().await.unwrap();
                    let mut pid = [0; 4];
                    if stream.read_exact(&mut pid).await.is_ok() {
                        let (input, output) = stream.into_split();
                        tokio::spawn(serve(Arc::clone(&shared), input, output, Some(u32::from_be_bytes(pid))));
                    }
                }
            });
            ExecutorCommand::Program(Program {
                path: relay.into(),
                arguments: vec![socket.into()],
                environment: Vec::new(),
            })
        })
    }

    fn new(command: impl FnOnce(Arc<Shared>, &std::path::Path) -> ExecutorCommand) -> Self {
        let drawn = getrandom::u64().unwrap();
        let folder = std::env::temp_dir().join(format!("surehand-host-test-{drawn:x}"));
        std::fs::create_dir(&folder).unwrap();
        let (handed, held) = mpsc::unbounded_channel();
        let (begun, generations) = mpsc::unbounded_channel();
        let desk = Arc::new(Mutex::new(Desk::default()));
        let shared = Arc::new(Shared {
            desk: Arc::clone(&desk),
            hold: Mutex::default(),
            handed,
            begun,
            log: watch::Sender::new(Vec::new()),
            cancels: watch::Sender::new(Vec::new()),
            announcements: watch::Sender::new(0),
        });
        Self {
            desk,
            command: command(Arc::clone(&shared), &folder),
            image_root: folder.join("images"),
            shared,
            held: tokio::sync::Mutex::new(held),
            generations: tokio::sync::Mutex::new(generations),
            folder,
        }
    }

    pub fn host(&self) -> Host {
        let configuration = HostConfiguration::new(self.command.clone());
        Host::start(HostConfiguration { image_root: Some(self.image_root.clone()), ..configuration }).unwrap()
    }

    pub fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap()
    }

    /// From now on the test answers these itself.
    pub fn hold(&self, method: Method) {
        self.shared.hold.lock().unwrap().insert(method);
    }

    pub fn release(&self, method: Method) {
        self.shared.hold.lock().unwrap().remove(&method);
    }

    pub async fn next_held(&self) -> Held {
        patient(async { self.held.lock().await.recv().await.unwrap() }).await
    }

    /// The next run of the executor that has begun.
    pub async fn next_generation(&self) -> Generation {
        patient(async { self.generations.lock().await.recv().await.unwrap() }).await
    }

    /// Requests of this method that have reached the far end, over all generations.
    pub fn count(&self, method: Method) -> usize {
        count(&self.shared.log.borrow(), method)
    }

    /// Returns when so many requests of this method have reached the far end.
    pub async fn reached(&self, method: Method, times: usize) {
        let mut log = self.shared.log.subscribe();
        patient(async { drop(log.wait_for(|log| count(log, method) >= times).await) }).await;
    }

    pub async fn next_cancel(&self) {
        let mut cancels = self.shared.cancels.subscribe();
        patient(async { drop(cancels.wait_for(|cancels| !cancels.is_empty()).await) }).await;
    }

    /// The application says that something changed.
    pub fn announce(&self) {
        self.desk().announcements += 1;
        self.shared.announcements.send_modify(|count| *count += 1);
    }
}

fn count(log: &[Method], method: Method) -> usize {
    log.iter().filter(|logged| **logged == method).count()
}

impl Drop for FarEnd {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Fails the test instead of hanging.
pub async fn patient<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work).await.expect("this takes longer than anything here may take")
}

async fn serve(
    shared: Arc<Shared>,
    mut input: impl AsyncRead + Unpin + Send + 'static,
    mut output: impl AsyncWrite + Unpin + Send + 'static,
    pid: Option<u32>,
) {
    let (writer, mut queue) = mpsc::unbounded_channel();
    let (over, is_over) = watch::channel(false);
    let generation = Generation { pid, writer, over: is_over };
    let _ = shared.begun.send(generation.clone());
    let writing = async move {
        while let Some(Out::Bytes(bytes)) = queue.recv().await {
            if output.write_all(&bytes).await.is_err() || output.flush().await.is_err() {
                break;
            }
        }
    };
    let reading = async {
        let mut framer = Framer::default();
        let mut bytes = vec![0; 65536];
        loop {
            match input.read(&mut bytes).await {
                Ok(0) | Err(_) => return,
                Ok(read) => framer.feed(&bytes[..read]),
            }
            while let Some(line) = framer.next_line() {
                take(&shared, &generation, line.unwrap());
            }
        }
    };
    tokio::select! {
        () = writing => {}
        () = reading => {}
    }
    over.send_replace(true);
}

fn take(shared: &Arc<Shared>, generation: &Generation, line: &[u8]) {
    match parse_from_host(line).unwrap() {
        FromHost::Cancel(id) => shared.cancels.send_modify(|cancels| cancels.push(id)),
        FromHost::Unusable(unusable) => panic!("the host wrote an unusable request: {unusable:?}"),
        FromHost::Request(request) => {
            let method = request.call.method();
            let request = *request;
            shared.log.send_modify(|log| log.push(method));
            if shared.hold.lock().unwrap().contains(&method) {
                let _ = shared.handed.send(Held { request, generation: generation.clone() });
            } else {
                reply(shared, generation, request);
            }
        }
    }
}

fn reply(shared: &Arc<Shared>, generation: &Generation, Request { id, call }: Request) {
    if let Call::ChangesWait(wait) = &call {
        let (wait, shared, generation) = (wait.clone(), Arc::clone(shared), generation.clone());
        tokio::spawn(async move {
            let mut announced = shared.announcements.subscribe();
            let newer = announced.wait_for(|count| *count > wait.since_announcements);
            let reason = match tokio::time::timeout(Duration::from_millis(wait.timeout_ms), newer).await {
                Ok(_) => surehand_wire::ChangeReason::Announced,
                Err(_) => surehand_wire::ChangeReason::Timeout,
            };
            let announcements = shared.desk.lock().unwrap().announcements;
            let changes = surehand_wire::Changes { announcements, waited_ms: 0, reason };
            generation.answer(id, &Reply::ChangesWait(Ok(changes)));
        });
        return;
    }
    let answered = shared.desk.lock().unwrap().answer(call);
    match answered {
        Some(reply) => generation.answer(id, &reply),
        None => generation.raw(encode_rpc_error(id, RpcError(RpcCode::SessionUnknown))),
    }
}

pub fn client() -> ClientInfo {
    ClientInfo { name: "test".into(), version: "1".into(), kind: ClientKind::Embedded }
}

pub fn app(name: &str) -> ObserveRequest {
    ObserveRequest { window: WindowChoice::Application(name.into()), query: None, page: None }
}

pub async fn observed(session: &Session, name: &str) -> Observed {
    session.observe(app(name)).await.outcome.unwrap()
}

pub fn click(observation: ObservationId, element: u64) -> ActRequest {
    ActRequest { observation, element, action: Action::Click {} }
}

pub fn code<T: std::fmt::Debug>(answer: &Answer<T>) -> Code {
    answer.outcome.as_ref().unwrap_err().code
}
