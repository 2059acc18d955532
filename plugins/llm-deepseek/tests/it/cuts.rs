//! Whatever comes, however it is cut: the same chunks, and the rules of a stream hold.
use crate::{
    chunks::{of, text},
    streams::all,
};
use proptest::{collection::vec, prelude::*, sample::Index};
use std::sync::LazyLock;

static STREAMS: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| all().into_iter().map(|(_, bytes)| bytes).filter(|bytes| !bytes.is_empty()).collect());

/// Some streams behind one another, with bytes of one put over another's.
fn spoiled() -> impl Strategy<Value = Vec<u8>> {
    let patch = (any::<Index>(), any::<Index>(), 0..30_usize);
    (vec(any::<Index>(), 1..4), vec(patch, 0..5)).prop_map(|(which, patches)| {
        let mut bytes: Vec<u8> = which.iter().flat_map(|at| at.get(&STREAMS)).copied().collect();
        for (from, to, length) in patches {
            let from = from.index(bytes.len());
            let piece = bytes[from..bytes.len().min(from + length)].to_vec();
            let to = to.index(bytes.len());
            let end = bytes.len().min(to + length / 2);
            bytes.splice(to..end, piece);
            bytes.push(b'\n');
        }
        bytes
    })
}

fn in_pieces<'a>(bytes: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    at.sort_unstable();
    let starts = [0].into_iter().chain(at.iter().copied());
    let ends = at.iter().copied().chain([bytes.len()]);
    starts.zip(ends).map(|(start, end)| &bytes[start..end]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_cut_changes_the_chunks(bytes in spoiled(), cuts in vec(any::<Index>(), 0..9)) {
        let whole = text(&of([&*bytes]));
        prop_assert_eq!(&text(&of(in_pieces(&bytes, &cuts))), &whole);
        prop_assert_eq!(&text(&of(bytes.chunks(1))), &whole);
    }

    #[test]
    fn any_bytes_are_some_response(bytes in vec(any::<u8>(), 0..200), cuts in vec(any::<Index>(), 0..4)) {
        prop_assert_eq!(text(&of([&*bytes])), text(&of(in_pieces(&bytes, &cuts))));
    }

    #[test]
    fn any_text_arrives_as_it_was_sent(words in vec(any::<String>(), 1..6)) {
        let payload = |word: &String| {
            format!("data: {}\n\n", serde_json::json!({ "choices": [{ "delta": { "content": word } }] }))
        };
        let body: String = words.iter().map(payload).chain(["data: [DONE]\n\n".to_owned()]).collect();
        let deltas = of([body.as_bytes()]).into_iter().filter_map(|chunk| match chunk {
            plugin_sdk::contracts::llm::StreamChunk::TextDelta { text, .. } => Some(text),
            _ => None,
        });
        prop_assert_eq!(deltas.collect::<String>(), words.concat());
    }
}
