use crate::{Method, bounds};

/// A rule of the protocol that the other side broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Violation {
    #[error("a line is longer than {} bytes", bounds::LINE_BYTES)]
    LineTooLong,
    #[error("a line is not UTF-8")]
    NotUtf8,
    #[error("a line is not JSON")]
    NotJson,
    #[error("a line is not a message of this protocol")]
    NotAMessage,
    #[error("a line of the other side could not be used, and named no request")]
    Complained,
    #[error("a request id is not higher than the ones before it")]
    IdNotHigher,
    #[error("an answer names no request that waits for one")]
    AnswerWithoutRequest,
    #[error("the answer to {} is not the method's", .0.as_str())]
    MalformedAnswer(Method),
}

/// What a violation costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// [`bounds::VIOLATIONS_PER_GENERATION`] of these end the generation.
    Counted,
    /// Ends the generation at once: what follows cannot be trusted.
    Fatal,
}

impl Violation {
    pub const fn severity(self) -> Severity {
        match self {
            Violation::NotUtf8 | Violation::NotJson | Violation::NotAMessage | Violation::Complained => {
                Severity::Counted
            }
            Violation::LineTooLong
            | Violation::IdNotHigher
            | Violation::AnswerWithoutRequest
            | Violation::MalformedAnswer(_) => Severity::Fatal,
        }
    }
}

/// The violations of one generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ViolationCount {
    counted: u32,
    ended: bool,
}

impl ViolationCount {
    /// Takes one in; true when the generation is over.
    #[must_use]
    pub const fn add(&mut self, violation: Violation) -> bool {
        self.counted = self.counted.saturating_add(1);
        self.ended = self.ended
            || matches!(violation.severity(), Severity::Fatal)
            || self.counted >= bounds::VIOLATIONS_PER_GENERATION;
        self.ended
    }

    pub const fn is_over(&self) -> bool {
        self.ended
    }
}
