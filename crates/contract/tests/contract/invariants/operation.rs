use proptest::prelude::*;
use std::ops::Range;

/// What can be done to a seat. Numbers choose among what there is at that moment.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Open {
        principal: u8,
    },
    EndSession(u8),
    EndTurn(u8),
    Stop,
    ResumeSeat,
    ResumePrincipal(u8),
    BlockUrl(u8),
    Deny(u8),
    StricterPolicy,
    StartExecutor,
    ReleaseExecutor,
    BeginLook(u8),
    EndLook {
        look: u8,
        window: u8,
    },
    FailLook(u8),
    /// A whole look.
    Look {
        session: u8,
        window: u8,
    },
    /// A lease on the session's newest look, and a claim on it.
    Prepare {
        session: u8,
        action: u8,
        pointer: bool,
    },
    Lease {
        session: u8,
        look: u8,
        pointer: bool,
    },
    Claim {
        lease: u8,
        action: u8,
    },
    Leave(u8),
    Write(u8),
    Settle {
        claim: u8,
        retire: bool,
    },
    Outcome {
        session: u8,
        window: u8,
        code: u8,
        quiet: bool,
    },
    RaiseFence(u8),
    AcknowledgeFence(u8),
    Hold,
    Place {
        hold: u8,
        window: u8,
        scope: u8,
    },
    Compositor,
    Vote {
        voter: u8,
        locked: bool,
    },
    VoterVanishes(u8),
    LiftVote(u8),
    RequestLock,
    RequestUnlock,
    Sleep(bool),
    SessionActive(bool),
    ExecutorAnswersLock(bool),
    LockClaim(bool),
    InputClaim(bool),
    WindowGone(u8),
    ProcessGone(u8),
    DisplayLost,
    ContentChanged(u8),
    /// Everything that refuses is lifted, as people and a little time would.
    CalmDown,
    Pass {
        ms: u16,
    },
    PassLong,
    ClockSpeaks,
}

pub(crate) fn operations(length: Range<usize>) -> impl Strategy<Value = Vec<Operation>> {
    proptest::collection::vec(operation(), length)
}

/// Work is likelier than trouble, so that trouble finds something to spoil.
fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        82 => work(),
        10 => trouble(),
        2 => seldom(),
        6 => Just(Operation::CalmDown),
    ]
}

fn work() -> impl Strategy<Value = Operation> {
    let n = any::<u8>;
    prop_oneof![
        2 => n().prop_map(|principal| Operation::Open { principal }),
        9 => (n(), n()).prop_map(|(session, window)| Operation::Look { session, window }),
        4 => n().prop_map(Operation::BeginLook),
        5 => (n(), n()).prop_map(|(look, window)| Operation::EndLook { look, window }),
        1 => n().prop_map(Operation::FailLook),
        10 => (n(), n(), n()).prop_map(|(session, action, pointer)| {
            Operation::Prepare { session, action, pointer: pointer % 4 == 0 }
        }),
        2 => (n(), n(), any::<bool>())
            .prop_map(|(session, look, pointer)| Operation::Lease { session, look, pointer }),
        3 => (n(), n()).prop_map(|(lease, action)| Operation::Claim { lease, action }),
        9 => n().prop_map(Operation::Leave),
        7 => n().prop_map(Operation::Write),
        7 => (n(), any::<bool>()).prop_map(|(claim, retire)| Operation::Settle { claim, retire }),
        4 => n().prop_map(Operation::RaiseFence),
        3 => n().prop_map(Operation::AcknowledgeFence),
        2 => Just(Operation::StartExecutor),
        1 => (0..700_u16).prop_map(|ms| Operation::Pass { ms }),
        1 => Just(Operation::ClockSpeaks),
        1 => n().prop_map(Operation::ContentChanged),
    ]
}

fn trouble() -> impl Strategy<Value = Operation> {
    let n = any::<u8>;
    prop_oneof![
        4 => Just(Operation::Hold),
        6 => (n(), n(), n()).prop_map(|(hold, window, scope)| Operation::Place { hold, window, scope }),
        4 => (n(), any::<bool>()).prop_map(|(voter, locked)| Operation::Vote { voter, locked: locked && voter % 3 == 0 }),
        2 => n().prop_map(Operation::VoterVanishes),
        1 => Just(Operation::RequestLock),
        1 => Just(Operation::RequestUnlock),
        2 => any::<bool>().prop_map(Operation::Sleep),
        2 => any::<bool>().prop_map(Operation::SessionActive),
        3 => (n(), n(), n(), any::<bool>())
            .prop_map(|(session, window, code, quiet)| Operation::Outcome { session, window, code, quiet }),
        2 => n().prop_map(Operation::WindowGone),
        1 => n().prop_map(Operation::EndTurn),
        1 => any::<bool>().prop_map(Operation::ExecutorAnswersLock),
        1 => Just(Operation::ReleaseExecutor),
    ]
}

fn seldom() -> impl Strategy<Value = Operation> {
    let n = any::<u8>;
    prop_oneof![
        1 => Just(Operation::Stop),
        4 => Just(Operation::ResumeSeat),
        2 => n().prop_map(Operation::ResumePrincipal),
        1 => n().prop_map(Operation::BlockUrl),
        1 => n().prop_map(Operation::Deny),
        1 => Just(Operation::StricterPolicy),
        2 => n().prop_map(Operation::EndSession),
        2 => n().prop_map(Operation::LiftVote),
        1 => Just(Operation::Compositor),
        2 => any::<bool>().prop_map(Operation::LockClaim),
        4 => any::<bool>().prop_map(Operation::InputClaim),
        1 => n().prop_map(Operation::ProcessGone),
        1 => Just(Operation::DisplayLost),
        1 => Just(Operation::PassLong),
    ]
}
