//! Chunks as text, one a line, and the rules they keep.
use contracts::{
    Block,
    llm::{Failure, Finish, Invariant, StreamChunk},
};
use llm_deepseek::Reader;
use plugin_sdk::contracts;
use serde_json::json;

/// The chunks of a response that arrives in these pieces. They keep the rules of a stream.
#[track_caller]
pub(crate) fn of<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<StreamChunk> {
    let (mut reader, mut chunks) = (Reader::default(), Vec::new());
    for piece in pieces {
        reader.read(piece, &mut chunks);
    }
    reader.end(&mut chunks);
    checked(chunks)
}

/// The same chunks, if they keep the rules.
#[track_caller]
pub(crate) fn checked(chunks: Vec<StreamChunk>) -> Vec<StreamChunk> {
    let mut rules = Invariant::default();
    for chunk in &chunks {
        rules.check(chunk).unwrap_or_else(|rule| panic!("{rule}: {}", text(&chunks)));
    }
    rules.ended().unwrap();
    chunks
}

/// What is known of a response that failed.
#[track_caller]
pub(crate) fn failure(chunks: &[StreamChunk]) -> &Failure {
    match chunks.last() {
        Some(StreamChunk::Finish(Finish::Error { failure } | Finish::Aborted { failure })) => failure,
        _ => panic!("no failure: {}", text(chunks)),
    }
}

/// One line a chunk; an id that was made up is `call-…`.
pub(crate) fn text(chunks: &[StreamChunk]) -> String {
    chunks.iter().map(|chunk| line(chunk) + "\n").collect()
}

fn line(chunk: &StreamChunk) -> String {
    match chunk {
        StreamChunk::BlockStart { index, block } => format!("{index} opens {}", json!(block)),
        StreamChunk::TextDelta { index, text } | StreamChunk::ReasoningDelta { index, text } => {
            format!("{index} + {text:?}")
        }
        StreamChunk::ToolCallDelta { index, arguments } => format!("{index} + {arguments}"),
        StreamChunk::BlockEnd { index, block: None } => format!("{index} ends"),
        StreamChunk::BlockEnd { index, block: Some(block) } => format!("{index} ends as {}", plain(block)),
        StreamChunk::Usage(usage) => format!("usage {}", json!(usage)),
        StreamChunk::Finish(finish) => format!("finish {}", json!(finish)),
        other => panic!("unexpected: {other:?}"),
    }
}

fn plain(block: &Block) -> String {
    let mut block = json!(block);
    let random = block["id"].as_str().and_then(|id| id.strip_prefix("call-"));
    if random.is_some_and(|hex| hex.len() == 16 && hex.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        block["id"] = "call-…".into();
    }
    block.to_string()
}
