//! What holds of the chunks of every response, whoever translates it.
use contracts::{
    Block,
    llm::{Assembler, Finish, Invariant, StreamChunk},
};
use std::collections::HashSet;

/// The rules of a stream hold, no delta is empty, and every call can be cited.
///
/// # Panics
/// They do not.
pub fn keeps_the_rules(chunks: &[StreamChunk]) {
    let mut rules = Invariant::default();
    for chunk in chunks {
        assert_eq!(rules.check(chunk), Ok(()), "{chunks:?}");
        if let StreamChunk::TextDelta { text: more, .. }
        | StreamChunk::ReasoningDelta { text: more, .. }
        | StreamChunk::ToolCallDelta { arguments: more, .. } = chunk
        {
            assert!(!more.is_empty(), "an empty delta");
        }
    }
    assert_eq!(rules.ended(), Ok(()));
    let Some(StreamChunk::Finish(Finish::ToolCalls)) = chunks.last() else { return };
    // What is to be answered can be cited: every call has an id, and no two the same.
    let mut assembler = Assembler::default();
    chunks.iter().for_each(|chunk| assembler.push(chunk.clone()));
    let mut ids = HashSet::new();
    for block in assembler.into_blocks() {
        if let Block::ToolCall { id, .. } = block {
            assert!(!id.is_empty() && ids.insert(id), "{chunks:?}");
        }
    }
    assert!(!ids.is_empty(), "tool-calls without a call");
}
