//! The decoder of responses: nothing makes it panic, its chunks keep the rules of a stream with exactly one finish, and they are
//! the same however the bytes are cut.
#![no_main]

use contracts::{
    Block,
    llm::{Finish, Invariant, StreamChunk},
};
use libfuzzer_sys::fuzz_target;
use llm_openai::Decoder;
use std::collections::HashSet;

fn chunks<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<StreamChunk> {
    let (mut decoder, mut chunks, mut finish) = (Decoder::new("text/event-stream"), Vec::new(), None);
    for piece in pieces {
        finish = decoder.feed(piece, &mut chunks);
        if finish.is_some() {
            break;
        }
    }
    let finish = finish.unwrap_or_else(|| decoder.close(&mut chunks));
    chunks.push(StreamChunk::Finish(finish));
    chunks
}

fn check(chunks: &[StreamChunk]) {
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
    let mut assembler = contracts::llm::Assembler::default();
    chunks.iter().for_each(|chunk| assembler.push(chunk.clone()));
    let mut ids = HashSet::new();
    for block in assembler.into_blocks() {
        if let Block::ToolCall { id, .. } = block {
            assert!(!id.is_empty() && ids.insert(id), "{chunks:?}");
        }
    }
    assert!(!ids.is_empty(), "tool-calls without a call");
}

/// Ids that the adapter makes up are different each time.
fn plain(mut chunks: Vec<StreamChunk>) -> Vec<StreamChunk> {
    for chunk in &mut chunks {
        if let StreamChunk::BlockEnd { block: Some(Block::ToolCall { id, .. }), .. } = chunk
            && let Some((random, _)) = id.strip_prefix("call_").and_then(|rest| rest.split_once('_'))
            && random.len() == 16
            && random.bytes().all(|byte| byte.is_ascii_hexdigit())
        {
            *id = "made-up".into();
        }
    }
    chunks
}

fuzz_target!(|body: &[u8]| {
    let whole = chunks([body]);
    check(&whole);
    let whole = plain(whole);
    for pieces in fuzz::ways(body) {
        assert_eq!(plain(chunks(pieces)), whole);
    }
});
