//! The executor and its fence.

use super::*;

impl World {
    pub(super) fn start_executor(&mut self) {
        if self.executor.is_some() {
            return;
        }
        let (handle, event) = self.say.executors.started();
        self.generations += 1;
        self.executor = Some(RunningExecutor { handle, asked: Vec::new(), up: Vec::new(), unacknowledged: Vec::new() });
        self.history.add(self.now, Happening::ExecutorStarted);
        self.step(event);
    }

    pub(super) fn release_executor(&mut self) {
        let Some(executor) = self.executor.take() else { return };
        for action in &mut self.actions {
            if matches!(action.state, ActionState::Left { .. }) {
                action.state = ActionState::Lost;
            }
        }
        let under_way: Vec<_> = self.looking.drain(..).map(|(look, session, _)| (look, session)).collect();
        for (look, session) in under_way {
            if self.history.ended(session).is_none() {
                self.history.end_look(look, Ended::Failed);
            }
        }
        self.history.add(self.now, Happening::ExecutorReleased);
        self.history.befall(Code::NeedsObservation, |_| true);
        let voter = 3 + self.generations;
        let event = executor.handle.released(ServiceReason::Exited { status: 1 });
        self.lock_step(Happening::Vanished { voter }, event);
    }

    pub(super) fn raise_fence(&mut self, n: u8) {
        let Some(executor) = &mut self.executor else { return };
        let Some(index) = chosen(n, executor.asked.len()) else { return };
        let (epoch, scope) = executor.asked.remove(index);
        executor.up.push((epoch, scope));
        executor.unacknowledged.push(epoch);
    }

    pub(super) fn acknowledge_fence(&mut self, n: u8) {
        let Some(call) = self.call() else { return };
        let Some(executor) = &mut self.executor else { return };
        let Some(index) = chosen(n, executor.unacknowledged.len()) else { return };
        let epoch = executor.unacknowledged.remove(index);
        let responses = self.step(call.fence_acknowledged(epoch));
        assert!(responses.contains(&Response::Accepted { epoch }));
    }
}
