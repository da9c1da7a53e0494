use super::{Seat, speaking};
use crate::{
    FenceEpoch, FenceScope, Moment, Notice, Response, Source,
    bounds::{ACKNOWLEDGEMENT_MS, OUTSTANDING_FENCES},
};
use std::collections::BTreeSet;

/// Fences raised, and those the executor has not acknowledged.
#[derive(Debug, Default)]
pub(super) struct Fences {
    newest: FenceEpoch,
    outstanding: BTreeSet<FenceEpoch>,
}

impl Fences {
    pub(super) const fn newest(&self) -> FenceEpoch {
        self.newest
    }

    pub(super) fn is_accepted(&self, epoch: FenceEpoch) -> bool {
        epoch <= self.newest && !self.outstanding.contains(&epoch)
    }
}

impl Seat {
    /// Raises the fence: before anything else is done with what refuses.
    pub(super) fn fence(&mut self, now: Moment, scope: FenceScope, out: &mut Vec<Response>) {
        self.fences.newest = self.fences.newest.next();
        let epoch = self.fences.newest;
        let Some(generation) = self.running else {
            out.push(Response::Accepted { epoch });
            return;
        };
        self.fences.outstanding.insert(epoch);
        out.push(Response::Fence { epoch, scope, acknowledge_by: now.plus_ms(ACKNOWLEDGEMENT_MS) });
        if self.fences.outstanding.len() > OUTSTANDING_FENCES {
            out.push(Response::EndExecutor { generation });
        }
    }

    pub(super) fn fence_acknowledged(&mut self, source: &Source, epoch: FenceEpoch, out: &mut Vec<Response>) {
        if self.running.is_some() && speaking(source) == self.running && self.fences.outstanding.remove(&epoch) {
            out.push(Response::Accepted { epoch });
        } else {
            out.push(Response::Tell(Notice::Ignored));
        }
    }

    /// The executor is gone, so nothing can pass any fence it was asked to raise.
    pub(super) fn accept_every_fence(&mut self, out: &mut Vec<Response>) {
        let outstanding = std::mem::take(&mut self.fences.outstanding);
        out.extend(outstanding.into_iter().map(|epoch| Response::Accepted { epoch }));
    }
}
