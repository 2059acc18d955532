//! Single payloads and what they come to.
use crate::sse_cases::decoded;
use serde::Deserialize;
use serde_json::{Value, json};

fn stream(payloads: &[&str]) -> String {
    payloads.iter().map(|payload| format!("data: {payload}\n\n")).chain(["data: [DONE]\n\n".into()]).collect()
}

fn delta(delta: Value) -> String {
    json!({ "choices": [{ "delta": delta }] }).to_string()
}

/// The payloads, as deltas of one response that ends with `[DONE]`.
fn deltas(deltas: &[Value]) -> Value {
    let payloads: Vec<String> = deltas.iter().map(|d| delta(d.clone())).collect();
    let payloads: Vec<&str> = payloads.iter().map(String::as_str).collect();
    decoded("", [stream(&payloads).as_bytes()]).outcome()
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({ "type": "tool-call", "id": id, "name": name, "arguments": arguments })
}

/// One row: the `tool_calls` of one delta after the other, and the calls (id, name, arguments) that they make.
#[derive(Deserialize)]
struct Fragments {
    what: String,
    tool_calls: Vec<Value>,
    calls: Vec<[String; 3]>,
}

#[test]
fn fragments_find_their_call() {
    let rows: Vec<Fragments> = serde_json::from_str(include_str!("cases/calls/fragments.json")).unwrap();
    for row in rows {
        let payloads: Vec<Value> = row.tool_calls.iter().map(|list| json!({ "tool_calls": list })).collect();
        let blocks: Vec<Value> =
            row.calls.iter().map(|[id, name, arguments]| call(id, name, arguments)).collect();
        let wanted = json!({ "blocks": blocks, "finish": { "reason": "tool-calls" } });
        assert_eq!(deltas(&payloads), wanted, "{}", row.what);
    }
}

#[test]
fn a_function_call_of_the_old_kind_is_a_call() {
    let got = deltas(&[
        json!({ "function_call": { "name": "x", "arguments": "{" } }),
        json!({ "function_call": { "arguments": "}" } }),
    ]);
    assert_eq!(got["blocks"], json!([call("<made-up>", "x", "{}")]));
}

#[test]
fn content_may_be_a_list_of_parts() {
    let parts =
        json!([{ "type": "text", "text": "a" }, { "type": "other" }, { "type": "text", "text": "b" }]);
    assert_eq!(deltas(&[json!({ "content": parts })])["blocks"], json!([{ "type": "text", "text": "ab" }]));
}

#[test]
fn half_characters_are_joined_or_replaced() {
    let rows = [
        (vec![r"\ud83d", r"\ude00"], "\u{1f600}"),
        (vec![r"a\ud83d", r"\ude00b"], "a\u{1f600}b"),
        (vec![r"\ud83d", "x"], "\u{fffd}x"),
        (vec![r"\ude00x"], "\u{fffd}x"),
        (vec![r"x\ud83d"], "x\u{fffd}"),
        (vec![r"\ud83d\ud83d", r"\ude00"], "\u{fffd}\u{1f600}"),
        (vec![r"\ud83d", r"\ud83d", r"\ude00é"], "\u{fffd}\u{1f600}é"),
    ];
    for (pieces, text) in rows {
        for key in ["content", "reasoning_content"] {
            let payloads: Vec<String> = pieces
                .iter()
                .map(|piece| format!(r#"{{"choices":[{{"delta":{{"{key}":"{piece}"}}}}]}}"#))
                .collect();
            let payloads: Vec<&str> = payloads.iter().map(String::as_str).collect();
            let got = decoded("", [stream(&payloads).as_bytes()]).outcome();
            assert_eq!(got["blocks"][0]["text"], text, "{pieces:?}");
        }
    }
}

#[test]
fn reasons_to_stop() {
    let said = json!({ "content": "x" });
    let called =
        json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "x", "arguments": "{}" } }] });
    let rows = [
        (&said, json!("stop"), json!({ "reason": "stop" })),
        (&said, json!(null), json!({ "reason": "stop" })),
        (&said, json!(""), json!({ "reason": "stop" })),
        (&said, json!("tool_calls"), json!({ "reason": "stop" })),
        (&said, json!("length"), json!({ "reason": "max-tokens" })),
        (&json!({}), json!("length"), json!({ "reason": "max-tokens" })),
        (&json!({}), json!(null), json!({ "reason": "error", "code": "EMPTY_RESPONSE" })),
        (&json!({}), json!("function_call"), json!({ "reason": "error", "code": "EMPTY_RESPONSE" })),
        (&called, json!("stop"), json!({ "reason": "tool-calls" })),
        (&called, json!(null), json!({ "reason": "tool-calls" })),
        (&called, json!("length"), json!({ "reason": "max-tokens" })),
        (&said, json!("content_filter"), json!({ "reason": "error", "code": "CONTENT_FILTER" })),
        (
            &said,
            json!("insufficient_system_resource"),
            json!({ "reason": "error", "code": "INSUFFICIENT_SYSTEM_RESOURCE" }),
        ),
        (&said, json!("mystery-reason!"), json!({ "reason": "error", "code": "MYSTERY_REASON_" })),
        (&said, json!("error"), json!({ "reason": "error", "code": "SERVER" })),
    ];
    for (delta, reason, finish) in rows {
        let payload = json!({ "choices": [{ "delta": delta, "finish_reason": reason }] }).to_string();
        let got = decoded("", [stream(&[&payload]).as_bytes()]).outcome();
        assert_eq!(got["finish"], finish, "{payload}");
    }
}

#[test]
fn usage_is_disjoint_or_unknown() {
    let rows = [
        (
            json!({ "prompt_tokens": 10, "completion_tokens": 2 }),
            json!({ "input_tokens": 10, "output_tokens": 2 }),
        ),
        (
            json!({ "prompt_tokens": 10, "completion_tokens": 2, "prompt_cache_hit_tokens": 8 }),
            json!({ "input_tokens": 2, "output_tokens": 2, "cache_read_tokens": 8 }),
        ),
        (
            json!({ "prompt_tokens": 194, "completion_tokens": 2, "prompt_tokens_details": { "cached_tokens": 4, "cache_write_tokens": 100 } }),
            json!({ "input_tokens": 90, "output_tokens": 2, "cache_read_tokens": 4, "cache_write_tokens": 100 }),
        ),
        (
            json!({ "prompt_tokens": 10.0, "completion_tokens": -2 }),
            json!({ "input_tokens": 10, "output_tokens": 0 }),
        ),
        (json!({}), json!(null)),
        (json!("none"), json!(null)),
        (json!({ "prompt_tokens": "many" }), json!(null)),
    ];
    for (usage, wanted) in rows {
        let payload = json!({ "choices": [{ "delta": { "content": "x" } }], "usage": usage }).to_string();
        let got = decoded("", [stream(&[&payload]).as_bytes()]).outcome();
        assert_eq!(got["usage"], wanted, "{payload}");
    }
}

#[test]
fn ends_that_are_none() {
    let text = delta(json!({ "content": "x" }));
    let rows = [
        (String::new(), "STREAM_CLOSED"),
        (format!("data: {text}\n\n"), "STREAM_CLOSED"),
        (format!("data: {text}\n\ndata: [DON"), "STREAM_CLOSED"),
        (format!("data: {text}"), "STREAM_CLOSED"),
        ("data: {bad json\n\ndata: [DONE]\n\n".into(), "MALFORMED_RESPONSE"),
        ("data: 5\n\ndata: [DONE]\n\n".into(), "MALFORMED_RESPONSE"),
        ("{\"a\": 1}".into(), "MALFORMED_RESPONSE"),
        ("<".into(), "MALFORMED_RESPONSE"),
        ("[]".into(), "MALFORMED_RESPONSE"),
        ("{\"error\": {\"message\": \"slow down\", \"code\": 429}}".into(), "RATE_LIMIT"),
        ("{\"error\": {\"message\": \"bad key\", \"type\": \"authentication_error\"}}".into(), "AUTH"),
    ];
    for (body, code) in rows {
        assert_eq!(decoded("", [body.as_bytes()]).failure().code, code, "{body}");
    }
    // A last blank line that is missing behind the end is forgiven.
    let got = decoded("", [format!("data: {text}\n\ndata: [DONE]").as_bytes()]);
    assert_eq!(got.outcome()["finish"], json!({ "reason": "stop" }));
}

#[test]
fn an_error_that_says_nothing_is_none() {
    for error in [json!(null), json!(""), json!({}), json!(false)] {
        let payload = json!({ "error": error, "choices": [{ "delta": { "content": "x" } }] }).to_string();
        let got = decoded("", [stream(&[&payload]).as_bytes()]).outcome();
        assert_eq!(got["finish"], json!({ "reason": "stop" }), "{payload}");
    }
}

#[test]
fn a_completion_that_was_not_streamed_is_read_too() {
    let call = json!({ "id": "a", "type": "function", "function": { "name": "x", "arguments": "{}" } });
    let body = json!({
        "choices": [{ "message": { "role": "assistant", "content": "hm", "tool_calls": [call] }, "finish_reason": "tool_calls" }],
        "usage": { "prompt_tokens": 3, "completion_tokens": 1 },
    });
    let got = decoded("application/json", [body.to_string().as_bytes()]).outcome();
    let wanted = json!({
        "blocks": [{ "type": "text", "text": "hm" }, { "type": "tool-call", "id": "a", "name": "x", "arguments": "{}" }],
        "usage": { "input_tokens": 3, "output_tokens": 1 },
        "finish": { "reason": "tool-calls" },
    });
    assert_eq!(got, wanted);
}

#[test]
fn twenty_thousand_deltas_and_one_line_of_150_kb() {
    let word = delta(json!({ "content": "word " }));
    let arguments = json!({ "path": "big.txt", "content": "x".repeat(150_000) }).to_string();
    let big = delta(
        json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "write_file", "arguments": arguments } }] }),
    );
    let mut payloads = vec![word.as_str(); 20_000];
    payloads.push(&big);
    let body = stream(&payloads);
    let got = decoded("", body.as_bytes().chunks(4096));
    assert_eq!(got.text().len(), 5 * 20_000);
    assert_eq!(got.outcome()["blocks"][1]["arguments"], arguments);
}
