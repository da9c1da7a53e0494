//! What types must not be able to do (evidence class `static`).

use std::{fmt::Display, marker::PhantomData};
use surehand_contract::{producer::*, *};

/// Whether a type implements a trait: the inherent constant is found first, where its bound holds.
macro_rules! implements {
    ($type:ty: $($bound:tt)+) => {{
        #[allow(dead_code)]
        trait Otherwise {
            const ANSWER: bool = false;
        }
        struct Asked<T>(PhantomData<T>);
        impl<T> Otherwise for Asked<T> {}
        #[allow(dead_code)]
        impl<T: $($bound)+> Asked<T> {
            const ANSWER: bool = true;
        }
        <Asked<$type>>::ANSWER
    }};
}

#[test]
fn the_question_can_be_answered_both_ways() {
    assert!(implements!(Digest: serde::de::DeserializeOwned));
    assert!(implements!(Code: Clone));
    assert!(implements!(Code: Display));
    assert!(!implements!(Lease: Copy));
}

#[test]
fn no_event_and_no_source_can_be_read_from_a_wire() {
    assert!(!implements!(Event: serde::de::DeserializeOwned));
    assert!(!implements!(EventKind: serde::de::DeserializeOwned));
    assert!(!implements!(Source: serde::de::DeserializeOwned));
}

#[test]
fn no_event_can_be_told_twice_and_no_producer_copied() {
    assert!(!implements!(Event: Clone));
    assert!(!implements!(PersonPress: Clone));
    assert!(!implements!(Authorisation: Clone));
    assert!(!implements!(HeldInput: Clone));
    assert!(!implements!(Executors: Clone));
    assert!(!implements!(Executor: Clone));
    assert!(!implements!(InputDevices: Clone));
    assert!(!implements!(Lockers: Clone));
    assert!(!implements!(PersonControls: Clone));
    assert!(!implements!(Authorities: Clone));
    assert!(!implements!(Clients: Default));
    assert!(!implements!(Producers: Default));
}

#[test]
fn no_claim_can_be_copied_or_made_elsewhere() {
    assert!(!implements!(Claim: Clone));
    assert!(!implements!(LaunchClaim: Clone));
    assert!(!implements!(Claim: Default));
    assert!(!implements!(Claim: serde::de::DeserializeOwned));
    assert!(!implements!(ObservationStart: Clone));
}

#[test]
fn text_of_a_screen_can_be_neither_shown_nor_kept() {
    assert!(!implements!(UiText: Display));
    assert!(!implements!(UiText: serde::Serialize));
    assert!(!implements!(UiText: serde::de::DeserializeOwned));
    assert!(!implements!(UiText: AsRef<str>));
    assert!(!implements!(UiText: std::ops::Deref));
}
