//! Whatever arrives, and however it is cut: the rules of a stream hold, and nothing panics.
use crate::sse_cases::{all_bytes, decoded};
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_cut_changes_what_a_case_comes_to(at in any::<sample::Index>(), cuts in vec(any::<sample::Index>(), 0..12)) {
        let (content_type, bytes) = at.get(&CASES);
        let whole = decoded(content_type, [&**bytes]).outcome();
        prop_assert_eq!(decoded(content_type, pieces(bytes, &cuts)).outcome(), whole);
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
