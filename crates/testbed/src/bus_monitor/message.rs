//! Messages of a bus as they travel (D-Bus specification, "Message Protocol"), as far as an oracle needs them.

use std::io::Read;

/// The largest message the specification allows, in bytes.
const MESSAGE_BYTES: usize = 128 * 1024 * 1024;
const FIXED_HEADER_BYTES: usize = 16;

/// One message: who called what of whom.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BusMessage {
    /// When the monitor saw it, in microseconds of `CLOCK_MONOTONIC`.
    pub at_us: u64,
    /// The kind (1 method call, 2 return, 3 error, 4 signal).
    pub kind: u8,
    /// The unique name of its sender.
    pub sender: String,
    /// The name it is for.
    pub destination: String,
    /// The object.
    pub path: String,
    /// The interface.
    pub interface: String,
    /// The method or signal.
    pub member: String,
    /// The types of its arguments.
    pub signature: String,
    /// Its arguments, up to the first of a type that is not told apart here.
    pub arguments: Vec<Argument>,
}

/// An argument of a basic type.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the names are the types")]
pub enum Argument {
    Byte(u8),
    Boolean(bool),
    Int32(i32),
    UInt32(u32),
    Int64(i64),
    UInt64(u64),
    Double(f64),
    String(String),
}

impl BusMessage {
    /// Reads the next message; `None` at the end of the stream, or where it makes no sense.
    pub(super) fn read_from(stream: &mut impl Read) -> Option<Self> {
        let mut bytes = vec![0; FIXED_HEADER_BYTES];
        stream.read_exact(&mut bytes).ok()?;
        let is_little = bytes[0] == b'l';
        let mut fixed = Cursor { bytes: &bytes, at: 4, is_little };
        let (body, _serial, fields) = (fixed.u32()?, fixed.u32()?, fixed.u32()?);
        let body_start = (FIXED_HEADER_BYTES + usize::try_from(fields).ok()?).next_multiple_of(8);
        let whole = body_start.checked_add(usize::try_from(body).ok()?).filter(|length| *length <= MESSAGE_BYTES)?;
        bytes.resize(whole, 0);
        stream.read_exact(&mut bytes[FIXED_HEADER_BYTES..]).ok()?;
        let mut message = Self { at_us: now_us(), kind: bytes[1], ..Self::default() };
        let fields_end = FIXED_HEADER_BYTES + usize::try_from(fields).ok()?;
        let mut header = Cursor { bytes: &bytes[..fields_end], at: FIXED_HEADER_BYTES, is_little };
        while header.at < fields_end {
            message.take_field(&mut header)?;
        }
        // Alignment is counted from the start of the message, whose body starts at a multiple of eight.
        let mut content = Cursor { bytes: &bytes[body_start..], at: 0, is_little };
        message.arguments = read_arguments(&message.signature, &mut content);
        Some(message)
    }

    /// Whether it calls that method of that interface.
    pub fn calls(&self, interface: &str, member: &str) -> bool {
        self.kind == 1 && self.interface == interface && self.member == member
    }

    /// Whether it is a call by which accessibility changes something in an application.
    pub fn is_write(&self) -> bool {
        let Some(interface) = self.interface.strip_prefix("org.a11y.atspi.") else {
            return self.calls("org.freedesktop.DBus.Properties", "Set");
        };
        let changes = match interface {
            "EditableText" | "Action" => !self.member.starts_with("Get"),
            "Selection" => ["Select", "Deselect", "Clear"].iter().any(|verb| self.member.starts_with(verb)),
            "Table" | "Text" => ["Add", "Remove", "Set", "Scroll"].iter().any(|verb| self.member.starts_with(verb)),
            "Component" => ["Grab", "Set", "Scroll"].iter().any(|verb| self.member.starts_with(verb)),
            "DeviceEventController" => self.member.starts_with("Generate"),
            _ => false,
        };
        self.kind == 1 && changes
    }

    /// A field is a code and a variant, and starts at a multiple of eight.
    fn take_field(&mut self, header: &mut Cursor<'_>) -> Option<()> {
        header.align(8);
        let code = header.byte()?;
        let signature = header.signature()?;
        let text = match signature.as_str() {
            "s" | "o" => header.string()?,
            "g" => header.signature()?,
            "u" => {
                header.u32()?;
                return Some(());
            }
            _ => return None,
        };
        match code {
            1 => self.path = text,
            2 => self.interface = text,
            3 => self.member = text,
            6 => self.destination = text,
            7 => self.sender = text,
            8 => self.signature = text,
            _ => {}
        }
        Some(())
    }
}

fn read_arguments(signature: &str, content: &mut Cursor<'_>) -> Vec<Argument> {
    signature.chars().map_while(|kind| read_argument(kind, content)).collect()
}

fn read_argument(kind: char, content: &mut Cursor<'_>) -> Option<Argument> {
    Some(match kind {
        'y' => Argument::Byte(content.byte()?),
        'b' => Argument::Boolean(content.u32()? != 0),
        'i' => Argument::Int32(content.u32()?.cast_signed()),
        'u' => Argument::UInt32(content.u32()?),
        'x' => Argument::Int64(content.u64()?.cast_signed()),
        't' => Argument::UInt64(content.u64()?),
        'd' => Argument::Double(f64::from_bits(content.u64()?)),
        's' | 'o' => Argument::String(content.string()?),
        'v' => {
            let signature = content.signature()?;
            let mut kinds = signature.chars();
            let kind = kinds.next().filter(|kind| *kind != 'v')?;
            return if kinds.next().is_none() { read_argument(kind, content) } else { None };
        }
        _ => return None,
    })
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    is_little: bool,
}

impl Cursor<'_> {
    fn align(&mut self, to: usize) {
        self.at = self.at.next_multiple_of(to);
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.align(N);
        let end = self.at.checked_add(N)?;
        let taken = self.bytes.get(self.at..end)?.try_into().ok()?;
        self.at = end;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        Some(self.take::<1>()?[0])
    }

    fn u32(&mut self) -> Option<u32> {
        let bytes = self.take()?;
        Some(if self.is_little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }

    fn u64(&mut self) -> Option<u64> {
        let bytes = self.take()?;
        Some(if self.is_little { u64::from_le_bytes(bytes) } else { u64::from_be_bytes(bytes) })
    }

    fn string(&mut self) -> Option<String> {
        let length = self.u32()?;
        self.text(usize::try_from(length).ok()?)
    }

    fn signature(&mut self) -> Option<String> {
        let length = self.byte()?;
        self.text(length.into())
    }

    /// Text is followed by a NUL.
    fn text(&mut self, length: usize) -> Option<String> {
        let end = self.at.checked_add(length)?;
        let text = String::from_utf8_lossy(self.bytes.get(self.at..end)?).into_owned();
        self.at = end + 1;
        Some(text)
    }
}

fn now_us() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let seconds = u64::try_from(now.tv_sec).expect("the monotonic clock is not negative");
    let microseconds = u64::try_from(now.tv_nsec / 1000).expect("nanoseconds are not negative");
    seconds * 1_000_000 + microseconds
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call of `InsertText(3, "a\nb", -1)` to `:1.2`, laid out by hand after the specification.
    fn insert_text() -> Vec<u8> {
        let mut fields = Vec::new();
        for (code, kind, text) in
            [(1u8, b'o', "/a"), (2, b's', "org.a11y.atspi.EditableText"), (3, b's', "InsertText"), (6, b's', ":1.2")]
        {
            fields.resize(fields.len().next_multiple_of(8), 0);
            fields.extend([code, 1, kind, 0]);
            fields.extend(u32::try_from(text.len()).unwrap().to_le_bytes());
            fields.extend(text.bytes().chain([0]));
        }
        fields.resize(fields.len().next_multiple_of(8), 0);
        fields.extend([8, 1, b'g', 0, 3, b'i', b's', b'i', 0]);
        let body: Vec<u8> = [3u32.to_le_bytes(), 3u32.to_le_bytes(), *b"a\nb\0", (-1i32).to_le_bytes()].concat();
        let mut message = vec![b'l', 1, 0, 1];
        for word in [body.len(), 7, fields.len()] {
            message.extend(u32::try_from(word).unwrap().to_le_bytes());
        }
        message.extend(&fields);
        message.resize(message.len().next_multiple_of(8), 0);
        message.extend(body);
        message
    }

    #[test]
    fn reads_one_message_after_the_other() {
        let stream = [insert_text(), insert_text()].concat();
        let mut stream = stream.as_slice();
        for _ in 0..2 {
            let message = BusMessage::read_from(&mut stream).unwrap();
            assert!(message.calls("org.a11y.atspi.EditableText", "InsertText"));
            assert!(message.is_write());
            assert_eq!((message.path.as_str(), message.destination.as_str()), ("/a", ":1.2"));
            let expected = [Argument::Int32(3), Argument::String("a\nb".into()), Argument::Int32(-1)];
            assert_eq!(message.arguments, expected);
        }
        assert_eq!(BusMessage::read_from(&mut stream), None);
    }

    #[test]
    fn a_cut_message_is_none() {
        let whole = insert_text();
        for length in 0..whole.len() {
            assert_eq!(BusMessage::read_from(&mut &whole[..length]), None, "cut at {length}");
        }
    }
}
