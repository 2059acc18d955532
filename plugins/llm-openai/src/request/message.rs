//! A neutral message on the wire: none, one or several messages of the protocol, joined by commas.
use crate::ADAPTER;
use plugin_sdk::{Block, Message, Part, Result, Speaker, contracts::message::text_of};
use serde::Serialize;
use serde_json::{Map, Value, json};

#[derive(Serialize)]
struct Assistant {
    role: &'static str,
    /// A text even when there is none: null beside nothing else is refused.
    content: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    reasoning_content: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call>,
}

#[derive(Serialize)]
struct Call {
    id: String,
    r#type: &'static str,
    function: Function,
}

#[derive(Serialize)]
struct Function {
    name: String,
    arguments: String,
}

#[derive(Serialize)]
struct Spoken<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct Answer<'a> {
    role: &'static str,
    tool_call_id: &'a str,
    content: &'a str,
}

/// The system prompt.
pub(super) fn system(part: &Part) -> Result<Vec<u8>> {
    Ok(serde_json::to_vec(&Spoken { role: "system", content: part.text().unwrap_or_default() })?)
}

/// Any other message; empty where it says nothing.
///
/// # Errors
/// `BAD_PAYLOAD` when the part is no message.
pub(super) fn message(part: &Part) -> Result<Vec<u8>> {
    let message = Message::from_part(part)?;
    match message.role {
        Speaker::User => user(&message),
        Speaker::Assistant => assistant(message),
    }
}

/// The text first, then each tool result as a message of its own.
fn user(message: &Message) -> Result<Vec<u8>> {
    let (mut wire, text) = (Vec::new(), message.text());
    let results = || message.content.iter().filter(|block| matches!(block, Block::ToolResult { .. }));
    if !text.is_empty() || results().next().is_none() {
        serde_json::to_writer(&mut wire, &Spoken { role: "user", content: &text })?;
    }
    for result in results() {
        let Block::ToolResult { call_id, content, .. } = result else { continue };
        if !wire.is_empty() {
            wire.push(b',');
        }
        let text = text_of(content);
        let content = if text.is_empty() { "(no output)" } else { &text };
        serde_json::to_writer(&mut wire, &Answer { role: "tool", tool_call_id: call_id, content })?;
    }
    Ok(wire)
}

fn assistant(message: Message) -> Result<Vec<u8>> {
    let content = message.text();
    let (mut reasoning_content, mut tool_calls) = (String::new(), Vec::new());
    for block in message.content {
        match block {
            Block::Reasoning { text, adapter, .. } if adapter == ADAPTER => reasoning_content.push_str(&text),
            Block::ToolCall { id, name, arguments } => {
                let name = if name.is_empty() { "unnamed".into() } else { name };
                let function = Function { name, arguments: as_object(arguments) };
                tool_calls.push(Call { id, r#type: "function", function });
            }
            Block::Text { .. } | Block::Reasoning { .. } | Block::ToolResult { .. } | Block::Unknown => {}
        }
    }
    // Providers refuse a message that says nothing, and it would be in every request from now on.
    if content.is_empty() && reasoning_content.is_empty() && tool_calls.is_empty() {
        return Ok(Vec::new());
    }
    Ok(serde_json::to_vec(&Assistant { role: "assistant", content, reasoning_content, tool_calls })?)
}

/// Arguments are sent back as the model wrote them. Some servers refuse every request whose history holds arguments that
/// are not a JSON object, so whatever else a model wrote is sent as a text within one.
fn as_object(arguments: String) -> String {
    if arguments.trim().is_empty() {
        return "{}".into();
    }
    match serde_json::from_str::<Map<String, Value>>(&arguments) {
        Ok(_) => arguments,
        Err(_) => json!({ "invalid_arguments": arguments }).to_string(),
    }
}
