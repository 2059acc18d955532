//! The body of a request.
use crate::{
    run::{Chunks, OK, adapter, ask_with},
    server::{Answer, Server},
};
use contracts::{
    Block, Message, Part, Parts, Speaker,
    llm::{LlmRequest, Settings},
    tools::ToolSchema,
};
use plugin_sdk::{contracts, testing};
use serde_json::{Value, json};

fn tools(names: &[&str]) -> Parts {
    let schema = |name: &&str| ToolSchema::new(name, "Does it.", r#"{"type": "object"}"#).unwrap().part();
    names.iter().map(schema).collect()
}

fn reasoning(text: &str, adapter: &str) -> Block {
    Block::Reasoning { text: text.into(), adapter: adapter.into(), data: Value::Null }
}

fn call(id: &str, arguments: &str) -> Block {
    Block::ToolCall { id: id.into(), name: "look".into(), arguments: arguments.into() }
}

fn result(id: &str, text: &str) -> Block {
    let content = if text.is_empty() { vec![] } else { vec![Block::text(text)] };
    Block::ToolResult { call_id: id.into(), content, is_error: false, code: None, synthetic: false }
}

fn user(content: Vec<Block>) -> Message {
    Message { role: Speaker::User, content, source: None }
}

/// What is posted for these requests, one after the other.
async fn bodies(config: Value, requests: &[(LlmRequest, Parts)]) -> Vec<Vec<u8>> {
    let server = Server::start(requests.iter().map(|_| Answer::stream(OK)));
    let adapter = adapter(&server, config);
    for (request, history) in requests {
        assert_eq!(ask_with(&adapter, request.clone(), history.clone()).await.text(), "ok");
    }
    server.asked().into_iter().map(|asked| asked.body).collect()
}

async fn messages(history: &[Message]) -> Value {
    let history = history.iter().map(Message::part).collect();
    let bodies = bodies(json!({}), &[(LlmRequest::default(), history)]).await;
    serde_json::from_slice::<Value>(&bodies[0]).unwrap()["messages"].clone()
}

#[tokio::test]
async fn settings_and_tools_first_messages_last() {
    let settings = Settings {
        model: "other".into(),
        max_tokens: Some(100),
        temperature: Some(0.5),
        stop: vec!["END".into()],
        reasoning_effort: Some("low".into()),
        tool_choice: Some("look".into()),
        purpose: Some("title".into()),
    };
    let request = LlmRequest {
        settings,
        tools: tools(&["look", "touch"]),
        system: Some(Part::new("You \"are\" here.")),
    };
    let posted = bodies(json!({}), &[(request, Message::user("go").part().into())]).await;
    let wanted = concat!(
        r#"{"model":"other","stream":true,"stream_options":{"include_usage":true},"max_tokens":100,"temperature":0.5,"#,
        r#""stop":["END"],"reasoning_effort":"low","tool_choice":{"type":"function","function":{"name":"look"}},"#,
        r#""tools":[{"type":"function","function":{"name":"look","description":"Does it.","parameters":{"type": "object"}}},"#,
        r#"{"type":"function","function":{"name":"touch","description":"Does it.","parameters":{"type": "object"}}}],"#,
        r#""messages":[{"role":"system","content":"You \"are\" here."},{"role":"user","content":"go"}]}"#
    );
    assert_eq!(String::from_utf8_lossy(&posted[0]), wanted);
}

#[tokio::test]
async fn what_is_not_set_is_the_rows_or_left_out() {
    let none = (LlmRequest::default(), Message::user("go").part().into());
    let bare = r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"go"}]}"#;
    let posted =
        bodies(json!({ "reasoning_effort": "", "tool_choice": "" }), std::slice::from_ref(&none)).await;
    assert_eq!(String::from_utf8_lossy(&posted[0]), bare);

    let row =
        json!({ "max_tokens": 7, "temperature": 1, "reasoning_effort": "high", "tool_choice": "required" });
    let mut with_tools = none.clone();
    with_tools.0.tools = tools(&["look"]);
    with_tools.0.settings.max_tokens = Some(8);
    let posted = bodies(row, &[none, with_tools]).await;
    let [first, second] = [0, 1].map(|at| serde_json::from_slice::<Value>(&posted[at]).unwrap());
    assert_eq!(first["max_tokens"], 7);
    assert_eq!(first["reasoning_effort"], "high");
    assert_eq!(first.get("tool_choice"), None, "it is refused without tools");
    assert_eq!((&second["max_tokens"], &second["tool_choice"]), (&json!(8), &json!("required")));
}

#[tokio::test]
async fn neutral_messages_on_the_wire() {
    let got = messages(&[
        user(vec![Block::text("hello "), Block::Unknown, Block::text("world")]),
        Message::assistant(vec![
            reasoning("hm", "llm-openai"),
            reasoning("no", "another"),
            Block::text("look"),
            call("a", "{\"b\": 1}"),
            call("c", "{}"),
        ]),
        user(vec![result("a", "")]),
        user(vec![Block::text("and"), result("c", "seen")]),
        Message::assistant(vec![call("d", " ")]),
        user(vec![result("d", "x")]),
        Message::assistant(vec![reasoning("only", "llm-openai")]),
        Message::assistant(vec![reasoning("only", "another")]),
        Message::assistant(vec![]),
        user(vec![]),
    ])
    .await;
    let wire_call = |id: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": "look", "arguments": arguments } });
    let wanted = json!([
        { "role": "user", "content": "hello world" },
        { "role": "assistant", "content": "look", "reasoning_content": "hm", "tool_calls": [wire_call("a", "{\"b\": 1}"), wire_call("c", "{}")] },
        { "role": "tool", "tool_call_id": "a", "content": "(no output)" },
        { "role": "user", "content": "and" },
        { "role": "tool", "tool_call_id": "c", "content": "seen" },
        { "role": "assistant", "content": "", "tool_calls": [wire_call("d", "{}")] },
        { "role": "tool", "tool_call_id": "d", "content": "x" },
        { "role": "assistant", "content": "", "reasoning_content": "only" },
        { "role": "user", "content": "" },
    ]);
    assert_eq!(got, wanted);
}

#[tokio::test]
async fn arguments_in_the_history_are_always_an_object() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(500), "]".repeat(500));
    let rows = ["{\"a\":", "{}{}", "{} ok?", "[1]", "\"a\"", "null", "```json\n{}\n```", &deep];
    for arguments in rows {
        let got =
            messages(&[Message::assistant(vec![call("a", arguments)]), user(vec![result("a", "x")])]).await;
        let sent = got[0]["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(sent).unwrap(), json!({ "invalid_arguments": arguments }));
    }
}

#[tokio::test]
async fn each_body_extends_the_last() {
    let (mut history, mut requests) = (Parts::new(), Vec::new());
    let request =
        LlmRequest { tools: tools(&["look"]), system: Some(Part::new("Be.")), ..LlmRequest::default() };
    for step in 0..12 {
        let id = format!("call-{step}");
        history.push(Message::user(format!("say {step} é")).part());
        requests.push((request.clone(), history.clone()));
        history.push(Message::assistant(vec![reasoning("hm", "llm-openai"), call(&id, "{}")]).part());
        history.push(user(vec![result(&id, "done")]).part());
        history.push(Message::assistant(vec![]).part());
        requests.push((request.clone(), history.clone()));
    }
    let posted = bodies(json!({}), &requests).await;
    for pair in posted.windows(2) {
        let shared = &pair[0][..pair[0].len() - b"]}".len()];
        assert!(pair[1].starts_with(shared), "{}", String::from_utf8_lossy(&pair[1]));
    }
}

#[tokio::test]
async fn a_body_does_not_depend_on_the_requests_before_it() {
    let said = |texts: &[&str]| texts.iter().map(|text| Message::user(*text).part()).collect::<Parts>();
    let ruled = |system: &str| LlmRequest { system: Some(Part::new(system)), ..LlmRequest::default() };
    let plain = LlmRequest::default;
    // Two conversations in turn, one that got shorter, one that changed in its middle, and other system prompts.
    let requests = [
        (plain(), said(&["a", "b"])),
        (plain(), said(&["a", "b", "c"])),
        (plain(), said(&["x"])),
        (plain(), said(&["a", "b", "c", "d"])),
        (plain(), said(&["a", "b"])),
        (plain(), said(&["a", "y", "c", "d", "e"])),
        (plain(), said(&[])),
        (ruled("be brief"), said(&["a", "y"])),
        (ruled("be kind"), said(&["a", "y"])),
        (ruled("be kind"), said(&["a", "y", "z"])),
        (ruled(""), said(&["a", "y", "z"])),
    ];
    let together = bodies(json!({}), &requests).await;
    for (request, body) in requests.iter().zip(&together) {
        let alone = bodies(json!({}), std::slice::from_ref(request)).await;
        assert_eq!(String::from_utf8_lossy(&alone[0]), String::from_utf8_lossy(body));
    }
}

#[tokio::test]
async fn a_system_prompt_is_not_taken_for_the_message_that_it_looks_like() {
    let message = Message::user("go").part();
    let request = LlmRequest { system: Some(message.clone()), ..LlmRequest::default() };
    let posted = bodies(json!({}), &[(request, message.clone().into())]).await;
    let sent: Value = serde_json::from_slice(&posted[0]).unwrap();
    assert_eq!(sent["messages"][0]["content"].as_str(), message.text());
    assert_eq!(sent["messages"][1]["content"], "go");
}

#[tokio::test]
async fn a_history_that_is_none_is_said() {
    let server = Server::start([]);
    let got = ask_with(&adapter(&server, json!({})), LlmRequest::default(), Part::new("{}").into()).await;
    assert_eq!(got.failure().code, "BAD_PAYLOAD");
    assert_eq!(server.accepted(), 0);
}

#[tokio::test]
async fn the_trace_goes_along() {
    let server = Server::start([Answer::stream(OK)]);
    let mut call = testing::cx().0.abi().clone();
    (call.trace.trace_id, call.trace.span_id, call.trace.flags) = ([0xAB; 16], [0xCD; 8], 1);
    let (adapter, history) = (adapter(&server, json!({})), Message::user("go").part().into());
    Chunks::open(&adapter, LlmRequest::default(), history, call.into()).transcript().await;
    let wanted = format!("00-{}-{}-01", "ab".repeat(16), "cd".repeat(8));
    assert_eq!(server.asked()[0].header("traceparent"), Some(&*wanted));
}
