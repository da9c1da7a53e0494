//! One D-Bus connection with many calls in flight.
//!
//! Calls are matched to answers by serial through one map, so a reply costs the same however many wait. No
//! proxy is ever built: their property caches call `Properties.GetAll`, which crashes Qt and Chromium
//! (QTBUG-class faults measured on Qt 5.15, Qt 6.4 and Chromium 156).

use crate::{accessible::Coordinates, action_names::ActionNames, bounds};
use futures_util::{FutureExt, StreamExt};
use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use surehand_contract::Code;
use surehand_executor::Gate;
use tokio::{
    sync::{Semaphore, oneshot},
    time::{Instant, timeout, timeout_at},
};
use zbus::{
    Connection, MatchRule, Message, MessageStream,
    message::Type,
    zvariant::{DynamicType, ObjectPath},
};

/// Why a call has no answer to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallError {
    /// No answer within the call's time: the application hangs or is slow.
    Timeout,
    /// The peer left the bus before it answered.
    Gone,
    /// The peer answered with an error: it does not have the object, the interface or the member.
    Declined,
    /// The answer has another shape than the interface says.
    Malformed,
    /// The breaker is open: an earlier call timed out a short while ago.
    Suspended,
    /// The connection to the bus itself is lost.
    BusLost,
}

impl CallError {
    /// The code of a read that failed so.
    pub(crate) const fn code(self) -> Code {
        match self {
            Self::Timeout | Self::Suspended => Code::Unresponsive,
            Self::Gone | Self::Declined | Self::Malformed => Code::TargetMissing,
            Self::BusLost => Code::DesktopUnavailable,
        }
    }
}

/// What became of a call that changes something.
#[derive(Debug)]
pub(crate) enum Written {
    /// The fence was up: not sent.
    Fenced,
    /// Could not be handed to the bus whole: it may or may not arrive.
    Torn,
    Answered(Message),
    Declined,
    /// Sent; the peer answered later calls but not this one, which it is therefore still carrying out.
    Begun,
    /// Sent; nothing is known of it.
    Unanswered,
}

#[derive(Debug)]
pub(crate) struct Bus {
    connection: Connection,
    waiting: Arc<Waiting>,
    /// A message was handed over in part: whatever is sent after it would be read as its rest.
    is_torn: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct Waiting(Mutex<HashMap<NonZeroU32, oneshot::Sender<Message>>>);

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, HashMap<NonZeroU32, oneshot::Sender<Message>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One member of one object of one peer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member<'a> {
    pub(crate) destination: &'a str,
    pub(crate) path: &'a str,
    pub(crate) interface: &'static str,
    pub(crate) member: &'static str,
}

impl Bus {
    pub(crate) async fn connect(address: &str, on_signal: impl Fn(&Message) + Send + 'static) -> zbus::Result<Self> {
        let connection =
            zbus::connection::Builder::address(address)?.max_queued(bounds::QUEUED_MESSAGES).build().await?;
        Ok(Self::serve(connection, on_signal))
    }

    pub(crate) async fn session() -> zbus::Result<Self> {
        Ok(Self::serve(zbus::connection::Builder::session()?.build().await?, |_| ()))
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.connection.is_closed() || self.is_torn.load(Ordering::Relaxed)
    }

    /// Whether it must be replaced, for asking while somebody writes.
    pub(crate) fn torn(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_torn)
    }

    /// Serves a connection; every signal that arrives is handed to `on_signal`. Ends when the bus closes it.
    fn serve(connection: Connection, on_signal: impl Fn(&Message) + Send + 'static) -> Self {
        let waiting = Arc::new(Waiting::default());
        tokio::spawn(route(MessageStream::from(&connection), Arc::clone(&waiting), on_signal));
        Self { connection, waiting, is_torn: Arc::default() }
    }

    pub(crate) async fn listen(&self, rule: &MatchRule<'_>) -> Result<(), CallError> {
        let member = Member {
            destination: "org.freedesktop.DBus",
            path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus",
            member: "AddMatch",
        };
        self.call(member, &(rule.to_string(),), bounds::CALL).await.map(drop)
    }

    /// Calls and waits for the answer, at most `within`.
    pub(crate) async fn call<B>(&self, member: Member<'_>, body: &B, within: Duration) -> Result<Message, CallError>
    where
        B: serde::Serialize + DynamicType,
    {
        let message = build(member, body)?;
        let (serial, answer) = self.expect_answer(&message);
        let deadline = Instant::now() + within;
        let outcome = async {
            match timeout_at(deadline, self.connection.send(&message)).await {
                Err(_) => return Err(CallError::Timeout),
                Ok(Err(_)) => return Err(CallError::BusLost),
                Ok(Ok(())) => {}
            }
            match timeout_at(deadline, answer).await {
                Err(_) => Err(CallError::Timeout),
                Ok(Err(_)) => Err(CallError::BusLost),
                Ok(Ok(message)) => judge(message),
            }
        }
        .await;
        self.waiting.lock().remove(&serial);
        outcome
    }

    /// Makes one write through the fence. Only one connection's user may call this at a time: with no other
    /// writer the first poll of the send hands the whole message to the kernel.
    async fn write<B>(&self, member: Member<'_>, body: &B, gate: &Gate) -> Result<Answer, Written>
    where
        B: serde::Serialize + DynamicType,
    {
        let Ok(message) = build(member, body) else { return Err(Written::Declined) };
        let (serial, answer) = self.expect_answer(&message);
        let sent = gate.pass(|| self.connection.send(&message).now_or_never());
        let waiting = Answer { answer, serial, waiting: Arc::clone(&self.waiting) };
        match sent {
            Err(_) => Err(Written::Fenced),
            Ok(Some(Ok(()))) => Ok(waiting),
            Ok(Some(Err(_)) | None) => {
                self.is_torn.store(true, Ordering::Relaxed);
                Err(Written::Torn)
            }
        }
    }

    fn expect_answer(&self, message: &Message) -> (NonZeroU32, oneshot::Receiver<Message>) {
        let serial = message.primary_header().serial_num();
        let (sender, receiver) = oneshot::channel();
        self.waiting.lock().insert(serial, sender);
        (serial, receiver)
    }
}

struct Answer {
    answer: oneshot::Receiver<Message>,
    serial: NonZeroU32,
    waiting: Arc<Waiting>,
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.waiting.lock().remove(&self.serial);
    }
}

fn build<B>(member: Member<'_>, body: &B) -> Result<Message, CallError>
where
    B: serde::Serialize + DynamicType,
{
    let path = ObjectPath::try_from(member.path).map_err(|_| CallError::Malformed)?;
    Message::method_call(path, member.member)
        .and_then(|message| message.destination(member.destination))
        .and_then(|message| message.interface(member.interface))
        .and_then(|message| message.build(body))
        .map_err(|_| CallError::Malformed)
}

/// D-Bus error *names* are part of the protocol; their texts are not read.
fn judge(message: Message) -> Result<Message, CallError> {
    if message.message_type() != Type::Error {
        return Ok(message);
    }
    let header = message.header();
    Err(match header.error_name().map(|name| name.as_str()) {
        Some(
            "org.freedesktop.DBus.Error.ServiceUnknown"
            | "org.freedesktop.DBus.Error.NameHasNoOwner"
            | "org.freedesktop.DBus.Error.NoReply"
            | "org.freedesktop.DBus.Error.Disconnected",
        ) => CallError::Gone,
        _ => CallError::Declined,
    })
}

async fn route(mut messages: MessageStream, waiting: Arc<Waiting>, on_signal: impl Fn(&Message)) {
    while let Some(Ok(message)) = messages.next().await {
        match message.message_type() {
            Type::Signal => on_signal(&message),
            Type::MethodReturn | Type::Error => {
                let serial = message.header().reply_serial();
                let waiter = serial.and_then(|serial| waiting.lock().remove(&serial));
                if let Some(waiter) = waiter {
                    // The waiter may have run out of time; its answer is then nobody's.
                    drop(waiter.send(message));
                }
            }
            Type::MethodCall => {}
        }
    }
    waiting.lock().clear();
}

/// One application on the bus: its share of calls in flight, and a breaker that opens on its first timeout, so
/// that a hung application costs one deadline and not one a call.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) action_names: ActionNames,
    pub(crate) coordinates: Coordinates,
    in_flight: Semaphore,
    open_until: Mutex<Option<Instant>>,
}

impl Peer {
    pub(crate) fn new(name: String) -> Self {
        Self {
            name,
            action_names: ActionNames::default(),
            coordinates: Coordinates::default(),
            in_flight: Semaphore::new(bounds::CALLS_IN_FLIGHT),
            open_until: Mutex::new(None),
        }
    }

    pub(crate) async fn call<B>(
        &self,
        bus: &Bus,
        path: &str,
        interface: &'static str,
        member: &'static str,
        body: &B,
    ) -> Result<Message, CallError>
    where
        B: serde::Serialize + DynamicType,
    {
        if self.is_suspended() {
            return Err(CallError::Suspended);
        }
        let permit = self.in_flight.acquire().await.map_err(|_| CallError::BusLost)?;
        if self.is_suspended() {
            return Err(CallError::Suspended);
        }
        let outcome = bus.call(self.member(path, interface, member), body, bounds::CALL).await;
        drop(permit);
        match outcome {
            Err(CallError::Timeout) => self.suspend(),
            Ok(_) | Err(CallError::Declined | CallError::Malformed) => self.resume(),
            Err(_) => {}
        }
        outcome
    }

    /// Makes one write through `gate` on the connection kept for writing, and follows it until it is answered,
    /// or known to have begun, or its time is over.
    pub(crate) async fn write<B>(
        &self,
        writing: &tokio::sync::Mutex<Bus>,
        path: &str,
        interface: &'static str,
        member: &'static str,
        body: &B,
        gate: &Gate,
    ) -> Written
    where
        B: serde::Serialize + DynamicType,
    {
        let mut answer = {
            let bus = writing.lock().await;
            match bus.write(self.member(path, interface, member), body, gate).await {
                Ok(answer) => answer,
                Err(written) => return written,
            }
        };
        let deadline = Instant::now() + bounds::ACTION_REPLY;
        if let Ok(reply) = timeout(bounds::ACTION_PROBE_AFTER, &mut answer.answer).await {
            return settle(reply);
        }
        // Messages of one connection reach the application in order: an answer to a later one proves that this
        // one was taken up, as it is by a button whose handler runs a modal dialog before it returns.
        let probe = {
            let bus = writing.lock().await;
            let member = self.member(path, "org.a11y.atspi.Accessible", "GetRole");
            let Ok(message) = build(member, &()) else { return Written::Unanswered };
            let (serial, receiver) = bus.expect_answer(&message);
            if bus.connection.send(&message).await.is_err() {
                return Written::Unanswered;
            }
            Answer { answer: receiver, serial, waiting: Arc::clone(&bus.waiting) }
        };
        let mut probe = probe;
        tokio::select! {
            biased;
            reply = &mut answer.answer => settle(reply),
            answered = &mut probe.answer => match answered {
                Ok(_) => match (&mut answer.answer).now_or_never() {
                    Some(reply) => settle(reply),
                    None => Written::Begun,
                },
                Err(_) => Written::Unanswered,
            },
            () = tokio::time::sleep_until(deadline) => { self.suspend(); Written::Unanswered }
        }
    }

    pub(crate) fn is_suspended(&self) -> bool {
        self.open_until.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|until| Instant::now() < until)
    }

    fn suspend(&self) {
        *self.open_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + bounds::BREAKER_OPEN);
    }

    fn resume(&self) {
        *self.open_until.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn member<'a>(&'a self, path: &'a str, interface: &'static str, member: &'static str) -> Member<'a> {
        Member { destination: &self.name, path, interface, member }
    }
}

fn settle(reply: Result<Message, oneshot::error::RecvError>) -> Written {
    match reply.map(judge) {
        Ok(Ok(message)) => Written::Answered(message),
        Ok(Err(CallError::Declined | CallError::Malformed)) => Written::Declined,
        Ok(Err(_)) | Err(_) => Written::Unanswered,
    }
}
