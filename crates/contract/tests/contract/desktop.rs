//! A seat with everything that can speak to it, so that a test reads like a story.

use surehand_contract::{
    producer::{Executor, Producers},
    *,
};

pub(crate) const QUIET: u64 = bounds::QUIET_MS;

pub(crate) struct Desktop {
    pub(crate) seat: Seat,
    pub(crate) say: Producers,
    pub(crate) executor: Option<Executor>,
    now: Moment,
    newest_id: u64,
    /// Everything the seat asked for since it was last looked at.
    pub(crate) asked: Vec<Response>,
}

impl Desktop {
    /// A desktop with a running executor and nobody at work.
    pub(crate) fn new() -> Self {
        Self::with(SeatConfiguration::default())
    }

    pub(crate) fn with(configuration: SeatConfiguration) -> Self {
        let (seat, say) = Seat::new(configuration);
        let mut desktop = Self { seat, say, executor: None, now: Moment(1_000), newest_id: 0, asked: Vec::new() };
        desktop.start_executor();
        desktop
    }

    /// A desktop on which one session works.
    pub(crate) fn with_session() -> (Self, SessionId) {
        let mut desktop = Self::new();
        let session = desktop.open("agent");
        (desktop, session)
    }

    pub(crate) fn now(&self) -> Moment {
        self.now
    }

    pub(crate) fn pass_ms(&mut self, ms: u64) {
        self.now = self.now.plus_ms(ms);
    }

    pub(crate) fn next_id(&mut self) -> u64 {
        self.newest_id += 1;
        self.newest_id
    }

    pub(crate) fn step(&mut self, event: Event) -> Vec<Response> {
        let responses = self.seat.step(self.now, event);
        self.asked.extend(responses.iter().cloned());
        responses
    }

    /// Lets the clock speak for every deadline that has passed.
    pub(crate) fn let_clock_speak(&mut self) {
        while let Some(event) = self.seat.due(self.now) {
            self.step(event);
        }
    }

    pub(crate) fn start_executor(&mut self) {
        let (executor, event) = self.say.executors.started();
        self.executor = Some(executor);
        self.step(event);
    }

    pub(crate) fn release_executor(&mut self) -> Vec<Response> {
        let executor = self.executor.take().expect("an executor runs");
        self.step(executor.released(ServiceReason::Signalled { signal: 9 }))
    }

    pub(crate) fn call(&mut self) -> producer::ExecutorCall {
        let number = CallNumber::new(self.next_id());
        self.executor.as_ref().expect("an executor runs").call(number)
    }

    pub(crate) fn try_open(&mut self, principal: &str) -> Result<SessionId, Refusal> {
        let session = SessionId::new(self.next_id());
        self.seat.open_session(self.now, session, Principal::new(principal).expect("a good name")).map(|()| session)
    }

    pub(crate) fn open(&mut self, principal: &str) -> SessionId {
        self.try_open(principal).expect("nothing refuses a session")
    }

    pub(crate) fn client(&self) -> producer::ClientConnection {
        self.say.clients.connected(Peer {
            connection: ConnectionId::new(1),
            principal: Principal::new("agent").expect("a good name"),
            process: ApplicationKey::of(&process(900)),
        })
    }

    pub(crate) fn begin_look(&mut self, session: SessionId) -> ObservationId {
        let observation = ObservationId::new(self.next_id());
        let start = self.seat.may_observe(self.now, session).expect("looking is allowed");
        let event = self.call().observation_began(start, observation);
        self.step(event);
        observation
    }

    pub(crate) fn end_look(
        &mut self,
        session: SessionId,
        observation: ObservationId,
        target: &Target,
    ) -> ObservationStanding {
        let event = self.call().observation_read(session, observation, target.clone());
        standing(&self.step(event), observation)
    }

    pub(crate) fn look(&mut self, session: SessionId, target: &Target) -> (ObservationId, ObservationStanding) {
        let observation = self.begin_look(session);
        (observation, self.end_look(session, observation, target))
    }

    /// A look that nothing disturbs.
    pub(crate) fn observe(&mut self, session: SessionId, target: &Target) -> ObservationId {
        let (observation, standing) = self.look(session, target);
        assert_eq!(standing, ObservationStanding::Live);
        observation
    }

    pub(crate) fn lease(&mut self, session: SessionId, observation: ObservationId) -> Result<Lease, Code> {
        self.seat.lease(self.now, session, observation, Route::Semantic).map_err(|refusal| refusal.code)
    }

    pub(crate) fn check(&self, lease: &Lease) -> Result<FenceEpoch, Code> {
        self.seat.check(self.now, lease).map_err(|refusal| refusal.code)
    }

    pub(crate) fn claim(&mut self, lease: &Lease, action: u8) -> Result<Claim, Code> {
        self.seat.claim(self.now, lease, fingerprint(action)).map_err(|refusal| refusal.code)
    }

    pub(crate) fn settle(&mut self, claim: Claim, ending: ClaimEnding) {
        self.seat.settle(self.now, claim, ending);
    }

    /// One whole action, delivered.
    pub(crate) fn act(&mut self, session: SessionId, observation: ObservationId) -> Result<(), Code> {
        let lease = self.lease(session, observation)?;
        let claim = self.claim(&lease, 1)?;
        self.check(&lease)?;
        self.settle(claim, ClaimEnding::Consumed);
        Ok(())
    }

    pub(crate) fn status(&self, session: SessionId, target: &Target) -> Status {
        self.seat.status(self.now, session, &WindowKey::of(target))
    }

    pub(crate) fn person_types(&mut self, scope: InputScope) -> Vec<Response> {
        let (held, event) = self.say.input_devices.held(4, device(), 77);
        let mut responses = self.step(event);
        responses.extend(self.step(held.scoped(scope)));
        responses
    }

    pub(crate) fn stop(&mut self) -> Vec<Response> {
        let event = self.client().stop();
        self.step(event)
    }

    pub(crate) fn person_resumes(&mut self, resume: Resume) -> Vec<Response> {
        let press = self.say.input_devices.press(4, device(), 80);
        let event = self.say.person_controls.resume(press, resume);
        self.step(event)
    }

    pub(crate) fn vote(&mut self, voter: &Voter, locked: bool) -> Vec<Response> {
        let event = self.say.lockers.vote(voter.clone(), locked);
        self.step(event)
    }

    pub(crate) fn outcome(&mut self, session: SessionId, target: &Target, verdict: Verdict) -> Vec<Response> {
        self.outcome_with_quiet(session, target, verdict, None)
    }

    pub(crate) fn outcome_with_quiet(
        &mut self,
        session: SessionId,
        target: &Target,
        verdict: Verdict,
        quiet_in_ms: Option<u64>,
    ) -> Vec<Response> {
        let outcome = DispatchOutcome { verdict, quiet_in_ms };
        let event = self.call().dispatch_outcome(session, WindowKey::of(target), outcome);
        self.step(event)
    }
}

pub(crate) fn standing(responses: &[Response], of: ObservationId) -> ObservationStanding {
    let found = responses.iter().find_map(|response| match response {
        Response::Observation { observation, standing, .. } if *observation == of => Some(*standing),
        _ => None,
    });
    found.expect("the seat says what became of the look")
}

pub(crate) fn dropped(standing: ObservationStanding) -> Code {
    match standing {
        ObservationStanding::Dropped { refusal } => refusal.code,
        other => panic!("the look was not dropped but is {other:?}"),
    }
}

/// The scopes fenced, in order.
pub(crate) fn fenced(responses: &[Response]) -> Vec<FenceScope> {
    let scope = |response: &Response| match response {
        Response::Fence { scope, .. } => Some(scope.clone()),
        _ => None,
    };
    responses.iter().filter_map(scope).collect()
}

pub(crate) fn cleared(responses: &[Response]) -> Vec<SessionId> {
    let session = |response: &Response| match response {
        Response::ClearSession { session, .. } => Some(*session),
        _ => None,
    };
    responses.iter().filter_map(session).collect()
}

/// Whether what is in flight and what waits in this scope is cancelled with this code.
pub(crate) fn cancels(responses: &[Response], scope: FenceScope, code: Code) -> bool {
    responses.contains(&Response::CancelCalls { scope, code })
}

pub(crate) fn told(responses: &[Response], notice: &Notice) -> bool {
    responses.iter().any(|response| matches!(response, Response::Tell(told) if told == notice))
}

pub(crate) fn process(pid: u32) -> ProcessInstance {
    ProcessInstance {
        pid,
        pidfd_inode: Some(u64::from(pid) + 7_000),
        start_time_ticks: 50_000 + u64::from(pid),
        boot_id: "5b1f0c0e-4a3e-4c1e-9f57-2f3f8d0f2a11".into(),
        exe: ExeIdentity { path: "/usr/bin/editor".into(), device: 1, inode: u64::from(pid) },
    }
}

/// A window of the process with this pid.
pub(crate) fn window(pid: u32, window: u32) -> Target {
    let window = WindowIdentity::X11 { window, incarnation: 0 };
    Target { process: process(pid), window, content: None, page: None }
}

pub(crate) fn editor() -> Target {
    window(100, 0x40_0001)
}

pub(crate) fn browser() -> Target {
    window(200, 0x60_0001)
}

pub(crate) fn application(target: &Target) -> ApplicationKey {
    ApplicationKey::of(&target.process)
}

pub(crate) fn device() -> DeviceName {
    DeviceName::new("Keyboard").expect("a good name")
}

pub(crate) fn fingerprint(action: u8) -> ActionFingerprint {
    ActionFingerprint(Digest::from_bytes([action; 32]))
}

pub(crate) fn bus_name(text: &str) -> BusName {
    BusName::new(text).expect("a good name")
}

pub(crate) fn screen_saver(owner: &str) -> Voter {
    let owner = VoterOwner::Bus { name: bus_name(owner), process: None };
    Voter { mechanism: LockMechanism::FreedesktopScreenSaver, owner }
}

pub(crate) fn login_hint() -> Voter {
    let owner = VoterOwner::Bus { name: bus_name(":1.2"), process: None };
    Voter { mechanism: LockMechanism::LockedHint, owner }
}
