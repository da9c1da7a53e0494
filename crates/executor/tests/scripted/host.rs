use super::desktop::{Scripted, target};
use std::{
    collections::BTreeMap,
    io::{Read, Write},
    os::unix::net::UnixStream,
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
    thread::JoinHandle,
    time::{Duration, Instant},
};
use surehand_contract::Target;
use surehand_executor::{Ended, serve};
use surehand_wire::*;
use tokio::sync::oneshot;

/// How long a test waits for an answer that must come.
const PATIENCE: Duration = Duration::from_secs(25);

/// A host at the other end of a served executor.
pub struct Host {
    pub to: UnixStream,
    from: UnixStream,
    framer: Framer,
    pub pending: Pending,
    answered: BTreeMap<RequestId, Result<Reply, RpcError>>,
    /// In the order they came.
    pub order: Vec<RequestId>,
    pub images: PathBuf,
    stop: Option<oneshot::Sender<()>>,
    executor: Option<JoinHandle<Ended>>,
}

impl Host {
    /// A served executor that was not greeted.
    pub fn start(desktop: Scripted) -> Self {
        let (to, input) = UnixStream::pair().unwrap();
        let (from, output) = UnixStream::pair().unwrap();
        from.set_read_timeout(Some(PATIENCE)).unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let executor = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            let stopped = async {
                if stopped.await.is_err() {
                    std::future::pending::<()>().await;
                }
            };
            let ended = runtime.block_on(serve(desktop, input, output, stopped)).unwrap();
            runtime.shutdown_background();
            ended
        });
        static FOLDERS: AtomicU64 = AtomicU64::new(0);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let images = std::env::temp_dir().join(format!("surehand-executor-test-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&images).unwrap();
        Self {
            to,
            from,
            framer: Framer::default(),
            pending: Pending::new(),
            answered: BTreeMap::new(),
            order: Vec::new(),
            images,
            stop: Some(stop),
            executor: Some(executor),
        }
    }

    /// A greeted one with the session `s`.
    pub fn greet(desktop: Scripted) -> Self {
        let mut host = Self::start(desktop);
        host.hello().unwrap().unwrap();
        host.begin("s");
        host
    }

    pub fn hello(&mut self) -> Result<Result<Welcome, DomainError>, RpcError> {
        let hello = self.hello_params(std::process::id());
        self.call(hello)
    }

    pub fn hello_params(&self, host_pid: u32) -> Hello {
        Hello {
            protocol: PROTOCOL.to_owned(),
            host: HostName { name: "test".to_owned(), version: "0".to_owned() },
            host_pid,
            image_dir: self.images.to_str().unwrap().to_owned(),
        }
    }

    pub fn begin(&mut self, session: &str) {
        self.call(BeginSession { session: self::session(session) }).unwrap().unwrap();
    }

    pub fn call<P: Params>(&mut self, params: P) -> Result<P::Answer, RpcError> {
        let id = self.send(params);
        self.answer::<P>(id)
    }

    pub fn send(&mut self, params: impl Into<Call>) -> RequestId {
        let call = params.into();
        let id = self.pending.issue(Instant::now(), call.method(), PATIENCE).unwrap();
        assert!(self.pending.begin_writing(id));
        self.write(&encode_request(&Request { id, call }));
        id
    }

    pub fn cancel(&mut self, id: RequestId) {
        self.write(&encode_cancel(id));
    }

    pub fn write(&mut self, bytes: &[u8]) {
        self.to.write_all(bytes).unwrap();
    }

    pub fn answer<P: Params>(&mut self, id: RequestId) -> Result<P::Answer, RpcError> {
        self.wait(id).map(|reply| P::answer(reply).expect("the answer is the method's"))
    }

    /// Reads until `id` is answered. Every line on the way must be the one answer of a request.
    pub fn wait(&mut self, id: RequestId) -> Result<Reply, RpcError> {
        loop {
            if let Some(answer) = self.answered.remove(&id) {
                return answer;
            }
            assert!(self.read_more(), "the executor ended without answering {id}");
        }
    }

    /// Takes in what the executor writes; false at its end.
    pub fn read_more(&mut self) -> bool {
        let mut buffer = [0; 65_536];
        let read = self.from.read(&mut buffer).expect("the executor answers in time");
        self.framer.feed(&buffer[..read]);
        while let Some(line) = self.framer.next_line() {
            let settled = self.pending.accept(line.unwrap()).expect("each line answers one waiting request");
            self.order.push(settled.id);
            self.answered.insert(settled.id, settled.answer);
        }
        read > 0
    }

    /// The next line, as it is.
    pub fn raw_line(&mut self) -> String {
        let mut line = Vec::new();
        let mut byte = [0];
        while self.from.read(&mut byte).expect("the executor answers in time") == 1 && byte[0] != b'\n' {
            line.push(byte[0]);
        }
        String::from_utf8(line).unwrap()
    }

    pub fn was_answered(&self, id: RequestId) -> bool {
        self.answered.contains_key(&id)
    }

    pub fn observe(&mut self, pid: u32, window: u32) -> Snapshot {
        self.try_observe("s", target(pid, window)).unwrap()
    }

    pub fn try_observe(&mut self, session: &str, target: Target) -> Result<Snapshot, DomainError> {
        let target = ObserveTarget::Window { target: Box::new(target) };
        let observe = Observe { session: self::session(session), target, max_elements: None };
        self.call(observe).unwrap().map(|observed| observed.snapshot)
    }

    pub fn dispatch(&mut self, snapshot: &Snapshot, name: &str, action: Action) -> DispatchReport {
        let dispatch = self.dispatch_params("s", snapshot, name, action);
        self.call(dispatch).unwrap()
    }

    pub fn dispatch_params(&self, session: &str, snapshot: &Snapshot, name: &str, action: Action) -> DispatchElement {
        let element = find(snapshot, name);
        DispatchElement {
            session: self::session(session),
            snapshot_id: snapshot.snapshot_id.clone(),
            tool_call_id: ToolCallId::new("call").unwrap(),
            element_token: element.token.clone(),
            expect_element_digest: element.digest,
            target: snapshot.target.clone(),
            fence_epoch: 0,
            action,
        }
    }

    pub fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    pub fn close_input(&mut self) {
        self.to.shutdown(std::net::Shutdown::Write).unwrap();
    }

    /// Why the executor ended, once everything it wrote has been read.
    pub fn ended(&mut self) -> Ended {
        while self.read_more() {}
        self.executor.take().unwrap().join().unwrap()
    }

    pub fn ended_reading_nothing(&mut self) -> Ended {
        self.executor.take().unwrap().join().unwrap()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.images));
    }
}

pub fn session(name: &str) -> SessionId {
    SessionId::new(name).unwrap()
}

pub fn find<'a>(snapshot: &'a Snapshot, name: &str) -> &'a Element {
    snapshot.elements.iter().find(|element| element.name.expose() == name).expect("the snapshot shows it")
}
