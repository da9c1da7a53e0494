//! What may be kept of a call: ids, codes, counts and durations. No type here can hold text from a screen.
//!
//! ```compile_fail
//! fn kept<T: surehand_host::kept::Kept>() {}
//! kept::<surehand_contract::UiText>();
//! ```
//! ```compile_fail
//! fn kept<T: surehand_host::kept::Kept>() {}
//! kept::<String>();
//! ```
//! ```compile_fail
//! fn kept<T: surehand_host::kept::Kept>() {}
//! kept::<surehand_host::ModelText>();
//! ```
//! ```
//! fn kept<T: surehand_host::kept::Kept>() {}
//! kept::<surehand_host::kept::Record>();
//! ```

use serde::Serialize;
use surehand_contract::{Code, Delivery, Effect, Method, ObservationId, SessionId};

mod sealed {
    pub trait Sealed {}
}

/// A type whose every value may stand in a kept record.
pub trait Kept: Serialize + sealed::Sealed {}

macro_rules! kept {
    ($($type:ty),+ $(,)?) => {$(
        impl sealed::Sealed for $type {}
        impl Kept for $type {}
    )+};
}

kept!(u32, u64, bool, Code, Delivery, Effect, Method, ObservationId, SessionId, CallKind, Route);

impl<T: Kept> sealed::Sealed for Option<T> {}
impl<T: Kept> Kept for Option<T> {}

/// Which call it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    ListApplications,
    Launch,
    Observe,
    Screenshot,
    Click,
    SetValue,
    Select,
    Scroll,
    Perform,
    Wait,
}

/// The way an action took into the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Route(pub surehand_wire::Route);

/// Declares a record, and that each of its fields may be kept.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$field_doc])* #[serde(skip_serializing_if = "is_absent")] pub $field: $type,)+
        }

        kept!($name);

        const _: () = {
            const fn may_be_kept<T: Kept>() {}
            $(may_be_kept::<$type>();)+
        };
    };
}

record! {
    /// One call.
    Record {
        call: CallKind,
        session: SessionId,
        /// The observation that the call named.
        named: Option<ObservationId>,
        /// The observation that the call made.
        made: Option<ObservationId>,
        element: Option<u64>,
        pid: Option<u32>,
        code: Option<Code>,
        delivery: Option<Delivery>,
        effect: Option<Effect>,
        method: Option<Method>,
        route: Option<Route>,
        /// Elements read, or applications listed.
        count: Option<u64>,
        /// Bytes of a picture.
        bytes: Option<u64>,
        duration_ms: u64,
    }
}

impl Record {
    pub(crate) const fn of(call: CallKind, session: SessionId) -> Self {
        Self {
            call,
            session,
            named: None,
            made: None,
            element: None,
            pid: None,
            code: None,
            delivery: None,
            effect: None,
            method: None,
            route: None,
            count: None,
            bytes: None,
            duration_ms: 0,
        }
    }
}

/// Absent fields are not written.
fn is_absent<T: Kept>(field: &T) -> bool {
    // The one kept value that is written as `null` is an absent one.
    serde_json::to_value(field).is_ok_and(|value| value.is_null())
}
