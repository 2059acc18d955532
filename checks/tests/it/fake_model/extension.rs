//! The rules between two requests of a conversation: each extends the one before.

use checks::fake_model::FakeModel;

use super::client::post;
use super::rules::*;

#[test]
fn a_request_extends_the_one_before_byte_for_byte() {
    let spaced = r#"{"role": "user","content":"hi"}"#;
    let table: [(&[&str], Option<&str>); 7] = [
        (&[S, U, A, NEXT], None),
        (&[S, U, A], None),
        (
            &[S, spaced, A, NEXT],
            Some(
                "HISTORY_CHANGED: messages[1]: from character 0 it was `{\"role\":\"user\",\"content\":\"hi\"}` and is `{\"role\": \"user\",\"content\":\"hi\"}`",
            ),
        ),
        (&[S], Some("HISTORY_CHANGED: messages[1]: the last request had 2 messages, this one ends here")),
        (&[S, U], Some("TURN_MISSING: messages[2]: expected the assistant message that was answered last")),
        (
            &[S, U, NEXT],
            Some("TURN_MISSING: messages[2]: expected the assistant message that was answered last"),
        ),
        (
            &[S, U, r#"{"role":"assistant","content":"one "}"#],
            Some("TURN_CHANGED: messages[2]: the text: from character 0 it was `one` and is `one `"),
        ),
    ];
    for (messages, expected) in table {
        check(TEXT_TWICE, &[chat(&[S, U]), chat(messages)], expected);
    }
}

#[test]
fn the_answered_calls_come_back_with_ids_names_and_raw_arguments() {
    let changed = |from: &str, to: &str| CALLS.replace(from, to);
    let results = [RESULT_A, RESULT_B];
    let with_text = changed("null", r#""words""#);
    let one = r#"{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{\"path\":1}"}}]}"#;
    let table: [(&str, &[&str], Option<&str>); 7] = [
        (CALLS, &results, None),
        (&changed("null", r#""""#), &results, None),
        (&with_text, &results, Some("the text: from character 0 it was `` and is `words`")),
        (one, &[RESULT_A], Some("2 tool calls were answered and 1 are here")),
        (
            &changed(r#""id":"a""#, r#""id":"c""#),
            &[r#"{"role":"tool","tool_call_id":"c","content":""}"#, RESULT_B],
            Some("tool_calls[0]: the id: from character 0 it was `a` and is `c`"),
        ),
        (
            &changed("read", "write"),
            &results,
            Some("tool_calls[0]: the name: from character 0 it was `read` and is `write`"),
        ),
        (
            &changed(r#"{\"path\":1}"#, r#"{\"path\": 1}"#),
            &results,
            Some(
                "tool_calls[0]: the arguments: from character 0 it was `{\"path\":1}` and is `{\"path\": 1}`",
            ),
        ),
    ];
    for (turn, results, expected) in table {
        let said = expected.map(|said| format!("TURN_CHANGED: messages[1]: {said}"));
        let mut messages = vec![U, turn];
        messages.extend(results);
        check(CALL_THEN_TEXT, &[chat(&[U]), chat(&messages)], said.as_deref());
    }
}

#[test]
fn what_no_caller_can_send_back_is_not_compared() {
    let broken = r#"
replies:
  - calls: [{id: a, name: read, arguments: '{"path"'}]
  - text: done
"#;
    let mended = r#"{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}]}"#;
    check(broken, &[chat(&[U]), chat(&[U, mended, RESULT_A])], None);
    let same_ids = CALL_THEN_TEXT
        .replace("id: b", "id: a")
        .replace("{\"path\":1}", "{}")
        .replace("text: done", "text: x");
    let distinct = CALLS.replace(r#"{\"path\":1}"#, "{}");
    check(&same_ids, &[chat(&[U]), chat(&[U, &distinct, RESULT_A, RESULT_B])], None);
    let empty = "replies: [{reasoning: hm}, {text: one}]";
    check(empty, &[chat(&[U]), chat(&[U])], None);
    let truncated = "replies: [{calls: [{name: read}], finish: length}, {text: one}]";
    check(truncated, &[chat(&[U]), chat(&[U, NEXT])], None);
}

#[test]
fn reasoning_that_comes_back_is_what_was_sent() {
    let script = "replies: [{reasoning: because, text: one}, {text: two}]";
    let turn = |reasoning: &str| {
        format!(r#"{{"role":"assistant","content":"one","reasoning_content":"{reasoning}"}}"#)
    };
    check(script, &[chat(&[U]), chat(&[U, A])], None);
    check(script, &[chat(&[U]), chat(&[U, &turn("because")])], None);
    let said = "TURN_CHANGED: messages[1]: the reasoning: from character 0 it was `because` and is `why not`";
    check(script, &[chat(&[U]), chat(&[U, &turn("why not")])], Some(said));
}

#[test]
fn tools_and_settings_stay_as_they_are() {
    let base = format!(r#","temperature":0,"tools":[{READ},{NOW}]"#);
    let table = [
        (base.clone(), None),
        (
            format!(r#","temperature":0.0,"tools":[{READ},{NOW}]"#),
            Some("SETTINGS_CHANGED: temperature: from character 0 it was `0` and is `0.0`"),
        ),
        (
            format!(r#","temperature":0,"top_p":1,"tools":[{READ},{NOW}]"#),
            Some("SETTINGS_CHANGED: top_p: from character 0 it was `nothing` and is `1`"),
        ),
        (
            format!(r#","temperature":0,"tools":[{NOW},{READ}]"#),
            Some(r#"TOOLS_REORDERED: tools: the tools were ["read", "now"] and are ["now", "read"]"#),
        ),
        (
            format!(r#","temperature":0,"tools":[{READ}]"#),
            Some(
                "TOOLS_CHANGED: tools: from character 58 it was `:{\"type\":\"object\"}}},{\"type\":\"function\",\"function\":{\"name\":\"` and is `:{\"type\":\"object\"}}}]`",
            ),
        ),
    ];
    for (rest, expected) in table {
        check(TEXT_TWICE, &[with(&base, &[U]), with(&rest, &[U, A])], expected);
    }
    let said = "SETTINGS_CHANGED: model: from character 0 it was `\"m\"` and is `\"n\"`";
    check(TEXT_TWICE, &[chat(&[U]), chat(&[U, A]).replace(r#""m""#, r#""n""#)], Some(said));
}

#[test]
fn announced_changes_are_allowed_and_no_others() {
    let two = |announced: &str| format!("replies: [{{text: one}}, {{text: two, {announced}}}]");
    let old = with(&format!(r#","tools":[{READ},{NOW}]"#), &[S, U]);
    let more = with(&format!(r#","tools":[{READ},{NOW},{}]"#, NOW.replace("now", "then")), &[S, U, A]);
    let before = with(&format!(r#","tools":[{},{READ},{NOW}]"#, NOW.replace("now", "then")), &[S, U, A]);
    check(&two("changes: [tools]"), &[old.clone(), more], None);
    let said = r#"TOOLS_REORDERED: tools: the tools were ["read", "now"] and are ["then", "read", "now"]"#;
    check(&two("changes: [tools]"), &[old, before], Some(said));

    let other = S.replace("brief", "verbose");
    check(&two("changes: [system]"), &[chat(&[S, U]), chat(&[&other, U, A])], None);
    check(&two("changes: [system]"), &[chat(&[S, U]), chat(&[U, A])], None);
    check(&two("changes: [system]"), &[chat(&[U]), chat(&[S, U, A])], None);
    let said = "TURN_MISSING: messages[2]: expected the assistant message that was answered last";
    check(&two("changes: [system]"), &[chat(&[S, U]), chat(&[&other, U])], Some(said));

    check(&two("changes: [messages]"), &[chat(&[S, U]), chat(&[S, NEXT])], None);
    check(&two("changes: [settings]"), &[chat(&[U]), with(r#","temperature":1"#, &[U, A])], None);
    check(&two("new_conversation: true"), &[chat(&[S, U]), chat(&[NEXT])], None);
}

#[test]
fn a_change_announced_by_a_failed_reply_holds_for_the_retry() {
    let script = "replies: [{text: one}, {status: 500, changes: [messages]}, {text: two}]";
    let model = FakeModel::start(script);
    let statuses = [chat(&[S, U]), chat(&[S, NEXT]), chat(&[S, NEXT])]
        .map(|request| post(model.base_url(), &request).status);
    assert_eq!(statuses, [200, 500, 200]);
    model.assert_done();
}

#[test]
fn conversations_with_names_do_not_see_each_other() {
    let script = "replies: [{text: one}, {text: x, conversation: child}, {text: two}]";
    check(script, &[chat(&[U]), chat(&[NEXT]), chat(&[U, A, NEXT])], None);
}

#[test]
fn cached_tokens_follow_the_shared_prefix() {
    let model = FakeModel::start(TEXT_TWICE);
    let usage = [chat(&[S, U]), chat(&[S, U, A, NEXT])]
        .map(|request| post(model.base_url(), &request).json()["usage"].clone());
    let cached = |usage: &serde_json::Value| usage["prompt_tokens_details"]["cached_tokens"].clone();
    assert_eq!((cached(&usage[0]), cached(&usage[1])), (0.into(), usage[0]["prompt_tokens"].clone()));
}
