//! A turn policy: what it injects is seen and logged, what it rejects does not begin, what it goes on with has an end.

use crate::{process::Done, sandbox::Sandbox};
use checks::fake_model::FakeModel;
use serde_json::{Value, json};

/// Runs the shipped rows with the policy under this config.
fn run(model: &FakeModel, config: &str) -> Done {
    let sandbox = Sandbox::http(model);
    sandbox.put("p.yml", format!("- {{insert: [{{id: policy, name: policy-odd, config: {{{config}}}}}]}}"));
    sandbox.run(&["run", "the task", "--patch", "p.yml", "--output", "stream-json"])
}

/// What a request says: role and text of each message but the system prompt.
pub(crate) fn said(model: &FakeModel, request: usize) -> Vec<(String, String)> {
    let body = model.requests()[request].json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let messages = body["messages"].as_array().unwrap().iter().filter(|message| message["role"] != "system");
    messages.map(|message| (text(&message["role"]), text(&message["content"]))).collect()
}

/// Owned pairs, to compare with.
pub(crate) fn pairs<const N: usize>(pairs: [(&str, &str); N]) -> Vec<(String, String)> {
    pairs.map(|(role, text)| (role.to_owned(), text.to_owned())).into()
}

/// The messages that events of this kind carry.
pub(crate) fn messages(done: &Done, kind: &str) -> Vec<Value> {
    let message = |data: &Value| data["message"].clone();
    done.events(kind).iter().map(message).collect()
}

fn injected(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": text}], "source": "policy-odd"})
}

#[test]
fn what_it_injects_before_a_step_follows_the_task_and_is_logged() {
    let model = FakeModel::start("replies: [{calls: [{name: list_files}]}, {text: Done.}]");
    let done = run(&model, "inject_before_step: mind the gap");
    assert_eq!(done.code(), 0, "{done:?}");
    model.assert_done();
    assert_eq!(said(&model, 0), pairs([("user", "the task"), ("user", "mind the gap")]));
    assert_eq!(said(&model, 1)[..2], said(&model, 0));
    assert_eq!(messages(&done, "policy/message"), [injected("mind the gap")]);
}

#[test]
fn what_it_goes_on_with_makes_another_step() {
    let model = FakeModel::start("replies: [{text: one}, {text: two}, {text: three}]");
    let done = run(&model, "continue_times: 2");
    assert_eq!((done.code(), &done.end()["steps"]), (0, &json!(3)), "{done:?}");
    model.assert_done();
    let expected = pairs([
        ("user", "the task"),
        ("assistant", "one"),
        ("user", "go on after `one`"),
        ("assistant", "two"),
        ("user", "go on after `two`"),
    ]);
    assert_eq!(said(&model, 2), expected);
    let logged = [injected("go on after `one`"), injected("go on after `two`")];
    assert_eq!(messages(&done, "policy/message"), logged);
}

#[test]
fn a_turn_goes_on_eight_times_at_most() {
    let model = FakeModel::start("{replies: [{text: more}], on_end: repeat_last}");
    let done = run(&model, "continue_times: 99");
    let end = done.end();
    assert_eq!((done.code(), &end["status"], &end["steps"]), (0, &json!("completed"), &json!(9)), "{done:?}");
    assert_eq!(model.requests().len(), 9);
    assert_eq!(model.violations(), [""; 0]);
    assert_eq!(done.events("policy/message").len(), 8);
}

#[test]
fn a_step_that_it_rejects_does_not_begin() {
    let model = FakeModel::start(
        "replies: [{calls: [{name: write_file, arguments: {path: b, content: b}}]}, {text: never}]",
    );
    let done = run(&model, "reject_at_step: 2");
    let end = done.end();
    assert_eq!((done.code(), &end["status"], &end["code"]), (3, &json!("blocked"), &json!("NOT_NOW")));
    // What the first step asked for was done and answered.
    assert_eq!(done.events("tool/result").len(), 1, "{done:?}");
    assert_eq!((model.requests().len(), &end["steps"]), (1, &json!(1)));
}

#[test]
fn its_failure_ends_the_run() {
    for (place, requests) in [("before_step", 0), ("before_stop", 1)] {
        let model = FakeModel::start("replies: [{text: all said}]");
        let done = run(&model, &format!("fail: {place}"));
        let end = done.end();
        assert_eq!((done.code(), &end["status"], &end["code"]), (1, &json!("error"), &json!("NO_MOOD")));
        assert_eq!(end["hint"], "take another policy");
        assert_eq!(model.requests().len(), requests, "{place}");
    }
}
