use std::fmt;

/// Text that came from a screen or is meant for one: titles, labels, values, typed text.
///
/// It has no `Display`, no `Serialize` and a `Debug` that shows only its length, so that it cannot reach a
/// log, an error or a kept record by accident. Whoever shows it to the current turn's model, or hands it to
/// an application, says so by calling [`UiText::expose`].
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct UiText(String);

impl UiText {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Shows the text. Whoever calls this answers for where it goes.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn into_exposed(self) -> String {
        self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Unicode scalar values, not bytes.
    pub fn characters(&self) -> usize {
        self.0.chars().count()
    }
}

impl fmt::Debug for UiText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "UiText({} bytes)", self.0.len())
    }
}
