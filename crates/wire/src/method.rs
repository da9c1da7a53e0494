use crate::{
    Applications, BeginSession, Capture, Captured, Changes, DispatchElement, DispatchReport, DomainError, EndSession,
    FenceAcknowledged, Health, Hello, LaunchApplication, Launched, ListApplications, ListWindows, Observe, Observed,
    RaiseFence, ReadHealth, SessionBegun, SessionId, SessionReleased, ToolCallId, WaitForChanges, Welcome, Windows,
    answer::{Answer, Written, read_answer},
};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// What a method does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Nature {
    /// Keeps the connection or the executor's own tables.
    Control,
    /// Looks at applications.
    Reading,
    /// May write to an application. Unanswered, its outcome is unknown.
    Mutation,
}

/// How one request is refused in the domain layer, kept beside it while it is worked on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusals {
    method: Method,
    tool_call_id: Option<ToolCallId>,
}

impl Refusals {
    pub fn reply(&self, error: DomainError) -> Reply {
        self.method.refusal(self.tool_call_id.as_ref(), error)
    }

    pub const fn method(&self) -> Method {
        self.method
    }
}

impl Call {
    pub fn refusals(&self) -> Refusals {
        let tool_call_id = match self {
            Call::DispatchElement(dispatch) => Some(dispatch.tool_call_id.clone()),
            Call::AppsLaunch(launch) => Some(launch.tool_call_id.clone()),
            _ => None,
        };
        Refusals { method: self.method(), tool_call_id }
    }

    /// The session a call works for. The others are the host's own.
    pub const fn session(&self) -> Option<&SessionId> {
        match self {
            Call::Observe(Observe { session, .. })
            | Call::ScreenCapture(Capture { session, .. })
            | Call::AppsLaunch(LaunchApplication { session, .. })
            | Call::DispatchElement(DispatchElement { session, .. }) => Some(session),
            _ => None,
        }
    }
}

/// The parameters of one method, and what answers them.
pub trait Params: Into<Call> {
    const METHOD: Method;
    type Answer;

    /// The answer out of a reply, if the reply is this method's.
    fn answer(reply: Reply) -> Option<Self::Answer>;
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident, $text:literal, $nature:ident, $params:ty => $answer:ty;)+) => {
        /// The closed list of methods.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Method { $($(#[$doc])* $name,)+ }

        /// A request's method with its parameters.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Call { $($(#[$doc])* $name($params),)+ }

        /// A method's answer.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Reply { $($(#[$doc])* $name($answer),)+ }

        impl Method {
            pub const ALL: &'static [Method] = &[$(Method::$name,)+];

            pub const fn as_str(self) -> &'static str {
                match self { $(Method::$name => $text,)+ }
            }

            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some(Method::$name),)+ _ => None }
            }

            pub const fn nature(self) -> Nature {
                match self { $(Method::$name => Nature::$nature,)+ }
            }

            pub(crate) fn read_params(self, params: &RawValue) -> Result<Call, serde_json::Error> {
                Ok(match self { $(Method::$name => Call::$name(serde_json::from_str(params.get())?),)+ })
            }

            fn refusal(self, call: Option<&ToolCallId>, error: DomainError) -> Reply {
                match self { $(Method::$name => Reply::$name(Answer::refused(call, error)),)+ }
            }

            pub(crate) fn read_reply(self, result: &RawValue) -> Result<Reply, serde_json::Error> {
                Ok(match self { $(Method::$name => Reply::$name(read_answer(result)?),)+ })
            }
        }

        impl Call {
            pub const fn method(&self) -> Method {
                match self { $(Call::$name(_) => Method::$name,)+ }
            }

            pub(crate) fn write_params<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self { $(Call::$name(params) => params.serialize(serializer),)+ }
            }
        }

        impl Reply {
            pub const fn method(&self) -> Method {
                match self { $(Reply::$name(_) => Method::$name,)+ }
            }

            pub(crate) fn write_result<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self { $(Reply::$name(answer) => Written(answer).serialize(serializer),)+ }
            }
        }

        $(
            impl From<$params> for Call {
                fn from(params: $params) -> Self {
                    Call::$name(params)
                }
            }

            impl Params for $params {
                const METHOD: Method = Method::$name;
                type Answer = $answer;

                fn answer(reply: Reply) -> Option<$answer> {
                    match reply { Reply::$name(answer) => Some(answer), _ => None }
                }
            }
        )+
    };
}

methods! {
    /// Opens the generation.
    Hello, "host.hello", Control, Hello => Result<Welcome, DomainError>;
    /// Raises the fence. Answered by the reading thread itself, before anything that waits.
    Fence, "fence", Control, RaiseFence => Result<FenceAcknowledged, DomainError>;
    SessionBegin, "session.begin", Control, BeginSession => Result<SessionBegun, DomainError>;
    /// Drops everything the session held and cancels its calls.
    SessionEnd, "session.end", Control, EndSession => Result<SessionReleased, DomainError>;
    Health, "health", Reading, ReadHealth => Result<Health, DomainError>;
    AppsList, "apps.list", Reading, ListApplications => Result<Applications, DomainError>;
    WindowList, "window.list", Reading, ListWindows => Result<Windows, DomainError>;
    Observe, "observe", Reading, Observe => Result<Observed, DomainError>;
    ChangesWait, "changes.wait", Reading, WaitForChanges => Result<Changes, DomainError>;
    ScreenCapture, "screen.capture", Reading, Capture => Result<Captured, DomainError>;
    AppsLaunch, "apps.launch", Mutation, LaunchApplication => Result<Launched, DomainError>;
    DispatchElement, "dispatch.element", Mutation, DispatchElement => DispatchReport;
}
