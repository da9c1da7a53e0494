use crate::{ElementToken, FiniteNumber, Rect, text};
use serde::{Deserialize, Serialize};
use surehand_contract::{Digest, UiText};

/// One element of a snapshot. Parents stand before their children.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Element {
    pub token: ElementToken,
    /// For presentation: kept across the snapshots of one session and window, never reused for another element.
    pub stable_id: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_token: Option<ElementToken>,
    pub depth: u32,
    /// The native role name, as the accessibility protocol writes it.
    pub role: String,
    #[serde(default, with = "text", skip_serializing_if = "UiText::is_empty")]
    pub name: UiText,
    #[serde(default, with = "text", skip_serializing_if = "UiText::is_empty")]
    pub description: UiText,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<State>,
    /// Action names for [`Verb::Perform`], in the toolkit's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verbs: Vec<Verb>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Pixels from the top left of the window's client area.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Rect>,
    pub digest: Digest,
    /// The texts that are only the beginning of what the application has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub truncated: Vec<TextField>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Value {
    /// `characters` counts the whole text.
    Text {
        #[serde(with = "text")]
        text: UiText,
        characters: u64,
    },
    /// A limit that the application gives as infinite or undefined is absent.
    Number {
        current: FiniteNumber,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        minimum: Option<FiniteNumber>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        maximum: Option<FiniteNumber>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        increment: Option<FiniteNumber>,
    },
    /// A password: never read.
    Withheld {},
}

/// What an element takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    Click,
    SetValue,
    Select,
    Scroll,
    Perform,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TextField {
    Name,
    Description,
    Value,
}

/// A closed set of states, in the words of the accessibility protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum State {
    #[serde(rename = "showing")]
    Showing,
    #[serde(rename = "enabled")]
    Enabled,
    #[serde(rename = "focusable")]
    Focusable,
    #[serde(rename = "focused")]
    Focused,
    #[serde(rename = "selectable")]
    Selectable,
    #[serde(rename = "selected")]
    Selected,
    #[serde(rename = "checkable")]
    Checkable,
    #[serde(rename = "checked")]
    Checked,
    #[serde(rename = "indeterminate")]
    Indeterminate,
    #[serde(rename = "pressed")]
    Pressed,
    #[serde(rename = "expandable")]
    Expandable,
    #[serde(rename = "expanded")]
    Expanded,
    #[serde(rename = "editable")]
    Editable,
    #[serde(rename = "read-only")]
    ReadOnly,
    #[serde(rename = "multi-line")]
    Multiline,
    #[serde(rename = "modal")]
    Modal,
    #[serde(rename = "required")]
    Required,
    #[serde(rename = "invalid-entry")]
    Invalid,
    #[serde(rename = "busy")]
    Busy,
    #[serde(rename = "default")]
    Default,
    #[serde(rename = "active")]
    Active,
    #[serde(rename = "has-popup")]
    HasPopup,
    #[serde(rename = "protected")]
    Protected,
    #[serde(rename = "manages-descendants")]
    ManagesDescendants,
}
