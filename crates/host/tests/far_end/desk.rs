use std::{collections::HashSet, num::NonZeroU64, path::PathBuf};
use surehand_contract::{
    Digest, Effect, ExeIdentity, Method, ProcessInstance, Target, UiText, Verdict, WindowIdentity,
};
use surehand_wire::*;

/// What the executor at the far end would find: windows with elements, and what an action makes of them.
pub struct Desk {
    pub windows: Vec<(Window, Vec<Element>)>,
    pub names: Vec<(u32, &'static str)>,
    pub announcements: u64,
    pub omissions: Vec<Omission>,
    /// What the next dispatches come to, instead of delivered and confirmed.
    pub verdicts: Vec<Verdict>,
    pub dispatches: Vec<DispatchElement>,
    pub launches: Vec<String>,
    pub sessions: HashSet<SessionId>,
    pub picture: Vec<u8>,
    /// Replaces what is said of the picture.
    pub twist_picture: Option<fn(&mut Image)>,
    image_dir: PathBuf,
    snapshots: u64,
}

impl Default for Desk {
    fn default() -> Self {
        let calculator = (
            window(100, 0x10, "Calculator"),
            vec![element(1, None, "frame", "Calculator"), button(2, "7"), entry(3, "Display", "42")],
        );
        let editor = (window(200, 0x20, "notes.txt"), vec![element(1, None, "frame", "notes.txt"), button(2, "Save")]);
        Self {
            windows: vec![calculator, editor],
            names: vec![(100, "Calculator"), (200, "Text Editor")],
            announcements: 0,
            omissions: Vec::new(),
            verdicts: Vec::new(),
            dispatches: Vec::new(),
            launches: Vec::new(),
            sessions: HashSet::new(),
            picture: b"\x89PNG picture".to_vec(),
            twist_picture: None,
            image_dir: PathBuf::new(),
            snapshots: 0,
        }
    }
}

impl Desk {
    pub fn elements(&mut self, pid: u32) -> &mut Vec<Element> {
        &mut self.windows.iter_mut().find(|(window, _)| window.target.process.pid == pid).unwrap().1
    }

    /// Nothing for a session that was not begun.
    pub fn answer(&mut self, call: Call) -> Option<Reply> {
        let known = |session: &SessionId| self.sessions.contains(session);
        Some(match call {
            Call::Hello(hello) => {
                self.image_dir = hello.image_dir.into();
                self.sessions.clear();
                Reply::Hello(Ok(welcome()))
            }
            Call::Fence(raise) => Reply::Fence(Ok(FenceAcknowledged { epoch: raise.epoch, passed: Vec::new() })),
            Call::SessionBegin(begin) => {
                assert!(self.sessions.insert(begin.session), "a live session is begun again");
                Reply::SessionBegin(Ok(SessionBegun {}))
            }
            Call::SessionEnd(end) => {
                self.sessions.remove(&end.session);
                Reply::SessionEnd(Ok(SessionReleased { released: Released::default() }))
            }
            Call::Health(_) => Reply::Health(Ok(Health {
                capabilities: Vec::new(),
                sessions: self.sessions.len() as u64,
                live_snapshots: 0,
                images: 0,
                image_bytes: 0,
                fence_epoch: 0,
            })),
            Call::AppsList(_) => Reply::AppsList(Ok(Applications { applications: self.applications() })),
            Call::WindowList(_) => {
                let windows = self.windows.iter().map(|(window, _)| window.clone()).collect();
                Reply::WindowList(Ok(Windows { windows }))
            }
            Call::Observe(observe) if known(&observe.session) => Reply::Observe(match observe.target {
                ObserveTarget::Window { target } => self.observe(&target),
                ObserveTarget::Application { .. } => panic!("the host names the exact window"),
            }),
            Call::ScreenCapture(capture) if known(&capture.session) => Reply::ScreenCapture(Ok(self.capture())),
            Call::AppsLaunch(launch) if known(&launch.session) => Reply::AppsLaunch(Ok(self.launch(launch))),
            Call::DispatchElement(dispatch) if known(&dispatch.session) => {
                Reply::DispatchElement(self.dispatch(dispatch))
            }
            _ => return None,
        })
    }

    fn applications(&self) -> Vec<Application> {
        let of = |(pid, name): &(u32, &'static str)| Application {
            identity: identity(*pid),
            process: process(*pid),
            name: UiText::new(*name),
            toolkit: None,
            accessibility: Accessibility::Ready,
            windows: self.windows.iter().filter(|(window, _)| window.target.process.pid == *pid).count() as u32,
        };
        self.names.iter().map(of).collect()
    }

    pub fn observe(&mut self, target: &Target) -> Result<Observed, DomainError> {
        let snapshot = self.snapshot_of(target).ok_or(surehand_contract::Code::TargetMissing)?;
        Ok(Observed { snapshot })
    }

    pub fn snapshot_of(&mut self, target: &Target) -> Option<Snapshot> {
        let (window, elements) = self.windows.iter().find(|(window, _)| window.target == *target)?;
        self.snapshots += 1;
        let mut made = snapshot(window, elements.clone(), self.snapshots);
        made.announcements = self.announcements;
        made.omissions = self.omissions.clone();
        Some(made)
    }

    fn capture(&self) -> Captured {
        use sha2::{Digest as _, Sha256};
        let path = self.image_dir.join("picture.png");
        std::fs::write(&path, &self.picture).unwrap();
        let mut image = Image {
            path: path.to_str().unwrap().to_owned(),
            format: ImageFormat::Png,
            sha256: Digest::from_bytes(Sha256::digest(&self.picture).into()),
            byte_length: self.picture.len() as u64,
            width: 640,
            height: 480,
        };
        if let Some(twist) = self.twist_picture {
            twist(&mut image);
        }
        Captured { image }
    }

    fn launch(&mut self, launch: LaunchApplication) -> Launched {
        self.launches.push(launch.application);
        Launched {
            tool_call_id: launch.tool_call_id,
            process: process(300),
            application: identity(300),
            took_foreground: false,
            windows: vec![window(300, 0x30, "New")],
            waited: LaunchWait { ms: 5, reason: LaunchWaitReason::WindowAppeared },
        }
    }

    pub fn dispatch(&mut self, dispatch: DispatchElement) -> DispatchReport {
        let verdict = if self.verdicts.is_empty() {
            Verdict::delivered(Effect::Confirmed, Method::TreeDelta)
        } else {
            self.verdicts.remove(0)
        };
        let sent = verdict.may_have_reached_the_application();
        let report = DispatchReport {
            tool_call_id: dispatch.tool_call_id.clone(),
            route: if sent { Route::A11yAction } else { Route::None },
            detail: None,
            settle: sent.then_some(Settled { waited_ms: 3, reason: SettleReason::Quiet }),
            snapshot: if sent { self.snapshot_of(&dispatch.target) } else { None },
            post_observation_error: None,
            verdict,
        };
        self.dispatches.push(dispatch);
        report
    }
}

pub fn process(pid: u32) -> ProcessInstance {
    ProcessInstance {
        pid,
        pidfd_inode: Some(u64::from(pid) + 70_000),
        start_time_ticks: 1,
        boot_id: "b".to_owned(),
        exe: ExeIdentity { path: format!("/opt/app-{pid}"), device: 1, inode: u64::from(pid) },
    }
}

pub fn target(pid: u32, window: u32) -> Target {
    let window = WindowIdentity::X11 { window, incarnation: 0 };
    Target { process: process(pid), window, content: None, page: None }
}

fn identity(pid: u32) -> ApplicationIdentity {
    ApplicationIdentity::DesktopEntry { id: format!("org.example.App{pid}") }
}

pub fn window(pid: u32, id: u32, title: &str) -> Window {
    Window {
        target: target(pid, id),
        application: identity(pid),
        title: UiText::new(title),
        bounds: Rect { x: 10, y: 20, width: 640, height: 480 },
        visibility: Visibility::Shown,
        active: false,
        accessibility: Accessibility::Ready,
    }
}

pub fn snapshot(window: &Window, elements: Vec<Element>, number: u64) -> Snapshot {
    Snapshot {
        snapshot_id: SnapshotId::new(format!("snapshot-{number}")).unwrap(),
        captured_at: CapturedAt { monotonic_ms: 1, unix_ms: 1 },
        target: window.target.clone(),
        application: window.application.clone(),
        toolkit: None,
        title: window.title.clone(),
        bounds: window.bounds,
        visibility: window.visibility,
        active: window.active,
        window_digest: Digest::from_bytes([7; 32]),
        elements,
        omissions: Vec::new(),
        announcements: 0,
    }
}

/// An enabled, showing element that takes nothing.
pub fn element(id: u64, parent: Option<u64>, role: &str, name: &str) -> Element {
    let token = |id: u64| ElementToken::new(format!("token-{id}")).unwrap();
    Element {
        token: token(id),
        stable_id: id,
        parent_token: parent.map(token),
        depth: 0,
        role: role.to_owned(),
        name: UiText::new(name),
        description: UiText::default(),
        states: vec![State::Showing, State::Enabled],
        actions: Vec::new(),
        verbs: Vec::new(),
        value: None,
        bounds: Some(Rect { x: 1, y: 2, width: 30, height: 20 }),
        digest: Digest::from_bytes([id as u8; 32]),
        truncated: Vec::new(),
    }
}

pub fn button(id: u64, name: &str) -> Element {
    Element {
        actions: vec!["click".to_owned(), "menu".to_owned()],
        verbs: vec![Verb::Click, Verb::Perform],
        ..element(id, Some(1), "push button", name)
    }
}

pub fn entry(id: u64, name: &str, value: &str) -> Element {
    let characters = value.chars().count() as u64;
    Element {
        verbs: vec![Verb::SetValue],
        value: Some(Value::Text { text: UiText::new(value), characters }),
        ..element(id, Some(1), "entry", name)
    }
}

fn welcome() -> Welcome {
    let limit = |number| NonZeroU64::new(number).unwrap();
    Welcome {
        protocol: PROTOCOL.to_owned(),
        executor: ExecutorName { name: "far end".to_owned(), version: "1".to_owned(), commit: None },
        pid: 1,
        abilities: Abilities {
            verbs: vec![Verb::Click],
            routes: vec![Route::A11yAction],
            image_formats: vec![ImageFormat::Png],
        },
        limits: Limits {
            sessions: limit(8),
            snapshots_per_session: limit(8),
            snapshot_ttl_ms: limit(120_000),
            max_elements: limit(1_500),
            max_depth: limit(64),
            max_text_chars: limit(500),
            max_line_bytes: limit(1 << 22),
            max_response_bytes: limit(1 << 20),
            requests_in_flight: limit(64),
            settle_ceiling_ms: limit(2_500),
            shutdown_grace_ms: limit(3_000),
            image_dir_budget_bytes: limit(1 << 28),
        },
    }
}
