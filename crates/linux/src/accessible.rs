//! Single reads of accessible objects. Each is one method call with a bounded wait.

use crate::bus::{Bus, CallError, Peer};
use std::sync::Arc;
use surehand_executor::Rect;
use zbus::{
    message::Body,
    zvariant::{DynamicDeserialize, DynamicType, ObjectPath, OwnedValue, Type},
};

pub(crate) const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
pub(crate) const ACTION: &str = "org.a11y.atspi.Action";
pub(crate) const APPLICATION: &str = "org.a11y.atspi.Application";
pub(crate) const CACHE: &str = "org.a11y.atspi.Cache";
pub(crate) const COMPONENT: &str = "org.a11y.atspi.Component";
pub(crate) const EDITABLE_TEXT: &str = "org.a11y.atspi.EditableText";
pub(crate) const SELECTION: &str = "org.a11y.atspi.Selection";
pub(crate) const TABLE: &str = "org.a11y.atspi.Table";
pub(crate) const TEXT: &str = "org.a11y.atspi.Text";
pub(crate) const VALUE: &str = "org.a11y.atspi.Value";
pub(crate) const PROPERTIES: &str = "org.freedesktop.DBus.Properties";

pub(crate) const ROOT_PATH: &str = "/org/a11y/atspi/accessible/root";
const NULL_PATH: &str = "/org/a11y/atspi/null";
const CACHE_PATH: &str = "/org/a11y/atspi/cache";

/// Where an application is asked to count extents from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub(crate) enum Coordinates {
    #[default]
    Screen = 0,
    Window = 1,
}

/// One object: the unique name of its owner on the accessibility bus, and its path there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reference {
    pub(crate) owner: Arc<str>,
    pub(crate) path: Arc<str>,
}

/// What an object says of itself, apart from where it is and what it holds.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    /// A number of the protocol's role list.
    pub(crate) role: u32,
    pub(crate) name: String,
    /// The protocol's state bits, low word first.
    pub(crate) states: u64,
    pub(crate) interfaces: Interfaces,
    pub(crate) child_count: i32,
}

impl Facts {
    pub(crate) fn has(&self, state: atspi_common::State) -> bool {
        self.states & state as u64 != 0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Interfaces(u8);

impl Interfaces {
    pub(crate) const ACTION: Self = Self(1);
    pub(crate) const COMPONENT: Self = Self(1 << 1);
    pub(crate) const EDITABLE_TEXT: Self = Self(1 << 2);
    pub(crate) const SELECTION: Self = Self(1 << 3);
    pub(crate) const TABLE: Self = Self(1 << 4);
    pub(crate) const TEXT: Self = Self(1 << 5);
    pub(crate) const VALUE: Self = Self(1 << 6);

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        names.into_iter().fold(Self::default(), |set, name| {
            Self(
                set.0
                    | match name {
                        ACTION => Self::ACTION.0,
                        COMPONENT => Self::COMPONENT.0,
                        EDITABLE_TEXT => Self::EDITABLE_TEXT.0,
                        SELECTION => Self::SELECTION.0,
                        TABLE => Self::TABLE.0,
                        TEXT => Self::TEXT.0,
                        VALUE => Self::VALUE.0,
                        _ => 0,
                    },
            )
        })
    }
}

/// One line of the bulk answer.
#[derive(Debug, Clone)]
pub(crate) struct CacheItem {
    pub(crate) path: Arc<str>,
    pub(crate) parent: Arc<str>,
    pub(crate) index: i32,
    pub(crate) facts: Facts,
}

/// One application, through one connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Client<'a> {
    pub(crate) bus: &'a Bus,
    pub(crate) peer: &'a Peer,
}

impl Client<'_> {
    pub(crate) async fn facts(&self, path: &str) -> Result<Facts, CallError> {
        let (role, name, states, interfaces, child_count) = tokio::try_join!(
            self.get::<u32>(path, ACCESSIBLE, "GetRole"),
            self.property::<String>(path, ACCESSIBLE, "Name"),
            self.get::<Vec<u32>>(path, ACCESSIBLE, "GetState"),
            self.interfaces(path),
            self.property::<i32>(path, ACCESSIBLE, "ChildCount"),
        )?;
        Ok(Facts { role, name, states: state_bits(&states), interfaces, child_count })
    }

    async fn interfaces(&self, path: &str) -> Result<Interfaces, CallError> {
        let reply = self.ask(path, ACCESSIBLE, "GetInterfaces", &()).await?;
        let names: Vec<&str> = decode(&reply)?;
        Ok(Interfaces::from_names(names))
    }

    /// Never called on an object that makes its children on demand: on a LibreOffice sheet it hangs the
    /// application.
    pub(crate) async fn children(&self, path: &str) -> Result<Vec<Reference>, CallError> {
        let reply = self.ask(path, ACCESSIBLE, "GetChildren", &()).await?;
        let children: Vec<(&str, ObjectPath<'_>)> = decode(&reply)?;
        Ok(children.iter().filter_map(|(owner, path)| reference(owner, path)).collect())
    }

    pub(crate) async fn child_at(&self, path: &str, index: i32) -> Result<Option<Reference>, CallError> {
        let reply = self.ask(path, ACCESSIBLE, "GetChildAtIndex", &(index,)).await?;
        decode_reference(&reply)
    }

    pub(crate) async fn parent(&self, path: &str) -> Result<Option<Reference>, CallError> {
        let (owner, path): (String, zbus::zvariant::OwnedObjectPath) =
            self.property(path, ACCESSIBLE, "Parent").await?;
        Ok(reference(&owner, &path))
    }

    pub(crate) async fn index_in_parent(&self, path: &str) -> Result<i32, CallError> {
        self.get(path, ACCESSIBLE, "GetIndexInParent").await
    }

    pub(crate) async fn description(&self, path: &str) -> Result<String, CallError> {
        self.property(path, ACCESSIBLE, "Description").await
    }

    /// Everything the application keeps in its own cache. Only ATK and GTK4 answer it usefully.
    pub(crate) async fn cache_items(&self) -> Result<Vec<CacheItem>, CallError> {
        let reply = self.ask(CACHE_PATH, CACHE, "GetItems", &()).await?;
        let items: Vec<WireItem<'_>> = decode(&reply)?;
        Ok(items.into_iter().filter_map(|item| item.into_owned(&self.peer.name)).collect())
    }

    /// Pixels of the root window, for toolkits that know where they are; of the window itself on GTK4.
    pub(crate) async fn extents(&self, path: &str) -> Result<Rect, CallError> {
        let reply = self.ask(path, COMPONENT, "GetExtents", &(self.peer.coordinates as u32,)).await?;
        let (x, y, width, height): (i32, i32, i32, i32) = decode(&reply)?;
        Ok(Rect { x, y, width, height })
    }

    pub(crate) async fn accessible_at_point(&self, path: &str, x: i32, y: i32) -> Result<Option<Reference>, CallError> {
        let body = (x, y, self.peer.coordinates as u32);
        let reply = self.ask(path, COMPONENT, "GetAccessibleAtPoint", &body).await?;
        decode_reference(&reply)
    }

    /// Untranslated names in the toolkit's order; from what was learned of the application, so only to be shown and
    /// compared. See [`Self::action_names_now`] for acting.
    pub(crate) async fn action_names(&self, path: &str) -> Result<Vec<String>, CallError> {
        let told = self.translated_action_names(path).await?;
        // Chromium translates none: lists of empty names have nothing in common.
        if told.iter().any(String::is_empty) {
            return self.untranslated(path, &told).await;
        }
        let names = self.peer.action_names.of(&told);
        Ok(names.get_or_try_init(|| self.untranslated(path, &told)).await?.clone())
    }

    /// Untranslated names in the toolkit's order, each asked for.
    pub(crate) async fn action_names_now(&self, path: &str) -> Result<Vec<String>, CallError> {
        let told = self.translated_action_names(path).await?;
        self.untranslated(path, &told).await
    }

    async fn translated_action_names(&self, path: &str) -> Result<Vec<String>, CallError> {
        let reply = self.ask(path, ACTION, "GetActions", &()).await?;
        let actions: Vec<(&str, &str, &str)> = decode(&reply)?;
        Ok(actions.into_iter().map(|(name, _, _)| name.to_owned()).collect())
    }

    async fn untranslated(&self, path: &str, told: &[String]) -> Result<Vec<String>, CallError> {
        let name = |(index, told): (i32, &String)| {
            let told = told.clone();
            async move {
                match self.ask(path, ACTION, "GetName", &(index,)).await {
                    Ok(reply) => Ok(decode::<&str>(&reply).map_or(told, str::to_owned)),
                    // A toolkit that does not offer it has no other names than those it told.
                    Err(CallError::Declined | CallError::Malformed) => Ok(told),
                    Err(error) => Err(error),
                }
            }
        };
        futures_util::future::try_join_all((0..).zip(told).map(name)).await
    }

    pub(crate) async fn character_count(&self, path: &str) -> Result<i32, CallError> {
        self.property(path, TEXT, "CharacterCount").await
    }

    /// The end is always given: GTK4 answers an open end on entries with nothing.
    pub(crate) async fn text(&self, path: &str, end: i32) -> Result<String, CallError> {
        let reply = self.ask(path, TEXT, "GetText", &(0_i32, end)).await?;
        decode::<&str>(&reply).map(str::to_owned)
    }

    pub(crate) async fn number(&self, path: &str, property: &'static str) -> Result<f64, CallError> {
        self.property(path, VALUE, property).await
    }

    pub(crate) async fn accessible_at_cell(
        &self,
        path: &str,
        row: i32,
        column: i32,
    ) -> Result<Option<Reference>, CallError> {
        let reply = self.ask(path, TABLE, "GetAccessibleAt", &(row, column)).await?;
        decode_reference(&reply)
    }

    pub(crate) async fn row_at_index(&self, path: &str, index: i32) -> Result<i32, CallError> {
        let reply = self.ask(path, TABLE, "GetRowAtIndex", &(index,)).await?;
        decode(&reply)
    }

    pub(crate) async fn column_at_index(&self, path: &str, index: i32) -> Result<i32, CallError> {
        let reply = self.ask(path, TABLE, "GetColumnAtIndex", &(index,)).await?;
        decode(&reply)
    }

    pub(crate) async fn get<T>(&self, path: &str, interface: &'static str, member: &'static str) -> Result<T, CallError>
    where
        T: for<'b> DynamicDeserialize<'b>,
    {
        let reply = self.ask(path, interface, member, &()).await?;
        decode(&reply)
    }

    /// One property. All of them at once is never asked for.
    pub(crate) async fn property<T>(
        &self,
        path: &str,
        interface: &'static str,
        property: &'static str,
    ) -> Result<T, CallError>
    where
        T: TryFrom<OwnedValue>,
    {
        let reply = self.ask(path, PROPERTIES, "Get", &(interface, property)).await?;
        let value: OwnedValue = decode(&reply)?;
        T::try_from(value).map_err(|_| CallError::Malformed)
    }

    async fn ask<B>(
        &self,
        path: &str,
        interface: &'static str,
        member: &'static str,
        arguments: &B,
    ) -> Result<Body, CallError>
    where
        B: serde::Serialize + DynamicType,
    {
        Ok(self.peer.call(self.bus, path, interface, member, arguments).await?.body())
    }
}

/// object, application, parent, index, child count, interfaces, name, role, description, states: the shape that
/// `org.a11y.atspi.Cache` has had since at-spi2-core 2.0 for children counted instead of listed.
#[derive(Debug, serde::Deserialize, Type)]
struct WireItem<'a> {
    #[serde(borrow)]
    object: (&'a str, ObjectPath<'a>),
    #[serde(borrow)]
    application: (&'a str, ObjectPath<'a>),
    #[serde(borrow)]
    parent: (&'a str, ObjectPath<'a>),
    index: i32,
    child_count: i32,
    #[serde(borrow)]
    interfaces: Vec<&'a str>,
    name: &'a str,
    role: u32,
    description: &'a str,
    states: Vec<u32>,
}

impl WireItem<'_> {
    fn into_owned(self, owner: &str) -> Option<CacheItem> {
        let _ = (self.application, self.description);
        (self.object.0 == owner).then(|| CacheItem {
            path: self.object.1.as_str().into(),
            parent: self.parent.1.as_str().into(),
            index: self.index,
            facts: Facts {
                role: self.role,
                name: self.name.to_owned(),
                states: state_bits(&self.states),
                interfaces: Interfaces::from_names(self.interfaces),
                child_count: self.child_count,
            },
        })
    }
}

fn decode<'b, T>(body: &'b Body) -> Result<T, CallError>
where
    T: DynamicDeserialize<'b>,
{
    body.deserialize().map_err(|_| CallError::Malformed)
}

fn decode_reference(body: &Body) -> Result<Option<Reference>, CallError> {
    let (owner, path): (&str, ObjectPath<'_>) = decode(body)?;
    Ok(reference(owner, &path))
}

fn reference(owner: &str, path: &ObjectPath<'_>) -> Option<Reference> {
    (path.as_str() != NULL_PATH && !owner.is_empty())
        .then(|| Reference { owner: owner.into(), path: path.as_str().into() })
}

fn state_bits(words: &[u32]) -> u64 {
    let word = |position: usize| u64::from(words.get(position).copied().unwrap_or(0));
    word(0) | word(1) << 32
}
