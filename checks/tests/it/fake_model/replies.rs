//! Every kind of reply, as bytes on the wire.

use checks::fake_model::FakeModel;
use expect_test::{Expect, expect};

use super::client::{Client, post};

const STREAM: &str = r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true}"#;
const STREAM_WITH_USAGE: &str = r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true}}"#;
const PLAIN: &str = r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#;

#[track_caller]
fn check(reply: &str, request: &str, expected: &Expect) {
    let model = FakeModel::start(&format!("replies: [{reply}]"));
    expected.assert_eq(&post(model.base_url(), request).shown());
    model.assert_done();
}

#[test]
fn text_streams_as_chunks_and_ends_with_done() {
    check(
        "{text: hello, split: 2}",
        STREAM,
        &expect![[r#"
            200
            content-type: text/event-stream
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n]
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"content":"he"},"finish_reason":null}]}\n\n]
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"content":"ll"},"finish_reason":null}]}\n\n]
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"content":"o"},"finish_reason":null}]}\n\n]
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n]
            [data: [DONE]\n\n]
            Complete
        "#]],
    );
}

#[test]
fn deltas_are_sent_as_they_are_written() {
    check(
        r#"{deltas: ["", "a b", "é"]}"#,
        STREAM,
        &expect![[r#"
            200
            content-type: text/event-stream
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n]
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"content":""},"finish_reason":null}]}\n\n]
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"content":"a b"},"finish_reason":null}]}\n\n]
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"content":"é"},"finish_reason":null}]}\n\n]
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n]
            [data: [DONE]\n\n]
            Complete
        "#]],
    );
}

#[test]
fn usage_is_computed_when_it_is_asked_for() {
    check(
        "{text: hello world}",
        STREAM_WITH_USAGE,
        &expect![[r#"
            200
            content-type: text/event-stream
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}\n\n]
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"content":"hello world"},"finish_reason":null}],"usage":null}\n\n]
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}\n\n]
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[],"usage":{"prompt_tokens":8,"completion_tokens":3,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}\n\n]
            [data: [DONE]\n\n]
            Complete
        "#]],
    );
}

#[test]
fn usage_of_the_script_is_sent_as_given() {
    let reply = "{text: x, usage: {prompt_tokens: 70, completion_tokens: 9, cached_tokens: 64}}";
    check(
        reply,
        STREAM_WITH_USAGE,
        &expect![[r#"
            200
            content-type: text/event-stream
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}\n\n]
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}],"usage":null}\n\n]
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}\n\n]
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[],"usage":{"prompt_tokens":70,"completion_tokens":9,"total_tokens":79,"prompt_tokens_details":{"cached_tokens":64}}}\n\n]
            [data: [DONE]\n\n]
            Complete
        "#]],
    );
}

#[test]
fn usage_null_sends_none() {
    let model =
        FakeModel::start("replies: [{text: x, usage: null, new_conversation: true}]\non_end: repeat_last");
    for request in [STREAM_WITH_USAGE, PLAIN] {
        assert!(!post(model.base_url(), request).body().contains("prompt_tokens"));
    }
}

#[test]
fn reasoning_comes_before_text_under_the_key_of_the_script() {
    check(
        "{reasoning: why, reasoning_field: reasoning, text: so, finish: length}",
        STREAM,
        &expect![[r#"
            200
            content-type: text/event-stream
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n]
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"reasoning":"why"},"finish_reason":null}]}\n\n]
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{"content":"so"},"finish_reason":null}]}\n\n]
            [data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"length"}]}\n\n]
            [data: [DONE]\n\n]
            Complete
        "#]],
    );
}

#[test]
fn calls_stream_in_fragments_and_keep_the_order_of_their_keys() {
    let reply = r#"{calls: [{name: read, arguments: {path: a, limit: 1}, fragments: 2}, {id: x, name: now}], id: r, model: big}"#;
    check(
        reply,
        STREAM,
        &expect![[r#"
            200
            content-type: text/event-stream
            [data: {"id":"r","object":"chat.completion.chunk","created":0,"model":"big","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n]
            [data: {"id":"r","object":"chat.completion.chunk","created":0,"model":"big","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1_1","type":"function","function":{"name":"read","arguments":""}}]},"finish_reason":null}]}\n\n]
            [data: {"id":"r","object":"chat.completion.chunk","created":0,"model":"big","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"path\\":\\"a\\""}}]},"finish_reason":null}]}\n\n]
            [data: {"id":"r","object":"chat.completion.chunk","created":0,"model":"big","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":",\\"limit\\":1}"}}]},"finish_reason":null}]}\n\n]
            [data: {"id":"r","object":"chat.completion.chunk","created":0,"model":"big","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"x","type":"function","function":{"name":"now","arguments":""}}]},"finish_reason":null}]}\n\n]
            [data: {"id":"r","object":"chat.completion.chunk","created":0,"model":"big","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]},"finish_reason":null}]}\n\n]
            [data: {"id":"r","object":"chat.completion.chunk","created":0,"model":"big","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\n]
            [data: [DONE]\n\n]
            Complete
        "#]],
    );
}

#[test]
fn raw_arguments_are_not_touched() {
    check(
        r#"{calls: [{name: read, arguments: '{"path": '}]}"#,
        PLAIN,
        &expect![[r#"
            200
            content-type: application/json
            [{"id":"chatcmpl-1","object":"chat.completion","created":0,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1_1","type":"function","function":{"name":"read","arguments":"{\\"path\\": "}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":8,"completion_tokens":4,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}]
            Complete
        "#]],
    );
}

#[test]
fn a_plain_request_gets_one_object() {
    check(
        r#"{text: let me see, reasoning: hm, calls: [{name: read, arguments: {path: a}}]}"#,
        PLAIN,
        &expect![[r#"
            200
            content-type: application/json
            [{"id":"chatcmpl-1","object":"chat.completion","created":0,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"let me see","reasoning_content":"hm","tool_calls":[{"id":"call_1_1","type":"function","function":{"name":"read","arguments":"{\\"path\\":\\"a\\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":8,"completion_tokens":7,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":1}}}]
            Complete
        "#]],
    );
}

#[test]
fn a_status_has_openais_error_shape_and_its_headers() {
    check(
        "{status: 429, retry_after: 2, headers: {x-request-id: r-1}}",
        STREAM,
        &expect![[r#"
        429
        content-type: application/json
        x-request-id: r-1
        retry-after: 2
        [{"error":{"code":null,"message":"the script answers with 429 Too Many Requests","param":null,"type":"rate_limit_error"}}]
        Complete
    "#]],
    );
}

#[test]
fn a_body_is_sent_as_written() {
    check(
        "{status: 503, body: <p>busy</p>, headers: {content-type: text/html}}",
        STREAM,
        &expect![[r#"
        503
        content-type: text/html
        [<p>busy</p>]
        Complete
    "#]],
    );
    check(
        "{body: {error: {message: no, code: context_length_exceeded}}}",
        STREAM,
        &expect![[r#"
        200
        content-type: application/json
        [{"error":{"message":"no","code":"context_length_exceeded"}}]
        Complete
    "#]],
    );
}

#[test]
fn a_raw_body_is_cut_where_the_script_says() {
    check(
        r#"{raw: "data: é\n\ndata: [DONE]\n\n", split_at: [7, 10]}"#,
        STREAM,
        &expect![[r#"
        200
        content-type: text/event-stream
        [data: �]
        [�\n\n]
        [data: [DONE]\n\n]
        Complete
    "#]],
    );
}

#[test]
fn pauses_do_not_change_what_arrives() {
    let shown = |pauses: &str| {
        let model = FakeModel::start(&format!("replies: [{{deltas: [a, b]{pauses}}}]"));
        post(model.base_url(), STREAM).shown()
    };
    assert_eq!(shown(", delay_ms: 2, tick_ms: 1"), shown(""));
}

#[test]
fn models_and_unknown_routes_are_answered() {
    let model = FakeModel::start("replies: [{text: unused}]\nmodels: [small, big]");
    let mut client = Client::connect(model.base_url());
    expect![[r#"
        200
        content-type: application/json
        [{"data":[{"created":0,"id":"small","object":"model","owned_by":"script"},{"created":0,"id":"big","object":"model","owned_by":"script"}],"object":"list"}]
        Complete
    "#]].assert_eq(&client.request("GET", "/v1/models", "", "").shown());
    expect![[r#"
        404
        content-type: application/json
        [{"error":{"code":"NO_SUCH_ROUTE","message":"NO_SUCH_ROUTE: path: POST /v1/v1/chat/completions: the routes are POST /v1/chat/completions and GET /v1/models","param":"path","type":"invalid_request_error"}}]
        Complete
    "#]].assert_eq(&client.request("POST", "/v1/v1/chat/completions", "", "{}").shown());
    assert_eq!(model.violations().len(), 1);
}

#[test]
fn the_path_without_version_serves_too() {
    let model = FakeModel::start("replies: [{text: hello}]");
    let mut client = Client::connect(model.base_url().strip_suffix("/v1").unwrap());
    assert_eq!(client.post(PLAIN).json()["choices"][0]["message"]["content"], "hello");
}

#[test]
fn replies_come_in_order_on_one_connection_and_the_end_is_an_error() {
    let model = FakeModel::start(
        "replies: [{text: one, new_conversation: true}, {text: two, new_conversation: true}]",
    );
    let mut client = Client::connect(model.base_url());
    let mut text = || client.post(PLAIN).json()["choices"][0]["message"]["content"].clone();
    assert_eq!([text(), text()], ["one", "two"]);
    expect![[r#"
        500
        content-type: application/json
        [{"error":{"code":"SCRIPT_ENDED","message":"SCRIPT_ENDED: script: the script has 2 replies and all of them have been given","param":"script","type":"invalid_request_error"}}]
        Complete
    "#]].assert_eq(&client.post(PLAIN).shown());
    assert_eq!(
        model.requests().iter().map(|request| request.reply).collect::<Vec<_>>(),
        [Some(0), Some(1), None]
    );
}

#[test]
fn repeat_last_serves_the_last_reply_with_new_ids() {
    let model =
        FakeModel::start("on_end: repeat_last\nreplies: [{calls: [{name: a}], new_conversation: true}]");
    let ids = [(); 2].map(|()| {
        post(model.base_url(), PLAIN).json()["choices"][0]["message"]["tool_calls"][0]["id"].clone()
    });
    assert_eq!(ids, ["call_1_1", "call_2_1"]);
    model.assert_done();
}
