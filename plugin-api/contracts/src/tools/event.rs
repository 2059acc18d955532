//! What a running call says.
use crate::{Block, Error, Item, Message, Part, Result, Speaker, wire};
use plugin_api::RChunk;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) const PROGRESS: u16 = 1;
pub(crate) const NOTE: u16 = 2;
pub(crate) const RESULT: u16 = 3;

/// One item of an execution.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolEvent {
    /// Output as it comes, for whoever watches; the model does not see it.
    Progress(String),
    /// Something beside the result, for policies and logs.
    Note {
        /// What it is.
        kind: String,
        /// Its value.
        data: Value,
    },
    /// The observation; the last item.
    Result(ToolResult),
    /// A kind that this build does not know: passed on.
    Other(RChunk),
}

/// The observation that a call becomes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult {
    /// What the model reads.
    pub text: String,
    /// Whether the call failed.
    pub is_error: bool,
    /// The failure's code.
    pub code: Option<String>,
    /// Not the tool's own answer: it states only what is known.
    pub synthetic: bool,
    /// Details for policies and logs, `Null` for none.
    pub meta: Value,
    /// Attachments.
    pub parts: Vec<Part>,
}

impl ToolResult {
    /// A success.
    pub fn ok(text: impl Into<String>) -> Self {
        ToolResult { text: text.into(), ..ToolResult::default() }
    }

    /// A failure.
    pub fn error(code: impl Into<String>, text: impl Into<String>) -> Self {
        ToolResult { text: text.into(), is_error: true, code: Some(code.into()), ..ToolResult::default() }
    }

    /// A failure that somebody else states in the tool's place.
    pub fn synthetic(code: impl Into<String>, text: impl Into<String>) -> Self {
        ToolResult { synthetic: true, ..ToolResult::error(code, text) }
    }

    /// The message that answers the call.
    pub fn message(self, call_id: &str) -> Message {
        let block = Block::ToolResult {
            call_id: call_id.to_owned(),
            content: vec![Block::text(self.text)],
            is_error: self.is_error,
            code: self.code,
            synthetic: self.synthetic,
        };
        Message { role: Speaker::User, content: vec![block], source: None }
    }
}

impl From<Error> for ToolResult {
    fn from(error: Error) -> Self {
        let hint = if error.hint.is_empty() { String::new() } else { format!(" ({})", error.hint) };
        ToolResult::error(error.code, format!("Error: {}{hint}", error.message))
    }
}

#[derive(Serialize, Deserialize)]
struct Note {
    kind: String,
    #[serde(default)]
    data: Value,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct Outcome {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    synthetic: bool,
    #[serde(skip_serializing_if = "Value::is_null")]
    meta: Value,
}

impl Item for ToolEvent {
    fn into_chunk(self) -> RChunk {
        match self {
            ToolEvent::Progress(text) => RChunk::text(PROGRESS, 0, text),
            ToolEvent::Note { kind, data } => RChunk::data(NOTE, 0, wire::write(&Note { kind, data })),
            ToolEvent::Result(r) => {
                let outcome =
                    Outcome { is_error: r.is_error, code: r.code, synthetic: r.synthetic, meta: r.meta };
                let mut chunk = RChunk::text(RESULT, 0, r.text);
                chunk.data = wire::write(&outcome).into();
                chunk.parts = r.parts.into();
                chunk
            }
            ToolEvent::Other(chunk) => chunk,
        }
    }

    fn from_chunk(chunk: RChunk) -> Result<Self> {
        Ok(match chunk.kind {
            PROGRESS => ToolEvent::Progress(chunk.text.into()),
            NOTE => {
                let Note { kind, data } = wire::read("note", &chunk.data)?;
                ToolEvent::Note { kind, data }
            }
            RESULT => {
                let data = if chunk.data.is_empty() { "{}" } else { chunk.data.as_str() };
                let Outcome { is_error, code, synthetic, meta } = wire::read("result", data)?;
                let (text, parts) = (chunk.text.into(), chunk.parts.into());
                ToolEvent::Result(ToolResult { text, is_error, code, synthetic, meta, parts })
            }
            _ => ToolEvent::Other(chunk),
        })
    }
}
