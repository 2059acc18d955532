//! What is sent: headers, settings, tools and the conversation.
use crate::row::{KEY, answer, ask, go, row};
use checks::fake_model::FakeModel;
use contracts::{
    Block, Message, Part, Parts, Speaker,
    llm::{Assembler, LlmRequest, Settings},
    tools::ToolSchema,
};
use plugin_sdk::{contracts, testing};
use serde_json::{Value, json};

const OK: &str = "{on_end: repeat_last, replies: [{text: ok}]}";

fn tools(names: &[&str]) -> Parts {
    let tool = |name: &&str| ToolSchema::new(name, "Does it.", r#"{"type": "object"}"#).unwrap().part();
    names.iter().map(tool).collect()
}

/// The body of one request to a server that answers anything.
async fn body_of(config: Value, request: LlmRequest, history: Parts) -> Value {
    let model = FakeModel::start(r#"{replies: [{raw: "data: [DONE]\n\n"}]}"#);
    answer(&row(model.base_url(), config), request, history, testing::cx().0).await;
    model.requests()[0].json()
}

async fn messages_of(history: impl IntoIterator<Item = Message>) -> Value {
    let history = history.into_iter().map(|message| message.part()).collect();
    body_of(json!({}), LlmRequest::default(), history).await["messages"].take()
}

#[tokio::test]
async fn a_request_says_who_asks_for_what() {
    let model = FakeModel::start(OK);
    ask(&row(model.base_url(), json!({}))).await;
    let request = &model.requests()[0];
    assert_eq!(request.method, "POST");
    for (name, value) in [
        ("authorization", format!("Bearer {KEY}")),
        ("content-type", "application/json".to_owned()),
        ("accept", "text/event-stream".to_owned()),
        ("user-agent", format!("harness/{}", env!("CARGO_PKG_VERSION"))),
    ] {
        assert_eq!(request.header(name), Some(&*value), "{name}");
    }
    let body = json!({
        "model": "deepseek-flash",
        "stream": true,
        "stream_options": { "include_usage": true },
        "messages": [{ "role": "user", "content": "go" }],
    });
    assert_eq!(request.json(), body);
}

#[tokio::test]
async fn every_form_of_a_base_url_leads_to_the_same_path() {
    for ending in ["", "/", "//", "/chat/completions", "/chat/completions/", "#fragment"] {
        let model = FakeModel::start(OK);
        ask(&row(&format!(" {}{ending}\n", model.base_url()), json!({}))).await;
        assert_eq!(model.requests()[0].path, "/v1/chat/completions", "{ending}");
    }
}

#[tokio::test]
async fn settings_are_the_requests_then_the_rows() {
    let config = json!({ "model": "row", "max_tokens": 7, "temperature": 0.5, "reasoning_effort": " low " });
    let empty = json!({ "model": " ", "reasoning_effort": "" });
    let asked = Settings {
        model: "asked".into(),
        max_tokens: Some(9),
        temperature: Some(1.5),
        stop: vec!["END".into()],
        reasoning_effort: Some("max".into()),
        tool_choice: Some("required".into()),
        purpose: None,
    };
    let effort = |word: &str| Settings { reasoning_effort: Some(word.into()), ..Settings::default() };
    let title = Settings { purpose: Some("title".into()), ..effort("max") };
    let (on, off) = (json!({ "type": "enabled" }), json!({ "type": "disabled" }));
    for (config, settings, expected) in [
        (&empty, Settings::default(), json!({ "model": "deepseek-flash" })),
        (
            &config,
            Settings::default(),
            json!({ "model": "row", "max_tokens": 7, "temperature": 0.5, "thinking": on, "reasoning_effort": "low" }),
        ),
        (
            &config,
            asked,
            json!({ "model": "asked", "max_tokens": 9, "temperature": 1.5, "stop": ["END"], "thinking": on, "reasoning_effort": "max" }),
        ),
        (&empty, effort("off"), json!({ "model": "deepseek-flash", "thinking": off })),
        (&empty, effort(""), json!({ "model": "deepseek-flash" })),
        (&empty, title, json!({ "model": "deepseek-flash", "thinking": off })),
    ] {
        let request = LlmRequest { settings, ..LlmRequest::default() };
        let mut body = body_of(config.clone(), request, go()).await;
        for always in ["stream", "stream_options", "messages"] {
            body.as_object_mut().unwrap().remove(always).unwrap();
        }
        assert_eq!(body, expected);
    }
}

#[tokio::test]
async fn tools_go_as_functions_and_a_choice_only_beside_them() {
    for (choice, expected) in [
        (Some("auto"), json!("auto")),
        (Some("none"), json!("none")),
        (Some("look"), json!({ "type": "function", "function": { "name": "look" } })),
        (None, Value::Null),
    ] {
        let settings = Settings { tool_choice: choice.map(str::to_owned), ..Settings::default() };
        let request = LlmRequest { settings, tools: tools(&["look", "go"]), system: None };
        let body = body_of(json!({}), request, go()).await;
        let function = |name: &str| json!({ "type": "function", "function": { "name": name, "description": "Does it.", "parameters": { "type": "object" } } });
        assert_eq!(body["tools"], json!([function("look"), function("go")]));
        assert_eq!(body["tool_choice"], expected);
    }
}

#[tokio::test]
async fn each_kind_of_message_in_its_form() {
    let reasoning =
        |adapter: &str| Block::Reasoning { text: "hm".into(), adapter: adapter.into(), data: Value::Null };
    let call = |arguments: &str| Block::ToolCall {
        id: "a".into(),
        name: "look".into(),
        arguments: arguments.into(),
    };
    let result = |id: &str, text: &str| Block::ToolResult {
        call_id: id.into(),
        content: vec![Block::text(text)],
        is_error: false,
        code: None,
        synthetic: false,
    };
    let user = |content: Vec<Block>| Message { role: Speaker::User, content, source: None };
    let said = |arguments: &str| json!([{ "id": "a", "type": "function", "function": { "name": "look", "arguments": arguments } }]);
    for (message, expected) in [
        (
            user(vec![Block::text("hello "), Block::text("world")]),
            json!([{ "role": "user", "content": "hello world" }]),
        ),
        (user(vec![]), json!([{ "role": "user", "content": "" }])),
        (user(vec![Block::Unknown]), json!([{ "role": "user", "content": "" }])),
        (
            user(vec![result("a", "")]),
            json!([{ "role": "tool", "tool_call_id": "a", "content": "(no output)" }]),
        ),
        (
            user(vec![result("a", "one"), Block::text("and"), result("b", "two")]),
            json!([
                { "role": "user", "content": "and" },
                { "role": "tool", "tool_call_id": "a", "content": "one" },
                { "role": "tool", "tool_call_id": "b", "content": "two" },
            ]),
        ),
        (
            Message::assistant(vec![reasoning("llm-deepseek"), Block::text("ok")]),
            json!([{ "role": "assistant", "content": "ok", "reasoning_content": "hm" }]),
        ),
        (
            Message::assistant(vec![reasoning("llm-deepseek")]),
            json!([{ "role": "assistant", "content": "", "reasoning_content": "hm" }]),
        ),
        (
            Message::assistant(vec![reasoning("llm-openai"), Block::text("ok")]),
            json!([{ "role": "assistant", "content": "ok" }]),
        ),
        (Message::assistant(vec![reasoning("llm-openai")]), json!([])),
        (Message::assistant(vec![]), json!([])),
        (
            Message::assistant(vec![call(r#"{"path": "."}"#)]),
            json!([{ "role": "assistant", "content": "", "tool_calls": said(r#"{"path": "."}"#) }]),
        ),
        (
            Message::assistant(vec![call(" ")]),
            json!([{ "role": "assistant", "content": "", "tool_calls": said("{}") }]),
        ),
        (
            Message::assistant(vec![call("[1")]),
            json!([{ "role": "assistant", "content": "", "tool_calls": said(r#"{"invalid_arguments":"[1"}"#) }]),
        ),
        (
            Message::assistant(vec![Block::ToolCall {
                id: "a".into(),
                name: "".into(),
                arguments: "{}".into(),
            }]),
            json!([{ "role": "assistant", "content": "", "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "unnamed", "arguments": "{}" } }] }]),
        ),
    ] {
        assert_eq!(messages_of([message.clone()]).await, expected, "{message:?}");
    }
}

#[tokio::test]
async fn messages_that_say_nothing_leave_no_gap() {
    let silent = || Message::assistant(vec![]);
    let history = [silent(), Message::user("one"), silent(), silent(), Message::user("two"), silent()];
    assert_eq!(messages_of(history).await.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn each_body_begins_with_the_one_before_it() {
    let model = FakeModel::start(
        r#"
        replies:
          - {reasoning: I should look., text: I look., calls: [{name: look, arguments: {path: .}}, {name: look, arguments: "[1"}]}
          - {reasoning: Once more., calls: [{name: look}]}
          - {text: Done.}
        "#,
    );
    let row = row(model.base_url(), json!({}));
    let system = Some(Part::new("Be brief.".to_owned()));
    let request = LlmRequest { tools: tools(&["look"]), system, ..LlmRequest::default() };
    let mut history = go();
    for _ in 0..3 {
        let mut assembler = Assembler::default();
        answer(&row, request.clone(), history.clone(), testing::cx().0)
            .await
            .into_iter()
            .for_each(|chunk| assembler.push(chunk));
        let blocks = assembler.into_blocks();
        history.append(&Message::assistant(blocks.clone()).part().into());
        for block in blocks {
            let Block::ToolCall { id, .. } = block else { continue };
            let content = vec![Block::text("found")];
            let result =
                Block::ToolResult { call_id: id, content, is_error: false, code: None, synthetic: false };
            let message = Message { role: Speaker::User, content: vec![result], source: None };
            history.append(&message.part().into());
        }
    }
    model.assert_done();
    let bodies: Vec<String> = model.requests().into_iter().map(|request| request.body).collect();
    for pair in bodies.windows(2) {
        let before = pair[0].strip_suffix("]}").unwrap();
        assert!(pair[1].starts_with(before), "{}\n{}", pair[0], pair[1]);
    }
    let last: Value = serde_json::from_str(&bodies[2]).unwrap();
    assert_eq!(last["messages"][2]["reasoning_content"], "I should look.");
}

#[tokio::test]
async fn what_is_no_message_is_a_failure_and_no_request() {
    let model = FakeModel::start(OK);
    let history: Parts = Part::new("no message".to_owned()).into();
    let chunks =
        answer(&row(model.base_url(), json!({})), LlmRequest::default(), history, testing::cx().0).await;
    let failure = crate::chunks::failure(&chunks);
    assert_eq!((failure.code.as_str(), failure.hint.is_empty()), ("BAD_PAYLOAD", false), "{failure:?}");
    assert!(model.requests().is_empty());
}
