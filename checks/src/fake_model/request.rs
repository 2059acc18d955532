//! A chat completions request, read without losing the bytes of its parts.
//!
//! Shape: OpenAI API reference, "Create chat completion". Only its types are checked here; what a conversation
//! must look like is the business of the rules.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::breach::Breach;

const INVALID: &str = "REQUEST_INVALID";

/// A request whose body lives for `'a`.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) model: String,
    pub(super) stream: bool,
    pub(super) include_usage: bool,
    pub(super) messages: Vec<Message<'a>>,
    pub(super) tool_names: Vec<String>,
    pub(super) tools: Option<&'a str>,
    /// Every other key of the body with the raw text of its value.
    pub(super) settings: BTreeMap<String, &'a str>,
}

/// A message: its raw text and what the rules look at.
#[derive(Debug)]
pub(super) struct Message<'a> {
    pub(super) raw: &'a str,
    pub(super) fields: Fields,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a message")]
pub(super) struct Fields {
    pub(super) role: String,
    pub(super) content: Option<Value>,
    pub(super) tool_calls: Option<Vec<ToolCall>>,
    pub(super) tool_call_id: Option<String>,
    pub(super) reasoning_content: Option<String>,
    pub(super) reasoning: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a tool call")]
pub(super) struct ToolCall {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) function: Function,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a function with name and arguments")]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) arguments: String,
}

#[derive(Deserialize)]
#[serde(expecting = "a tool")]
struct Tool {
    #[serde(rename = "type")]
    kind: String,
    function: ToolFunction,
}

#[derive(Deserialize)]
#[serde(expecting = "a function with name and parameters")]
struct ToolFunction {
    name: String,
    #[serde(default, rename = "parameters")]
    _parameters: serde_json::Map<String, Value>,
}

#[derive(Default, Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: bool,
}

impl Message<'_> {
    /// The text of the content: a string, or the text parts of a list joined.
    pub(super) fn text(&self) -> String {
        match &self.fields.content {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(parts)) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
            _ => String::new(),
        }
    }

    pub(super) fn calls(&self) -> &[ToolCall] {
        self.fields.tool_calls.as_deref().unwrap_or_default()
    }

    pub(super) fn is(&self, role: &str) -> bool {
        self.fields.role == role
    }

    pub(super) fn is_system(&self) -> bool {
        self.is("system") || self.is("developer")
    }
}

impl<'a> Request<'a> {
    /// # Errors
    /// `REQUEST_INVALID` naming the first key that is missing or of the wrong type.
    pub(super) fn parse(body: &'a str) -> Result<Self, Breach> {
        let mut keys: BTreeMap<String, &'a RawValue> =
            serde_json::from_str(body).map_err(|error| invalid("body", &error))?;
        let model = optional(&keys, "model")?.ok_or_else(|| missing("model"))?;
        let stream = optional(&keys, "stream")?.unwrap_or_default();
        let options: StreamOptions = optional(&keys, "stream_options")?.unwrap_or_default();
        let tools: Vec<Tool> = optional(&keys, "tools")?.unwrap_or_default();
        let messages: Vec<&'a RawValue> = optional(&keys, "messages")?.ok_or_else(|| missing("messages"))?;
        let messages = messages
            .into_iter()
            .enumerate()
            .map(|(n, raw)| Ok(Message { raw: raw.get(), fields: read(&format!("messages[{n}]"), raw)? }))
            .collect::<Result<_, Breach>>()?;
        keys.remove("messages");
        Ok(Self {
            model,
            stream,
            include_usage: options.include_usage,
            messages,
            tool_names: tool_names(tools)?,
            tools: keys.remove("tools").map(RawValue::get),
            settings: keys.into_iter().map(|(key, raw)| (key, raw.get())).collect(),
        })
    }

    /// The size of what a prompt is made of.
    pub(super) fn prompt_bytes(&self) -> usize {
        self.tools.map_or(0, str::len) + self.messages.iter().map(|message| message.raw.len()).sum::<usize>()
    }
}

fn tool_names(tools: Vec<Tool>) -> Result<Vec<String>, Breach> {
    let mut names: Vec<String> = Vec::new();
    for (n, tool) in tools.into_iter().enumerate() {
        let at = format!("tools[{n}]");
        let name = tool.function.name;
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if tool.kind != "function" {
            return Err(Breach::new(INVALID, at, format!("`type` is `{}`, expected `function`", tool.kind)));
        }
        if name.is_empty() || name.len() > 64 || !name.chars().all(allowed) {
            let said = format!("the name `{name}` is not 1 to 64 letters, digits, `_` and `-`");
            return Err(Breach::new(INVALID, at, said));
        }
        if names.contains(&name) {
            return Err(Breach::new(INVALID, at, format!("a second tool has the name `{name}`")));
        }
        names.push(name);
    }
    Ok(names)
}

fn optional<'a, T: Deserialize<'a>>(
    keys: &BTreeMap<String, &'a RawValue>,
    key: &str,
) -> Result<Option<T>, Breach> {
    keys.get(key).map(|raw| read(key, raw)).transpose()
}

fn read<'a, T: Deserialize<'a>>(at: &str, raw: &'a RawValue) -> Result<T, Breach> {
    serde_json::from_str(raw.get()).map_err(|error| invalid(at, &error))
}

fn invalid(at: &str, error: &serde_json::Error) -> Breach {
    Breach::new(INVALID, at, error.to_string())
}

fn missing(key: &str) -> Breach {
    Breach::new(INVALID, key, "the key is missing")
}
