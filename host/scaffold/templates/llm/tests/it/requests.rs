//! What is sent, and when nothing is.
use crate::{
    adapter, answer, chunks, failure,
    server::{answering, events},
};
use plugin_sdk::{
    Block, Message, Part, Parts,
    contracts::{
        llm::{Finish, LlmRequest, StreamChunk},
        tools::{ToolResult, ToolSchema},
    },
};
use serde_json::{Value, json};

const STOP: &str = r#"{"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}
[DONE]"#;

#[tokio::test]
async fn a_request_carries_key_model_agent_system_tools_and_the_whole_conversation() {
    let call = Block::ToolCall { id: "c1".into(), name: "look".into(), arguments: r#"{"at": 1}"#.into() };
    let cut = Block::ToolCall { id: "c2".into(), name: "look".into(), arguments: r#"{"at"#.into() };
    let history: Parts = [
        Message::user("hi"),
        Message::assistant(vec![Block::text("so"), call, cut]),
        ToolResult::ok("seen").message("c1"),
        ToolResult::error("INVALID_ARGS", "").message("c2"),
    ]
    .map(|message| message.part())
    .into_iter()
    .collect();
    let schema = ToolSchema::new("look", "Looks.", r#"{"type":"object"}"#).unwrap();
    let request = LlmRequest {
        tools: schema.part().into(),
        system: Some(Part::new("be brief")),
        ..LlmRequest::default()
    };
    for slash in ["", "/"] {
        let (base, asked) = answering("200 OK", &events(STOP));
        let answered = chunks(&adapter(&(base + slash), " key-1 \n"), request.clone(), history.clone()).await;
        assert_eq!(answered.last(), Some(&StreamChunk::Finish(Finish::Stop)));
        let asked = asked.join().unwrap();
        for line in [
            "post /v1/chat/completions http/1.1",
            "authorization: bearer key-1",
            concat!("user-agent: template-llm/", env!("CARGO_PKG_VERSION")),
        ] {
            assert!(asked.head.lines().any(|have| have == line), "{line} in {}", asked.head);
        }
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        let function = json!({ "name": "look", "description": "Looks.", "parameters": { "type": "object" } });
        let call = |id: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": "look", "arguments": arguments } });
        let expected = json!({
            "model": "m1",
            "stream": true,
            "stream_options": { "include_usage": true },
            "tools": [{ "type": "function", "function": function }],
            "messages": [
                { "role": "system", "content": "be brief" },
                { "role": "user", "content": "hi" },
                { "role": "assistant", "content": "so", "tool_calls": [
                    call("c1", r#"{"at": 1}"#),
                    call("c2", r#"{"invalid_arguments":"{\"at"}"#),
                ] },
                { "role": "tool", "tool_call_id": "c1", "content": "seen" },
                { "role": "tool", "tool_call_id": "c2", "content": "(no output)" },
            ],
        });
        assert_eq!(body, expected);
        assert!(asked.body.find("\"tools\"") < asked.body.find("\"messages\""), "messages come last");
    }
}

#[tokio::test]
async fn a_key_that_is_missing_or_unusable_is_told_before_anything_is_sent() {
    let far = "https://host.invalid/v1";
    let missing = answer(&adapter(far, " ")).await;
    let (code, message) = failure(&missing);
    assert!(code == "MISSING_CREDENTIAL" && message.contains("LLM_API_KEY"), "{message}");
    for key in ["two words", "line\nline", "schlüssel"] {
        let unusable = answer(&adapter(far, key)).await;
        let (code, message) = failure(&unusable);
        assert!(code == "INVALID_CREDENTIAL" && !message.contains(key), "{message}");
    }
}

#[tokio::test]
async fn an_endpoint_on_this_machine_needs_no_key() {
    let (base, asked) = answering("200 OK", &events(STOP));
    assert_eq!(answer(&adapter(&base, "")).await.last(), Some(&StreamChunk::Finish(Finish::Stop)));
    assert!(!asked.join().unwrap().head.contains("authorization"));
}
