//! The reader of the second adapter: nothing makes it panic, its chunks keep the rules of a stream, and no cut changes them.
#![no_main]

use contracts::{Block, llm::StreamChunk};
use libfuzzer_sys::fuzz_target;
use llm_deepseek::Reader;

/// The chunks, with one name for every id that was made up.
fn chunks<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<StreamChunk> {
    let (mut reader, mut chunks) = (Reader::default(), Vec::new());
    pieces.into_iter().for_each(|piece| reader.read(piece, &mut chunks));
    reader.end(&mut chunks);
    fuzz::keeps_the_rules(&chunks);
    for chunk in &mut chunks {
        if let StreamChunk::BlockEnd { block: Some(Block::ToolCall { id, .. }), .. } = chunk
            && id.len() == "call-".len() + 16
            && id.starts_with("call-")
        {
            "made-up".clone_into(id);
        }
    }
    chunks
}

fuzz_target!(|body: &[u8]| {
    let whole = chunks([body]);
    for pieces in fuzz::ways(body) {
        assert_eq!(chunks(pieces), whole);
    }
});
