//! The JSON of a request: what seldom changes first, the conversation last, so that each body begins with the one before it.
use crate::messages;
use contracts::{
    llm::{LlmRequest, Settings},
    tools::ToolSchema,
};
use plugin_sdk::{Error, Part, PartId, Parts, Result, contracts, memo};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Room for the translations of several long conversations.
const BYTES_MAX: usize = 24 << 20;

/// As what a part is translated: the same bytes could be both.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Tools,
    Messages,
}

/// Writes bodies, and translates each part only once.
pub(crate) struct Writer(memo::Memo<(Place, PartId), Arc<[u8]>>);

/// DeepSeek API docs, "Create Chat Completion", request body.
#[derive(Serialize)]
struct Top<'a> {
    model: &'a str,
    stream: bool,
    stream_options: Value,
    #[serde(flatten)]
    thinking: Thinking<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
}

/// DeepSeek API docs, "Thinking Mode".
#[derive(Default, Serialize)]
struct Thinking<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
}

impl Default for Writer {
    fn default() -> Self {
        Writer(memo::Memo::new(BYTES_MAX, |bytes| bytes.len()))
    }
}

impl Writer {
    /// The body of a request with these settings.
    ///
    /// # Errors
    /// `BAD_PAYLOAD` for a part that is no tool schema or no message.
    pub(crate) fn body(&self, settings: &Settings, request: &LlmRequest, history: &Parts) -> Result<Vec<u8>> {
        let mut body = serde_json::to_vec(&Top {
            model: &settings.model,
            stream: true,
            stream_options: json!({ "include_usage": true }),
            thinking: thinking(settings),
            max_tokens: settings.max_tokens,
            temperature: settings.temperature,
            stop: &settings.stop,
            tool_choice: settings.tool_choice.as_deref().filter(|_| !request.tools.is_empty()).map(choice),
        })?;
        // The lists go between the last setting and its brace.
        body.truncate(body.len() - 1);
        if !request.tools.is_empty() {
            list(&mut body, "tools", request.tools.iter().map(|part| self.translated(Place::Tools, part)))?;
        }
        let system = request.system.iter().map(|part| Ok(messages::system(part).into()));
        let spoken = history.iter().map(|part| self.translated(Place::Messages, part));
        list(&mut body, "messages", system.chain(spoken))?;
        body.push(b'}');
        Ok(body)
    }

    fn translated(&self, place: Place, part: &Part) -> Result<Arc<[u8]>> {
        let key = (place, part.id());
        if let Some(known) = self.0.get(&key) {
            return Ok(known);
        }
        let bytes: Arc<[u8]> = match place {
            Place::Tools => tool(part)?.into(),
            Place::Messages => messages::spoken(part)?.into(),
        };
        self.0.insert(key, bytes.clone());
        Ok(bytes)
    }
}

fn list(body: &mut Vec<u8>, name: &str, texts: impl Iterator<Item = Result<Arc<[u8]>>>) -> Result<()> {
    body.extend(format!(",\"{name}\":[").bytes());
    let start = body.len();
    for text in texts {
        let text = text?;
        if !text.is_empty() && body.len() > start {
            body.push(b',');
        }
        body.extend_from_slice(&text);
    }
    body.push(b']');
    Ok(())
}

fn tool(part: &Part) -> Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Tool {
        r#type: &'static str,
        function: ToolSchema,
    }
    let function = serde_json::from_slice(part.bytes())
        .map_err(|error| Error::new("BAD_PAYLOAD", format!("llm-deepseek: a tool schema: {error}")))?;
    Ok(serde_json::to_vec(&Tool { r#type: "function", function })?)
}

/// `off` is the word for no thinking; every other one is an effort. A title is not worth a thought.
fn thinking(settings: &Settings) -> Thinking<'_> {
    let state = |word: &str| Some(json!({ "type": word }));
    match settings.reasoning_effort.as_deref() {
        _ if settings.purpose.as_deref() == Some("title") => {
            Thinking { thinking: state("disabled"), reasoning_effort: None }
        }
        Some("off") => Thinking { thinking: state("disabled"), reasoning_effort: None },
        None | Some("") => Thinking::default(),
        effort => Thinking { thinking: state("enabled"), reasoning_effort: effort },
    }
}

fn choice(choice: &str) -> Value {
    match choice {
        "none" | "auto" | "required" => choice.into(),
        tool => json!({ "type": "function", "function": { "name": tool } }),
    }
}
