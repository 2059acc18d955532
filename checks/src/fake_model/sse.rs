//! The wire form of an answer: chat completion chunks as server-sent events, or one chat completion object.
//!
//! Shapes: OpenAI API reference, "Chat completions", objects `chat.completion` and `chat.completion.chunk`; the
//! reasoning keys are those of DeepSeek (`reasoning_content`) and OpenRouter (`reasoning`).

use serde::Serialize;

use super::script::{Answer, ReasoningField};
use super::usage::Usage;

/// What the events of one answer have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stamp<'a> {
    pub(super) id: &'a str,
    pub(super) model: &'a str,
    /// The usage to send: `None` = the request did not ask, `Some(None)` = asked and the script says none.
    pub(super) usage: Option<Option<Usage>>,
}

#[derive(Serialize)]
struct Envelope<'a, C> {
    id: &'a str,
    object: &'static str,
    created: u64,
    model: &'a str,
    choices: Vec<C>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Option<Usage>>,
}

#[derive(Serialize)]
struct ChunkChoice<'a> {
    index: u32,
    delta: Delta<'a>,
    finish_reason: Option<&'a str>,
}

#[derive(Default, Serialize)]
struct Delta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<[Call<'a>; 1]>,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: u32,
    message: Message<'a>,
    finish_reason: &'a str,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'a>>,
}

/// A whole call, or a part of one: the first part has id and name, all of a stream have the index.
#[derive(Serialize)]
struct Call<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    arguments: &'a str,
}

/// The events of an answer and the index of the one that carries the finish reason; `[DONE]` is the last.
pub(super) fn events(answer: &Answer, call_ids: &[String], stamp: Stamp<'_>) -> (Vec<String>, usize) {
    let chunk = |delta, finish_reason| {
        let choices = vec![ChunkChoice { index: 0, delta, finish_reason }];
        // As OpenAI does: once usage is asked for, every other chunk says null.
        event(stamp, choices, stamp.usage.map(|_| None))
    };
    let role = Delta { role: Some("assistant"), content: Some(""), ..Delta::default() };
    let mut events = vec![chunk(role, None)];
    events.extend(answer.reasoning.iter().map(|piece| {
        let (reasoning_content, reasoning) = under_key(answer.reasoning_field, piece);
        chunk(Delta { reasoning_content, reasoning, ..Delta::default() }, None)
    }));
    let text = answer.deltas.iter();
    events.extend(text.map(|piece| chunk(Delta { content: Some(piece), ..Delta::default() }, None)));
    for (index, (call, id)) in answer.calls.iter().zip(call_ids).enumerate() {
        let part = |id, kind, name, arguments| {
            let call = Call { index: Some(index), id, kind, function: Function { name, arguments } };
            chunk(Delta { tool_calls: Some([call]), ..Delta::default() }, None)
        };
        events.push(part(Some(id), Some("function"), Some(&call.name), ""));
        events.extend(call.fragments.iter().map(|piece| part(None, None, None, piece)));
    }
    let finish_at = events.len();
    events.push(chunk(Delta::default(), Some(&answer.finish)));
    if let Some(Some(usage)) = stamp.usage {
        events.push(event(stamp, Vec::new(), Some(Some(usage))));
    }
    events.push("data: [DONE]\n\n".to_owned());
    (events, finish_at)
}

fn event(stamp: Stamp<'_>, choices: Vec<ChunkChoice<'_>>, usage: Option<Option<Usage>>) -> String {
    let Stamp { id, model, .. } = stamp;
    let chunk = Envelope { id, object: "chat.completion.chunk", created: 0, model, choices, usage };
    format!("data: {}\n\n", json(&chunk))
}

/// The same answer as one object, for a request without `stream: true`.
pub(super) fn object(answer: &Answer, call_ids: &[String], stamp: Stamp<'_>) -> String {
    let text = answer.deltas.concat();
    let thought = answer.reasoning.concat();
    let arguments: Vec<String> = answer.calls.iter().map(|call| call.fragments.concat()).collect();
    let tool_calls: Vec<Call<'_>> = (answer.calls.iter().zip(call_ids).zip(&arguments))
        .map(|((call, id), arguments)| {
            let function = Function { name: Some(&call.name), arguments };
            Call { index: None, id: Some(id), kind: Some("function"), function }
        })
        .collect();
    let content = (!text.is_empty() || tool_calls.is_empty()).then_some(text.as_str());
    let (reasoning_content, reasoning) =
        if thought.is_empty() { (None, None) } else { under_key(answer.reasoning_field, &thought) };
    let message = Message { role: "assistant", content, reasoning_content, reasoning, tool_calls };
    let choices = vec![Choice { index: 0, message, finish_reason: &answer.finish }];
    let Stamp { id, model, usage } = stamp;
    // One object says nothing about usage rather than null.
    let usage = usage.filter(Option::is_some);
    json(&Envelope { id, object: "chat.completion", created: 0, model, choices, usage })
}

/// The text under `reasoning_content` or under `reasoning`.
fn under_key(field: ReasoningField, text: &str) -> (Option<&str>, Option<&str>) {
    match field {
        ReasoningField::ReasoningContent => (Some(text), None),
        ReasoningField::Reasoning => (None, Some(text)),
    }
}

/// Strings, numbers and lists of them always have a JSON form.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
