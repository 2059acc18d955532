//! Whatever arrives, and however it is cut: the rules of a stream hold, and nothing panics.
use crate::{
    sse_cases::{all_bytes, chunks, decoded},
    transcript::is_made_up,
};
use contracts::{Block, llm::StreamChunk};
use plugin_sdk::contracts;
use proptest::{collection::vec, prelude::*, sample};
use serde_json::{Value, json};
use std::sync::LazyLock;

static CASES: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(all_bytes);

/// Cuts bytes where the numbers say.
fn pieces<'a>(bytes: &'a [u8], cuts: &[sample::Index]) -> Vec<&'a [u8]> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    at.extend([0, bytes.len()]);
    at.sort_unstable();
    at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

/// JSON that has the right words in the wrong places.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (-2_i64..3).prop_map(Value::from),
        sample::select(vec!["", "a", "null", "{", "}", "stop", "length", "\u{1f600}"]).prop_map(Value::from),
    ];
    let key = sample::select(vec![
        "choices",
        "delta",
        "content",
        "reasoning",
        "reasoning_content",
        "reasoning_details",
        "refusal",
        "tool_calls",
        "function_call",
        "function",
        "name",
        "arguments",
        "id",
        "index",
        "finish_reason",
        "usage",
        "prompt_tokens",
        "error",
        "message",
        "text",
    ]);
    leaf.prop_recursive(6, 40, 4, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((key.clone(), inner), 0..4)
                .prop_map(|fields| fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect::<Value>()),
        ]
    })
}

fn fragment() -> impl Strategy<Value = Value> {
    let word = || sample::select(vec![None, Some(""), Some("a"), Some("b"), Some("null")]);
    let index = sample::select(vec![None, Some(0), Some(1), Some(2)]);
    let arguments = sample::select(vec![None, Some(""), Some("{"), Some("}"), Some("{}")]);
    (index, word(), word(), arguments).prop_map(|(index, id, name, arguments)| {
        json!({ "index": index, "id": id, "function": { "name": name, "arguments": arguments } })
    })
}

/// One event as a server may write it: mostly sound, sometimes odd.
fn event() -> impl Strategy<Value = String> {
    let word = || sample::select(vec!["", "a", "漢", "\u{1f600}", "\n", "<think>", "[DONE]"]);
    let escaped = sample::select(vec!["\\ud83d\\ude00", "\\ud83d", "\\ude00", "\\n", "\\u0000"]);
    let reason = sample::select(vec!["stop", "length", "tool_calls", "content_filter", ""]);
    let line = sample::select(vec![
        ": keep-alive",
        "data: : keep-alive",
        "event: error",
        "event: ping",
        "id: 7",
        "retry: 10",
        "data: [DONE]",
        "data",
        "data: {\"error\":{\"message\":\"slow\",\"code\":429}}",
        "data: {",
        "{\"choices\":[]}",
        "\u{feff}data: {}",
    ]);
    let chunk = |delta: Value| format!("data: {}", json!({ "choices": [{ "index": 0, "delta": delta }] }));
    prop_oneof![
        4 => word().prop_map(move |text| chunk(json!({ "role": "assistant", "content": text }))),
        2 => word().prop_map(move |text| chunk(json!({ "reasoning_content": text, "content": null }))),
        4 => vec(fragment(), 1..4).prop_map(move |list| chunk(json!({ "tool_calls": list }))),
        2 => escaped.prop_map(|text| format!(r#"data:{{"choices":[{{"delta":{{"content":"{text}"}}}}]}}"#)),
        1 => reason.prop_map(|reason| format!("data: {}", json!({ "choices": [{ "finish_reason": reason }] }))),
        1 => (0_u64..99).prop_map(|n| format!("data: {}", json!({ "choices": [], "usage": { "prompt_tokens": n } }))),
        1 => value().prop_map(|value| format!("data: {value}")),
        2 => line.prop_map(str::to_owned),
    ]
}

/// A body of such events, each line end of a kind of its own.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let end = sample::select(vec!["\n\n", "\n\n", "\r\n\r\n", "\r\r", "\n", "\r\n\n"]);
    let done = sample::select(vec!["data: [DONE]\n\n", "data: [DONE]", "data: [DO", ""]);
    (vec((event(), end), 0..12), done).prop_map(|(events, done)| {
        let events: String = events.into_iter().map(|(event, end)| event + end).collect();
        (events + done).into_bytes()
    })
}

/// What happens to bytes on the way.
#[derive(Clone, Debug)]
enum Damage {
    Other(sample::Index, u8),
    More(sample::Index, u8),
    Less(sample::Index, usize),
    Twice(sample::Index, usize),
    Cut(sample::Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    let byte = || prop_oneof![any::<u8>(), sample::select(b"\r\n:\"\\{}[],".to_vec())];
    let at = any::<sample::Index>;
    prop_oneof![
        (at(), byte()).prop_map(|(at, byte)| Damage::Other(at, byte)),
        (at(), byte()).prop_map(|(at, byte)| Damage::More(at, byte)),
        (at(), 1..40_usize).prop_map(|(at, count)| Damage::Less(at, count)),
        (at(), 1..200_usize).prop_map(|(at, count)| Damage::Twice(at, count)),
        at().prop_map(Damage::Cut),
    ]
}

fn damaged(mut bytes: Vec<u8>, damages: Vec<Damage>) -> Vec<u8> {
    for damage in damages {
        let len = bytes.len();
        let piece = |at: sample::Index, count: usize| {
            let start = at.index(len + 1);
            start..len.min(start + count)
        };
        match damage {
            Damage::Other(at, byte) if len > 0 => bytes[at.index(len)] = byte,
            Damage::Other(_, byte) => bytes.push(byte),
            Damage::More(at, byte) => bytes.insert(at.index(len + 1), byte),
            Damage::Less(at, count) => drop(bytes.drain(piece(at, count))),
            Damage::Twice(at, count) => {
                let piece = piece(at, count);
                let copy = bytes[piece.clone()].to_vec();
                drop(bytes.splice(piece.end..piece.end, copy));
            }
            Damage::Cut(at) => bytes.truncate(at.index(len + 1)),
        }
    }
    bytes
}

/// The chunks, without what is different each time.
fn plain<'a>(content_type: &str, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<StreamChunk> {
    let mut chunks = chunks(content_type, pieces);
    for chunk in &mut chunks {
        if let StreamChunk::BlockEnd { block: Some(Block::ToolCall { id, .. }), .. } = chunk
            && is_made_up(id)
        {
            "<made-up>".clone_into(id);
        }
    }
    chunks
}

/// The same chunks whole, in these pieces and byte by byte; and they keep the rules.
fn same_however_cut(content_type: &str, bytes: &[u8], cuts: &[sample::Index]) -> Result<(), TestCaseError> {
    let whole = plain(content_type, [bytes]);
    prop_assert_eq!(&plain(content_type, pieces(bytes, cuts)), &whole);
    prop_assert_eq!(&plain(content_type, bytes.chunks(1)), &whole);
    decoded(content_type, [bytes]);
    Ok(())
}

proptest! {
    // How many cases: PROPTEST_CASES, which is proptest's default unless the variable is set.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_cut_changes_the_chunks_of_a_case(at in any::<sample::Index>(), cuts in vec(any::<sample::Index>(), 0..12)) {
        let (content_type, bytes) = at.get(&CASES);
        same_however_cut(content_type, bytes, &cuts)?;
    }

    #[test]
    fn no_cut_changes_the_chunks_of_a_damaged_case(
        at in any::<sample::Index>(),
        damages in vec(damage(), 1..5),
        cuts in vec(any::<sample::Index>(), 0..12),
    ) {
        let (content_type, bytes) = at.get(&CASES);
        same_however_cut(content_type, &damaged(bytes.clone(), damages), &cuts)?;
    }

    #[test]
    fn no_cut_changes_the_chunks_of_a_body(
        body in body(),
        damages in vec(damage(), 0..4),
        cuts in vec(any::<sample::Index>(), 0..12),
    ) {
        same_however_cut("", &damaged(body, damages), &cuts)?;
    }

    #[test]
    fn any_bytes_come_to_an_end(bytes in vec(any::<u8>(), 0..300), cuts in vec(any::<sample::Index>(), 0..4)) {
        decoded("", pieces(&bytes, &cuts));
    }

    #[test]
    fn any_json_comes_to_an_end(payloads in vec(value(), 1..5)) {
        let body: String = payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect();
        decoded("", [body.as_bytes(), b"data: [DONE]\n\n"]);
        decoded("", [payloads[0].to_string().as_bytes()]);
    }

    #[test]
    fn any_fragments_become_calls_with_different_ids(lists in vec(vec(fragment(), 1..4), 1..6)) {
        let payload = |list: &Vec<Value>| format!("data: {}\n\n", json!({ "choices": [{ "delta": { "tool_calls": list } }] }));
        let body: String = lists.iter().map(payload).collect();
        let got = decoded("", [body.as_bytes(), b"data: [DONE]\n\n"]);
        let mut ids: Vec<String> = got.blocks.iter().map(|block| json!(block)["id"].as_str().unwrap().to_owned()).collect();
        prop_assert!(ids.iter().all(|id| !id.is_empty()));
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        prop_assert_eq!(ids.len(), count);
        let sent: usize = lists.iter().flatten().map(|f| f["function"]["arguments"].as_str().unwrap_or_default().len()).sum();
        let kept: usize = got.blocks.iter().map(|block| json!(block)["arguments"].as_str().unwrap().len()).sum();
        prop_assert_eq!(sent, kept);
    }
}
