//! Turns a response stream into its blocks.
use super::{BlockStart, Finish, StreamChunk};
use crate::{Block, Usage};
use serde_json::Value;
use std::collections::HashMap;

/// Collects the blocks of one response. Tool arguments stay text until their block is complete.
#[derive(Clone, Debug, Default)]
pub struct Assembler {
    blocks: Vec<Block>,
    /// Where in `blocks` each open index is.
    open: HashMap<u32, usize>,
    usage: Option<Usage>,
    finish: Option<Finish>,
}

impl Assembler {
    /// Takes the next chunk of a stream that keeps the [`super::Invariant`].
    pub fn push(&mut self, chunk: StreamChunk) {
        match chunk {
            StreamChunk::BlockStart { index, block } => {
                let block = match block {
                    BlockStart::Text => Block::text(""),
                    BlockStart::Reasoning { adapter } => {
                        Block::Reasoning { text: String::new(), adapter, data: Value::Null }
                    }
                    BlockStart::ToolCall { id, name } => {
                        Block::ToolCall { id, name, arguments: String::new() }
                    }
                };
                self.open.insert(index, self.blocks.len());
                self.blocks.push(block);
            }
            StreamChunk::TextDelta { index, text: more }
            | StreamChunk::ReasoningDelta { index, text: more }
            | StreamChunk::ToolCallDelta { index, arguments: more } => {
                if let Some(
                    Block::Text { text }
                    | Block::Reasoning { text, .. }
                    | Block::ToolCall { arguments: text, .. },
                ) = self.open.get(&index).and_then(|at| self.blocks.get_mut(*at))
                {
                    if text.is_empty() { *text = more } else { text.push_str(&more) }
                }
            }
            StreamChunk::BlockEnd { index, block } => {
                let place = self.open.remove(&index).and_then(|at| self.blocks.get_mut(at));
                if let (Some(place), Some(block)) = (place, block) {
                    *place = block;
                }
            }
            StreamChunk::Usage(usage) => self.usage = Some(usage),
            StreamChunk::Finish(finish) => self.finish = Some(finish),
            StreamChunk::Attempt { discard: true, .. } => *self = Assembler::default(),
            StreamChunk::Attempt { .. } | StreamChunk::Other(_) => {}
        }
    }

    /// Token counts, if they came.
    pub fn usage(&self) -> Option<Usage> {
        self.usage
    }

    /// How the response ended, if it has.
    pub fn finish(&self) -> Option<&Finish> {
        self.finish.as_ref()
    }

    /// The blocks in the order they opened. After `max-tokens` no tool call is among them, whole or cut: nothing truncated is executed.
    /// After an abort or an error only text and reasoning that say something are.
    pub fn into_blocks(self) -> Vec<Block> {
        let (calls, visible_only) = match &self.finish {
            Some(Finish::Stop | Finish::ToolCalls) => (true, false),
            Some(Finish::MaxTokens) => (false, false),
            Some(Finish::Aborted { .. } | Finish::Error { .. }) | None => (false, true),
        };
        let keep = |block: &Block| match block {
            Block::ToolCall { .. } => calls,
            Block::Text { text } | Block::Reasoning { text, .. } => !visible_only || !text.trim().is_empty(),
            Block::ToolResult { .. } | Block::Unknown => !visible_only,
        };
        self.blocks.into_iter().filter(keep).collect()
    }
}
