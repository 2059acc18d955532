//! The lines of a log. The first is the header, each other one an event, or a run of events that differ in their text alone.
//!
//! ```text
//! {"format":1,"session":"s1","started_ms":1700000000000}
//! {"seq":0,"at_ms":1700000000001,"kind":"turn/start","data":{"turn":1}}
//! {"seq":1,"at_ms":1700000000001,"kind":"user/message","data":{},"parts":[{"json":{"role":"user","content":[…]}}]}
//! {"seq":2,"at_ms":1700000000900,"kind":"assistant/delta","data":{"index":0},"texts":["Hel","lo"]}
//! ```
use crate::part::PartLine;
use plugin_sdk::contracts::session::{Event, NewEvent};
use serde::{Deserialize, Serialize, de::IgnoredAny};
use serde_json::{Value, value::RawValue};
use std::borrow::Cow;

/// The format that is written, and the latest that is read.
pub(crate) const FORMAT: u64 = 1;

/// The first line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) format: u64,
    pub(crate) session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<String>,
    pub(crate) started_ms: u64,
}

/// What every format has.
#[derive(Deserialize)]
struct Format {
    format: u64,
}

/// The format that a first line names.
pub(crate) fn format(line: &str) -> Option<u64> {
    serde_json::from_str::<Format>(line).ok().map(|header| header.format)
}

#[derive(Serialize)]
struct Written<'a> {
    seq: u64,
    at_ms: u64,
    kind: &'a str,
    data: &'a Value,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PartLine<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    texts: Vec<&'a str>,
}

#[derive(Deserialize)]
struct Read<'a> {
    seq: u64,
    at_ms: u64,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
    #[serde(borrow, default)]
    parts: Vec<PartLine<'a>>,
    #[serde(default)]
    texts: Option<Vec<String>>,
}

/// A line of which no more is known than a writer needs.
#[derive(Deserialize)]
pub(crate) struct Glance<'a> {
    pub(crate) seq: u64,
    pub(crate) at_ms: u64,
    #[serde(borrow)]
    pub(crate) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(crate) data: Option<&'a RawValue>,
    #[serde(default)]
    texts: Option<Vec<IgnoredAny>>,
}

impl Glance<'_> {
    /// How many events the line holds.
    pub(crate) fn count(&self) -> u64 {
        self.texts.as_ref().map_or(1, |texts| texts.len() as u64)
    }
}

/// The key that the events of a run differ in.
const TEXT: &str = "text";

/// An event's data without its text, and the text; `None` for an event that cannot be part of a run.
fn split(event: &NewEvent) -> Option<(Value, &str)> {
    let text = event.data.get(TEXT)?.as_str().filter(|_| event.parts.is_empty())?;
    let mut rest = event.data.clone();
    rest.as_object_mut()?.remove(TEXT);
    Some((rest, text))
}

/// Whether the two differ in their text alone.
fn alike(a: &NewEvent, b: &NewEvent) -> bool {
    let (Value::Object(one), Value::Object(other)) = (&a.data, &b.data) else { return false };
    let rest = |(key, value): &(&String, &Value)| key.as_str() != TEXT || !value.is_string();
    a.kind == b.kind
        && b.parts.is_empty()
        && one.len() == other.len()
        && one.iter().filter(rest).eq(other.iter().filter(rest))
}

/// Writes events as whole lines, which begin at that position.
pub(crate) fn write(out: &mut Vec<u8>, seq: u64, at_ms: u64, events: &[NewEvent]) -> serde_json::Result<()> {
    let mut at = 0;
    while let Some(event) = events.get(at) {
        let run = split(event).map(|(data, text)| {
            let rest = events[at + 1..].iter().take_while(|next| alike(event, next)).filter_map(text_of);
            (data, std::iter::once(text).chain(rest).collect::<Vec<_>>())
        });
        let (data, texts) = match &run {
            Some((data, texts)) if texts.len() > 1 => (data, texts.clone()),
            _ => (&event.data, Vec::new()),
        };
        let count = texts.len().max(1);
        let parts = event.parts.iter().map(PartLine::of).collect();
        let line = Written { seq: seq + at as u64, at_ms, kind: &event.kind, data, parts, texts };
        serde_json::to_writer(&mut *out, &line)?;
        out.push(b'\n');
        at += count;
    }
    Ok(())
}

fn text_of(event: &NewEvent) -> Option<&str> {
    event.data.get(TEXT)?.as_str()
}

/// The events of a line, `None` for what is none.
pub(crate) fn read(line: &str) -> Option<Vec<Event>> {
    let Read { seq, at_ms, kind, data, parts, texts } = serde_json::from_str(line).ok()?;
    let data: Value = data.map_or(Some(Value::Null), |data| serde_json::from_str(data.get()).ok())?;
    let parts = parts.into_iter().map(PartLine::part).collect::<Option<Vec<_>>>()?;
    let kind = kind.into_owned();
    let Some(texts) = texts else {
        return Some(vec![Event { seq, at_ms, event: NewEvent { kind, data, parts } }]);
    };
    let event = |(at, text): (u64, String)| {
        let mut data = data.clone();
        data.as_object_mut()?.insert(TEXT.to_owned(), Value::String(text));
        Some(Event {
            seq: seq.checked_add(at)?,
            at_ms,
            event: NewEvent { kind: kind.clone(), data, parts: Vec::new() },
        })
    };
    let events = (0..).zip(texts).map(event).collect::<Option<Vec<_>>>()?;
    Some(events).filter(|events| !events.is_empty() && parts.is_empty())
}

/// The same, without looking at the parts.
pub(crate) fn glance(line: &str) -> Option<Glance<'_>> {
    serde_json::from_str(line).ok().filter(|glance: &Glance<'_>| glance.count() > 0)
}

#[cfg(test)]
mod tests;
