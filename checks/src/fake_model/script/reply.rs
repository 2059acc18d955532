//! A reply that can be served: what is written, checked for keys that contradict each other.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use hyper::StatusCode;
use hyper::header::{HeaderName, HeaderValue};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::written::{Changes, Expect, Fault, ReasoningField, UsagePlan, WrittenCall, WrittenReply};

/// One answer with its delivery, its faults and what it demands of its request.
#[derive(Debug, Clone)]
pub(in super::super) struct Reply {
    pub(in super::super) content: Content,
    pub(in super::super) headers: Vec<(HeaderName, HeaderValue)>,
    pub(in super::super) delay: Duration,
    pub(in super::super) tick: Duration,
    pub(in super::super) wait_for: Option<String>,
    pub(in super::super) fault: Option<Fault>,
    pub(in super::super) place: Place,
    pub(in super::super) conversation: String,
    pub(in super::super) new_conversation: bool,
    pub(in super::super) changes: Changes,
    pub(in super::super) expect: Expect,
}

/// Where the gate and the fault of a reply apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Place {
    /// Before the first byte of the response.
    BeforeHead,
    /// After the head and this number of events.
    AfterEvents(usize),
}

#[derive(Debug, Clone)]
pub(in super::super) enum Content {
    /// What a model says.
    Answer(Answer),
    /// An event stream sent byte for byte.
    Raw(RawBody),
    /// A whole response that is no answer: an error, a redirect, anything.
    Plain { status: StatusCode, body: Option<String> },
}

#[derive(Debug, Clone)]
pub(in super::super) struct Answer {
    pub(in super::super) reasoning: Vec<String>,
    pub(in super::super) reasoning_field: ReasoningField,
    pub(in super::super) deltas: Vec<String>,
    pub(in super::super) calls: Vec<Call>,
    pub(in super::super) finish: String,
    pub(in super::super) usage: UsagePlan,
    pub(in super::super) id: Option<String>,
    pub(in super::super) model: Option<String>,
}

/// A tool call; its arguments are raw text in the pieces in which they are streamed.
#[derive(Debug, Clone)]
pub(in super::super) struct Call {
    pub(in super::super) id: Option<String>,
    pub(in super::super) name: String,
    pub(in super::super) fragments: Vec<String>,
}

#[derive(Debug, Clone)]
pub(in super::super) struct RawBody {
    pub(super) file: Option<PathBuf>,
    pub(in super::super) bytes: Vec<u8>,
    pub(in super::super) split_at: Vec<usize>,
}

/// Reads and checks in one go: an error that is raised inside the mapping carries the mapping's line.
impl<'de> Deserialize<'de> for Reply {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Checked;

        impl<'de> Visitor<'de> for Checked {
            type Value = Reply;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a reply, which is a mapping")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Reply, A::Error> {
                let written = WrittenReply::deserialize(MapAccessDeserializer::new(map))?;
                Reply::try_from(written).map_err(A::Error::custom)
            }
        }

        deserializer.deserialize_map(Checked)
    }
}

impl TryFrom<WrittenReply> for Reply {
    type Error = String;

    fn try_from(mut written: WrittenReply) -> Result<Self, String> {
        refuse_contradictions(&written)?;
        let headers = headers(&written)?;
        let place = match written.after {
            Some(_) if written.fault.is_none() && written.wait_for.is_none() => {
                return Err(
                    "`after` says where a `fault` or a `wait_for` applies, and there is neither".to_owned()
                );
            }
            Some(events) => Place::AfterEvents(events),
            None => Place::BeforeHead,
        };
        Ok(Self {
            headers,
            place,
            delay: Duration::from_millis(written.delay_ms),
            tick: Duration::from_millis(written.tick_ms),
            wait_for: written.wait_for.take(),
            fault: written.fault,
            conversation: written.conversation.take().unwrap_or_default(),
            new_conversation: written.new_conversation,
            changes: Changes::of(&written.changes),
            expect: std::mem::take(&mut written.expect),
            content: content(written)?,
        })
    }
}

fn refuse_contradictions(written: &WrittenReply) -> Result<(), String> {
    let raw = written.raw.is_some() || written.raw_file.is_some();
    let plain = written.status.is_some() || written.body.is_some();
    let answer = written.text.is_some()
        || written.deltas.is_some()
        || written.reasoning.is_some()
        || !written.calls.is_empty()
        || written.finish.is_some()
        || written.usage != UsagePlan::Computed
        || written.id.is_some()
        || written.model.is_some();
    let shapes_the_body = matches!(
        written.fault,
        Some(Fault::Garbage | Fault::BadJson | Fault::NoDone | Fault::Html | Fault::WrongContentType)
    );
    let rules = [
        (raw && plain, "`raw` and `status` or `body` exclude each other"),
        (raw && answer, "`raw` is the whole answer: no `text`, `calls` or other part of an answer beside it"),
        (plain && answer, "`status` and `body` are a whole response: no part of an answer beside them"),
        (written.raw.is_some() && written.raw_file.is_some(), "`raw` and `raw_file` exclude each other"),
        (!written.split_at.is_empty() && !raw, "`split_at` cuts a `raw` body, and there is none"),
        (written.text.is_some() && written.deltas.is_some(), "`text` and `deltas` exclude each other"),
        (
            written.split.is_some() && written.deltas.is_some(),
            "`split` cuts `text`; `deltas` are cut already",
        ),
        (written.split.is_some() && (raw || plain), "`split` cuts `text`, and there is none"),
        (
            written.reasoning_field.is_some() && written.reasoning.is_none(),
            "`reasoning_field` names where `reasoning` goes, and there is none",
        ),
        (
            shapes_the_body && (raw || plain),
            "this `fault` distorts an answer; only `cut`, `reset` and `stall` go here",
        ),
    ];
    rules.iter().find(|(broken, _)| *broken).map_or(Ok(()), |(_, said)| Err((*said).to_owned()))
}

fn headers(written: &WrittenReply) -> Result<Vec<(HeaderName, HeaderValue)>, String> {
    let seconds = written.retry_after.map(|seconds| ("retry-after".to_owned(), seconds.to_string()));
    written
        .headers
        .iter()
        .map(|(name, value)| (name.clone(), value.clone()))
        .chain(seconds)
        .map(|(name, value)| {
            let parsed = HeaderName::from_bytes(name.as_bytes()).ok().zip(HeaderValue::from_str(&value).ok());
            parsed.ok_or_else(|| format!("headers: `{name}: {value}` is no HTTP header"))
        })
        .collect()
}

fn content(written: WrittenReply) -> Result<Content, String> {
    if written.raw.is_some() || written.raw_file.is_some() {
        let bytes = written.raw.unwrap_or_default().into_bytes();
        return Ok(Content::Raw(RawBody { file: written.raw_file, bytes, split_at: written.split_at }));
    }
    if written.status.is_some() || written.body.is_some() {
        let code = written.status.unwrap_or(200);
        // Informational statuses have no body and would leave the client waiting for the real one.
        let status = StatusCode::from_u16(code).ok().filter(|status| *status >= StatusCode::OK);
        let status = status.ok_or_else(|| format!("status: {code} is none of 200 to 999"))?;
        let body = written.body.map(|body| json_or_text("body", body)).transpose()?;
        return Ok(Content::Plain { status, body });
    }
    let cut = |text: &str| match written.split {
        Some(size) => by_characters(text, size),
        None if text.is_empty() => Vec::new(),
        None => vec![text.to_owned()],
    };
    let finish = if written.calls.is_empty() { "stop" } else { "tool_calls" };
    Ok(Content::Answer(Answer {
        reasoning: written.reasoning.as_deref().map(cut).unwrap_or_default(),
        deltas: written.deltas.unwrap_or_else(|| written.text.as_deref().map(cut).unwrap_or_default()),
        reasoning_field: written.reasoning_field.unwrap_or_default(),
        calls: written.calls.into_iter().map(call).collect::<Result<_, _>>()?,
        finish: written.finish.unwrap_or_else(|| finish.to_owned()),
        usage: written.usage,
        id: written.id,
        model: written.model,
    }))
}

fn call(written: WrittenCall) -> Result<Call, String> {
    let arguments = match written.arguments {
        Some(arguments) => json_or_text("arguments", arguments)?,
        None => "{}".to_owned(),
    };
    let fragments = in_fragments(&arguments, written.fragments.map_or(1, NonZeroUsize::get));
    Ok(Call { id: written.id, name: written.name, fragments })
}

/// A string is the text itself; anything else becomes JSON with its keys in the order of the script.
fn json_or_text(key: &str, value: serde_yaml::Value) -> Result<String, String> {
    match value {
        serde_yaml::Value::String(text) => Ok(text),
        other => {
            serde_json::to_string(&other).map_err(|error| format!("{key}: no JSON for this value: {error}"))
        }
    }
}

fn by_characters(text: &str, size: NonZeroUsize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(size.get()).map(|piece| piece.iter().collect()).collect()
}

/// `count` pieces of nearly equal length, fewer when there are fewer characters.
fn in_fragments(text: &str, count: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let count = count.min(characters.len());
    let bound = |piece: usize| piece * characters.len() / count;
    (0..count).map(|piece| characters[bound(piece)..bound(piece + 1)].iter().collect()).collect()
}
