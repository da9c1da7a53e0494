//! How UI text crosses this wire, and only this one: `UiText` itself does not serialise.
//!
//! Use with `#[serde(with = "surehand_wire::text")]`.

use serde::{Deserialize, Deserializer, Serializer};
use surehand_contract::UiText;

pub fn serialize<S: Serializer>(text: &UiText, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text.expose())
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<UiText, D::Error> {
    String::deserialize(deserializer).map(UiText::new)
}
