//! Any message of each kind.

use proptest::{option, prelude::*, sample::select};
use std::num::{NonZeroU32, NonZeroU64};
use surehand_contract::{
    Code, Digest, Effect, ExeIdentity, Happened, Method as EffectMethod, PageIdentity, ProcessInstance, Target, UiText,
    Verdict, WindowIdentity,
};
use surehand_wire::*;

/// Text as hostile as applications make it.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z /]{0,8}", any::<String>(), Just("\u{0}\n\r\t\"\\\u{2028}\u{202e}\u{feff}😀".to_owned())]
}

fn any_ui_text() -> impl Strategy<Value = UiText> {
    any_text().prop_map(UiText::new)
}

fn any_identifier() -> impl Strategy<Value = String> {
    "[!-~]{1,40}"
}

fn any_session() -> impl Strategy<Value = SessionId> {
    any_identifier().prop_map(|text| SessionId::new(text).unwrap())
}

fn any_token() -> impl Strategy<Value = ElementToken> {
    any_identifier().prop_map(|text| ElementToken::new(text).unwrap())
}

fn any_snapshot_id() -> impl Strategy<Value = SnapshotId> {
    any_identifier().prop_map(|text| SnapshotId::new(text).unwrap())
}

fn any_call_id() -> impl Strategy<Value = ToolCallId> {
    any_identifier().prop_map(|text| ToolCallId::new(text).unwrap())
}

pub fn any_request_id() -> impl Strategy<Value = RequestId> {
    (1..=bounds::REQUEST_ID).prop_map(|number| RequestId::new(number).unwrap())
}

fn any_digest() -> impl Strategy<Value = Digest> {
    any::<[u8; 32]>().prop_map(Digest::from_bytes)
}

fn any_number() -> impl Strategy<Value = FiniteNumber> {
    any::<f64>().prop_filter_map("finite", |number| FiniteNumber::new(number).ok())
}

prop_compose! {
    fn any_process()(
        pid in any::<u32>(),
        pidfd_inode in option::of(any::<u64>()),
        start_time_ticks in any::<u64>(),
        boot_id in any_text(),
        path in any_text(),
        device in any::<u64>(),
        inode in any::<u64>(),
    ) -> ProcessInstance {
        ProcessInstance { pid, pidfd_inode, start_time_ticks, boot_id, exe: ExeIdentity { path, device, inode } }
    }
}

fn any_window_identity() -> impl Strategy<Value = WindowIdentity> {
    prop_oneof![
        any::<(u32, u32)>().prop_map(|(window, incarnation)| WindowIdentity::X11 { window, incarnation }),
        (any_text(), any_text(), any_text()).prop_map(|(bus_guid, unique_name, path)| WindowIdentity::Accessible {
            bus_guid,
            unique_name,
            path
        }),
    ]
}

prop_compose! {
    fn any_page()(target in any_text(), frame in any_text(), loader in any_text(), origin in any_digest())
        -> PageIdentity {
        PageIdentity { target, frame, loader, origin }
    }
}

prop_compose! {
    fn any_target()(
        process in any_process(),
        window in any_window_identity(),
        content in option::of(any_digest()),
        page in option::of(any_page()),
    ) -> Target {
        Target { process, window, content, page }
    }
}

fn any_rect() -> impl Strategy<Value = Rect> {
    any::<[i32; 4]>().prop_map(|[x, y, width, height]| Rect { x, y, width, height })
}

fn any_identity() -> impl Strategy<Value = ApplicationIdentity> {
    prop_oneof![
        any_text().prop_map(|id| ApplicationIdentity::DesktopEntry { id }),
        any_text().prop_map(|id| ApplicationIdentity::Flatpak { id }),
        any_text().prop_map(|id| ApplicationIdentity::Snap { id }),
        (any_text(), any_text()).prop_map(|(interpreter, path)| ApplicationIdentity::Script { interpreter, path }),
        any_text().prop_map(|path| ApplicationIdentity::Executable { path }),
    ]
}

prop_compose! {
    fn any_toolkit()(
        family in select(ALL_FAMILIES.to_vec()),
        name in any_text(),
        version in any_text(),
    ) -> Toolkit {
        Toolkit { family, name, version }
    }
}

fn any_accessibility() -> impl Strategy<Value = Accessibility> {
    select(vec![Accessibility::Ready, Accessibility::Off])
}

fn any_visibility() -> impl Strategy<Value = Visibility> {
    select(ALL_VISIBILITIES.to_vec())
}

prop_compose! {
    fn any_application()(
        identity in any_identity(),
        process in any_process(),
        name in any_ui_text(),
        toolkit in option::of(any_toolkit()),
        accessibility in any_accessibility(),
        windows in any::<u32>(),
    ) -> Application {
        Application { identity, process, name, toolkit, accessibility, windows }
    }
}

prop_compose! {
    fn any_window()(
        target in any_target(),
        application in any_identity(),
        title in any_ui_text(),
        bounds in any_rect(),
        visibility in any_visibility(),
        active in any::<bool>(),
        accessibility in any_accessibility(),
    ) -> Window {
        Window { target, application, title, bounds, visibility, active, accessibility }
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        (any_ui_text(), any::<u64>()).prop_map(|(text, characters)| Value::Text { text, characters }),
        (any_number(), option::of(any_number()), option::of(any_number()), option::of(any_number()))
            .prop_map(|(current, minimum, maximum, increment)| Value::Number { current, minimum, maximum, increment }),
        Just(Value::Withheld {}),
    ]
}

pub const ALL_SETTLE_REASONS: [SettleReason; 5] = [
    SettleReason::Quiet,
    SettleReason::NothingSeen,
    SettleReason::Ceiling,
    SettleReason::Gone,
    SettleReason::Unresponsive,
];
pub const ALL_CHANGE_REASONS: [ChangeReason; 3] = [ChangeReason::Announced, ChangeReason::Timeout, ChangeReason::Gone];
pub const ALL_LAUNCH_WAIT_REASONS: [LaunchWaitReason; 3] =
    [LaunchWaitReason::WindowAppeared, LaunchWaitReason::Timeout, LaunchWaitReason::NotRequested];
pub const ALL_VERBS: [Verb; 5] = [Verb::Click, Verb::SetValue, Verb::Select, Verb::Scroll, Verb::Perform];
pub const ALL_TEXT_FIELDS: [TextField; 3] = [TextField::Name, TextField::Description, TextField::Value];
pub const ALL_DIRECTIONS: [Direction; 4] = [Direction::Up, Direction::Down, Direction::Left, Direction::Right];
pub const ALL_VISIBILITIES: [Visibility; 4] =
    [Visibility::Shown, Visibility::Minimised, Visibility::OtherWorkspace, Visibility::Unmapped];
pub const ALL_FAMILIES: [ToolkitFamily; 6] = [
    ToolkitFamily::Gtk3,
    ToolkitFamily::Gtk4,
    ToolkitFamily::Qt,
    ToolkitFamily::Chromium,
    ToolkitFamily::LibreOffice,
    ToolkitFamily::Other,
];
pub const ALL_FATES: [SnapshotFate; 6] = [
    SnapshotFate::Unknown,
    SnapshotFate::Spent,
    SnapshotFate::Superseded,
    SnapshotFate::Expired,
    SnapshotFate::Evicted,
    SnapshotFate::NoSuchElement,
];
pub const ALL_PARTS: [DesktopPart; 3] = [DesktopPart::Display, DesktopPart::SessionBus, DesktopPart::AccessibilityBus];
pub const ALL_STATES: [State; 24] = [
    State::Showing,
    State::Enabled,
    State::Focusable,
    State::Focused,
    State::Selectable,
    State::Selected,
    State::Checkable,
    State::Checked,
    State::Indeterminate,
    State::Pressed,
    State::Expandable,
    State::Expanded,
    State::Editable,
    State::ReadOnly,
    State::Multiline,
    State::Modal,
    State::Required,
    State::Invalid,
    State::Busy,
    State::Default,
    State::Active,
    State::HasPopup,
    State::Protected,
    State::ManagesDescendants,
];

fn any_verb() -> impl Strategy<Value = Verb> {
    select(ALL_VERBS.to_vec())
}

fn few<T: std::fmt::Debug>(one: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<T>> {
    prop::collection::vec(one, 0..3)
}

prop_compose! {
    fn any_element()(
        (token, stable_id, parent_token, depth) in
            (any_token(), any::<u64>(), option::of(any_token()), any::<u32>()),
        role in any_text(),
        name in any_ui_text(),
        description in any_ui_text(),
        states in few(select(ALL_STATES.to_vec())),
        actions in few(any_text()),
        verbs in few(any_verb()),
        value in option::of(any_value()),
        bounds in option::of(any_rect()),
        digest in any_digest(),
        truncated in few(select(ALL_TEXT_FIELDS.to_vec())),
    ) -> Element {
        Element {
            token, stable_id, parent_token, depth, role, name, description, states, actions, verbs, value, bounds,
            digest, truncated,
        }
    }
}

fn any_omission() -> impl Strategy<Value = Omission> {
    prop_oneof![
        any::<u64>().prop_map(|left_out| Omission::Elements { left_out }),
        any::<u64>().prop_map(|left_out| Omission::Response { left_out }),
        any_token().prop_map(|under| Omission::Depth { under }),
        (any_token(), any::<u32>(), any::<u32>()).prop_map(|(under, shown, of)| Omission::OffScreen {
            under,
            shown,
            of
        }),
        any::<u64>().prop_map(|unread| Omission::Time { unread }),
        Just(Omission::NotShown {}),
        any::<u64>().prop_map(|nodes| Omission::Malformed { nodes }),
    ]
}

prop_compose! {
    fn any_snapshot()(
        snapshot_id in any_snapshot_id(),
        (monotonic_ms, unix_ms, announcements, active) in any::<(u64, u64, u64, bool)>(),
        target in any_target(),
        application in any_identity(),
        toolkit in option::of(any_toolkit()),
        title in any_ui_text(),
        bounds in any_rect(),
        visibility in any_visibility(),
        window_digest in any_digest(),
        elements in few(any_element()),
        omissions in few(any_omission()),
    ) -> Snapshot {
        let captured_at = CapturedAt { monotonic_ms, unix_ms };
        Snapshot {
            snapshot_id, captured_at, target, application, toolkit, title, bounds, visibility, active, window_digest,
            elements, omissions, announcements,
        }
    }
}

fn any_action() -> impl Strategy<Value = Action> {
    let direction = select(ALL_DIRECTIONS.to_vec());
    prop_oneof![
        Just(Action::Click {}),
        any_ui_text().prop_map(|text| Action::SetValue { value: SetValue::Text { text } }),
        any_number().prop_map(|number| Action::SetValue { value: SetValue::Number { number } }),
        Just(Action::Select {}),
        (direction, any::<u32>()).prop_map(|(direction, pages)| Action::Scroll { direction, pages }),
        any_text().prop_map(|name| Action::Perform { name }),
    ]
}

prop_compose! {
    fn any_dispatch()(
        session in any_session(),
        snapshot_id in any_snapshot_id(),
        tool_call_id in any_call_id(),
        element_token in any_token(),
        expect_element_digest in any_digest(),
        target in any_target(),
        fence_epoch in any::<u64>(),
        action in any_action(),
    ) -> DispatchElement {
        DispatchElement {
            session, snapshot_id, tool_call_id, element_token, expect_element_digest, target, fence_epoch, action,
        }
    }
}

prop_compose! {
    fn any_launch()(
        session in any_session(),
        tool_call_id in any_call_id(),
        (fence_epoch, wait_for_window_ms) in any::<(u64, u64)>(),
        application in any_text(),
    ) -> LaunchApplication {
        LaunchApplication { session, tool_call_id, fence_epoch, application, wait_for_window_ms }
    }
}

fn any_observe() -> impl Strategy<Value = Observe> {
    let target = prop_oneof![
        any_target().prop_map(|target| ObserveTarget::Window { target: Box::new(target) }),
        any_process().prop_map(|process| ObserveTarget::Application { process }),
    ];
    (any_session(), target, any::<u32>()).prop_map(|(session, target, most)| Observe {
        session,
        target,
        max_elements: NonZeroU32::new(most),
    })
}

fn any_hello() -> impl Strategy<Value = Hello> {
    (any_text(), any_text(), any::<u32>(), any_text()).prop_map(|(name, version, host_pid, image_dir)| Hello {
        protocol: PROTOCOL.to_owned(),
        host: HostName { name, version },
        host_pid,
        image_dir,
    })
}

fn any_scope() -> impl Strategy<Value = FenceScope> {
    prop_oneof![Just(FenceScope::Seat {}), any::<u32>().prop_map(|pid| FenceScope::Application { pid })]
}

/// A call of any method.
pub fn any_call() -> impl Strategy<Value = Call> {
    prop_oneof![
        any_hello().prop_map(Call::from),
        (any::<u64>(), any_scope()).prop_map(|(epoch, scope)| RaiseFence { epoch, scope }.into()),
        any_session().prop_map(|session| BeginSession { session }.into()),
        any_session().prop_map(|session| EndSession { session }.into()),
        Just(ReadHealth {}.into()),
        Just(ListApplications {}.into()),
        Just(ListWindows {}.into()),
        any_observe().prop_map(Call::from),
        (any_process(), any::<u64>(), any::<u64>()).prop_map(|(process, since_announcements, timeout_ms)| {
            WaitForChanges { process, since_announcements, timeout_ms }.into()
        }),
        (any_session(), any_target()).prop_map(|(session, target)| Capture { session, target }.into()),
        any_launch().prop_map(Call::from),
        any_dispatch().prop_map(Call::from),
    ]
}

fn any_code() -> impl Strategy<Value = Code> {
    select(Code::ALL)
}

fn any_detail() -> impl Strategy<Value = Detail> {
    let part = select(ALL_PARTS.to_vec());
    let fate = select(ALL_FATES.to_vec());
    prop_oneof![
        (any_toolkit(), any_text(), option::of(any_text())).prop_map(|(toolkit, application, flag)| {
            Detail::AccessibilityOff { toolkit: toolkit.family, application, flag }
        }),
        part.prop_map(|part| Detail::Missing { part }),
        any::<u64>().prop_map(|ms| Detail::Deadline { ms }),
        fate.prop_map(|fate| Detail::Snapshot { fate }),
        any::<(u64, u64)>().prop_map(|(bytes, limit)| Detail::ResponseBytes { bytes, limit }),
    ]
}

fn any_error() -> impl Strategy<Value = DomainError> {
    (any_code(), option::of(any_detail())).prop_map(|(code, detail)| DomainError { code, detail })
}

fn or_error<T: std::fmt::Debug + Clone>(
    success: impl Strategy<Value = T>,
) -> impl Strategy<Value = Result<T, DomainError>> {
    prop_oneof![3 => success.prop_map(Ok), 1 => any_error().prop_map(Err)]
}

fn any_limit() -> impl Strategy<Value = NonZeroU64> {
    any::<NonZeroU64>()
}

prop_compose! {
    fn any_welcome()(
        name in any_text(),
        version in any_text(),
        commit in option::of(any_text()),
        pid in any::<u32>(),
        verbs in few(any_verb()),
        routes in few(select(Route::ALL)),
        limits in prop::array::uniform12(any_limit()),
    ) -> Welcome {
        let [sessions, snapshots_per_session, snapshot_ttl_ms, max_elements, max_depth, max_text_chars, max_line_bytes,
            max_response_bytes, requests_in_flight, settle_ceiling_ms, shutdown_grace_ms, image_dir_budget_bytes] = limits;
        Welcome {
            protocol: PROTOCOL.to_owned(),
            executor: ExecutorName { name, version, commit },
            pid,
            abilities: Abilities { verbs, routes, image_formats: vec![ImageFormat::Png] },
            limits: Limits {
                sessions, snapshots_per_session, snapshot_ttl_ms, max_elements, max_depth, max_text_chars,
                max_line_bytes, max_response_bytes, requests_in_flight, settle_ceiling_ms, shutdown_grace_ms,
                image_dir_budget_bytes,
            },
        }
    }
}

fn any_health() -> impl Strategy<Value = Health> {
    let claim = select(vec![Claim::Claimed, Claim::Degraded, Claim::NotClaimed]);
    let capability =
        (any_text(), claim, any_text()).prop_map(|(name, claim, evidence)| Capability { name, claim, evidence });
    (few(capability), any::<[u64; 5]>()).prop_map(|(capabilities, counts)| {
        let [sessions, live_snapshots, images, image_bytes, fence_epoch] = counts;
        Health { capabilities, sessions, live_snapshots, images, image_bytes, fence_epoch }
    })
}

prop_compose! {
    fn any_image()(
        path in any_text(),
        sha256 in any_digest(),
        (byte_length, width, height) in any::<(u64, u32, u32)>(),
    ) -> Image {
        Image { path, format: ImageFormat::Png, sha256, byte_length, width, height }
    }
}

prop_compose! {
    fn any_launched()(
        tool_call_id in any_call_id(),
        process in any_process(),
        application in any_identity(),
        (took_foreground, ms) in any::<(bool, u64)>(),
        windows in few(any_window()),
        reason in select(ALL_LAUNCH_WAIT_REASONS.to_vec()),
    ) -> Launched {
        let waited = LaunchWait { ms, reason };
        Launched { tool_call_id, process, application, took_foreground, windows, waited }
    }
}

fn any_changes() -> impl Strategy<Value = Changes> {
    let reason = select(ALL_CHANGE_REASONS.to_vec());
    (any::<(u64, u64)>(), reason).prop_map(|((announcements, waited_ms), reason)| Changes {
        announcements,
        waited_ms,
        reason,
    })
}

fn any_effect() -> impl Strategy<Value = (Effect, EffectMethod)> {
    let effect = select(vec![Effect::Confirmed, Effect::Unverifiable, Effect::SuspectedNoop]);
    let method = select(vec![
        EffectMethod::ActionResult,
        EffectMethod::ValueReadback,
        EffectMethod::TextReadback,
        EffectMethod::StateReadback,
        EffectMethod::SelectionReadback,
        EffectMethod::TreeDelta,
        EffectMethod::WindowAppeared,
    ]);
    (effect, method)
}

prop_compose! {
    fn any_delivered()(
        tool_call_id in any_call_id(),
        (effect, method) in any_effect(),
        route in select(vec![Route::A11yAction, Route::A11yValue, Route::A11yText, Route::A11ySelection]),
        (waited_ms, reason) in (any::<u64>(), select(ALL_SETTLE_REASONS.to_vec())),
        snapshot in option::of(any_snapshot()),
        post_observation_error in option::of(any_code().prop_map(|code| PostObservationError { code })),
    ) -> DispatchReport {
        let settle = Some(Settled { waited_ms, reason });
        let verdict = Verdict::delivered(effect, method);
        DispatchReport { tool_call_id, verdict, route, detail: None, settle, snapshot, post_observation_error }
    }
}

fn any_report() -> impl Strategy<Value = DispatchReport> {
    let unsent = (any_call_id(), any_error())
        .prop_filter("a declined action has a route", |(_, error)| error.code.happened() != Happened::Sent)
        .prop_map(|(call, error)| DispatchReport::unsent(call, error));
    prop_oneof![any_delivered(), unsent]
}

/// An answer of any method.
pub fn any_reply() -> impl Strategy<Value = Reply> {
    let released = any::<[u64; 3]>()
        .prop_map(|[snapshots, images, calls]| SessionReleased { released: Released { snapshots, images, calls } });
    let acknowledged =
        (any::<u64>(), few(any_request_id())).prop_map(|(epoch, passed)| FenceAcknowledged { epoch, passed });
    prop_oneof![
        or_error(any_welcome()).prop_map(Reply::Hello),
        or_error(acknowledged).prop_map(Reply::Fence),
        or_error(Just(SessionBegun {})).prop_map(Reply::SessionBegin),
        or_error(released).prop_map(Reply::SessionEnd),
        or_error(any_health()).prop_map(Reply::Health),
        or_error(few(any_application()).prop_map(|applications| Applications { applications }))
            .prop_map(Reply::AppsList),
        or_error(few(any_window()).prop_map(|windows| Windows { windows })).prop_map(Reply::WindowList),
        or_error(any_snapshot().prop_map(|snapshot| Observed { snapshot })).prop_map(Reply::Observe),
        or_error(any_changes()).prop_map(Reply::ChangesWait),
        or_error(any_image().prop_map(|image| Captured { image })).prop_map(Reply::ScreenCapture),
        or_error(any_launched()).prop_map(Reply::AppsLaunch),
        any_report().prop_map(Reply::DispatchElement),
    ]
}
