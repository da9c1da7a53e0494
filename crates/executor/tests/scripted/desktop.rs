use std::{
    borrow::Cow,
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard},
    time::{Duration, Instant},
};
use surehand_contract::{Code, Delivery, ExeIdentity, ProcessInstance, Target, UiText, WindowIdentity};
use surehand_executor::*;
use tokio::sync::Notify;

/// A node's own number is its reference.
pub type Reference = u32;

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

pub fn node(reference: Reference, parent: Option<usize>, role: &'static str, name: &str) -> Node<Reference> {
    let y = i32::try_from(reference).unwrap() * 20;
    Node {
        reference,
        parent,
        index_in_parent: reference,
        role: Cow::Borrowed(role),
        name: UiText::new(name),
        description: UiText::default(),
        states: States::default().with(State::Enabled).with(State::Showing),
        actions: vec!["click".to_owned()],
        verbs: Verbs { click: true, set_value: true, select: true, scroll: true },
        value: None,
        bounds: Some(Rect { x: 10, y: y % 500, width: 100, height: 18 }),
    }
}

pub fn text_value(text: &str) -> Value {
    Value::Text { text: UiText::new(text), characters: text.chars().count() as u64, digest: text_digest(text) }
}

/// A frame with `extra` nodes under it.
pub fn window(pid: u32, id: u32, extra: Vec<Node<Reference>>) -> Tree<Reference> {
    let mut nodes = vec![node(id * 1_000, None, "frame", "Window")];
    nodes.extend(extra);
    Tree {
        window: Window {
            target: target(pid, id),
            application: ApplicationIdentity::Executable(format!("/opt/app-{pid}")),
            title: UiText::new("Window"),
            bounds: Rect { x: 100, y: 100, width: 640, height: 480 },
            visibility: Visibility::Shown,
            active: false,
            accessibility: Accessibility::Ready,
        },
        toolkit: None,
        nodes,
        omissions: Vec::new(),
    }
}

type Change = Arc<dyn Fn(&mut World) + Send + Sync>;

/// Everything a test can see and change.
#[derive(Default)]
pub struct World {
    pub windows: Vec<Tree<Reference>>,
    /// What was written to which application, in order.
    pub writes: Vec<(u32, Reference, Action)>,
    pub launches: Vec<String>,
    pub announcements: u64,
    /// What a write does, after a delay.
    pub effect: Option<(Duration, Change)>,
    /// What happens once a witness was read, before it is used.
    pub after_witness: Option<Change>,
    /// What the executor is told of a write, instead of the truth.
    pub account: Option<Acted>,
    /// Applications that answer nothing.
    pub stuck: BTreeSet<u32>,
    /// Applications that take a write and never reply.
    pub mute: BTreeSet<u32>,
    /// How old witnesses are when they are handed over, the first one first.
    pub witness_ages: Vec<Duration>,
    pub witnesses: u32,
    pub trees: u32,
    pub panics_in_act: bool,
    pub panics_in_witness: bool,
    /// An action is written in two parts; the second waits to be released.
    pub writes_in_two_parts: bool,
    /// Every look shows another title.
    pub restless: bool,
    pub png_bytes: usize,
    /// What every reading says it is of, instead of what was asked for.
    pub claims: Option<Target>,
    /// While set, a write waits at the gate.
    pub hold_before_write: bool,
}

impl World {
    pub fn node(&mut self, reference: Reference) -> &mut Node<Reference> {
        let nodes = self.windows.iter_mut().flat_map(|window| &mut window.nodes);
        nodes.into_iter().find(|node| node.reference == reference).expect("the script names a node that is there")
    }

    pub fn window(&self, target: &Target) -> Option<&Tree<Reference>> {
        let same = |shown: &Target| shown.process == target.process && shown.window == target.window;
        self.windows.iter().find(|window| same(&window.window.target))
    }
}

#[derive(Clone, Default)]
pub struct Scripted {
    world: Arc<Mutex<World>>,
    /// Told when a write has reached the gate, and when it has been made.
    pub at_the_gate: Arc<Notify>,
    pub written: Arc<Notify>,
    pub release: Arc<Notify>,
}

impl Scripted {
    pub fn with(windows: Vec<Tree<Reference>>) -> Self {
        let scripted = Self::default();
        scripted.world().windows = windows;
        scripted
    }

    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub fn effect(&self, delay_ms: u64, change: impl Fn(&mut World) + Send + Sync + 'static) {
        self.world().effect = Some((Duration::from_millis(delay_ms), Arc::new(change)));
    }

    pub fn after_witness(&self, change: impl Fn(&mut World) + Send + Sync + 'static) {
        self.world().after_witness = Some(Arc::new(change));
    }

    /// Blocks until a write has reached the gate.
    pub fn wait_at_the_gate(&self) {
        block_until(self.at_the_gate.notified());
    }

    /// Blocks until a write has been made.
    pub fn wait_until_written(&self) {
        block_until(self.written.notified());
    }

    async fn unless_stuck(&self, pid: u32) {
        if self.world().stuck.contains(&pid) {
            std::future::pending::<()>().await;
        }
    }

    /// The nodes a witness names, as they are now.
    fn witnessed(tree: &Tree<Reference>, lineage: &Lineage<Reference>) -> Result<Witness<Reference>, Failure> {
        let find = |reference: &Reference| tree.nodes.iter().position(|node| node.reference == *reference);
        let element = find(&lineage.element).ok_or(Code::TargetMissing)?;
        let row = lineage.row.map(|row| lineage.ancestors.get(row).unwrap_or(&lineage.element));
        let row = row.and_then(find);
        let up = |child: &usize| tree.nodes[*child].parent;
        let chain: BTreeSet<usize> = std::iter::successors(Some(element), up).collect();
        let under_row = |position: &usize| std::iter::successors(Some(*position), up).any(|node| Some(node) == row);
        let companions: BTreeSet<usize> = lineage.companions.iter().filter_map(find).collect();
        let kept: Vec<usize> = (0..tree.nodes.len())
            .filter(|position| chain.contains(position) || companions.contains(position) || under_row(position))
            .collect();
        let place = |old: usize| kept.iter().position(|kept| *kept == old);
        let nodes =
            kept.iter().map(|old| Node { parent: tree.nodes[*old].parent.and_then(place), ..tree.nodes[*old].clone() });
        let nodes = nodes.collect();
        let read = Tree { window: tree.window.clone(), toolkit: None, nodes, omissions: Vec::new() };
        let element = place(element).ok_or(Code::TargetMissing)?;
        Ok(Witness { tree: read, element, read_at: Instant::now() })
    }
}

fn block_until(event: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let waited = runtime.block_on(async { tokio::time::timeout(Duration::from_secs(20), event).await });
    waited.expect("the script gets there");
}

impl Desktop for Scripted {
    type Reference = Reference;

    async fn applications(&self) -> Result<Vec<Application>, Failure> {
        let world = self.world();
        let applications = world.windows.iter().map(|window| Application {
            identity: window.window.application.clone(),
            process: window.window.target.process.clone(),
            name: UiText::new("App"),
            toolkit: None,
            accessibility: Accessibility::Ready,
            windows: 1,
        });
        Ok(applications.collect())
    }

    async fn windows(&self) -> Result<Vec<Window>, Failure> {
        Ok(self.world().windows.iter().map(|window| window.window.clone()).collect())
    }

    async fn tree(&self, target: &Target, bounds: TreeBounds) -> Result<Tree<Reference>, Failure> {
        self.unless_stuck(target.process.pid).await;
        let mut world = self.world();
        world.trees += 1;
        let mut tree = world.window(target).ok_or(Code::TargetMissing)?.clone();
        if let Some(claimed) = &world.claims {
            tree.window.target = claimed.clone();
        }
        if world.restless {
            tree.window.title = UiText::new(format!("look {}", world.trees));
        }
        let left_out = tree.nodes.len().saturating_sub(bounds.elements) as u64;
        tree.nodes.truncate(bounds.elements);
        if left_out > 0 {
            tree.omissions.push(Omission::Elements { left_out });
        }
        Ok(tree)
    }

    async fn witness(&self, target: &Target, lineage: &Lineage<Reference>) -> Result<Witness<Reference>, Failure> {
        self.unless_stuck(target.process.pid).await;
        assert!(!self.world().panics_in_witness, "scripted");
        let mut world = self.world();
        let mut witness = Self::witnessed(world.window(target).ok_or(Code::TargetMissing)?, lineage)?;
        if let Some(claimed) = &world.claims {
            witness.tree.window.target = claimed.clone();
        }
        let count = world.witnesses as usize;
        world.witnesses += 1;
        if let Some(age) = world.witness_ages.get(count) {
            witness.read_at = Instant::now().checked_sub(*age).unwrap();
        }
        if let Some(change) = world.after_witness.clone() {
            change(&mut world);
        }
        Ok(witness)
    }

    async fn act(&self, target: &Target, element: &Node<Reference>, action: &Action, gate: &Gate) -> Acted {
        let route = Route::A11yAction;
        self.at_the_gate.notify_one();
        if self.world().hold_before_write {
            self.release.notified().await;
        }
        let write = || {
            let mut world = self.world();
            world.writes.push((target.process.pid, element.reference, action.clone()));
        };
        if gate.pass(write).is_err() {
            // Not the executor's own reason, which it knows better.
            return Acted { delivery: Delivery::NotSent, failure: Some(Code::NotReady.into()), route };
        }
        self.written.notify_one();
        assert!(!self.world().panics_in_act, "scripted");
        if self.world().writes_in_two_parts {
            self.release.notified().await;
            if gate.pass(write).is_err() {
                return Acted { delivery: Delivery::Unknown, failure: Some(Code::OutcomeUnknown.into()), route };
            }
        }
        if self.world().mute.contains(&target.process.pid) {
            std::future::pending::<()>().await;
        }
        let effect = self.world().effect.clone();
        let account = self.world().account.clone();
        match effect {
            Some((delay, change)) if delay.is_zero() => change(&mut self.world()),
            Some((delay, change)) => {
                let later = self.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(delay).await;
                    change(&mut later.world());
                });
            }
            None => {}
        }
        account.unwrap_or(Acted { delivery: Delivery::Delivered, failure: None, route })
    }

    fn announcements(&self, _process: &ProcessInstance) -> u64 {
        self.world().announcements
    }

    async fn settle(&self, _process: &ProcessInstance, before: u64, bounds: SettleBounds) -> Settled {
        let announced = self.world().announcements > before;
        let (waited, reason) = match announced {
            true => (bounds.quiet, SettleReason::Quiet),
            false => (bounds.floor, SettleReason::NothingAnnounced),
        };
        tokio::time::sleep(waited).await;
        Settled { waited, reason }
    }

    async fn capture(&self, target: &Target) -> Result<Picture, Failure> {
        self.unless_stuck(target.process.pid).await;
        let world = self.world();
        world.window(target).ok_or(Code::TargetMissing)?;
        Ok(Picture { png: vec![7; world.png_bytes.max(1)], width: 640, height: 480 })
    }

    async fn launch(&self, application: &str, _wait: Duration, gate: &Gate) -> Result<Launched, Failure> {
        self.at_the_gate.notify_one();
        if self.world().hold_before_write {
            self.release.notified().await;
        }
        let start = || self.world().launches.push(application.to_owned());
        gate.pass(start).map_err(|_| Failure::from(Code::NotReady))?;
        self.written.notify_one();
        Ok(Launched {
            process: process(900),
            identity: ApplicationIdentity::DesktopEntry(application.to_owned()),
            windows: Vec::new(),
            waited: Duration::ZERO,
            took_foreground: false,
        })
    }

    async fn capabilities(&self) -> Vec<Capability> {
        vec![Capability { name: "scripted", claim: Claimed::Claimed, evidence: "a test".to_owned() }]
    }
}
