//! Input, the lock, windows and processes, and how all of it calms down.

use super::*;

impl World {
    pub(super) fn hold(&mut self) {
        let is_first = !self.history.is_held();
        let hold = self.holds;
        self.holds += 1;
        let (held, event) = self.say.input_devices.held(4, device(), 1);
        self.history.add(self.now, Happening::Held { hold });
        let responses = self.step(event);
        let fences = epochs(&responses);
        if is_first {
            assert!(!fences.is_empty() || has_accepted(&responses), "the first hold raises the fence");
            self.history.refuse(self.tick, Scope::Seat, outstanding(&fences, &responses));
        }
        self.held.push((hold, held, self.now));
    }

    pub(super) fn place(&mut self, n: u8, window: u8, scope: u8) {
        let Some(index) = chosen(n, self.held.len()) else { return };
        let (hold, held, received) = self.held.swap_remove(index);
        let window = self.windows[usize::from(window) % WINDOWS];
        // Input that a lost producer left behind was placed by the seat.
        let is_known = !self.was_placed(hold);
        let received = if is_known { received } else { self.now };
        self.history.add(self.now, Happening::Placed { hold });
        match scope % 4 {
            0 => {
                let event = held.scoped(InputScope::Nowhere);
                self.step(event);
            }
            1 => {
                let event = held.scoped(InputScope::Anywhere);
                self.touch(None, received, event);
            }
            _ => {
                let event = held.scoped(InputScope::Application(self.keys[window].application()));
                self.touch(Some(process_of(window)), received, event);
            }
        }
    }

    pub(super) fn was_placed(&self, hold: usize) -> bool {
        self.history.was_placed(hold)
    }

    pub(super) fn touch(&mut self, process: Option<usize>, received: Moment, event: Event) {
        self.touch_until(process, received.plus_ms(self.configuration.quiet_ms), event);
    }

    /// Input that finds its intervention in force moves it later; other input begins one, and is fenced.
    pub(super) fn touch_until(&mut self, process: Option<usize>, until: Moment, event: Event) {
        let goes_on = self.history.is_touched(process, self.now);
        let happening = Happening::Touched { process, until };
        if goes_on {
            self.history.add(self.now, happening);
            self.step(event);
        } else {
            self.refusing(process.map_or(Scope::Seat, Scope::Process), happening, event);
        }
    }

    pub(super) fn input_claim(&mut self, claimed: bool) {
        let event = self.say.input_devices.claim(standing(claimed));
        self.history.add(self.now, Happening::InputClaimed(claimed));
        let left: Vec<_> = self.held.iter().filter(|(hold, ..)| !self.was_placed(*hold)).collect();
        let last = left.iter().map(|(_, _, received)| *received).max();
        let holds: Vec<_> = left.iter().map(|(hold, ..)| *hold).collect();
        let Some(received) = last.filter(|_| !claimed) else {
            self.step(event);
            return;
        };
        for hold in holds {
            self.history.add(self.now, Happening::Placed { hold });
        }
        self.touch(None, received, event);
    }

    pub(super) fn vote(&mut self, voter: usize, locked: bool) {
        let event = self.say.lockers.vote(a_voter(voter), locked);
        self.lock_step(Happening::Answered { voter, locked }, event);
    }

    pub(super) fn executor_answers_lock(&mut self, locked: bool) {
        let Some(call) = self.call() else { return };
        let voter = 3 + self.generations;
        self.lock_step(Happening::Answered { voter, locked }, call.screen_lock(locked));
    }

    pub(super) fn lock_step(&mut self, happening: Happening, event: Event) {
        let was_locked = self.history.is_locked(self.now);
        self.history.add(self.now, happening);
        let is_locked = self.history.is_locked(self.now);
        if is_locked && !was_locked {
            self.refusing(Scope::Seat, Happening::BecameLocked, event);
        } else {
            self.step(event);
        }
    }

    pub(super) fn window_gone(&mut self, slot: usize) {
        let window = self.windows[slot];
        let event = self.say.window_server.destroyed(self.keys[window].clone());
        self.gone(Happening::WindowGone { window }, event, |of| of == window);
        self.replace_windows(|of| of == window);
    }

    pub(super) fn process_gone(&mut self, slot: usize) {
        let process = process_of(self.windows[slot]);
        let event = self.say.processes.exited(self.keys[self.windows[slot]].application());
        self.gone(Happening::ProcessGone { process }, event, |of| process_of(of) == process);
        self.replace_windows(|of| process_of(of) == process);
    }

    pub(super) fn gone(&mut self, happening: Happening, event: Event, is_gone: impl Fn(Window) -> bool) {
        self.history.add(self.now, happening);
        self.history.befall(Code::TargetMissing, |look| look.window().is_some_and(&is_gone));
        self.step(event);
    }

    pub(super) fn replace_windows(&mut self, is_gone: impl Fn(Window) -> bool) {
        let before = self.windows.len();
        self.windows.retain(|window| !is_gone(*window));
        (self.windows.len()..before).for_each(|_| self.make_window());
    }

    /// Each new process reuses a pid, and each new window an id.
    pub(super) fn make_window(&mut self) {
        let number = self.keys.len();
        let mut instance = process(100 + (process_of(number) % 2) as u32);
        instance.start_time_ticks += process_of(number) as u64;
        instance.pidfd_inode = Some(9_000 + process_of(number) as u64);
        let window = WindowIdentity::X11 { window: (number % 2) as u32, incarnation: 0 };
        self.keys.push(WindowKey::new(instance, window));
        self.windows.push(number);
    }

    pub(super) fn target(&self, window: Window) -> Target {
        let key = self.key(window);
        Target { process: key.process().clone(), window: key.window().clone(), content: None, page: None }
    }

    pub(super) fn number_of(&self, key: &WindowKey) -> Window {
        self.keys.iter().position(|known| known == key).expect("a window of this world")
    }

    /// Lifts everything that refuses, as people and time would.
    pub(crate) fn calm_down(&mut self, pass_ms: u64) {
        self.resume(Resume::Seat, Happening::Resumed);
        for principal in 0..PRINCIPALS.len() {
            self.resume(Resume::Principal { principal: named(principal) }, Happening::Unblocked { principal });
        }
        while !self.held.is_empty() {
            self.place(0, 0, 0);
        }
        for wakes in [Operation::Sleep(false), Operation::SessionActive(true), Operation::LockClaim(true)] {
            self.perform(&wakes);
        }
        self.start_executor();
        self.executor_answers_lock(false);
        (0..4).for_each(|voter| self.vote(voter, false));
        self.now = self.now.plus_ms(pass_ms);
        self.let_clock_speak();
    }
}
