//! The rules that one request alone can break, and how a broken rule is told.

use checks::fake_model::FakeModel;

use super::client::post;

pub(super) const U: &str = r#"{"role":"user","content":"hi"}"#;
pub(super) const S: &str = r#"{"role":"system","content":"be brief"}"#;
pub(super) const A: &str = r#"{"role":"assistant","content":"one"}"#;
pub(super) const NEXT: &str = r#"{"role":"user","content":"go on"}"#;
pub(super) const CALLS: &str = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{\"path\":1}"}},{"id":"b","type":"function","function":{"name":"now","arguments":"{}"}}]}"#;
pub(super) const RESULT_A: &str = r#"{"role":"tool","tool_call_id":"a","content":"AAA"}"#;
pub(super) const RESULT_B: &str = r#"{"role":"tool","tool_call_id":"b","content":"BBB"}"#;
pub(super) const READ: &str =
    r#"{"type":"function","function":{"name":"read","parameters":{"type":"object"}}}"#;
pub(super) const NOW: &str = r#"{"type":"function","function":{"name":"now"}}"#;

pub(super) const TEXT_TWICE: &str = "replies: [{text: one}, {text: two}]";
pub(super) const CALL_THEN_TEXT: &str = r#"
replies:
  - calls: [{id: a, name: read, arguments: '{"path":1}'}, {id: b, name: now}]
  - text: done
"#;

pub(super) fn with(rest: &str, messages: &[&str]) -> String {
    format!(r#"{{"model":"m"{rest},"messages":[{}]}}"#, messages.join(","))
}

pub(super) fn chat(messages: &[&str]) -> String {
    with("", messages)
}

/// The last of `requests` must break the rule that `expected` names, or none; those before it must be right.
#[track_caller]
pub(super) fn check(script: &str, requests: &[String], expected: Option<&str>) {
    let model = FakeModel::start(script);
    let (last, before) = requests.split_last().unwrap();
    for request in before {
        let received = post(model.base_url(), request);
        assert_eq!(received.status, 200, "{request}\n{}", received.body());
    }
    let received = post(model.base_url(), last);
    match expected {
        None => {
            assert_eq!(received.status, 200, "{last}\n{}", received.body());
            model.assert_done();
        }
        Some(said) => {
            assert_eq!(received.status, 400, "{last}\n{}", received.body());
            let error = &received.json()["error"];
            let message = error["message"].as_str().unwrap();
            assert_eq!(message, said, "{last}");
            assert_eq!(error["code"], said.split(':').next().unwrap());
            assert_eq!(model.violations(), [said]);
        }
    }
}

#[test]
fn a_request_is_json_with_a_model_messages_and_tools_of_the_right_types() {
    let table = [
        ("{", "REQUEST_INVALID: body: EOF while parsing an object at line 1 column 1"),
        ("[]", "REQUEST_INVALID: body: invalid type: sequence, expected a map at line 1 column 0"),
        (r#"{"messages":[]}"#, "REQUEST_INVALID: model: the key is missing"),
        (r#"{"model":"m"}"#, "REQUEST_INVALID: messages: the key is missing"),
        (r#"{"model":"m","messages":[]}"#, "REQUEST_INVALID: messages: the list is empty"),
        (
            r#"{"model":"m","messages":[7]}"#,
            "REQUEST_INVALID: messages[0]: invalid type: integer `7`, expected a message at line 1 column 1",
        ),
        (
            r#"{"model":"m","messages":[],"stream":"yes"}"#,
            "REQUEST_INVALID: stream: invalid type: string \"yes\", expected a boolean at line 1 column 5",
        ),
        (
            r#"{"model":"m","messages":[],"tools":[{"type":"function","function":{"name":"a b"}}]}"#,
            "REQUEST_INVALID: tools[0]: the name `a b` is not 1 to 64 letters, digits, `_` and `-`",
        ),
        (
            r#"{"model":"m","messages":[],"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"a"}}]}"#,
            "REQUEST_INVALID: tools[1]: a second tool has the name `a`",
        ),
    ];
    for (request, said) in table {
        check(TEXT_TWICE, &[request.to_owned()], Some(said));
    }
}

#[test]
fn a_message_has_a_known_role_and_content_of_its_kind() {
    let call = |id: &str, arguments: &str| {
        format!(r#"{{"id":"{id}","type":"function","function":{{"name":"x","arguments":"{arguments}"}}}}"#)
    };
    let calls = |calls: &[String]| {
        format!(r#"{{"role":"assistant","content":null,"tool_calls":[{}]}}"#, calls.join(","))
    };
    let table = [
        (
            r#"{"role":"bot","content":"x"}"#.to_owned(),
            "the role `bot` is none of system, developer, user, assistant, tool",
        ),
        (
            r#"{"role":"user","content":null}"#.to_owned(),
            "a user message has a text or a list of typed parts as content",
        ),
        (
            r#"{"role":"system","content":[]}"#.to_owned(),
            "a system message has a text or a list of typed parts as content",
        ),
        (
            r#"{"role":"assistant","content":null}"#.to_owned(),
            "the content is null and there are no tool_calls",
        ),
        (
            r#"{"role":"assistant","content":""}"#.to_owned(),
            "the message says nothing: no text, no reasoning, no tool_calls",
        ),
        (
            r#"{"role":"assistant","content":7}"#.to_owned(),
            "the content of an assistant message is a text, or null beside tool_calls",
        ),
        (calls(&[]), "`tool_calls` is an empty list; leave the key out"),
        (calls(&[call("", "{}")]), "tool_calls[0]: an id or a name is empty"),
        (
            calls(&[call("a", "{}"), call("a", "{}")]),
            "tool_calls[1]: a second call of this message has the id `a`",
        ),
        (calls(&[call("a", "[1]")]), "tool_calls[0]: `arguments` is no JSON object: `[1]`"),
        (calls(&[call("a", "{} ok")]), "tool_calls[0]: `arguments` is no JSON object: `{} ok`"),
        (
            r#"{"role":"tool","tool_call_id":"a","content":["x"]}"#.to_owned(),
            "the content of a tool message is a string",
        ),
        (r#"{"role":"tool","content":"x"}"#.to_owned(), "`tool_call_id` is missing"),
    ];
    for (message, said) in table {
        check(TEXT_TWICE, &[chat(&[U, &message])], Some(&format!("MESSAGE_INVALID: messages[1]: {said}")));
    }
    let parts = r#"{"role":"user","content":[{"type":"text","text":"hi"}]}"#;
    let thought = r#"{"role":"assistant","content":"","reasoning_content":"hm"}"#;
    check("replies: [{text: x}]", &[chat(&[S, parts, thought, NEXT])], None);
}

#[test]
fn every_call_is_answered_once_in_order_and_at_once() {
    let table: [(&[&str], Option<&str>); 9] = [
        (&[U, CALLS, RESULT_A, RESULT_B], None),
        (&[U, CALLS, RESULT_A, RESULT_B, CALLS, RESULT_A, RESULT_B], None),
        (
            &[U, CALLS],
            Some("CALL_NOT_ANSWERED: messages[1].tool_calls[0]: the call `a` has no tool message after it"),
        ),
        (
            &[U, CALLS, RESULT_A],
            Some("CALL_NOT_ANSWERED: messages[1].tool_calls[1]: the call `b` has no tool message after it"),
        ),
        (
            &[U, CALLS, RESULT_A, NEXT, RESULT_B],
            Some("CALL_NOT_ANSWERED: messages[1].tool_calls[1]: the call `b` has no tool message after it"),
        ),
        (
            &[U, CALLS, RESULT_B, RESULT_A],
            Some("ANSWERS_REORDERED: messages[2]: answers `b`, but the next call of messages[1] is `a`"),
        ),
        (
            &[U, CALLS, RESULT_A, RESULT_A],
            Some("ANSWER_REPEATED: messages[3]: answers `a` of messages[1] a second time"),
        ),
        (&[U, RESULT_A], Some("ANSWER_WITHOUT_CALL: messages[1]: answers `a`, and no call stands before it")),
        (
            &[U, CALLS, RESULT_A, RESULT_B, r#"{"role":"tool","tool_call_id":"z","content":""}"#],
            Some("ANSWER_WITHOUT_CALL: messages[4]: answers `z`, and messages[1] has no such call"),
        ),
    ];
    for (messages, expected) in table {
        check("replies: [{text: x}]", &[chat(messages)], expected);
    }
}

#[test]
fn a_broken_rule_leaves_the_script_where_it_was() {
    let model = FakeModel::start(TEXT_TWICE);
    assert_eq!(post(model.base_url(), "{}").status, 400);
    let received = post(model.base_url(), &chat(&[U]));
    assert_eq!(received.json()["choices"][0]["message"]["content"], "one");
}

#[test]
fn expectations_of_a_reply_are_checked() {
    let request = with(&format!(r#","tools":[{READ}]"#), &[S, U]);
    let table = [
        (
            "model: m, stream: false, tools: [read], last_role: user, last_text_contains: h, body_contains: be brief",
            None,
        ),
        ("model: n", Some(r#"model: expected "n", got "m""#)),
        ("stream: true", Some("stream: expected true, got false")),
        ("tools: [read, now]", Some(r#"tools: expected ["read", "now"], got ["read"]"#)),
        ("tools: []", Some(r#"tools: expected [], got ["read"]"#)),
        ("last_role: tool", Some(r#"the last message's role: expected "tool", got "user""#)),
        (
            "last_text_contains: bye",
            Some(r#"the last message's text: expected it to contain "bye", got "hi""#),
        ),
        (
            "headers: {content-type: application/json, x-title: t}",
            Some(r#"header x-title: expected "t", got """#),
        ),
        ("bearer: dummy-key-0000", Some("authorization: it is not the expected bearer key")),
    ];
    for (expect, expected) in table {
        let said = expected.map(|said| format!("EXPECTATION_FAILED: {said}"));
        let script = format!("replies: [{{text: x, expect: {{{expect}}}}}]");
        check(&script, std::slice::from_ref(&request), said.as_deref());
    }
}
