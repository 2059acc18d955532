//! The body of a request: settings and tools first, messages last.
//!
//! A body is a concatenation of texts that were made once, so without its last two bytes (`]}`) it is a prefix of the
//! next one of the same conversation, and a provider finds in its cache what it has read before.
mod message;

use crate::adapter::Plan;
use contracts::llm::{Failure, LlmRequest};
use plugin_sdk::{Error, Part, PartId, Parts, Result, contracts, memo};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::{
    mem::take,
    sync::{Arc, Mutex, PoisonError},
};

/// How much translation is remembered. Conversations are a few megabytes at most.
const MEMO_BYTES_MAX: usize = 32 << 20;

/// Equal bytes mean another thing as another kind of part.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    System,
    Tool,
    Message,
}

/// What each part is on the wire, made once; and the messages of the last request as they were joined.
pub(crate) struct Memo {
    parts: memo::Memo<(Kind, PartId), Arc<[u8]>>,
    last: Mutex<Joined>,
}

/// Messages, and the text they make together. A conversation grows at its end, so the next request has these at its beginning.
#[derive(Default)]
struct Joined {
    parts: Vec<(Kind, Part)>,
    text: Vec<u8>,
}

impl Default for Memo {
    fn default() -> Self {
        Memo { parts: memo::Memo::new(MEMO_BYTES_MAX, |wire| wire.len()), last: Mutex::default() }
    }
}

impl Memo {
    fn wire(&self, kind: Kind, part: &Part) -> Result<Arc<[u8]>> {
        let key = (kind, part.id());
        if let Some(wire) = self.parts.get(&key) {
            return Ok(wire);
        }
        let wire: Arc<[u8]> = match kind {
            Kind::System => message::system(part)?,
            Kind::Tool => tool(part)?,
            Kind::Message => message::message(part)?,
        }
        .into();
        self.parts.insert(key, Arc::clone(&wire));
        Ok(wire)
    }

    /// Appends all messages, with commas between them.
    fn messages<'a>(
        &self,
        body: &mut Vec<u8>,
        parts: impl Iterator<Item = (Kind, &'a Part)> + Clone,
    ) -> Result<()> {
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        // Taken out for the time of its use: another request at the same time joins its own.
        let mut joined = take(&mut *last());
        let mut now = parts.clone();
        if !joined.parts.iter().all(|(kind, part)| now.next() == Some((*kind, part))) {
            joined = Joined::default();
        }
        for (kind, part) in parts.skip(joined.parts.len()) {
            let wire = self.wire(kind, part)?;
            // What says nothing on the wire is left out.
            if !wire.is_empty() {
                if !joined.text.is_empty() {
                    joined.text.push(b',');
                }
                joined.text.extend_from_slice(&wire);
            }
            joined.parts.push((kind, part.clone()));
        }
        body.extend_from_slice(&joined.text);
        *last() = joined;
        Ok(())
    }
}

/// A tool's schema, parameters as they were written. Keys that a provider does not know would be refused.
#[derive(Serialize, Deserialize)]
struct Schema<'a> {
    name: String,
    description: String,
    #[serde(borrow)]
    parameters: &'a RawValue,
}

fn tool(part: &Part) -> Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Tool<'a> {
        r#type: &'static str,
        function: Schema<'a>,
    }
    let function = serde_json::from_str(part.text().unwrap_or_default())
        .map_err(|error| Error::new("BAD_PAYLOAD", format!("tool schema: {error}")))?;
    Ok(serde_json::to_vec(&Tool { r#type: "function", function })?)
}

#[derive(Serialize)]
struct Head<'a> {
    model: &'a str,
    stream: bool,
    stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    /// Only beside tools: alone it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<ToolChoice<'a>>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ToolChoice<'a> {
    Word(&'a str),
    Tool { r#type: &'static str, function: Named<'a> },
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
}

/// The body of one request.
///
/// # Errors
/// `BAD_PAYLOAD` when a part is not what it should be.
pub(crate) fn body(
    memo: &Memo,
    plan: &Plan<'_>,
    request: &LlmRequest,
    history: &Parts,
) -> Result<Vec<u8>, Failure> {
    let settings = &plan.settings;
    let (limit, newer) = (settings.max_tokens, plan.endpoint.limit_key == "max_completion_tokens");
    let choice = settings.tool_choice.as_deref().filter(|_| !request.tools.is_empty());
    let head = Head {
        model: &settings.model,
        stream: true,
        stream_options: StreamOptions { include_usage: true },
        max_tokens: limit.filter(|_| !newer),
        max_completion_tokens: limit.filter(|_| newer),
        temperature: settings.temperature,
        stop: &settings.stop,
        reasoning_effort: settings.reasoning_effort.as_deref(),
        tool_choice: choice.map(|choice| match choice {
            "auto" | "none" | "required" => ToolChoice::Word(choice),
            name => ToolChoice::Tool { r#type: "function", function: Named { name } },
        }),
    };
    let mut head = serde_json::to_vec(&head).map_err(Error::from)?;
    head.pop();

    let mut body = head;
    if !request.tools.is_empty() {
        body.extend_from_slice(b",\"tools\":[");
        for (n, tool) in request.tools.iter().enumerate() {
            if n > 0 {
                body.push(b',');
            }
            body.extend_from_slice(&memo.wire(Kind::Tool, tool)?);
        }
        body.push(b']');
    }
    body.extend_from_slice(b",\"messages\":[");
    let system = request.system.iter().filter(|part| !part.bytes().is_empty());
    let parts = system.map(|part| (Kind::System, part));
    memo.messages(&mut body, parts.chain(history.iter().map(|part| (Kind::Message, part))))?;
    body.extend_from_slice(b"]}");
    Ok(body)
}
