//! The ten rules of a response stream.
use super::{BlockStart, Finish, StreamChunk};
use crate::Block;
use std::collections::BTreeMap;

/// Checks a stream, chunk by chunk:
///
/// 1. nothing follows the finish;
/// 2. a block opens only while its index is not open (a closed index may be opened again);
/// 3. a delta needs an open block of its own type;
/// 4. a block end needs an open block,
/// 5. and its block, where it has one, is of the type that was opened;
/// 6. usage comes at most once;
/// 7. no block is open at the finish, unless that is aborted or error;
/// 8. the stream ends with a finish;
/// 9. a failure has a code and a message;
/// 10. an attempt that discards makes all of the above start anew.
#[derive(Clone, Debug, Default)]
pub struct Invariant {
    open: BTreeMap<u32, Kind>,
    usage: bool,
    finished: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Text,
    Reasoning,
    ToolCall,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Reasoning => "reasoning",
            Kind::ToolCall => "tool-call",
        }
    }
}

impl Invariant {
    /// Takes the next chunk.
    ///
    /// # Errors
    /// The rule that it breaks, as a sentence.
    pub fn check(&mut self, chunk: &StreamChunk) -> Result<(), String> {
        if self.finished {
            return Err("the stream goes on after its finish".into());
        }
        match chunk {
            StreamChunk::BlockStart { index, block } => {
                if self.kind(*index).is_some() {
                    return Err(format!("block {index} opens twice"));
                }
                let kind = match block {
                    BlockStart::Text => Kind::Text,
                    BlockStart::Reasoning { .. } => Kind::Reasoning,
                    BlockStart::ToolCall { .. } => Kind::ToolCall,
                };
                self.open.insert(*index, kind);
                Ok(())
            }
            StreamChunk::TextDelta { index, .. } => self.delta(*index, Kind::Text),
            StreamChunk::ReasoningDelta { index, .. } => self.delta(*index, Kind::Reasoning),
            StreamChunk::ToolCallDelta { index, .. } => self.delta(*index, Kind::ToolCall),
            StreamChunk::BlockEnd { index, block } => self.end(*index, block.as_ref()),
            StreamChunk::Usage(_) if std::mem::replace(&mut self.usage, true) => {
                Err("usage comes more than once".into())
            }
            StreamChunk::Finish(finish) => self.finish(finish),
            StreamChunk::Attempt { discard: true, .. } => {
                *self = Invariant::default();
                Ok(())
            }
            StreamChunk::Usage(_) | StreamChunk::Attempt { .. } | StreamChunk::Other(_) => Ok(()),
        }
    }

    /// The stream has ended.
    ///
    /// # Errors
    /// It had no finish.
    pub fn ended(&self) -> Result<(), String> {
        if self.finished { Ok(()) } else { Err("the stream ended without a finish".into()) }
    }

    fn kind(&self, index: u32) -> Option<Kind> {
        self.open.get(&index).copied()
    }

    fn delta(&self, index: u32, kind: Kind) -> Result<(), String> {
        match self.kind(index) {
            Some(open) if open == kind => Ok(()),
            open => {
                let (kind, open) = (kind.word(), open.map_or("none", Kind::word));
                Err(format!("a {kind} delta for block {index} needs an open {kind} block, there is {open}"))
            }
        }
    }

    fn end(&mut self, index: u32, block: Option<&Block>) -> Result<(), String> {
        let Some(open) = self.kind(index) else {
            return Err(format!("block {index} ends without having been opened"));
        };
        let fits = match block {
            None => true,
            Some(Block::Text { .. }) => open == Kind::Text,
            Some(Block::Reasoning { .. }) => open == Kind::Reasoning,
            Some(Block::ToolCall { .. }) => open == Kind::ToolCall,
            Some(Block::ToolResult { .. } | Block::Unknown) => false,
        };
        if !fits {
            return Err(format!("block {index} opened as {} and ends as another type", open.word()));
        }
        self.open.remove(&index);
        Ok(())
    }

    fn finish(&mut self, finish: &Finish) -> Result<(), String> {
        self.finished = true;
        match finish {
            Finish::Aborted { failure } | Finish::Error { failure } => {
                if failure.code.is_empty() || failure.message.is_empty() {
                    return Err("a failure needs a code and a message".into());
                }
                Ok(())
            }
            Finish::Stop | Finish::ToolCalls | Finish::MaxTokens if self.open.is_empty() => Ok(()),
            Finish::Stop | Finish::ToolCalls | Finish::MaxTokens => {
                Err(format!("the stream finished with {} open block(s)", self.open.len()))
            }
        }
    }
}
