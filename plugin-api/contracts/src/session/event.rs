//! What a log holds: events, as they are appended and as they are read, and what a list says of a log.
use crate::{Item, Part, Result, wire};
use plugin_api::RChunk;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One event to append.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewEvent {
    /// What happened, a word of [`super::kind`] or another.
    pub kind: String,
    /// Its data.
    pub data: Value,
    /// Messages and other parts that belong to it.
    pub parts: Vec<Part>,
}

impl NewEvent {
    /// An event without parts.
    pub fn new(kind: &str, data: impl Serialize) -> Self {
        let data = serde_json::to_value(data).unwrap_or_default();
        NewEvent { kind: kind.to_owned(), data, parts: Vec::new() }
    }

    /// The same event with one part more.
    pub fn part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }
}

/// One event of a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    /// Position in the log, from 0, without gaps.
    pub seq: u64,
    /// When it was appended, milliseconds since the Unix epoch; never before the event before it.
    pub at_ms: u64,
    /// The event.
    pub event: NewEvent,
}

/// A line of the list of sessions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// The session.
    pub session: String,
    /// The one it was forked from or started by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// When it began, milliseconds since the Unix epoch.
    pub started_ms: u64,
    /// When its last event was appended, milliseconds since the Unix epoch.
    pub last_ms: u64,
    /// What it is about: the first words of the first user message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// The chunk kind of an event.
pub(super) const EVENT: u16 = 1;

#[derive(Serialize, Deserialize)]
struct EventHead {
    seq: u64,
    at_ms: u64,
    kind: String,
    #[serde(default)]
    data: Value,
}

impl Item for Event {
    fn into_chunk(self) -> RChunk {
        let NewEvent { kind, data, parts } = self.event;
        let head = EventHead { seq: self.seq, at_ms: self.at_ms, kind, data };
        let mut chunk = RChunk::data(EVENT, 0, wire::write(&head));
        chunk.parts = parts.into();
        chunk
    }

    fn from_chunk(chunk: RChunk) -> Result<Self> {
        let EventHead { seq, at_ms, kind, data } = wire::read("session event", &chunk.data)?;
        Ok(Event { seq, at_ms, event: NewEvent { kind, data, parts: chunk.parts.into() } })
    }
}
