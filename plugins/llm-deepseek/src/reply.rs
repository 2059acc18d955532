//! The payloads of one response into its chunks.
//!
//! Blocks are numbered as they open: at most one of reasoning and one of text, and one for each tool call. They all end when the
//! response says that it is done; then come the token counts and the finish.
use crate::{
    NAME,
    calls::Calls,
    failure::{RESPONSE_TOO_LARGE, failure},
    payload::{self, Choice, Payload},
    said::Said,
    usage,
};
use contracts::llm::{BlockStart, Failure, Finish, StreamChunk, code};
use plugin_sdk::{Usage, contracts};
use serde_json::Value;

/// How much of an unreadable payload is shown.
const SHOWN_CHARS: usize = 120;
/// How much a response may say before it is taken for one that will never end, in bytes of text, reasoning and calls.
const BYTES_MAX: usize = 64 << 20;

/// One response.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    reasoning: Option<u32>,
    text: Option<u32>,
    calls: Calls,
    /// How many blocks there are.
    blocks: u32,
    bytes: usize,
    finish_reason: String,
    usage: Option<Usage>,
    over: bool,
}

impl Reply {
    /// Takes the data of an event.
    pub(crate) fn take(&mut self, event: &str, data: &str, chunks: &mut Vec<StreamChunk>) {
        let data = data.trim();
        match data {
            "[DONE]" => return self.done(chunks),
            // A comment that a proxy has made an event of.
            _ if data.is_empty() || data.starts_with(':') => return,
            _ => {}
        }
        match payload::read(data) {
            _ if event == "error" => self.reported(&Said::in_body(data), chunks),
            Ok(payload) if is_error(&payload.error) => {
                self.reported(&Said::in_error(&payload.error), chunks);
            }
            Ok(payload) if !self.over => self.payload(payload, chunks),
            Ok(_) => {}
            Err(_) => {
                let shown: String = data.chars().take(SHOWN_CHARS).collect();
                let what = format_args!("a payload is no chunk of a chat completion: {shown}");
                self.fail(failure(code::MALFORMED_RESPONSE, what), chunks);
            }
        }
    }

    /// What came is no event stream at all.
    pub(crate) fn page(&mut self, said: &Said, text: &str, chunks: &mut Vec<StreamChunk>) {
        if serde_json::from_str::<Value>(text).is_ok_and(|value| is_error(&value["error"])) {
            return self.reported(said, chunks);
        }
        let shown = if said.message.is_empty() { text.trim() } else { &said.message };
        let what = format_args!("the response is no event stream: {shown}");
        self.fail(failure(code::MALFORMED_RESPONSE, what), chunks);
    }

    /// Ends the response with a failure, if it has not ended.
    pub(crate) fn fail(&mut self, failure: Failure, chunks: &mut Vec<StreamChunk>) {
        self.finish(Finish::Error { failure }, chunks);
    }

    fn finish(&mut self, finish: Finish, chunks: &mut Vec<StreamChunk>) {
        if !std::mem::replace(&mut self.over, true) {
            chunks.push(StreamChunk::Finish(finish));
        }
    }

    /// The provider gives up on an answer that it has begun.
    fn reported(&mut self, said: &Said, chunks: &mut Vec<StreamChunk>) {
        let what = format_args!("the provider broke off: {}", said.message);
        self.fail(failure(&said.code_in_stream(), what), chunks);
    }

    fn payload(&mut self, payload: Payload, chunks: &mut Vec<StreamChunk>) {
        // They are totals so far.
        self.usage = usage::read(&payload.usage).or(self.usage);
        // Only one was asked for.
        let Some(choice) = payload.choices.into_iter().next() else { return };
        self.choice(choice, chunks);
        if self.bytes > BYTES_MAX {
            let what = format_args!("the response has more than {BYTES_MAX} bytes in its blocks");
            self.fail(failure(RESPONSE_TOO_LARGE, what), chunks);
        }
    }

    fn choice(&mut self, Choice { delta, finish_reason }: Choice, chunks: &mut Vec<StreamChunk>) {
        // Servers that know both names send the same under both.
        let thought = [delta.reasoning_content, delta.reasoning].into_iter().find(|text| !text.is_empty());
        if let Some(text) = thought {
            self.bytes += text.len();
            let index = *self.reasoning.get_or_insert_with(|| {
                let block = BlockStart::Reasoning { adapter: NAME.to_owned() };
                open(&mut self.blocks, block, chunks)
            });
            chunks.push(StreamChunk::ReasoningDelta { index, text });
        }
        for text in [delta.content, delta.refusal].into_iter().filter(|text| !text.is_empty()) {
            self.bytes += text.len();
            let index = *self.text.get_or_insert_with(|| open(&mut self.blocks, BlockStart::Text, chunks));
            chunks.push(StreamChunk::TextDelta { index, text });
        }
        for fragment in delta.tool_calls {
            let (delta, bytes) = self.calls.take(fragment, |block| open(&mut self.blocks, block, chunks));
            chunks.extend(delta);
            self.bytes += bytes;
        }
        if !finish_reason.is_empty() {
            self.finish_reason = finish_reason;
        }
    }

    fn done(&mut self, chunks: &mut Vec<StreamChunk>) {
        if self.over {
            return;
        }
        let mut ends = self.calls.complete();
        chunks.extend(
            (0..self.blocks).map(|index| StreamChunk::BlockEnd { index, block: ends.remove(&index) }),
        );
        chunks.extend(self.usage.map(StreamChunk::Usage));
        let (silent, calling) = (self.blocks == 0, !self.calls.is_empty());
        let finish = match &*self.finish_reason {
            "length" => Finish::MaxTokens,
            "" | "stop" | "tool_calls" | "function_call" if silent => {
                let what = "the model completed a response with nothing in it";
                Finish::Error { failure: failure(code::EMPTY_RESPONSE, what) }
            }
            // Whether there are calls says more than the word: some servers stop with calls, or call without any.
            "" | "stop" | "tool_calls" | "function_call" if calling => Finish::ToolCalls,
            "" | "stop" | "tool_calls" | "function_call" => Finish::Stop,
            reason => {
                let what = format_args!("the model stopped because of `{reason}`");
                Finish::Error { failure: failure(&reason.to_uppercase(), what) }
            }
        };
        self.finish(finish, chunks);
    }
}

/// Opens a block; its index is its number.
fn open(blocks: &mut u32, block: BlockStart, chunks: &mut Vec<StreamChunk>) -> u32 {
    let index = *blocks;
    *blocks += 1;
    chunks.push(StreamChunk::BlockStart { index, block });
    index
}

/// Some servers send the key along with nothing under it.
fn is_error(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    }
}
