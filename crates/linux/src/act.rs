//! Actions by semantic routes: each finds its exact object first, and then makes one write through the gate.

use crate::{
    accessible::{ACTION, Client, EDITABLE_TEXT, Interfaces, PROPERTIES, Reference, SELECTION, TABLE, VALUE},
    bus::{Bus, CallError, Peer, Written},
    reading, scrolling,
};
use surehand_contract::{Code, Delivery};
use surehand_executor::{Acted, Action, Direction, Failure, Gate, Node, Rect, Route, SetValue};
use zbus::zvariant::Value;

pub(crate) struct Dispatch<'a> {
    pub(crate) client: Client<'a>,
    pub(crate) peer: &'a Peer,
    pub(crate) writing: &'a tokio::sync::Mutex<Bus>,
    pub(crate) gate: &'a Gate,
}

impl Dispatch<'_> {
    pub(crate) async fn act(&self, element: &Node<Reference>, action: &Action) -> Acted {
        let path = &*element.reference.path;
        match action {
            Action::Click => self.do_action(path, reading::click_action).await,
            Action::Perform { name } => {
                self.do_action(path, |actions| actions.iter().position(|action| action == name)).await
            }
            Action::SetValue(SetValue::Text(text)) => self.set_text(path, text.expose()).await,
            Action::SetValue(SetValue::Number(number)) => self.set_number(path, *number).await,
            Action::Select => self.select(element).await,
            Action::Scroll { direction, pages } => self.scroll(element, *direction, *pages).await,
        }
    }

    /// The list is read again, since an index is only as good as the list it counts in.
    async fn do_action(&self, path: &str, choose: impl Fn(&[String]) -> Option<usize>) -> Acted {
        let actions = match self.client.action_names_now(path).await {
            Ok(actions) => actions,
            Err(error) => return not_sent(error.code(), Route::A11yAction),
        };
        match choose(&actions).and_then(|index| i32::try_from(index).ok()) {
            Some(index) => self.write(Route::A11yAction, path, ACTION, "DoAction", &(index,)).await,
            None => not_sent(Code::UnsupportedAction, Route::A11yAction),
        }
    }

    /// A cell of a LibreOffice sheet takes numbers only: it has a value and no editable text.
    async fn set_text(&self, path: &str, text: &str) -> Acted {
        let interfaces = match self.client.facts(path).await {
            Ok(facts) => facts.interfaces,
            Err(error) => return not_sent(error.code(), Route::A11yText),
        };
        if interfaces.has(Interfaces::EDITABLE_TEXT) {
            return self.write(Route::A11yText, path, EDITABLE_TEXT, "SetTextContents", &(text,)).await;
        }
        match text.trim().parse().ok().filter(|number: &f64| number.is_finite() && interfaces.has(Interfaces::VALUE)) {
            Some(number) => self.set_number(path, number).await,
            None => not_sent(Code::UnsupportedAction, Route::A11yText),
        }
    }

    async fn set_number(&self, path: &str, number: f64) -> Acted {
        self.write(Route::A11yValue, path, PROPERTIES, "Set", &(VALUE, "CurrentValue", Value::from(number))).await
    }

    /// Through the container's selection where it has one, its rows where it is a table, else by an action of that
    /// name.
    async fn select(&self, element: &Node<Reference>) -> Acted {
        let path = &*element.reference.path;
        let container = match self.container(path).await {
            Ok(container) => container,
            Err(error) => return not_sent(error.code(), Route::A11ySelection),
        };
        match container {
            Some(Container { path: parent, interfaces, index }) if interfaces.has(Interfaces::SELECTION) => {
                self.write(Route::A11ySelection, &parent, SELECTION, "SelectChild", &(index,)).await
            }
            Some(Container { path: parent, interfaces, index }) if interfaces.has(Interfaces::TABLE) => {
                match self.client.row_at_index(&parent, index).await {
                    Ok(row) => self.write(Route::A11ySelection, &parent, TABLE, "AddRowSelection", &(row,)).await,
                    Err(error) => not_sent(error.code(), Route::A11ySelection),
                }
            }
            _ => self.do_action(path, reading::select_action).await,
        }
    }

    async fn container(&self, path: &str) -> Result<Option<Container>, CallError> {
        let (parent, index) = tokio::try_join!(self.client.parent(path), self.client.index_in_parent(path))?;
        let Some(parent) = parent else { return Ok(None) };
        let interfaces = self.client.facts(&parent.path).await?.interfaces;
        Ok(Some(Container { path: parent.path.to_string(), interfaces, index }))
    }

    /// By the scroll bar that belongs to the element: one page is what the bar covers of its range.
    async fn scroll(&self, element: &Node<Reference>, direction: Direction, pages: u32) -> Acted {
        let vertical = matches!(direction, Direction::Up | Direction::Down);
        let bar = match self.scroll_bar(&element.reference.path, vertical).await {
            Ok(Some(bar)) => bar,
            Ok(None) => return not_sent(Code::UnsupportedAction, Route::A11yValue),
            Err(error) => return not_sent(error.code(), Route::A11yValue),
        };
        let sign = if matches!(direction, Direction::Up | Direction::Left) { -1.0 } else { 1.0 };
        let wanted = bar.current + sign * f64::from(pages) * bar.page;
        self.set_number(&bar.path, wanted.clamp(bar.minimum, bar.maximum)).await
    }

    async fn scroll_bar(&self, path: &str, vertical: bool) -> Result<Option<ScrollBar>, CallError> {
        let mut owner = path.to_owned();
        for _ in 0..SCROLL_OWNERS {
            let viewport = self.client.extents(&owner).await.ok().map(|extents| length(&extents, vertical));
            let bars = scrolling::bars_in(self.client, &owner).await?;
            for bar in bars.into_iter().filter(|bar| bar.is_vertical() == vertical) {
                let length = length(&bar.extents, vertical);
                if let Some(bar) = self.measure(bar.path, length, viewport).await? {
                    return Ok(Some(bar));
                }
            }
            match self.client.parent(&owner).await? {
                Some(parent) => owner = parent.path.to_string(),
                None => break,
            }
        }
        Ok(None)
    }

    /// GTK4 keeps the value one level below the bar.
    async fn measure(&self, bar: String, length: i32, viewport: Option<i32>) -> Result<Option<ScrollBar>, CallError> {
        let mut path = bar;
        if !self.client.facts(&path).await?.interfaces.has(Interfaces::VALUE) {
            let Some(inner) = self.client.children(&path).await?.into_iter().next() else { return Ok(None) };
            path = inner.path.to_string();
        }
        let (current, minimum, maximum) = tokio::try_join!(
            self.client.number(&path, "CurrentValue"),
            self.client.number(&path, "MinimumValue"),
            self.client.number(&path, "MaximumValue"),
        )?;
        let page = f64::from(viewport.unwrap_or(length).max(1)) * PAGE_SHARE;
        Ok((maximum > minimum).then_some(ScrollBar { path, current, minimum, maximum, page }))
    }

    async fn write<B>(&self, route: Route, path: &str, interface: &'static str, member: &'static str, body: &B) -> Acted
    where
        B: serde::Serialize + zbus::zvariant::DynamicType,
    {
        let written = self.peer.write(self.writing, path, interface, member, body, self.gate).await;
        let (delivery, code) = match written {
            Written::Fenced => (Delivery::NotSent, Some(Code::NeedsObservation)),
            Written::Torn | Written::Unanswered => (Delivery::Unknown, Some(Code::OutcomeUnknown)),
            Written::Declined => (Delivery::Refused, Some(Code::DispatchRefused)),
            Written::Begun => (Delivery::Delivered, None),
            // `false` is the toolkit's own word that it did nothing; `true` proves nothing and claims nothing.
            Written::Answered(reply) => match reply.body().deserialize::<bool>() {
                Ok(false) => (Delivery::Refused, Some(Code::DispatchRefused)),
                _ => (Delivery::Delivered, None),
            },
        };
        Acted { delivery, failure: code.map(Failure::from), route }
    }
}

pub(crate) fn not_sent(code: Code, route: Route) -> Acted {
    Acted { delivery: Delivery::NotSent, failure: Some(code.into()), route }
}

fn length(extents: &Rect, vertical: bool) -> i32 {
    if vertical { extents.height } else { extents.width }
}

struct Container {
    path: String,
    interfaces: Interfaces,
    index: i32,
}

struct ScrollBar {
    path: String,
    current: f64,
    minimum: f64,
    maximum: f64,
    page: f64,
}

/// Ancestors asked for a scroll bar of theirs.
const SCROLL_OWNERS: usize = 4;
/// Part of the viewport that one page moves, so that a line stays in sight.
const PAGE_SHARE: f64 = 0.9;
