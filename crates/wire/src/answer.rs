//! The `result` of a response: fields beside `ok`, or an error beside it.

use crate::{DomainError, ToolCallId};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor, value::CowStrDeserializer},
};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt, marker::PhantomData};

/// Something that stands in `result`.
pub(crate) trait Answer: Sized {
    /// `call` is `None` only for methods whose answers name no tool call.
    fn refused(call: Option<&ToolCallId>, error: DomainError) -> Self;
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
    fn read<'de, D: Deserializer<'de>>(ok: bool, deserializer: D) -> Result<Self, D::Error>;
}

pub(crate) fn read_answer<A: Answer>(result: &RawValue) -> Result<A, serde_json::Error> {
    let Peek { ok } = serde_json::from_str(result.get())?;
    A::read(ok, &mut serde_json::Deserializer::from_str(result.get()))
}

/// Serialises an answer as its `result`.
#[derive(Debug)]
pub(crate) struct Written<'a, A>(pub(crate) &'a A);

impl<A: Answer> Serialize for Written<'_, A> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

#[derive(Deserialize)]
struct Peek {
    ok: bool,
}

#[derive(Serialize)]
struct OkArm<'a, T> {
    ok: bool,
    #[serde(flatten)]
    fields: &'a T,
}

#[derive(Serialize)]
struct ErrorArm<'a> {
    ok: bool,
    error: &'a DomainError,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadError {
    error: DomainError,
}

impl<T> Answer for Result<T, DomainError>
where
    T: Serialize + for<'de> Deserialize<'de>,
{
    fn refused(_call: Option<&ToolCallId>, error: DomainError) -> Self {
        Err(error)
    }

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Ok(fields) => OkArm { ok: true, fields }.serialize(serializer),
            Err(error) => ErrorArm { ok: false, error }.serialize(serializer),
        }
    }

    fn read<'de, D: Deserializer<'de>>(ok: bool, deserializer: D) -> Result<Self, D::Error> {
        let rest = WithoutOk(deserializer);
        if ok { T::deserialize(rest).map(Ok) } else { ReadError::deserialize(rest).map(|read| Err(read.error)) }
    }
}

/// Shows an object without its `ok`, so that what stands beside it can refuse unknown fields.
struct WithoutOk<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for WithoutOk<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(WithoutOkVisitor(visitor))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct WithoutOkVisitor<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for WithoutOkVisitor<V> {
    type Value = V::Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(out)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(WithoutOkMap(map, PhantomData))
    }
}

struct WithoutOkMap<'de, A>(A, PhantomData<&'de ()>);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for WithoutOkMap<'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.0.next_key::<Cow<'de, str>>()? {
            if key != "ok" {
                return seed.deserialize(CowStrDeserializer::new(key)).map(Some);
            }
            self.0.next_value::<IgnoredAny>()?;
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(seed)
    }
}
