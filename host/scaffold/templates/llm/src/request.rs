//! The body of a request (OpenAI API reference, "Create chat completion"): settings and tools first, messages last.
//!
//! In this order each body begins as the last one did, and a provider finds in its cache what it has read before.
use contracts::{llm::LlmRequest, message::text_of};
use plugin_sdk::{Block, Message, Part, Parts, Result, Speaker, contracts};
use serde::Serialize;
use serde_json::{Map, Value, json, value::RawValue};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    stream_options: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    messages: Vec<Value>,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    /// The schema as its part has it: name, description, parameters.
    function: &'a RawValue,
}

/// # Errors
/// `INTERNAL` for a part of the request that is no JSON, `BAD_PAYLOAD` for one of the history that is no message.
pub(crate) fn body(model: &str, request: &LlmRequest, history: &Parts) -> Result<Vec<u8>> {
    let settings = &request.settings;
    let tool = |part| Ok(Tool { r#type: "function", function: serde_json::from_str(text(part))? });
    let tools = request.tools.iter().map(tool).collect::<Result<Vec<_>>>()?;
    let choice = settings.tool_choice.as_deref().filter(|_| !tools.is_empty());
    let mut messages: Vec<Value> =
        request.system.iter().map(|system| json!({ "role": "system", "content": text(system) })).collect();
    for part in history.iter() {
        message(Message::from_part(part)?, &mut messages);
    }
    Ok(serde_json::to_vec(&Body {
        model,
        stream: true,
        stream_options: json!({ "include_usage": true }),
        max_tokens: settings.max_tokens,
        temperature: settings.temperature,
        stop: &settings.stop,
        reasoning_effort: settings.reasoning_effort.as_deref(),
        tool_choice: choice.map(|choice| match choice {
            "auto" | "none" | "required" => json!(choice),
            name => json!({ "type": "function", "function": { "name": name } }),
        }),
        tools,
        messages,
    })?)
}

fn text(part: &Part) -> &str {
    part.text().unwrap_or_default()
}

/// One message of ours is one of theirs, but for tool results: each is one of its own.
fn message(message: Message, to: &mut Vec<Value>) {
    let said = message.text();
    if message.role == Speaker::User {
        let results: Vec<Value> = message.content.iter().filter_map(result).collect();
        if results.is_empty() || !said.is_empty() {
            to.push(json!({ "role": "user", "content": said }));
        }
        return to.extend(results);
    }
    let calls: Vec<Value> = message.content.into_iter().filter_map(call).collect();
    if !calls.is_empty() {
        to.push(json!({ "role": "assistant", "content": said, "tool_calls": calls }));
    } else if !said.is_empty() {
        to.push(json!({ "role": "assistant", "content": said }));
    }
}

fn result(block: &Block) -> Option<Value> {
    let Block::ToolResult { call_id, content, .. } = block else { return None };
    let text = text_of(content);
    let text = if text.is_empty() { "(no output)".to_owned() } else { text };
    Some(json!({ "role": "tool", "tool_call_id": call_id, "content": text }))
}

fn call(block: Block) -> Option<Value> {
    let Block::ToolCall { id, name, arguments } = block else { return None };
    let is_object = serde_json::from_str::<Map<String, Value>>(&arguments).is_ok();
    // Servers refuse a whole conversation for arguments that are no object.
    let arguments = match arguments.trim() {
        "" => "{}".to_owned(),
        _ if is_object => arguments,
        invalid => json!({ "invalid_arguments": invalid }).to_string(),
    };
    Some(json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } }))
}
