//! Responses that are large: what an honest one may hold, and where one that never ends is stopped.
use crate::{sse_cases::decoded, transcript::Transcript};
use contracts::llm::{Finish, StreamChunk};
use llm_openai::Decoder;
use plugin_sdk::contracts;
use serde_json::{Value, json};

const MIB: usize = 1 << 20;

fn event(delta: &Value) -> Vec<u8> {
    format!("data: {}\n\n", json!({ "choices": [{ "delta": delta }] })).into_bytes()
}

fn call(index: usize, function: &Value) -> Value {
    json!({ "tool_calls": [{ "index": index, "function": function }] })
}

#[test]
fn eight_thousand_interleaved_calls_get_their_own_arguments() {
    const CALLS: usize = 8000;
    let opened = (0..CALLS).map(|n| {
        json!({ "tool_calls": [{ "index": n, "id": format!("c{n}"), "function": { "name": "x", "arguments": "{\"n\":" } }] })
    });
    let number = (0..CALLS).rev().map(|n| call(n, &json!({ "arguments": n.to_string() })));
    let closed = (0..CALLS).map(|n| call(n, &json!({ "arguments": "}" })));
    let mut body: Vec<u8> = opened.chain(number).chain(closed).flat_map(|delta| event(&delta)).collect();
    body.extend(b"data: [DONE]\n\n");
    let got = decoded("", body.chunks(4096));
    let wanted = |n| json!({ "type": "tool-call", "id": format!("c{n}"), "name": "x", "arguments": format!("{{\"n\":{n}}}") });
    assert_eq!(json!(got.blocks), (0..CALLS).map(wanted).collect::<Value>());
    assert_eq!(got.finish, Some(Finish::ToolCalls));
}

/// Sends the same bytes again and again, at most so often; the failure and how often it took.
#[track_caller]
fn endless(first: &[u8], again: &[u8], times_max: usize) -> (Transcript, usize) {
    let (mut decoder, mut chunks) = (Decoder::new("text/event-stream"), Vec::new());
    let mut finish = decoder.feed(first, &mut chunks);
    let mut times = 0;
    let mut transcript = Transcript::default();
    while finish.is_none() && times < times_max {
        finish = decoder.feed(again, &mut chunks);
        times += 1;
        // Only the first chunks are of interest; a consumer would keep them all.
        chunks.truncate(64);
    }
    chunks.into_iter().for_each(|chunk| transcript.push(chunk));
    transcript.push(StreamChunk::Finish(finish.expect("an end")));
    (transcript.ended(), times)
}

#[test]
fn a_response_without_an_end_is_stopped() {
    let text = "x".repeat(4 * MIB);
    let rows = [
        ("text", vec![], event(&json!({ "content": text })), 16, "67108864 bytes"),
        (
            "arguments of one call",
            event(&json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "x" } }] })),
            event(&call(0, &json!({ "arguments": text }))),
            15,
            "67108864 bytes",
        ),
        (
            "calls, one after the other",
            vec![],
            event(
                &json!({ "tool_calls": vec![json!({ "id": "a", "function": { "name": "x", "arguments": "{}" } }); 8192] }),
            ),
            7,
            "67108864 bytes",
        ),
        ("a line", b"data: ".to_vec(), text.clone().into_bytes(), 3, "16777216 bytes"),
        ("an event", vec![], format!("data: {text}\n").into_bytes(), 3, "16777216 bytes"),
        ("a document", b"{\"a\": \"".to_vec(), text.into_bytes(), 3, "16777216 bytes"),
    ];
    for (what, first, again, fits, says) in rows {
        let (got, times) = endless(&first, &again, 20);
        let failure = got.failure();
        assert_eq!(failure.code, "RESPONSE_TOO_LARGE", "{what}: {failure:?}");
        assert!(failure.message.contains(says) && !failure.hint.is_empty(), "{what}: {failure:?}");
        assert_eq!(times, fits + 1, "{what}");
    }
}

#[test]
fn ids_that_come_late_count_as_well() {
    let (mut decoder, mut chunks) = (Decoder::new("text/event-stream"), Vec::new());
    let finish = (0..20).find_map(|n| {
        let id = format!("{n}{}", "x".repeat(4 * MIB));
        // The call begins without an id, which a second fragment brings.
        let call = json!([{ "function": { "name": "x", "arguments": "{}" } }, { "id": id }]);
        decoder.feed(&event(&json!({ "tool_calls": call })), &mut chunks).map(|finish| (n, finish))
    });
    let Some((15, Finish::Error { failure })) = finish else { panic!("{finish:?}") };
    assert_eq!(failure.code, "RESPONSE_TOO_LARGE", "{failure:?}");
}
