//! From the events of a response to chunks (OpenAI API reference, "The chat completion chunk object").
//!
//! Deltas go out as they come. Blocks end, and usage and finish follow, when the response says that it is done.
use crate::failure;
use contracts::llm::{BlockStart, Failure, Finish, StreamChunk, code};
use plugin_sdk::{Usage, contracts};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Payload {
    choices: Option<Vec<Choice>>,
    usage: Option<Tokens>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
    tool_calls: Option<Vec<Fragment>>,
}

/// A piece of a call: the first has its id and name, and each a piece of its arguments.
#[derive(Deserialize)]
struct Fragment {
    #[serde(default)]
    index: u32,
    id: Option<String>,
    function: Option<Function>,
}

#[derive(Default, Deserialize)]
struct Function {
    name: Option<String>,
    arguments: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
struct Tokens {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    prompt_tokens_details: Option<Cached>,
}

#[derive(Clone, Copy, Deserialize)]
struct Cached {
    cached_tokens: Option<u64>,
}

/// Translates one response.
#[derive(Default)]
pub(crate) struct Translator {
    /// What each block is, in the order they were opened: the position is its index.
    blocks: Vec<Opened>,
    finish_reason: Option<String>,
    usage: Option<Tokens>,
}

#[derive(PartialEq)]
enum Opened {
    Text,
    /// A call, by its index on the wire.
    Call(u32),
}

impl Translator {
    /// Takes one event; returns the finish once one says the end.
    pub(crate) fn event(&mut self, data: &str, out: &mut Vec<StreamChunk>) -> Option<Finish> {
        if data.trim() == "[DONE]" {
            return Some(self.done(out));
        }
        let Ok(payload) = serde_json::from_str::<Payload>(data) else {
            return Some(Finish::Error { failure: failure::malformed(data) });
        };
        if payload.error.is_some_and(|error| !error.is_null()) {
            return Some(Finish::Error { failure: failure::reported(data) });
        }
        self.usage = payload.usage.or(self.usage);
        // One answer was asked for.
        let choice = payload.choices.into_iter().flatten().next()?;
        self.finish_reason = choice.finish_reason.or(self.finish_reason.take());
        let delta = choice.delta?;
        if let Some(text) = delta.content.filter(|text| !text.is_empty()) {
            let index = self.index_of(Opened::Text, || BlockStart::Text, out);
            out.push(StreamChunk::TextDelta { index, text });
        }
        for Fragment { index, id, function } in delta.tool_calls.into_iter().flatten() {
            let Function { name, arguments } = function.unwrap_or_default();
            let start = || BlockStart::ToolCall {
                // The result has to cite some id.
                id: id.filter(|id| !id.is_empty()).unwrap_or_else(|| format!("call-{index}")),
                name: name.unwrap_or_default(),
            };
            let index = self.index_of(Opened::Call(index), start, out);
            // A fragment of JSON: nobody may read it before its block is complete.
            out.extend(arguments.map(|arguments| StreamChunk::ToolCallDelta { index, arguments }));
        }
        None
    }

    /// The response has ended without `[DONE]`: some servers leave it out, but none the reason.
    pub(crate) fn close(mut self, out: &mut Vec<StreamChunk>) -> Finish {
        if self.finish_reason.is_some() {
            return self.done(out);
        }
        let message = "template-llm: the response ended before it said why";
        Finish::Error { failure: Failure::new(code::STREAM_CLOSED, message) }
    }

    /// The index of a block, which is opened if it is not.
    fn index_of(
        &mut self,
        which: Opened,
        start: impl FnOnce() -> BlockStart,
        out: &mut Vec<StreamChunk>,
    ) -> u32 {
        let position = self.blocks.iter().position(|opened| *opened == which);
        let index = position.unwrap_or(self.blocks.len()) as u32;
        if position.is_none() {
            out.push(StreamChunk::BlockStart { index, block: start() });
            self.blocks.push(which);
        }
        index
    }

    fn done(&mut self, out: &mut Vec<StreamChunk>) -> Finish {
        out.extend((0..self.blocks.len() as u32).map(|index| StreamChunk::BlockEnd { index, block: None }));
        out.extend(self.usage.map(|tokens| StreamChunk::Usage(disjoint(tokens))));
        let has_calls = self.blocks.iter().any(|opened| matches!(opened, Opened::Call(_)));
        match self.finish_reason.as_deref() {
            // Cut: whatever there is of it may not be acted on.
            Some("length") => Finish::MaxTokens,
            None | Some("stop" | "tool_calls") if self.blocks.is_empty() => {
                let message = "template-llm: the model returned a completed response without content";
                Finish::Error { failure: Failure::new(code::EMPTY_RESPONSE, message) }
            }
            // Servers say either for the other; whether there are calls decides.
            None | Some("stop" | "tool_calls") if has_calls => Finish::ToolCalls,
            None | Some("stop" | "tool_calls") => Finish::Stop,
            Some(other) => {
                let message = format!("template-llm: the model stopped: {other}");
                Finish::Error { failure: Failure::new(other.to_ascii_uppercase(), message) }
            }
        }
    }
}

/// On the wire the prompt's count includes what a cache served; with us the counts are disjoint.
fn disjoint(tokens: Tokens) -> Usage {
    let cached = tokens.prompt_tokens_details.and_then(|details| details.cached_tokens);
    Usage {
        input_tokens: tokens.prompt_tokens.saturating_sub(cached.unwrap_or_default()),
        output_tokens: tokens.completion_tokens,
        cache_read_tokens: cached,
        ..Usage::default()
    }
}
