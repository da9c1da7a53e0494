use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number that JSON can write: neither infinite nor undefined.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct FiniteNumber(f64);

/// The number is infinite or undefined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the number is not finite")]
pub struct NotFinite;

impl FiniteNumber {
    pub const fn new(number: f64) -> Result<Self, NotFinite> {
        if number.is_finite() { Ok(Self(number)) } else { Err(NotFinite) }
    }

    pub const fn get(self) -> f64 {
        self.0
    }
}

impl Serialize for FiniteNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for FiniteNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(f64::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
