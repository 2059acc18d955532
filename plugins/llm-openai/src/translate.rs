//! From the payloads of a response to its chunks.
//!
//! The shape of a payload: OpenAI API reference, "the chat completion chunk object". Deltas go out as they come; blocks end,
//! and usage and finish follow, when the response says that it is done. What servers do beyond the reference is read as
//! leniently as it can be told apart: the cases under `tests/it/cases/sse` say how.
mod wire;
mod text;
mod arguments;
mod tool_calls;
mod usage;
mod finish;

use crate::{
    ADAPTER,
    decode::{malformed, too_large},
    report::{self, Report},
};
use contracts::llm::{BlockStart, Failure, Finish, StreamChunk};
use plugin_sdk::{Usage, contracts};
use text::Joiner;
use tool_calls::Calls;
use wire::{Chunk, Delta, Few, Fragment};

/// How much of a payload that cannot be read is shown.
const SHOWN_CHARS: usize = 120;
/// How much text, reasoning and arguments one response may come to: thirty times what the longest answers hold. Whoever reads
/// them keeps them, so a server that never ends would take all memory there is.
const CONTENT_BYTES_MAX: usize = 64 << 20;
/// What a block counts for besides what is in it.
const BLOCK_BYTES: usize = 1024;

/// Translates one response.
#[derive(Debug, Default)]
pub(crate) struct Translator {
    text: Option<Prose>,
    reasoning: Option<Prose>,
    calls: Calls,
    /// How many blocks have been opened, which is the index of the next one.
    opened: u32,
    /// How many bytes of content have been handed out.
    content: usize,
    finish_reason: Option<String>,
    usage: Option<Usage>,
}

/// A text or reasoning block: one of each at most, never opened again.
#[derive(Debug)]
struct Prose {
    index: u32,
    joiner: Joiner,
}

impl Translator {
    /// Takes one event; returns the finish once one says the end.
    pub(crate) fn event(&mut self, event: &str, data: &str, out: &mut Vec<StreamChunk>) -> Option<Finish> {
        let data = data.trim();
        if data == "[DONE]" {
            return Some(self.done(out));
        }
        // A keep-alive comment that somebody on the way has put behind `data:`.
        if data.is_empty() || data.starts_with(':') {
            return None;
        }
        if event == "error" {
            return Some(reported(data));
        }
        match serde_json::from_str::<Chunk<'_>>(data) {
            Ok(chunk) if chunk.error.is_some_and(|error| is_said(error.get())) => Some(reported(data)),
            Ok(chunk) => {
                let known = out.len();
                match self.chunk(chunk, out) {
                    Ok(()) => self.bounded(&out[known..]),
                    Err(_) => Some(unreadable(data)),
                }
            }
            Err(_) => Some(unreadable(data)),
        }
    }

    /// Counts what has come; the finish of a response that goes on and on.
    fn bounded(&mut self, new: &[StreamChunk]) -> Option<Finish> {
        for chunk in new {
            self.content += match chunk {
                StreamChunk::TextDelta { text, .. } | StreamChunk::ReasoningDelta { text, .. } => text.len(),
                StreamChunk::ToolCallDelta { arguments, .. } => arguments.len(),
                StreamChunk::BlockStart { block: BlockStart::ToolCall { id, name }, .. } => {
                    BLOCK_BYTES + id.len() + name.len()
                }
                _ => 0,
            };
        }
        (self.content + self.calls.late_bytes > CONTENT_BYTES_MAX).then(|| {
            too_large(&format!("text, reasoning and tool calls of more than {CONTENT_BYTES_MAX} bytes"))
        })
    }

    /// Takes a completion that was not streamed.
    pub(crate) fn completion(&mut self, data: &str, out: &mut Vec<StreamChunk>) -> Finish {
        let read = serde_json::from_str::<Chunk<'_>>(data).and_then(|mut chunk| {
            if let Some(choice) = chunk.choices.as_mut().and_then(|choices| choices.first.as_mut()) {
                choice.delta =
                    choice.message.map(|message| serde_json::from_str(message.get())).transpose()?;
            }
            self.chunk(chunk, out)
        });
        if read.is_ok() { self.done(out) } else { unreadable(data) }
    }

    fn chunk(&mut self, chunk: Chunk<'_>, out: &mut Vec<StreamChunk>) -> serde_json::Result<()> {
        // One answer was asked for. A server that sends several at once gets its first one read.
        if let Some(choice) = chunk.choices.and_then(|choices| choices.first) {
            if let Some(delta) = choice.delta {
                self.delta(delta, out)?;
            }
            if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
                self.finish_reason = Some(reason.into_string());
            }
        }
        // Running totals: the last one counts.
        self.usage = chunk.usage.and_then(|usage| usage::read(usage.get())).or(self.usage);
        Ok(())
    }

    fn delta(&mut self, delta: Delta<'_>, out: &mut Vec<StreamChunk>) -> serde_json::Result<()> {
        // Some send the same thought under several names.
        let thoughts = [delta.reasoning_content, delta.reasoning, delta.reasoning_details];
        if let Some(thought) = thoughts.into_iter().flatten().find(|text| !text.is_empty()) {
            let prose = self.reasoning.get_or_insert_with(|| {
                let adapter = ADAPTER.to_owned();
                open(BlockStart::Reasoning { adapter }, &mut self.opened, out)
            });
            let (index, text) = (prose.index, prose.joiner.push(thought));
            if !text.is_empty() {
                out.push(StreamChunk::ReasoningDelta { index, text });
            }
        }
        for said in [delta.content, delta.refusal].into_iter().flatten().filter(|text| !text.is_empty()) {
            let prose = self.text.get_or_insert_with(|| open(BlockStart::Text, &mut self.opened, out));
            let (index, text) = (prose.index, prose.joiner.push(said));
            if !text.is_empty() {
                out.push(StreamChunk::TextDelta { index, text });
            }
        }
        if let Some(fragments) = delta.tool_calls {
            let fragments: Few<Fragment<'_>> = serde_json::from_str(fragments.get())?;
            let several = !fragments.more.is_empty();
            for (position, fragment) in fragments.into_iter().enumerate() {
                self.calls.take(fragment, several.then_some(position), &mut self.opened, out);
            }
        }
        if let Some(function) = delta.function_call {
            let fragment = Fragment::of(serde_json::from_str(function.get())?);
            self.calls.take(fragment, None, &mut self.opened, out);
        }
        Ok(())
    }

    /// The response is complete: the ends of its blocks, in the order they were opened, and its usage.
    pub(crate) fn done(&mut self, out: &mut Vec<StreamChunk>) -> Finish {
        if let Some(text) = self.reasoning.as_mut().and_then(|prose| Some((prose.index, prose.joiner.end()?)))
        {
            out.push(StreamChunk::ReasoningDelta { index: text.0, text: text.1 });
        }
        if let Some(text) = self.text.as_mut().and_then(|prose| Some((prose.index, prose.joiner.end()?))) {
            out.push(StreamChunk::TextDelta { index: text.0, text: text.1 });
        }
        self.calls.settle();
        for index in 0..self.opened {
            out.push(StreamChunk::BlockEnd { index, block: self.calls.corrected(index) });
        }
        out.extend(self.usage.map(StreamChunk::Usage));
        finish::of(self.finish_reason.as_deref(), self.opened == 0, !self.calls.is_empty())
    }
}

fn open(block: BlockStart, opened: &mut u32, out: &mut Vec<StreamChunk>) -> Prose {
    let index = *opened;
    *opened += 1;
    out.push(StreamChunk::BlockStart { index, block });
    Prose { index, joiner: Joiner::default() }
}

/// The finish of a response in which the provider reports an error.
pub(crate) fn reported(data: &str) -> Finish {
    let report = Report::read(data);
    let message = format!("llm-openai: the provider reported: {}", report.message);
    Finish::Error { failure: Failure::new(report.stream_code(), message) }
}

fn is_said(error: &str) -> bool {
    serde_json::from_str(error).is_ok_and(|error| report::said(&error))
}

fn unreadable(data: &str) -> Finish {
    let shown: String = data.chars().take(SHOWN_CHARS).collect();
    malformed(&format!("malformed SSE payload: {shown}"))
}
