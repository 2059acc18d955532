//! A context service: its system prompt, its messages, and one more try when a request did not fit.

use crate::{
    policy::{messages, pairs, said},
    process::Done,
    sandbox::Sandbox,
};
use checks::fake_model::FakeModel;
use serde_json::{Value, json};

/// A provider's refusal of a request that is too long.
const TOO_LONG: &str = r#"{status: 400, body: {error: {type: invalid_request_error, code: context_length_exceeded,
  message: "This model's maximum context length is 10 tokens.", param: messages}}}"#;

/// Runs the shipped rows with the context under this config.
fn run(model: &FakeModel, config: &str) -> Done {
    let sandbox = Sandbox::http(model);
    sandbox.put("a.txt", "long");
    sandbox.put("p.yml", format!("- {{insert: [{{id: context, name: context-odd, config: {{{config}}}}}]}}"));
    sandbox.run(&["run", "the task", "--patch", "p.yml", "--output", "stream-json"])
}

fn system(model: &FakeModel, request: usize) -> Value {
    model.requests()[request].json()["messages"][0]["content"].clone()
}

/// The steps that began.
fn steps(done: &Done) -> Vec<Value> {
    done.events("step/start").iter().map(|data| data["step"].clone()).collect()
}

#[test]
fn its_system_prompt_takes_the_place_of_the_loops_and_is_logged_once() {
    let model = FakeModel::start("replies: [{calls: [{name: list_files}]}, {text: Done.}]");
    let done = run(&model, "system: Speak in verse.");
    assert_eq!(done.code(), 0, "{done:?}");
    model.assert_done();
    assert_eq!([system(&model, 0), system(&model, 1)], ["Speak in verse.", "Speak in verse."]);
    let headers = done.events("request/header");
    assert_eq!(headers.len(), 2, "{done:?}");
    assert_eq!(headers[0]["reason"], "initial");
    assert_eq!(headers[1], json!({"reason": "change", "system": "Speak in verse."}));
}

#[test]
fn what_it_appends_follows_the_task_and_is_logged() {
    let model = FakeModel::start("replies: [{calls: [{name: list_files}]}, {text: Done.}]");
    let done = run(&model, "append: it is Monday");
    assert_eq!(done.code(), 0, "{done:?}");
    model.assert_done();
    assert_eq!(said(&model, 0), pairs([("user", "the task"), ("user", "it is Monday")]));
    assert_eq!(said(&model, 1)[..2], said(&model, 0));
    let message = json!({"role": "user", "content": [{"type": "text", "text": "it is Monday"}], "source": "context-odd"});
    assert_eq!(messages(&done, "context/message"), [message]);
}

#[test]
fn a_request_that_did_not_fit_is_made_once_more_with_less() {
    let model = FakeModel::start(&format!(
        "
replies:
  - calls: [{{name: read_file, arguments: {{path: a.txt}}}}]
  - {TOO_LONG}
  - {{text: Short enough., changes: [messages, system]}}
"
    ));
    let done = run(&model, "overflow: true");
    let end = done.end();
    assert_eq!((done.code(), &end["status"]), (0, &json!("completed")), "{done:?}");
    model.assert_done();
    assert_eq!(said(&model, 2), pairs([("user", "the task"), ("user", "summary of 2 messages")]));
    // Both tries are the same step.
    assert_eq!((steps(&done), &end["steps"]), (vec![json!(1), json!(2), json!(2)], &json!(2)));
    let replaced = done.events("context/replace");
    assert_eq!(replaced.len(), 1);
    assert_eq!((&replaced[0]["from_seq"], &replaced[0]["to_seq"]), (&json!(1), &json!(3)));
    assert!(replaced[0]["with"].to_string().contains("summary of 2 messages"), "{done:?}");
}

#[test]
fn a_request_that_still_does_not_fit_ends_the_run() {
    let model = FakeModel::start(&format!(
        "
replies:
  - calls: [{{name: read_file, arguments: {{path: a.txt}}}}]
  - {TOO_LONG}
  - {{changes: [messages, system], {}
  - text: never
",
        &TOO_LONG[1..]
    ));
    let done = run(&model, "overflow: true");
    assert_too_long(&done);
    assert_eq!(model.requests().len(), 3);
    assert_eq!(steps(&done), [1, 2, 2]);
}

#[test]
fn without_a_context_nothing_is_tried_again() {
    let model = FakeModel::start(&format!("replies: [{TOO_LONG}, {{text: never}}]"));
    let done = Sandbox::http(&model).run(&["run", "the task", "--output", "stream-json"]);
    assert_too_long(&done);
    assert_eq!(model.requests().len(), 1);
}

fn assert_too_long(done: &Done) {
    let end = done.end();
    assert_eq!(
        (done.code(), &end["status"], &end["code"]),
        (1, &json!("error"), &json!("CONTEXT_WINDOW_EXCEEDED")),
        "{done:?}"
    );
}

#[test]
fn a_stretch_that_is_not_there_ends_the_run() {
    let model = FakeModel::start("replies: [{text: never}]");
    let done = run(&model, "bad_span: true");
    let end = done.end();
    assert_eq!(
        (done.code(), &end["status"], &end["code"], &end["message"]),
        (1, &json!("error"), &json!("BAD_PAYLOAD"), &json!("context: messages 0..2 of 1 cannot be replaced")),
        "{done:?}"
    );
    assert!(model.requests().is_empty());
}
