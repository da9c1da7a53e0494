//! How long one `step()` takes with many sessions, windows and applications, and what acting costs.
//!
//! Prints one JSON object a line. Run it with `cargo bench -p surehand-contract`.

use std::{hint::black_box, time::Instant};
use surehand_contract::{producer::Producers, *};

const SESSIONS: u64 = 8;
const WINDOWS_PER_SESSION: u64 = 16;
const ROUNDS: usize = 20_000;

fn main() {
    let mut bench = Bench::new();
    let kinds = [
        ("contract_step_input", bench.input()),
        ("contract_step_observation", bench.observation()),
        ("contract_step_lock", bench.lock()),
        ("contract_step_window_gone", bench.window_gone()),
    ];
    // The row with the target is the costliest kind of event.
    let costliest = kinds.iter().map(|(_, watch)| watch.percentile_ns(50)).max().unwrap_or_default();
    print("contract_step", costliest, Some(2.0));
    let others = [("contract_act", bench.act()), ("contract_next_deadline", bench.next_deadline())];
    for (row, watch) in kinds.iter().chain(&others) {
        print(row, watch.percentile_ns(50), None);
        print(&format!("{row}_p99"), watch.percentile_ns(99), None);
    }
}

fn print(row: &str, nanoseconds: u64, target_us: Option<f64>) {
    let value = nanoseconds as f64 / 1_000.0;
    let judged = match target_us {
        Some(target) => format!(",\"target\":{target},\"ok\":{}", value < target),
        None => String::new(),
    };
    println!("{{\"row\":\"{row}\",\"value\":{value:.3},\"unit\":\"us\"{judged},\"peers\":{{}}}}");
}

/// Durations of single calls, the clock's own cost of some 20 ns included.
#[derive(Default)]
struct Stopwatch {
    nanoseconds: Vec<u64>,
}

impl Stopwatch {
    fn time<T>(&mut self, call: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let answer = black_box(call());
        self.nanoseconds.push(began.elapsed().as_nanos() as u64);
        answer
    }

    fn percentile_ns(&self, percent: usize) -> u64 {
        let mut sorted = self.nanoseconds.clone();
        sorted.sort_unstable();
        sorted[(sorted.len() - 1) * percent / 100]
    }
}

struct Bench {
    seat: Seat,
    say: Producers,
    executor: producer::Executor,
    now: Moment,
    newest_id: u64,
}

impl Bench {
    /// A desktop at work: every session keeps as many looks as it may, at all its windows.
    fn new() -> Self {
        let (mut seat, mut say) = Seat::new(SeatConfiguration::default());
        let (executor, event) = say.executors.started();
        seat.step(Moment(0), event);
        let mut bench = Self { seat, say, executor, now: Moment(1), newest_id: 0 };
        for session in 0..SESSIONS {
            let principal = Principal::new("agent").expect("a good name");
            bench.seat.open_session(bench.now, SessionId::new(session), principal).expect("nothing refuses");
            for look in 0..bounds::OBSERVATIONS_PER_SESSION as u64 {
                bench.look(SessionId::new(session), &target(look % WINDOWS_PER_SESSION));
            }
        }
        bench
    }

    fn look(&mut self, session: SessionId, target: &Target) -> ObservationId {
        self.newest_id += 1;
        let observation = ObservationId::new(self.newest_id);
        let call = self.executor.call(CallNumber::new(self.newest_id));
        let start = self.seat.may_observe(self.now, session).expect("nothing refuses");
        self.seat.step(self.now, call.observation_began(start, observation));
        self.seat.step(self.now, call.observation_read(session, observation, target.clone()));
        observation
    }

    fn step(&mut self, watch: &mut Stopwatch, event: Event) -> Vec<Response> {
        let (seat, now) = (&mut self.seat, self.now);
        watch.time(|| seat.step(now, event))
    }

    /// Every fence asked for is acknowledged, as a healthy executor would.
    fn acknowledge(&mut self, watch: &mut Stopwatch, responses: &[Response]) {
        for response in responses {
            if let Response::Fence { epoch, .. } = response {
                let event = self.executor.call(CallNumber::new(1)).fence_acknowledged(*epoch);
                self.step(watch, event);
            }
        }
    }

    /// Input that is held, placed elsewhere, and acknowledged: what a person's typing costs.
    fn input(&mut self) -> Stopwatch {
        let name = DeviceName::new("Keyboard").expect("a good name");
        let elsewhere = ApplicationKey::of(&target(1_000).process);
        let mut watch = Stopwatch::default();
        for _ in 0..ROUNDS {
            self.now = self.now.plus_ms(1);
            let (held, event) = self.say.input_devices.held(4, name.clone(), 1);
            let mut responses = self.step(&mut watch, event);
            let event = held.scoped(InputScope::Application(elsewhere.clone()));
            responses.extend(self.step(&mut watch, event));
            self.acknowledge(&mut watch, &responses);
        }
        watch
    }

    /// The beginning and the end of a look.
    fn observation(&mut self) -> Stopwatch {
        let session = SessionId::new(3);
        let mut watch = Stopwatch::default();
        for round in 0..ROUNDS as u64 {
            self.newest_id += 1;
            let observation = ObservationId::new(self.newest_id);
            let call = self.executor.call(CallNumber::new(self.newest_id));
            let start = self.seat.may_observe(self.now, session).expect("nothing refuses");
            let event = call.observation_began(start, observation);
            self.step(&mut watch, event);
            let event = call.observation_read(session, observation, target(round % WINDOWS_PER_SESSION));
            self.step(&mut watch, event);
        }
        watch
    }

    /// A lock and its end, which spoil every session's looks.
    fn lock(&mut self) -> Stopwatch {
        let owner = VoterOwner::Bus { name: BusName::new(":1.2").expect("a good name"), process: None };
        let voter = Voter { mechanism: LockMechanism::LockedHint, owner };
        let mut watch = Stopwatch::default();
        for _ in 0..ROUNDS {
            let event = self.say.lockers.vote(voter.clone(), true);
            let responses = self.step(&mut watch, event);
            let event = self.say.lockers.vote(voter.clone(), false);
            self.step(&mut watch, event);
            self.acknowledge(&mut watch, &responses);
        }
        watch
    }

    /// The end of a window that nobody works in: menus and tooltips come and go all the time.
    fn window_gone(&mut self) -> Stopwatch {
        let mut watch = Stopwatch::default();
        for round in 0..ROUNDS as u64 {
            let event = self.say.window_server.destroyed(WindowKey::of(&target(2_000 + round)));
            self.step(&mut watch, event);
        }
        watch
    }

    /// What the shell asks after every step.
    fn next_deadline(&mut self) -> Stopwatch {
        let mut watch = Stopwatch::default();
        for _ in 0..ROUNDS {
            watch.time(|| self.seat.next_deadline());
        }
        watch
    }

    /// Lease, claim, check and settlement of one action.
    fn act(&mut self) -> Stopwatch {
        let (session, target) = (SessionId::new(5), target(4));
        let fingerprint = ActionFingerprint(Digest::from_bytes([7; 32]));
        let mut watch = Stopwatch::default();
        for _ in 0..ROUNDS {
            let observation = self.look(session, &target);
            let (seat, now) = (&mut self.seat, self.now);
            watch.time(|| {
                let lease = seat.lease(now, session, observation, Route::Semantic).expect("it is live");
                let claim = seat.claim(now, &lease, fingerprint).expect("nobody claimed it");
                seat.check(now, &lease).expect("nothing happened");
                seat.settle(now, claim, ClaimEnding::Consumed)
            });
        }
        watch
    }
}

fn target(number: u64) -> Target {
    let pid = 1_000 + (number / 2) as u32;
    let process = ProcessInstance {
        pid,
        pidfd_inode: Some(number / 2),
        start_time_ticks: 90_000 + number / 2,
        boot_id: "5b1f0c0e-4a3e-4c1e-9f57-2f3f8d0f2a11".into(),
        exe: ExeIdentity { path: "/usr/bin/editor".into(), device: 1, inode: 2 },
    };
    let window = WindowIdentity::X11 { window: number as u32, incarnation: 0 };
    Target { process, window, content: None, page: None }
}
