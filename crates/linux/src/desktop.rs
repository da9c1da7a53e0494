//! [`Desktop`] on X11 and AT-SPI.

use crate::{
    accessible::{Client, Reference},
    act::{self, Dispatch},
    applications::{self, Announcements, Applications, Registered},
    bounds,
    bus::{Bus, CallError},
    diagnosis,
    display::{Display, DisplayError, TopLevel},
    frame::{self, AccessibleFrame, FrameError},
    identity::Identities,
    launch,
    process::{self, HeldProcess, Processes},
    reading::{self, Frame},
    scrolling,
    skeleton::{self, Reach},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use surehand_contract::{Code, Delivery, ProcessInstance, Target, UiText, WindowIdentity};
use surehand_executor::{
    Accessibility, Acted, Action, Application, Capability, Claimed, Desktop, DesktopPart, Detail, Failure, Gate,
    Launched, Lineage, Node, Omission, Picture, Route, SettleBounds, SettleReason, Settled, Tree, TreeBounds,
    Visibility, Window, Witness,
};
use tokio::{sync::OnceCell, time::Instant};

/// The desktop of `$DISPLAY` and the session bus. Connects at first use, and again after what it was connected to
/// went away.
#[derive(Debug, Default)]
pub struct LinuxDesktop {
    connections: tokio::sync::Mutex<Option<Arc<Connections>>>,
    processes: Processes,
    identities: Identities,
}

#[derive(Debug)]
pub(crate) struct Connections {
    pub(crate) display: Arc<Display>,
    accessibility: OnceCell<AccessibilityBus>,
    announcements: Arc<Announcements>,
}

/// Two connections: one for reading, and one that only writes actions, so that a write never waits behind a read.
#[derive(Debug)]
struct AccessibilityBus {
    reading: Bus,
    writing: tokio::sync::Mutex<Bus>,
    writing_is_torn: Arc<AtomicBool>,
    applications: Applications,
}

impl LinuxDesktop {
    pub fn new() -> Self {
        Self::default()
    }

    async fn connections(&self) -> Result<Arc<Connections>, Failure> {
        let mut held = self.connections.lock().await;
        if let Some(connections) = held.as_ref().filter(|connections| connections.are_alive()) {
            return Ok(Arc::clone(connections));
        }
        let display = tokio::task::spawn_blocking(Display::connect)
            .await
            .map_err(|_| Failure::from(Code::DesktopUnavailable))?
            .map_err(|_| missing(DesktopPart::Display))?;
        let connections =
            Arc::new(Connections { display, accessibility: OnceCell::new(), announcements: Arc::default() });
        *held = Some(Arc::clone(&connections));
        Ok(connections)
    }

    fn target(&self, top_level: &TopLevel, process: &HeldProcess) -> Target {
        Target {
            process: process.instance.clone(),
            window: WindowIdentity::X11 { window: top_level.window, incarnation: top_level.incarnation },
            content: None,
            page: None,
        }
    }

    fn window(&self, top_level: &TopLevel, applications: &[Arc<Registered>]) -> Option<Window> {
        let process = self.processes.current(top_level.pid)?;
        let own: Vec<_> = applications.iter().filter(|application| application.pid == top_level.pid).cloned().collect();
        Some(Window {
            target: self.target(top_level, &process),
            application: self.identities.of(&process.instance),
            title: top_level.title.clone(),
            bounds: top_level.bounds,
            visibility: top_level.visibility,
            active: top_level.active,
            accessibility: frame::accessibility(&own),
        })
    }

    /// Proves that the target's process and window are the ones that were named, and finds its frame.
    async fn locate(&self, target: &Target) -> Result<Located, Failure> {
        self.processes.verify(&target.process)?;
        let WindowIdentity::X11 { window, incarnation } = target.window else {
            return Err(Code::TargetMissing.into());
        };
        let connections = self.connections().await?;
        let top_level = connections.display.find(window, incarnation).map_err(display_failure)?;
        if top_level.pid != target.process.pid {
            return Err(Code::TargetMissing.into());
        }
        let (applications, accessible) = self.described(&connections, &top_level, &target.process).await?;
        let window = self.window(&top_level, &applications).ok_or(Code::TargetMissing)?;
        Ok(Located { connections, accessible, window })
    }

    /// The window's frame, and all that its process has on the accessibility bus. An application that has just started
    /// shows its window a while before it describes it, and is waited for.
    async fn described(
        &self,
        connections: &Connections,
        top_level: &TopLevel,
        process: &ProcessInstance,
    ) -> Result<(Vec<Arc<Registered>>, AccessibleFrame), Failure> {
        let give_up_at = Instant::now() + bounds::REGISTRATION_WAIT;
        loop {
            let described = self.described_now(connections, top_level, process).await;
            let is_starting = || process::age(process) < bounds::STARTING && Instant::now() < give_up_at;
            match described {
                Err(failure) if failure.code == Code::NotReady && is_starting() => {
                    self.processes.verify(process)?;
                    tokio::time::sleep(bounds::REGISTRATION_LOOK).await;
                }
                described => return described,
            }
        }
    }

    async fn described_now(
        &self,
        connections: &Connections,
        top_level: &TopLevel,
        process: &ProcessInstance,
    ) -> Result<(Vec<Arc<Registered>>, AccessibleFrame), Failure> {
        let bus = connections.accessibility().await?;
        let mut applications = bus.applications.known_for(top_level.pid);
        if applications.is_empty() {
            bus.applications.registered(&bus.reading).await.map_err(call_failure)?;
            applications = bus.applications.known_for(top_level.pid);
        }
        if applications.is_empty() {
            return Err(diagnosis::accessibility_off(&self.identities, process));
        }
        let frames = frame::frames_of(&bus.reading, &applications).await.map_err(call_failure)?;
        let siblings = connections.display.top_levels().map_err(display_failure)?;
        let siblings = siblings.iter().filter(|sibling| sibling.pid == top_level.pid).count();
        let accessible = frame::of_window(top_level, &frames, siblings).map_err(|error| match error {
            FrameError::None => Failure::from(Code::NotReady),
            FrameError::Several => Code::AmbiguousTarget.into(),
        })?;
        Ok((applications, accessible))
    }
}

struct Located {
    connections: Arc<Connections>,
    accessible: AccessibleFrame,
    window: Window,
}

impl Located {
    fn bus(&self) -> Result<&AccessibilityBus, Failure> {
        self.connections.accessibility.get().ok_or_else(|| missing(DesktopPart::AccessibilityBus))
    }

    fn client<'a>(&'a self, bus: &'a AccessibilityBus) -> Client<'a> {
        Client { bus: &bus.reading, peer: &self.accessible.application.peer }
    }

    fn frame(&self) -> Frame {
        Frame {
            family: self.accessible.application.family(),
            window: self.window.bounds,
            accessible: self.accessible.extents,
        }
    }
}

impl Connections {
    fn are_alive(&self) -> bool {
        let is_lost = |bus: &AccessibilityBus| bus.reading.is_closed() || bus.writing_is_torn.load(Ordering::Relaxed);
        self.display.active_window().is_ok() && !self.accessibility.get().is_some_and(is_lost)
    }

    async fn accessibility(&self) -> Result<&AccessibilityBus, Failure> {
        self.accessibility.get_or_try_init(|| AccessibilityBus::connect(Arc::clone(&self.announcements))).await
    }
}

impl AccessibilityBus {
    async fn connect(announcements: Arc<Announcements>) -> Result<Self, Failure> {
        let address = Self::address().await?;
        let heard = Arc::clone(&announcements);
        let reading = Bus::connect(&address, move |signal| heard.hear(signal)).await;
        let reading = reading.map_err(|_| missing(DesktopPart::AccessibilityBus))?;
        let writing = Bus::connect(&address, |_| ()).await.map_err(|_| missing(DesktopPart::AccessibilityBus))?;
        applications::subscribe(&reading).await.map_err(|_| missing(DesktopPart::AccessibilityBus))?;
        let writing_is_torn = writing.torn();
        let writing = tokio::sync::Mutex::new(writing);
        Ok(Self { reading, writing, writing_is_torn, applications: Applications::default() })
    }

    /// The session bus knows where the accessibility bus is.
    async fn address() -> Result<String, Failure> {
        let session = Bus::session().await.map_err(|_| missing(DesktopPart::SessionBus))?;
        let member = crate::bus::Member {
            destination: "org.a11y.Bus",
            path: "/org/a11y/bus",
            interface: "org.a11y.Bus",
            member: "GetAddress",
        };
        let reply =
            session.call(member, &(), bounds::CALL).await.map_err(|_| missing(DesktopPart::AccessibilityBus))?;
        reply.body().deserialize().map_err(|_| missing(DesktopPart::AccessibilityBus))
    }
}

impl Desktop for LinuxDesktop {
    type Reference = Reference;

    async fn applications(&self) -> Result<Vec<Application>, Failure> {
        let connections = self.connections().await?;
        let top_levels = connections.display.top_levels().map_err(display_failure)?;
        let bus = connections.accessibility().await?;
        let registered = bus.applications.registered(&bus.reading).await.map_err(call_failure)?;
        let mut pids: Vec<u32> = top_levels.iter().map(|top_level| top_level.pid).collect();
        pids.extend(registered.iter().map(|application| application.pid));
        pids.sort_unstable();
        pids.dedup();
        let describe = |pid: u32| {
            let process = self.processes.current(pid)?;
            let own = registered.iter().find(|application| application.pid == pid);
            let windows = top_levels.iter().filter(|top_level| top_level.pid == pid).count();
            Some(Application {
                identity: self.identities.of(&process.instance),
                process: process.instance.clone(),
                name: own.map_or_else(|| program_name(&process.instance), |application| application.name.clone()),
                toolkit: own.map(|application| application.toolkit.clone()),
                accessibility: if own.is_some() { Accessibility::Ready } else { Accessibility::Off },
                windows: u32::try_from(windows).unwrap_or(u32::MAX),
            })
        };
        Ok(pids.into_iter().filter_map(describe).collect())
    }

    async fn windows(&self) -> Result<Vec<Window>, Failure> {
        let connections = self.connections().await?;
        let top_levels = connections.display.top_levels().map_err(display_failure)?;
        let bus = connections.accessibility().await?;
        let registered = bus.applications.registered(&bus.reading).await.map_err(call_failure)?;
        Ok(top_levels.iter().filter_map(|top_level| self.window(top_level, &registered)).collect())
    }

    async fn tree(&self, target: &Target, limits: TreeBounds) -> Result<Tree<Reference>, Failure> {
        let reach = Reach { nodes: bounds::NODES, depth: limits.depth, deadline: Instant::now() + limits.time };
        let located = self.locate(target).await?;
        if located.window.visibility != Visibility::Shown {
            return Ok(not_shown(located));
        }
        let bus = located.bus()?;
        let client = located.client(bus);
        let frame = located.frame();
        let skeleton =
            skeleton::read(client, frame.family, &located.accessible.reference, reach).await.map_err(call_failure)?;
        if diagnosis::is_bare(frame.family, &skeleton, &target.process) {
            return Err(diagnosis::accessibility_off(&self.identities, &target.process));
        }
        let flesh = reading::flesh_out(client, frame, &skeleton, reach, limits.elements, limits.text_characters)
            .await
            .map_err(call_failure)?;
        let toolkit = Some(located.accessible.application.toolkit.clone());
        Ok(Tree { window: located.window, toolkit, nodes: flesh.nodes, omissions: flesh.omissions })
    }

    async fn witness(&self, target: &Target, lineage: &Lineage<Reference>) -> Result<Witness<Reference>, Failure> {
        let located = self.locate(target).await?;
        if located.window.visibility != Visibility::Shown {
            return Err(Code::TargetChanged.into());
        }
        let bus = located.bus()?;
        let client = located.client(bus);
        let frame = located.frame();
        let reach = Reach { nodes: bounds::NODES, depth: bounds::ANCESTORS, deadline: Instant::now() + bounds::CALL };
        let (skeleton, element) =
            crate::witness::read(client, frame.family, &located.accessible.reference, lineage, reach).await.map_err(
                |error| match error {
                    crate::witness::WitnessError::Moved => Failure::from(Code::TargetChanged),
                    crate::witness::WitnessError::Call(error) => call_failure(error),
                },
            )?;
        let mut flesh =
            reading::flesh_out(client, frame, &skeleton, reach, usize::MAX, bounds::WITNESS_TEXT_CHARACTERS)
                .await
                .map_err(call_failure)?;
        let element_path = &skeleton.bones[element].reference.path;
        let bars = scrolling::bars_in(client, element_path).await.map_err(call_failure)?;
        let element = flesh.bones.iter().position(|bone| *bone == element).ok_or(Code::TargetChanged)?;
        // A witness holds no more of the window than the digest covers, and a scroll bar stands below what it scrolls.
        flesh.nodes[element].verbs.scroll = !bars.is_empty();
        let toolkit = Some(located.accessible.application.toolkit.clone());
        let tree = Tree { window: located.window, toolkit, nodes: flesh.nodes, omissions: flesh.omissions };
        Ok(Witness { tree, element, read_at: std::time::Instant::now() })
    }

    async fn act(&self, target: &Target, element: &Node<Reference>, action: &Action, gate: &Gate) -> Acted {
        let connections = match self.connections().await {
            Ok(connections) => connections,
            Err(failure) => return Acted { delivery: Delivery::NotSent, failure: Some(failure), route: Route::None },
        };
        let Some(bus) = connections.accessibility.get() else {
            return act::not_sent(Code::DesktopUnavailable, Route::None);
        };
        let applications = bus.applications.known_for(target.process.pid);
        let Some(application) =
            applications.iter().find(|application| *application.peer.name == *element.reference.owner)
        else {
            return act::not_sent(Code::TargetMissing, Route::None);
        };
        if let Err(code) = self.processes.verify(&target.process) {
            return act::not_sent(code, Route::None);
        }
        let client = Client { bus: &bus.reading, peer: &application.peer };
        Dispatch { client, peer: &application.peer, writing: &bus.writing, gate }.act(element, action).await
    }

    fn announcements(&self, process: &ProcessInstance) -> u64 {
        self.counters(process.pid).iter().map(|counter| *counter.borrow()).sum()
    }

    async fn settle(&self, process: &ProcessInstance, announcements_before: u64, limits: SettleBounds) -> Settled {
        let started = Instant::now();
        let mut counters = self.counters(process.pid);
        let total = |counters: &[tokio::sync::watch::Receiver<u64>]| {
            counters.iter().map(|counter| *counter.borrow()).sum::<u64>()
        };
        let ceiling = started + limits.ceiling;
        let mut quiet_from = (total(&counters) > announcements_before).then_some(started);
        loop {
            let wake = match quiet_from {
                Some(since) => (since + limits.quiet).min(ceiling),
                None => (started + limits.floor).min(ceiling),
            };
            match tokio::time::timeout_at(wake, any_change(&mut counters)).await {
                Ok(true) => quiet_from = Some(Instant::now()),
                Ok(false) => return Settled { waited: started.elapsed(), reason: SettleReason::Gone },
                Err(_) if self.processes.verify(process).is_err() => {
                    return Settled { waited: started.elapsed(), reason: SettleReason::Gone };
                }
                Err(_) => {
                    let reason = match quiet_from {
                        _ if wake == ceiling => SettleReason::Ceiling,
                        Some(_) => SettleReason::Quiet,
                        None => SettleReason::NothingAnnounced,
                    };
                    return Settled { waited: started.elapsed(), reason };
                }
            }
        }
    }

    async fn capture(&self, target: &Target) -> Result<Picture, Failure> {
        self.processes.verify(&target.process)?;
        let WindowIdentity::X11 { window, incarnation } = target.window else {
            return Err(Code::CaptureFailed.into());
        };
        let display = Arc::clone(&self.connections().await?.display);
        tokio::task::spawn_blocking(move || display.capture(window, incarnation))
            .await
            .map_err(|_| Failure::from(Code::CaptureFailed))?
            .map_err(display_failure)
    }

    async fn launch(&self, application: &str, wait_for_window: Duration, gate: &Gate) -> Result<Launched, Failure> {
        let connections = self.connections().await?;
        let started = launch::start(&self.identities, &self.processes, &connections.display, application, gate).await?;
        let (top_levels, waited) = started.wait_for_window(wait_for_window).await.map_err(display_failure)?;
        let took_foreground = started.took_foreground(&top_levels).await.map_err(display_failure)?;
        let registered = match connections.accessibility().await {
            Ok(bus) => bus.applications.registered(&bus.reading).await.unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        let windows: Vec<Window> =
            top_levels.iter().filter_map(|top_level| self.window(top_level, &registered)).collect();
        let process = windows.first().map_or_else(|| started.process.clone(), |window| window.target.process.clone());
        let identity = self.identities.of(&process);
        Ok(Launched { process, identity, windows, waited, took_foreground })
    }

    async fn capabilities(&self) -> Vec<Capability> {
        let mut capabilities = Vec::new();
        let mut claim =
            |name, claim, evidence: &str| capabilities.push(Capability { name, claim, evidence: evidence.to_owned() });
        match process::pidfds_have_inodes() {
            true => claim("process_identity", Claimed::Claimed, "pidfds live on pidfs and have an inode each"),
            false => {
                claim("process_identity", Claimed::Degraded, "pidfds share one inode: start time names the instance")
            }
        }
        let connections = match self.connections().await {
            Ok(connections) => connections,
            Err(_) => {
                for name in ["windows", "pictures", "accessibility"] {
                    claim(name, Claimed::NotClaimed, "no X display answers at $DISPLAY");
                }
                return capabilities;
            }
        };
        match connections.display.is_xwayland() {
            Ok(true) => claim("windows", Claimed::Degraded, "XWayland: only windows of X clients are seen"),
            Ok(false) => claim("windows", Claimed::Claimed, "an X server answers and names each window's process"),
            Err(_) => claim("windows", Claimed::NotClaimed, "the X server does not answer"),
        }
        claim("pictures", Claimed::Claimed, "top-level windows are redirected to memory");
        match connections.accessibility().await {
            Ok(bus) => match bus.applications.registered(&bus.reading).await {
                Ok(_) => claim("accessibility", Claimed::Claimed, "the accessibility registry answers"),
                Err(_) => claim("accessibility", Claimed::NotClaimed, "the accessibility registry does not answer"),
            },
            Err(_) => claim(
                "accessibility",
                Claimed::NotClaimed,
                "no accessibility bus: start at-spi-bus-launcher in this session",
            ),
        }
        capabilities
    }
}

impl LinuxDesktop {
    fn counters(&self, pid: u32) -> Vec<tokio::sync::watch::Receiver<u64>> {
        let Ok(held) = self.connections.try_lock() else { return Vec::new() };
        let Some(connections) = held.as_ref() else { return Vec::new() };
        let Some(bus) = connections.accessibility.get() else { return Vec::new() };
        let applications = bus.applications.known_for(pid);
        applications.iter().map(|application| connections.announcements.of(&application.peer.name)).collect()
    }
}

/// Waits for any counter to move. `false`: there is none to wait for any more.
async fn any_change(counters: &mut [tokio::sync::watch::Receiver<u64>]) -> bool {
    if counters.is_empty() {
        std::future::pending::<()>().await;
    }
    let changed = counters.iter_mut().map(|counter| Box::pin(counter.changed()));
    futures_util::future::select_all(changed).await.0.is_ok()
}

/// A window that is not on screen is described by itself alone, since toolkits keep saying their widgets show.
fn not_shown(located: Located) -> Tree<Reference> {
    let toolkit = Some(located.accessible.application.toolkit.clone());
    Tree { window: located.window, toolkit, nodes: Vec::new(), omissions: vec![Omission::NotShown] }
}

fn program_name(process: &ProcessInstance) -> UiText {
    UiText::new(process.exe.path.rsplit('/').next().unwrap_or_default())
}

pub(crate) fn missing(part: DesktopPart) -> Failure {
    Failure { code: Code::DesktopUnavailable, detail: Some(Detail::Missing(part)) }
}

fn display_failure(error: DisplayError) -> Failure {
    match error {
        DisplayError::Connect(_) | DisplayError::Connection(_) => missing(DesktopPart::Display),
        other => other.code().into(),
    }
}

fn call_failure(error: CallError) -> Failure {
    match error {
        CallError::BusLost => missing(DesktopPart::AccessibilityBus),
        CallError::Timeout | CallError::Suspended => {
            let waited = u64::try_from(bounds::CALL.as_millis()).unwrap_or(u64::MAX);
            Failure { code: error.code(), detail: Some(Detail::DeadlineMs(waited)) }
        }
        other => other.code().into(),
    }
}
