//! What one message of the conversation is in DeepSeek's JSON.
use crate::NAME;
use plugin_sdk::{Block, Message, Part, Result, Speaker, contracts::message::text_of};
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use std::collections::HashMap;

/// What a tool said that said nothing: an empty text is refused by some servers.
const NO_OUTPUT: &str = "(no output)";
/// What a call is called whose name never came, for the same reason.
const NO_NAME: &str = "unnamed";

/// The system prompt; nothing for an empty one.
pub(crate) fn system(prompt: &Part) -> Vec<u8> {
    match prompt.text().unwrap_or_default() {
        "" => Vec::new(),
        text => json!({ "role": "system", "content": text }).to_string().into(),
    }
}

/// A message of the history: the text of zero, one or several messages with commas between them.
///
/// # Errors
/// `BAD_PAYLOAD` when the part is no message.
pub(crate) fn spoken(part: &Part) -> Result<Vec<u8>> {
    let message = Message::from_part(part)?;
    let texts: Vec<String> = match message.role {
        Speaker::Assistant => assistant(&message).iter().map(Value::to_string).collect(),
        Speaker::User => user(&message).iter().map(Value::to_string).collect(),
    };
    Ok(texts.join(",").into())
}

/// What was said, and after it each result as a message of its own.
fn user(message: &Message) -> Vec<Value> {
    let answers = message.content.iter().filter_map(|block| match block {
        Block::ToolResult { call_id, content, .. } => {
            let text = Some(text_of(content)).filter(|text| !text.is_empty());
            let text = text.unwrap_or_else(|| NO_OUTPUT.to_owned());
            Some(json!({ "role": "tool", "tool_call_id": call_id, "content": text }))
        }
        _ => None,
    });
    let (said, mut answers): (_, Vec<Value>) = (message.text(), answers.collect());
    if !said.is_empty() || answers.is_empty() {
        answers.insert(0, json!({ "role": "user", "content": said }));
    }
    answers
}

/// `content` is always a text: DeepSeek refuses null beside reasoning alone, and would refuse it in every later request too. A
/// message without anything is left out, as it is refused as well.
fn assistant(message: &Message) -> Option<Value> {
    let (mut thoughts, mut calls) = (String::new(), Vec::new());
    for block in &message.content {
        match block {
            // DeepSeek API docs, "Thinking Mode": beside calls it must come back. Another adapter's is nothing to this model.
            Block::Reasoning { text, adapter, .. } if adapter == NAME => thoughts += text,
            Block::ToolCall { id, name, arguments } => {
                let name = if name.is_empty() { NO_NAME } else { name };
                let function = json!({ "name": name, "arguments": object(arguments) });
                calls.push(json!({ "id": id, "type": "function", "function": function }));
            }
            Block::Text { .. } | Block::Reasoning { .. } | Block::ToolResult { .. } | Block::Unknown => {}
        }
    }
    let mut wire = json!({ "role": "assistant", "content": message.text() });
    let empty = wire["content"] == "" && thoughts.is_empty() && calls.is_empty();
    if !thoughts.is_empty() {
        wire["reasoning_content"] = thoughts.into();
    }
    if !calls.is_empty() {
        wire["tool_calls"] = calls.into();
    }
    (!empty).then_some(wire)
}

/// The arguments as they were written where they are a JSON object. Servers that parse them refuse anything else, so it goes back as
/// a text inside an object, where the model can still read what it did.
fn object(arguments: &str) -> String {
    if serde_json::from_str::<HashMap<String, IgnoredAny>>(arguments).is_ok() {
        arguments.to_owned()
    } else if arguments.trim().is_empty() {
        "{}".to_owned()
    } else {
        json!({ "invalid_arguments": arguments }).to_string()
    }
}
