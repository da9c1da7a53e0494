//! One message of each kind with every field set: what the reference page and the corpus are made of.

use std::num::{NonZeroU32, NonZeroU64};
use surehand_contract::{
    Code, Digest, Effect, ExeIdentity, Method as EffectMethod, PageIdentity, ProcessInstance, Target, UiText, Verdict,
    WindowIdentity,
};
use surehand_wire::*;

pub fn session() -> SessionId {
    SessionId::new("session-1").unwrap()
}

fn call_id() -> ToolCallId {
    ToolCallId::new("call-1").unwrap()
}

fn token(text: &str) -> ElementToken {
    ElementToken::new(text).unwrap()
}

fn digest(byte: u8) -> Digest {
    Digest::from_bytes([byte; 32])
}

fn one() -> NonZeroU64 {
    NonZeroU64::MIN
}

pub fn process() -> ProcessInstance {
    ProcessInstance {
        pid: 4_242,
        pidfd_inode: Some(7_001),
        start_time_ticks: 12_345,
        boot_id: "6f1c3a52-0000-4000-8000-000000000000".to_owned(),
        exe: ExeIdentity { path: "/usr/bin/editor".to_owned(), device: 64, inode: 9 },
    }
}

pub fn target() -> Target {
    Target {
        process: process(),
        window: WindowIdentity::X11 { window: 0x0120_0003, incarnation: 2 },
        content: Some(digest(1)),
        page: Some(PageIdentity {
            target: "T".to_owned(),
            frame: "F".to_owned(),
            loader: "L".to_owned(),
            origin: digest(2),
        }),
    }
}

const BOUNDS: Rect = Rect { x: -4, y: 30, width: 800, height: 600 };

fn toolkit() -> Toolkit {
    Toolkit { family: ToolkitFamily::Gtk3, name: "gtk".to_owned(), version: "3.24".to_owned() }
}

fn application_identity() -> ApplicationIdentity {
    ApplicationIdentity::DesktopEntry { id: "org.example.Editor".to_owned() }
}

fn application() -> Application {
    Application {
        identity: application_identity(),
        process: process(),
        name: UiText::new("Editor"),
        toolkit: Some(toolkit()),
        accessibility: Accessibility::Ready,
        windows: 1,
    }
}

fn window() -> Window {
    Window {
        target: target(),
        application: application_identity(),
        title: UiText::new("Untitled"),
        bounds: BOUNDS,
        visibility: Visibility::Shown,
        active: true,
        accessibility: Accessibility::Ready,
    }
}

fn number(number: f64) -> FiniteNumber {
    FiniteNumber::new(number).unwrap()
}

fn elements() -> Vec<Element> {
    let full = Element {
        token: token("t2"),
        stable_id: 2,
        parent_token: Some(token("t1")),
        depth: 1,
        role: "entry".to_owned(),
        name: UiText::new("Name"),
        description: UiText::new("Who it is"),
        states: vec![State::Showing, State::Enabled, State::Editable],
        actions: vec!["activate".to_owned()],
        verbs: vec![Verb::Click, Verb::SetValue, Verb::Select, Verb::Scroll, Verb::Perform],
        value: Some(Value::Text { text: UiText::new("Ann\n\u{202e}"), characters: 4 }),
        bounds: Some(BOUNDS),
        digest: digest(3),
        truncated: vec![TextField::Name, TextField::Description, TextField::Value],
    };
    let slider = Value::Number {
        current: number(0.1),
        minimum: Some(number(-1.5e300)),
        maximum: Some(number(3.0)),
        increment: Some(number(0.25)),
    };
    let root = Element { token: token("t1"), parent_token: None, depth: 0, value: Some(slider), ..full.clone() };
    let password = Element { token: token("t3"), value: Some(Value::Withheld {}), ..full.clone() };
    vec![root, full, password]
}

pub fn snapshot() -> Snapshot {
    Snapshot {
        snapshot_id: SnapshotId::new("snapshot-1").unwrap(),
        captured_at: CapturedAt { monotonic_ms: 5_000, unix_ms: 1_700_000_000_000 },
        target: target(),
        application: application_identity(),
        toolkit: Some(toolkit()),
        title: UiText::new("Untitled"),
        bounds: BOUNDS,
        visibility: Visibility::Shown,
        active: true,
        window_digest: digest(4),
        elements: elements(),
        omissions: vec![
            Omission::Elements { left_out: 1 },
            Omission::Response { left_out: 2 },
            Omission::Depth { under: token("t1") },
            Omission::OffScreen { under: token("t2"), shown: 3, of: 4 },
            Omission::Time { unread: 5 },
            Omission::NotShown {},
            Omission::Malformed { nodes: 6 },
        ],
        announcements: 17,
    }
}

pub fn dispatch(action: Action) -> DispatchElement {
    DispatchElement {
        session: session(),
        snapshot_id: SnapshotId::new("snapshot-1").unwrap(),
        tool_call_id: call_id(),
        element_token: token("t2"),
        expect_element_digest: digest(3),
        target: target(),
        fence_epoch: 4,
        action,
    }
}

/// One call of each method, in the order of [`Method::ALL`], and then every further arm.
pub fn full_calls() -> Vec<Call> {
    let hello = Hello {
        protocol: PROTOCOL.to_owned(),
        host: HostName { name: "surehand".to_owned(), version: "0.1.0".to_owned() },
        host_pid: 99,
        image_dir: "/run/images".to_owned(),
    };
    let observe = Observe {
        session: session(),
        target: ObserveTarget::Window { target: Box::new(target()) },
        max_elements: NonZeroU32::new(10),
    };
    let text = SetValue::Text { text: UiText::new("Bob \"\\\u{7f}") };
    let mut calls: Vec<Call> = vec![
        hello.into(),
        RaiseFence { epoch: 3, scope: FenceScope::Seat {} }.into(),
        BeginSession { session: session() }.into(),
        EndSession { session: session() }.into(),
        ReadHealth {}.into(),
        ListApplications {}.into(),
        ListWindows {}.into(),
        observe.clone().into(),
        WaitForChanges { process: process(), since_announcements: 17, timeout_ms: 1_000 }.into(),
        Capture { session: session(), target: target() }.into(),
        LaunchApplication {
            session: session(),
            tool_call_id: call_id(),
            fence_epoch: 4,
            application: "org.example.Editor".to_owned(),
            wait_for_window_ms: 8_000,
        }
        .into(),
        dispatch(Action::SetValue { value: text }).into(),
    ];
    calls.push(RaiseFence { epoch: 4, scope: FenceScope::Application { pid: 4_242 } }.into());
    calls.push(Observe { target: ObserveTarget::Application { process: process() }, ..observe }.into());
    let number = SetValue::Number { number: number(-0.5) };
    let actions = [
        Action::Click {},
        Action::SetValue { value: number },
        Action::Select {},
        Action::Scroll { direction: Direction::Left, pages: 2 },
        Action::Perform { name: "expand or contract".to_owned() },
    ];
    calls.extend(actions.map(|action| dispatch(action).into()));
    calls
}

pub fn delivered() -> DispatchReport {
    DispatchReport {
        tool_call_id: call_id(),
        verdict: Verdict::delivered(Effect::Confirmed, EffectMethod::TextReadback),
        route: Route::A11yText,
        detail: None,
        settle: Some(Settled { waited_ms: 130, reason: SettleReason::Quiet }),
        snapshot: Some(snapshot()),
        post_observation_error: None,
    }
}

/// One answer of each method, in the order of [`Method::ALL`], and then every further arm.
pub fn full_replies() -> Vec<Reply> {
    let limits = Limits {
        sessions: one(),
        snapshots_per_session: one(),
        snapshot_ttl_ms: one(),
        max_elements: one(),
        max_depth: one(),
        max_text_chars: one(),
        max_line_bytes: one(),
        max_response_bytes: one(),
        requests_in_flight: one(),
        settle_ceiling_ms: one(),
        shutdown_grace_ms: one(),
        image_dir_budget_bytes: one(),
    };
    let welcome = Welcome {
        protocol: PROTOCOL.to_owned(),
        executor: ExecutorName {
            name: "surehand".to_owned(),
            version: "0.1.0".to_owned(),
            commit: Some("0123abc".to_owned()),
        },
        pid: 100,
        abilities: Abilities {
            verbs: vec![Verb::Click, Verb::Perform],
            routes: Route::ALL.to_vec(),
            image_formats: vec![ImageFormat::Png],
        },
        limits,
    };
    let capability =
        Capability { name: "accessibility".to_owned(), claim: Claim::Degraded, evidence: "the registry".to_owned() };
    let health = Health {
        capabilities: vec![capability],
        sessions: 1,
        live_snapshots: 2,
        images: 3,
        image_bytes: 4,
        fence_epoch: 5,
    };
    let image = Image {
        path: "/run/images/a.png".to_owned(),
        format: ImageFormat::Png,
        sha256: digest(5),
        byte_length: 10,
        width: 800,
        height: 600,
    };
    let launched = Launched {
        tool_call_id: call_id(),
        process: process(),
        application: application_identity(),
        took_foreground: false,
        windows: vec![window()],
        waited: LaunchWait { ms: 300, reason: LaunchWaitReason::WindowAppeared },
    };
    let mut replies = vec![
        Reply::Hello(Ok(welcome)),
        Reply::Fence(Ok(FenceAcknowledged { epoch: 3, passed: vec![RequestId::FIRST] })),
        Reply::SessionBegin(Ok(SessionBegun {})),
        Reply::SessionEnd(Ok(SessionReleased { released: Released { snapshots: 1, images: 2, calls: 3 } })),
        Reply::Health(Ok(health)),
        Reply::AppsList(Ok(Applications { applications: vec![application()] })),
        Reply::WindowList(Ok(Windows { windows: vec![window()] })),
        Reply::Observe(Ok(Observed { snapshot: snapshot() })),
        Reply::ChangesWait(Ok(Changes { announcements: 18, waited_ms: 5, reason: ChangeReason::Announced })),
        Reply::ScreenCapture(Ok(Captured { image })),
        Reply::AppsLaunch(Ok(launched)),
        Reply::DispatchElement(delivered()),
    ];
    let closed = DispatchReport {
        snapshot: None,
        post_observation_error: Some(PostObservationError { code: Code::TargetMissing }),
        ..delivered()
    };
    let stale = DomainError { code: Code::StaleObservation, detail: Some(full_details().remove(3)) };
    let declined = DispatchReport {
        verdict: Verdict::refused(Code::DispatchRefused),
        route: Route::A11yAction,
        ..DispatchReport::unsent(call_id(), Code::DispatchRefused.into())
    };
    replies.push(Reply::DispatchElement(closed));
    replies.push(Reply::DispatchElement(DispatchReport::unsent(call_id(), stale)));
    replies.push(Reply::DispatchElement(DispatchReport::unsent(call_id(), Code::OutcomeUnknown.into())));
    replies.push(Reply::DispatchElement(declined));
    let refused = |detail| Reply::Observe(Err(DomainError { code: Code::NotReady, detail: Some(detail) }));
    replies.extend(full_details().into_iter().map(refused));
    replies
}

pub fn full_details() -> Vec<Detail> {
    vec![
        Detail::AccessibilityOff {
            toolkit: ToolkitFamily::Chromium,
            application: "chromium".to_owned(),
            flag: Some("--force-renderer-accessibility".to_owned()),
        },
        Detail::Missing { part: DesktopPart::AccessibilityBus },
        Detail::Deadline { ms: 800 },
        Detail::Snapshot { fate: SnapshotFate::Superseded },
        Detail::ResponseBytes { bytes: 2_000_000, limit: 1_048_576 },
    ]
}
