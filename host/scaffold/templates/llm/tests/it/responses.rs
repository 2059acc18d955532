//! What comes of each kind of answer.
use crate::{
    adapter, answer, failure,
    server::{answering, events},
};
use plugin_sdk::contracts::llm::StreamChunk;
use serde_json::json;

/// The chunks of a response as text, one a line.
async fn told(lines: &str) -> String {
    let (base, _asked) = answering("200 OK", &events(lines));
    let line = |chunk: &StreamChunk| match chunk {
        StreamChunk::BlockStart { index, block } => format!("start {index} {}", json!(block)),
        StreamChunk::TextDelta { index, text } => format!("text {index} {text}"),
        StreamChunk::ToolCallDelta { index, arguments } => format!("arguments {index} {arguments}"),
        StreamChunk::BlockEnd { index, .. } => format!("end {index}"),
        StreamChunk::Usage(usage) => format!("usage {}", json!(usage)),
        StreamChunk::Finish(finish) => format!("finish {}", json!(finish)),
        other => format!("{other:?}"),
    };
    answer(&adapter(&base, "")).await.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn text_streams_and_usage_comes_before_stop() {
    let said = told(
        r#"{"choices":[{"delta":{"role":"assistant","content":""}}]}
{"choices":[{"delta":{"reasoning_content":"hm"}}]}
{"choices":[{"delta":{"content":"Hel"}}]}
{"choices":[{"delta":{"content":"lo"},"finish_reason":"stop"}]}
{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}
[DONE]"#,
    )
    .await;
    let expected = r#"start 0 {"type":"text"}
text 0 Hel
text 0 lo
end 0
usage {"cache_read_tokens":4,"input_tokens":6,"output_tokens":2}
finish {"reason":"stop"}"#;
    assert_eq!(said, expected);
}

#[tokio::test]
async fn fragments_of_calls_are_joined_by_their_index() {
    let said = told(
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":""}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"go","arguments":"{}"}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"at\":"}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":" 1}"}}]},"finish_reason":"tool_calls"}]}
[DONE]"#,
    )
    .await;
    let expected = r#"start 0 {"id":"a","name":"look","type":"tool-call"}
arguments 0 
start 1 {"id":"b","name":"go","type":"tool-call"}
arguments 1 {}
arguments 0 {"at":
arguments 0  1}
end 0
end 1
finish {"reason":"tool-calls"}"#;
    assert_eq!(said, expected);
}

#[tokio::test]
async fn every_end_has_a_name() {
    for (lines, expected) in [
        (
            "{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"length\"}]}\n[DONE]",
            r#"finish {"reason":"max-tokens"}"#,
        ),
        (
            "{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}",
            r#"finish {"reason":"stop"}"#,
        ),
        ("{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n[DONE]", "EMPTY_RESPONSE"),
        ("{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}", "STREAM_CLOSED"),
        ("{\"choices\":[{\"delta\":{},\"finish_reason\":\"content_filter\"}]}\n[DONE]", "CONTENT_FILTER"),
        ("{\"error\":{\"message\":\"out of order\"}}", "out of order"),
        ("<html>", "MALFORMED_RESPONSE"),
    ] {
        let said = told(lines).await;
        let last = said.lines().last().unwrap_or_default();
        assert!(last.starts_with("finish ") && last.contains(expected), "{lines}: {last}");
    }
}

#[tokio::test]
async fn a_refusal_has_a_code_and_never_the_key() {
    for (status, expected) in [
        ("401 Unauthorized", "AUTH"),
        ("403 Forbidden", "AUTH"),
        ("429 Too Many Requests", "RATE_LIMIT"),
        ("400 Bad Request", "INVALID_REQUEST"),
        ("503 Service Unavailable", "SERVER"),
        ("404 Not Found", "HTTP_404"),
    ] {
        let (base, _asked) = answering(status, r#"{"error":{"message":"no: sk-secret-1"}}"#);
        let chunks = answer(&adapter(&base, "sk-secret-1")).await;
        let (code, message) = failure(&chunks);
        assert_eq!(code, expected);
        assert!(message.ends_with("no: [redacted]"), "{message}");
    }
}
