//! A conversation's messages: neutral, immutable, one part each.
use crate::{Part, Result, wire};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who speaks. A tool result is a user message of exactly one `tool-result` block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The person, a policy, or a tool's answer.
    User,
    /// The model.
    Assistant,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Speaker,
    /// What is said, in order.
    pub content: Vec<Block>,
    /// Where it came from when that was neither the person nor the model: a plugin's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Block {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// What the model thought before it answered.
    Reasoning {
        /// The text.
        text: String,
        /// The adapter it came from: another one leaves it out of its requests.
        adapter: String,
        /// What that adapter needs to send it back, such as a signature.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        data: Value,
    },
    /// The model asks for a tool.
    ToolCall {
        /// The call id, made by the provider: the result cites it.
        id: String,
        /// The tool.
        name: String,
        /// The arguments as the model wrote them: JSON text, possibly invalid.
        arguments: String,
    },
    /// The answer to a call.
    ToolResult {
        /// The call id.
        call_id: String,
        /// The observation.
        content: Vec<Block>,
        /// Whether the call failed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
        /// The failure's code, such as `FS_NOT_FOUND`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
        /// Not an answer of the tool: the loop says what it knows in its place.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        synthetic: bool,
    },
    /// A kind that this build does not know; skipped by adapters.
    #[serde(other)]
    Unknown,
}

impl Block {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Block::Text { text: text.into() }
    }
}

impl Message {
    /// What the person said.
    pub fn user(text: impl Into<String>) -> Self {
        Message { role: Speaker::User, content: vec![Block::text(text)], source: None }
    }

    /// What the model said.
    pub fn assistant(content: Vec<Block>) -> Self {
        Message { role: Speaker::Assistant, content, source: None }
    }

    /// All text blocks joined.
    pub fn text(&self) -> String {
        text_of(&self.content)
    }

    /// Serialises it, once.
    pub fn part(&self) -> Part {
        Part::new(wire::write(self))
    }

    /// Reads a part of a history.
    ///
    /// # Errors
    /// `BAD_PAYLOAD` when the part is no message.
    pub fn from_part(part: &Part) -> Result<Self> {
        wire::read("message", part.text().unwrap_or_default())
    }
}

/// The text blocks of a content, joined.
pub fn text_of(content: &[Block]) -> String {
    content
        .iter()
        .filter_map(|b| if let Block::Text { text } = b { Some(text.as_str()) } else { None })
        .collect()
}
