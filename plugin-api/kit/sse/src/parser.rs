//! The push parser: where lines end, what a field does, when an event is complete.

use std::{fmt, mem, time::Duration};

use memchr::{memchr, memchr2};

/// What [`Parser::new`] is given by [`Parser::default`]: 16 MiB.
const LINE_BYTES_MAX: usize = 16 << 20;

/// One thing that the stream said. Its text is borrowed from the parser and lives as long as the callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A complete event: a blank line followed it.
    Message(Message<'a>),
    /// A comment line, without its colon and the one space after it. It carries nothing but proves that the other end lives.
    Comment(&'a str),
    /// The other end's wish for the pause before a reconnection (`retry:`, milliseconds on the wire).
    Retry(Duration),
}

/// A complete event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// The `event` field; `message` where the stream names none.
    pub event: &'a str,
    /// The `data` lines, joined by newlines, without a last one.
    pub data: &'a str,
    /// The last `id` the stream has set, in this event or an earlier one; empty when there was none.
    pub id: &'a str,
}

/// An event whose closing blank line never came, see [`Parser::finish`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// As in [`Message`].
    pub event: String,
    /// As in [`Message`]; its last line may have been cut anywhere.
    pub data: String,
    /// As in [`Message`].
    pub id: String,
}

/// A line, or the data of one event, holds more bytes than the parser was told to keep.
///
/// The parser stays in this state: every further [`Parser::feed`] fails the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// The limit, in bytes.
    pub bytes_max: usize,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event stream: a line or an event is longer than {} bytes", self.bytes_max)
    }
}

impl std::error::Error for TooLong {}

/// A parser of one event stream, from its first byte to its last.
///
/// Every byte is looked at once, however it is split: the work is linear in what was fed. Buffers are kept from event to
/// event, so a stream of events like those before it allocates nothing.
#[derive(Debug)]
pub struct Parser {
    /// The line that has begun and not ended.
    line: Vec<u8>,
    /// Each `data` value of the open event with a newline after it, which tells "one empty line" from "no line".
    data: String,
    event: String,
    id: String,
    bytes_max: usize,
    at_start: bool,
    after_cr: bool,
    too_long: bool,
}

impl Default for Parser {
    fn default() -> Self {
        Self::new(LINE_BYTES_MAX)
    }
}

impl Parser {
    /// A parser that refuses a line, or an event's data, of more than `bytes_max` bytes.
    pub fn new(bytes_max: usize) -> Self {
        Self {
            line: Vec::new(),
            data: String::new(),
            event: String::new(),
            id: String::new(),
            bytes_max,
            at_start: true,
            after_cr: false,
            too_long: false,
        }
    }

    /// Takes the next bytes and calls `on_event` for each thing they complete, in order.
    ///
    /// # Errors
    /// [`TooLong`] when a line or an event's data passes the limit; what was complete before has been handed out.
    pub fn feed(&mut self, mut bytes: &[u8], mut on_event: impl FnMut(Event<'_>)) -> Result<(), TooLong> {
        if self.too_long {
            return Err(TooLong { bytes_max: self.bytes_max });
        }
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = memchr2(b'\n', b'\r', bytes) {
            let (head, rest) = bytes.split_at(end);
            bytes = &rest[1..];
            if rest[0] == b'\r' {
                // The line is over at once: whether an LF belongs to this CR may only be known with the next bytes.
                self.after_cr = bytes.is_empty();
                bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            }
            self.bounded(self.line.len() + head.len())?;
            if self.line.is_empty() {
                self.take_line(head, &mut on_event)?;
            } else {
                let mut line = mem::take(&mut self.line);
                line.extend_from_slice(head);
                self.take_line(&line, &mut on_event)?;
                line.clear();
                self.line = line;
            }
        }
        self.bounded(self.line.len() + bytes.len())?;
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// Ends the stream and hands out the event that was still open, if it had data.
    ///
    /// The standard drops such an event, because nobody knows whether it is whole. Some servers leave out the last blank
    /// line all the same, so the caller decides by what the data says (a `[DONE]` is whole, half a JSON object is not).
    pub fn finish(mut self) -> Option<Pending> {
        let line = mem::take(&mut self.line);
        if self.too_long || (!line.is_empty() && self.take_line(&line, &mut |_| {}).is_err()) {
            return None;
        }
        self.data.pop()?;
        if self.event.is_empty() {
            self.event.push_str("message");
        }
        Some(Pending { event: self.event, data: self.data, id: self.id })
    }

    fn bounded(&mut self, bytes: usize) -> Result<(), TooLong> {
        self.too_long = bytes > self.bytes_max;
        if self.too_long { Err(TooLong { bytes_max: self.bytes_max }) } else { Ok(()) }
    }

    fn take_line(&mut self, line: &[u8], on_event: &mut impl FnMut(Event<'_>)) -> Result<(), TooLong> {
        let line = match line.strip_prefix(b"\xEF\xBB\xBF") {
            Some(rest) if self.at_start => rest,
            _ => line,
        };
        self.at_start = false;
        if line.is_empty() {
            self.dispatch(on_event);
            return Ok(());
        }
        let (field, value) = match memchr(b':', line) {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &b""[..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                self.bounded(self.data.len() + value.len())?;
                push_text(&mut self.data, value);
                self.data.push('\n');
            }
            b"event" => {
                self.event.clear();
                push_text(&mut self.event, value);
            }
            // The standard ignores an id with a NUL: it could not be sent back in a header.
            b"id" if memchr(0, value).is_none() => {
                self.id.clear();
                push_text(&mut self.id, value);
            }
            b"retry" => {
                if let Some(pause) = milliseconds(value) {
                    on_event(Event::Retry(pause));
                }
            }
            b"" => on_event(Event::Comment(&String::from_utf8_lossy(value))),
            _ => {}
        }
        Ok(())
    }

    fn dispatch(&mut self, on_event: &mut impl FnMut(Event<'_>)) {
        if self.data.pop().is_some() {
            let event = if self.event.is_empty() { "message" } else { &self.event };
            on_event(Event::Message(Message { event, data: &self.data, id: &self.id }));
        }
        self.data.clear();
        self.event.clear();
    }
}

fn push_text(text: &mut String, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(valid) => text.push_str(valid),
        Err(_) => text.push_str(&String::from_utf8_lossy(bytes)),
    }
}

/// Only ASCII digits count; a number too large to mean anything is ignored like any other nonsense.
fn milliseconds(value: &[u8]) -> Option<Duration> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(value).ok()?.parse().ok().map(Duration::from_millis)
}
