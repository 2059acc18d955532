//! The request, as far as a script sees it: the person's last task and what has come of it.
//!
//! | in a template | what |
//! |---|---|
//! | `task` | the text of the person's last message that is no tool result |
//! | `step` | which request since then this is, from 1 |
//! | `results` | the tool results since then, in order: `{name, arguments, text, is_error, code}`; `arguments` is a mapping where they are JSON |
//! | `last` | the last of them, `none` when there are none |
//! | `tools` | the names of the tools offered; none with `tool_choice: none` |
//! | `model`, `purpose` | as in the request, `""` when it does not say |
//! | `vars` | the script's own constants |
//! | `item`, `index` | under `each.call`: the line, and which one, from 0 |
use contracts::{
    Block, Message, Parts, Speaker,
    llm::{Failure, LlmRequest, code},
    message::text_of,
    tools::ToolSchema,
};
use minijinja::{Value, context, value::Serde};
use plugin_sdk::{Result, contracts};
use serde_json::Value as Json;

pub(crate) struct Turn {
    /// Which request of the turn it is, from 1.
    pub(crate) step: usize,
    /// Which request of the conversation it is, from 1.
    pub(crate) request: usize,
    /// The size of all that was sent.
    pub(crate) input_bytes: usize,
    task: Value,
    results: Vec<Value>,
    /// How many results there were at each earlier step of the turn.
    known: Vec<usize>,
    tools: Value,
    model: Value,
    purpose: Value,
}

impl Turn {
    /// Reads a request.
    ///
    /// # Errors
    /// `INVALID_REQUEST` when a part of the history is no message.
    pub(crate) fn read(request: &LlmRequest, history: &Parts) -> Result<Self, Failure> {
        let message = |(n, part)| {
            let bad = |e| Failure::new(code::INVALID_REQUEST, format!("message {n} of the history: {e}"));
            Message::from_part(part).map_err(bad)
        };
        let messages: Vec<Message> = history.iter().enumerate().map(message).collect::<Result<_, _>>()?;
        let (before, since) = messages.split_at(task_at(&messages));
        let answers = |messages: &[Message]| messages.iter().filter(|m| m.role == Speaker::Assistant).count();
        let (results, known) = results(since);
        let offered = request.settings.tool_choice.as_deref() != Some("none");
        let sent = request.tools.iter().chain(&request.system).chain(history.iter());
        Ok(Turn {
            step: known.len() + 1,
            request: answers(before) + known.len() + 1,
            input_bytes: sent.map(|part| part.bytes().len()).sum(),
            task: since.first().map(Message::text).unwrap_or_default().into(),
            results,
            known,
            tools: request.tools.iter().filter(|_| offered).map(ToolSchema::name_of).collect(),
            model: request.settings.model.as_str().into(),
            purpose: request.settings.purpose.as_deref().unwrap_or_default().into(),
        })
    }

    /// What the templates see at a step of this turn, this one or an earlier one.
    pub(crate) fn context(&self, step: usize, vars: &Value) -> Value {
        let known = self.known.get(step - 1).copied().unwrap_or(self.results.len());
        let results = &self.results[..known];
        context! {
            step,
            task => &self.task,
            results => results,
            last => results.last(),
            tools => &self.tools,
            model => &self.model,
            purpose => &self.purpose,
            vars,
        }
    }
}

/// Where the turn starts: the person's last message, or else the last one that somebody put in their place.
fn task_at(messages: &[Message]) -> usize {
    let is_result = |block: &Block| matches!(block, Block::ToolResult { .. });
    let asks = |m: &Message| m.role == Speaker::User && !m.content.iter().any(is_result);
    let last = |source: bool| messages.iter().rposition(|m| asks(m) && (source || m.source.is_none()));
    last(false).or_else(|| last(true)).unwrap_or_default()
}

/// The tool results, and how many of them came before each answer of the model.
fn results(messages: &[Message]) -> (Vec<Value>, Vec<usize>) {
    let (mut calls, mut results, mut known) = (Vec::new(), Vec::new(), Vec::new());
    for message in messages {
        if message.role == Speaker::Assistant {
            known.push(results.len());
        }
        for block in &message.content {
            match block {
                Block::ToolCall { id, name, arguments } => calls.push((id, name, arguments)),
                Block::ToolResult { call_id, content, is_error, code, .. } => {
                    let call = calls.iter().rfind(|(id, ..)| *id == call_id);
                    let (name, arguments) =
                        call.map_or(("", Value::from("")), |(_, name, text)| (name.as_str(), parsed(text)));
                    let text = text_of(content);
                    results.push(context! { name, arguments, text, is_error, code });
                }
                Block::Text { .. } | Block::Reasoning { .. } | Block::Unknown => {}
            }
        }
    }
    (results, known)
}

fn parsed(arguments: &str) -> Value {
    serde_json::from_str::<Json>(arguments).map_or_else(|_| arguments.into(), |json| Serde(json).into())
}
