//! What each method does, beside dispatching.

use crate::{
    Desktop, Failure, Fence, bounds, images,
    images::ImageFolder,
    inbox::Work,
    lane::Lanes,
    mint::{Mint, NoRandomness},
    obligation::{Book, Cancelled},
    snapshot::{NotBegun, SnapshotTable},
    wire_form,
};
use std::{
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use surehand_contract::Code;
use surehand_wire::{
    Applications, BeginSession, Call, Capture, Captured, ChangeReason, Changes, DomainError, EndSession, Health,
    LaunchApplication, LaunchWait, LaunchWaitReason, Launched, Released, Reply, RpcCode, RpcError, SessionBegun,
    SessionReleased, WaitForChanges, Windows,
};

/// Everything the workers share.
#[derive(Debug)]
pub(crate) struct Core<D: Desktop> {
    pub(crate) desktop: D,
    pub(crate) lanes: Lanes,
    pub(crate) mint: Mint,
    table: Mutex<SnapshotTable<D::Reference>>,
    images: Mutex<Option<ImageFolder>>,
    fence: Arc<Fence>,
    book: Arc<Book>,
}

impl<D: Desktop> Core<D> {
    pub(crate) fn new(desktop: D, fence: Arc<Fence>, book: Arc<Book>) -> Result<Self, NoRandomness> {
        Ok(Self {
            desktop,
            lanes: Lanes::default(),
            mint: Mint::new()?,
            table: Mutex::default(),
            images: Mutex::default(),
            fence,
            book,
        })
    }

    pub(crate) fn greeted(&self, folder: ImageFolder) {
        *self.images() = Some(folder);
    }

    /// Removes every picture.
    pub(crate) fn close(&self) {
        *self.images() = None;
    }

    /// Does what was asked and answers it. A call that may write follows its cancellation itself; of any other,
    /// nothing is left once its caller gave up.
    pub(crate) async fn work(self: Arc<Self>, work: Work) {
        let Work { call, obligation, mut cancelled } = work;
        if call.session().is_some_and(|session| !self.table().has(session)) {
            return obligation.answer(Err(RpcError(RpcCode::SessionUnknown)));
        }
        if let Some(gate) = obligation.gate() {
            let reply = match call {
                Call::DispatchElement(dispatch) => {
                    Ok(Reply::DispatchElement(self.dispatch(dispatch, gate, cancelled).await))
                }
                Call::AppsLaunch(launch) => Ok(Reply::AppsLaunch(self.launch(launch, gate, cancelled).await)),
                _ => Err(RpcError(RpcCode::Internal)),
            };
            return obligation.answer(reply);
        }
        let answer = tokio::select! {
            biased;
            () = cancelled.wait() => Ok(obligation.refusals().reply(Code::Aborted.into())),
            answer = self.read(call) => answer,
        };
        obligation.answer(answer);
    }

    async fn read(&self, call: Call) -> Result<Reply, RpcError> {
        Ok(match call {
            Call::SessionBegin(begin) => Reply::SessionBegin(Ok(self.begin_session(&begin)?)),
            Call::SessionEnd(end) => Reply::SessionEnd(Ok(self.end_session(&end))),
            Call::Health(_) => Reply::Health(self.health().await),
            Call::AppsList(_) => Reply::AppsList(self.applications().await),
            Call::WindowList(_) => Reply::WindowList(self.windows().await),
            Call::Observe(observe) => Reply::Observe(self.observe(observe).await),
            Call::ChangesWait(wait) => Reply::ChangesWait(Ok(self.wait_for_changes(wait).await)),
            Call::ScreenCapture(capture) => Reply::ScreenCapture(self.capture(capture).await),
            Call::Hello(_) | Call::Fence(_) | Call::AppsLaunch(_) | Call::DispatchElement(_) => {
                return Err(RpcError(RpcCode::Internal));
            }
        })
    }

    fn begin_session(&self, begin: &BeginSession) -> Result<SessionBegun, RpcError> {
        self.table().begin(&begin.session).map_err(|error| match error {
            NotBegun::Live => RpcError(RpcCode::InvalidParams),
            NotBegun::TooMany => RpcError(RpcCode::TooMany),
        })?;
        Ok(SessionBegun {})
    }

    fn end_session(&self, end: &EndSession) -> SessionReleased {
        let calls = self.book.cancel_session(&end.session);
        let snapshots = self.table().end(&end.session);
        let images = self.images().as_mut().map_or(0, |images| images.end(&end.session));
        SessionReleased { released: Released { snapshots, images, calls } }
    }

    async fn health(&self) -> Result<Health, DomainError> {
        let listed = tokio::time::timeout(bounds::LIST_TIME, self.desktop.capabilities()).await;
        let capabilities = listed.map_err(|_| DomainError::from(Code::Unresponsive))?;
        let (images, image_bytes) = self.images().as_ref().map_or((0, 0), |images| (images.images(), images.bytes()));
        let table = self.table();
        Ok(Health {
            capabilities: capabilities.into_iter().map(wire_form::capability).collect(),
            sessions: table.sessions(),
            live_snapshots: table.live_snapshots(),
            images,
            image_bytes,
            fence_epoch: self.fence.epoch(),
        })
    }

    async fn applications(&self) -> Result<Applications, DomainError> {
        let applications = bounded(bounds::LIST_TIME, self.desktop.applications()).await.map_err(refusal)?;
        Ok(Applications { applications: applications.into_iter().map(wire_form::application).collect() })
    }

    async fn windows(&self) -> Result<Windows, DomainError> {
        let windows = bounded(bounds::LIST_TIME, self.desktop.windows()).await.map_err(refusal)?;
        Ok(Windows { windows: windows.iter().map(wire_form::window).collect() })
    }

    /// The desktop's settling, with the whole time as its floor, waits for the first announcement.
    async fn wait_for_changes(&self, wait: WaitForChanges) -> Changes {
        let started = Instant::now();
        let time = Duration::from_millis(wait.timeout_ms).min(bounds::CHANGES_WAIT);
        let settle = crate::SettleBounds { quiet: bounds::CHANGES_QUIET, floor: time, ceiling: time };
        let settling = self.desktop.settle(&wait.process, wait.since_announcements, settle);
        let settled = tokio::time::timeout(time + bounds::DESKTOP_MARGIN, settling).await;
        let announcements = self.desktop.announcements(&wait.process);
        let reason = match settled {
            Ok(settled) if settled.reason == crate::SettleReason::Gone => ChangeReason::Gone,
            _ if announcements > wait.since_announcements => ChangeReason::Announced,
            _ => ChangeReason::Timeout,
        };
        Changes { announcements, waited_ms: milliseconds(started.elapsed()), reason }
    }

    async fn capture(&self, capture: Capture) -> Result<Captured, DomainError> {
        let picture = bounded(bounds::CAPTURE_TIME, self.desktop.capture(&capture.target)).await.map_err(refusal)?;
        let path = self.images().as_ref().map(|images| images.path_for(&self.mint.mint()));
        let path = path.ok_or(Code::Aborted)?;
        let file = path.clone();
        let written = tokio::task::spawn_blocking(move || images::write(&file, &picture)).await;
        let image = written.ok().and_then(Result::ok).ok_or(Code::CaptureFailed)?;
        let (mut images, table) = (self.images(), self.table());
        let images = images.as_mut().ok_or(Code::Aborted)?;
        let kept = images.keep(capture.session.clone(), path, image.byte_length);
        if !table.has(&capture.session) {
            images.end(&capture.session);
            return Err(Code::Aborted.into());
        }
        if kept { Ok(Captured { image }) } else { Err(Code::CaptureFailed.into()) }
    }

    async fn launch(
        &self,
        launch: LaunchApplication,
        gate: &crate::Gate,
        mut cancelled: Cancelled,
    ) -> Result<Launched, DomainError> {
        let wanted = Duration::from_millis(launch.wait_for_window_ms).min(bounds::LAUNCH_WAIT);
        let launching = bounded(wanted + bounds::LIST_TIME, self.desktop.launch(&launch.application, wanted, gate));
        let launched = tokio::select! {
            biased;
            () = cancelled.give_up(gate) => Err(Code::Aborted.into()),
            launched = launching => launched,
        };
        match launched {
            Ok(launched) => Ok(Launched {
                tool_call_id: launch.tool_call_id,
                process: launched.process,
                application: wire_form::application_identity(&launched.identity),
                took_foreground: launched.took_foreground,
                waited: LaunchWait {
                    ms: milliseconds(launched.waited),
                    reason: match launched.windows.is_empty() {
                        _ if wanted.is_zero() => LaunchWaitReason::NotRequested,
                        true => LaunchWaitReason::Timeout,
                        false => LaunchWaitReason::WindowAppeared,
                    },
                },
                windows: launched.windows.iter().map(wire_form::window).collect(),
            }),
            Err(_) if gate.has_passed() => Err(Code::OutcomeUnknown.into()),
            Err(_) if gate.refusal().is_some() => Err(Code::Aborted.into()),
            Err(failure) => Err(refusal(failure)),
        }
    }

    pub(crate) fn table(&self) -> MutexGuard<'_, SnapshotTable<D::Reference>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn images(&self) -> MutexGuard<'_, Option<ImageFolder>> {
        self.images.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The desktop bounds its calls itself; whatever outlasts that is dropped.
pub(crate) async fn bounded<T>(time: Duration, call: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    match tokio::time::timeout(time, call).await {
        Ok(answer) => answer,
        Err(_) => {
            let detail = Some(crate::Detail::DeadlineMs(milliseconds(time)));
            Err(Failure { code: Code::Unresponsive, detail })
        }
    }
}

/// A failure before anything was sent, whatever its code says.
pub(crate) fn refusal(failure: Failure) -> DomainError {
    match failure.code.happened() {
        surehand_contract::Happened::Nothing => wire_form::domain_error(failure),
        _ => Code::Unresponsive.into(),
    }
}

pub(crate) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
