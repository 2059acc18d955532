//! The items of a response stream.
use crate::{Block, Error, Item, Result, Usage, wire};
use kind::{ATTEMPT, BLOCK_END, BLOCK_START, FINISH, REASONING_DELTA, TEXT_DELTA, TOOL_CALL_DELTA, USAGE};
use plugin_api::RChunk;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The kinds on the wire: what a wrap that hands on batches unopened tells a chunk by.
pub mod kind {
    /// A block opens; `data`.
    pub const BLOCK_START: u16 = 1;
    /// `text`.
    pub const TEXT_DELTA: u16 = 2;
    /// `text`.
    pub const REASONING_DELTA: u16 = 3;
    /// A fragment of arguments; `text`.
    pub const TOOL_CALL_DELTA: u16 = 4;
    /// A block is complete; `data` for one that is given whole.
    pub const BLOCK_END: u16 = 5;
    /// `data`.
    pub const USAGE: u16 = 6;
    /// The last chunk of a stream; `data`.
    pub const FINISH: u16 = 7;
    /// `data`.
    pub const ATTEMPT: u16 = 8;
}

/// One item. `index` names a block within the response; blocks may interleave.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamChunk {
    /// A block opens.
    BlockStart {
        /// The block.
        index: u32,
        /// Its type.
        block: BlockStart,
    },
    /// More text of a text block.
    TextDelta {
        /// The block.
        index: u32,
        /// The piece.
        text: String,
    },
    /// More text of a reasoning block.
    ReasoningDelta {
        /// The block.
        index: u32,
        /// The piece.
        text: String,
    },
    /// More of a tool call's arguments: a fragment of JSON text, not to be parsed before the block is complete.
    ToolCallDelta {
        /// The block.
        index: u32,
        /// The fragment.
        arguments: String,
    },
    /// A block is complete.
    BlockEnd {
        /// The block.
        index: u32,
        /// The whole block where that says more than its start and deltas; it wins over them.
        block: Option<Block>,
    },
    /// Token counts of the response, at most once.
    Usage(Usage),
    /// The end of the response, the last item.
    Finish(Finish),
    /// A new attempt begins: with `discard`, every block and the usage since the stream began are void.
    Attempt {
        /// 2 for the first retry.
        n: u32,
        /// Whether output was already streamed that must be forgotten.
        discard: bool,
        /// Why the last attempt failed.
        code: String,
        /// How long was waited.
        wait_ms: u64,
    },
    /// A kind that this build does not know: passed on.
    Other(RChunk),
}

/// The type of a block that opens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum BlockStart {
    /// Text.
    Text,
    /// Reasoning.
    Reasoning {
        /// The adapter it comes from.
        #[serde(default)]
        adapter: String,
    },
    /// A tool call; id and name may still be `""` and come with the block's end.
    ToolCall {
        /// The call id.
        #[serde(default)]
        id: String,
        /// The tool.
        #[serde(default)]
        name: String,
    },
}

/// Why generation ended. Five different obligations for the loop: never collapse them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Finish {
    /// The model had said all.
    Stop,
    /// The model waits for tool results.
    ToolCalls,
    /// The output was cut: nothing of it may be executed.
    MaxTokens,
    /// The caller's token was fired.
    Aborted {
        /// What is known.
        failure: Failure,
    },
    /// The request failed.
    Error {
        /// What is known.
        failure: Failure,
    },
}

/// What is known of a failed request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// One sentence, never empty.
    pub message: String,
    /// A word of [`super::code`] or another, never empty.
    pub code: String,
    /// The HTTP status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// How long the provider asked to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The provider's id of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The one thing to do about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hint: String,
}

impl Failure {
    /// A failure of which only code and message are known.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Failure { code: code.into(), message: message.into(), ..Failure::default() }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let details: Failure = serde_json::from_value(json!({
            "code": &*error.code,
            "message": error.message,
            "status": error.data["status"],
            "retry_after_ms": error.data["retry_after_ms"],
            "request_id": error.data["request_id"],
        }))
        .unwrap_or_default();
        Failure { code: error.code.into_owned(), message: error.message, hint: error.hint, ..details }
    }
}

#[derive(Serialize, Deserialize)]
struct Attempt {
    n: u32,
    #[serde(default)]
    discard: bool,
    #[serde(default)]
    code: String,
    #[serde(default)]
    wait_ms: u64,
}

impl Item for StreamChunk {
    fn into_chunk(self) -> RChunk {
        match self {
            StreamChunk::BlockStart { index, block } => RChunk::data(BLOCK_START, index, wire::write(&block)),
            StreamChunk::TextDelta { index, text } => RChunk::text(TEXT_DELTA, index, text),
            StreamChunk::ReasoningDelta { index, text } => RChunk::text(REASONING_DELTA, index, text),
            StreamChunk::ToolCallDelta { index, arguments } => {
                RChunk::text(TOOL_CALL_DELTA, index, arguments)
            }
            StreamChunk::BlockEnd { index, block } => {
                RChunk::data(BLOCK_END, index, block.as_ref().map(wire::write).unwrap_or_default())
            }
            StreamChunk::Usage(usage) => RChunk::data(USAGE, 0, wire::write(&usage)),
            StreamChunk::Finish(finish) => RChunk::data(FINISH, 0, wire::write(&finish)),
            StreamChunk::Attempt { n, discard, code, wait_ms } => {
                RChunk::data(ATTEMPT, 0, wire::write(&Attempt { n, discard, code, wait_ms }))
            }
            StreamChunk::Other(chunk) => chunk,
        }
    }

    fn from_chunk(chunk: RChunk) -> Result<Self> {
        let index = chunk.index;
        Ok(match chunk.kind {
            BLOCK_START => StreamChunk::BlockStart { index, block: wire::read("block start", &chunk.data)? },
            TEXT_DELTA => StreamChunk::TextDelta { index, text: chunk.text.into() },
            REASONING_DELTA => StreamChunk::ReasoningDelta { index, text: chunk.text.into() },
            TOOL_CALL_DELTA => StreamChunk::ToolCallDelta { index, arguments: chunk.text.into() },
            BLOCK_END if chunk.data.is_empty() => StreamChunk::BlockEnd { index, block: None },
            BLOCK_END => StreamChunk::BlockEnd { index, block: Some(wire::read("block end", &chunk.data)?) },
            USAGE => StreamChunk::Usage(wire::read("usage", &chunk.data)?),
            FINISH => StreamChunk::Finish(wire::read("finish", &chunk.data)?),
            ATTEMPT => {
                let Attempt { n, discard, code, wait_ms } = wire::read("attempt", &chunk.data)?;
                StreamChunk::Attempt { n, discard, code, wait_ms }
            }
            _ => StreamChunk::Other(chunk),
        })
    }
}
