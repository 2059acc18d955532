//! The decoder of responses: nothing makes it panic, its chunks keep the rules of a stream with exactly one finish, and they are
//! the same however the bytes are cut.
#![no_main]

use contracts::{Block, llm::StreamChunk};
use libfuzzer_sys::fuzz_target;
use llm_openai::Decoder;

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
    fuzz::keeps_the_rules(&whole);
    let whole = plain(whole);
    for pieces in fuzz::ways(body) {
        assert_eq!(plain(chunks(pieces)), whole);
    }
});
