//! A model that fails and recovers behind `llm-retry`: the run completes, and everybody is told of what went wrong.

use crate::{
    process::Done,
    sandbox::{Call, Sandbox},
};
use checks::fake_model::FakeModel;
use nix::sys::signal::Signal;
use serde_json::{Value, json};

/// The shipped rows with retries that wait for next to nothing, and more config.
fn sandbox(model: &FakeModel, config: &str) -> Sandbox {
    let sandbox = Sandbox::http(model);
    let row = format!("{{id: retry, name: llm-retry, config: {{backoff_ms: 4, {config}}}}}");
    sandbox.put("retry.yml", format!("- {{insert: [{row}]}}"));
    sandbox
}

fn call(sandbox: &Sandbox) -> Call<'_> {
    sandbox.harness(&["run", "go", "--patch", "retry.yml", "--output", "stream-json"])
}

fn run(model: &FakeModel, config: &str) -> Done {
    call(&sandbox(model, config)).run()
}

/// Number, code and `discard` of each attempt but the first.
fn attempts(done: &Done) -> Vec<Value> {
    let shown = |data: Value| json!([data["n"], data["code"], data["discard"]]);
    done.events("llm/attempt").into_iter().map(shown).collect()
}

fn notes(done: &Done) -> Vec<String> {
    let is = |record: &Value| record["type"] == "note" && record["level"] == "warn";
    let text = |record: Value| record["text"].as_str().unwrap_or_default().to_owned();
    done.records().into_iter().filter(is).map(text).collect()
}

#[test]
fn a_run_survives_a_refusal_a_broken_server_a_cut_and_silence() {
    let model = FakeModel::start(
        r#"
replies:
  - {status: 429, headers: {retry-after-ms: "30"}}
  - {status: 500}
  - {text: lost, fault: cut, after: 0}
  - {text: lost, fault: stall, after: 0}
  - {}
  - {calls: [{name: run_shell, arguments: {command: touch made}}]}
  - {status: 503}
  - {text: Done.}
"#,
    );
    let sandbox = sandbox(&model, "idle_timeout_ms: 3000");
    let done = call(&sandbox).run();
    assert_eq!(
        (done.code(), &done.end()["status"], &done.end()["steps"]),
        (0, &json!("completed"), &json!(2)),
        "{done:?}"
    );
    model.assert_done();
    assert!(sandbox.path("made").exists());
    let expected = json!([
        [2, "RATE_LIMIT", false],
        [3, "SERVER", false],
        [4, "TRANSPORT", false],
        [5, "TIMEOUT", false],
        [6, "EMPTY_RESPONSE", false],
        [2, "SERVER", false],
    ]);
    assert_eq!(Value::from(attempts(&done)), expected);
    let asked = done.events("llm/attempt")[0]["wait_ms"].as_u64().unwrap();
    assert!((30..=33).contains(&asked), "{asked}");
    let notes = notes(&done);
    assert_eq!(notes.len(), 6, "{notes:?}");
    assert!(notes[0].starts_with("the model answered 429; trying again in 3"), "{notes:?}");
    assert!(notes[4].starts_with("the model answered nothing; trying again in "), "{notes:?}");
    // Every attempt sends the same bytes.
    let bodies: Vec<String> = model.requests().into_iter().map(|request| request.body).collect();
    assert!(
        bodies[..6].iter().all(|body| *body == bodies[0]) && bodies[6] == bodies[7] && bodies[5] != bodies[6]
    );
}

#[test]
fn a_call_that_breaks_off_runs_once_it_is_whole() {
    const CUT: &str = r#"
replies:
  - {calls: [{name: run_shell, arguments: {command: echo never >> made}, fragments: 3}], fault: cut, after: 3}
  - {calls: [{name: run_shell, arguments: {command: echo once >> made}}]}
  - {text: Done.}
"#;
    let model = FakeModel::start(CUT);
    let sandbox = sandbox(&model, "after_output: before_text");
    let done = call(&sandbox).run();
    assert_eq!(done.code(), 0, "{done:?}");
    model.assert_done();
    assert_eq!(sandbox.read("made"), "once\n");
    assert_eq!(Value::from(attempts(&done)), json!([[2, "TRANSPORT", true]]));
    // As shipped nothing is tried again of which something was handed on.
    let model = FakeModel::start(CUT);
    let done = run(&model, "");
    let end = done.end();
    assert_eq!((done.code(), &end["code"], model.requests().len()), (1, &json!("TRANSPORT"), 1), "{done:?}");
    let message = end["message"].as_str().unwrap();
    assert!(message.ends_with("(not tried again: some of the answer has been handed on)"), "{message}");
}

#[test]
fn the_run_ends_with_the_failure_that_is_left() {
    for (replies, config, code, requests, said) in [
        ("{status: 401}", "", "AUTH", 1, ""),
        ("{status: 400}", "", "INVALID_REQUEST", 1, ""),
        ("{}", "", "EMPTY_RESPONSE", 6, " (tried 6 times)"),
        ("{status: 500}", "retries_max: 2", "SERVER", 3, " (tried 3 times)"),
        ("{status: 500}", "retries_max: 0", "SERVER", 1, ""),
        (
            "{status: 429, retry_after: 3600}",
            "",
            "RATE_LIMIT",
            1,
            " (not tried again: it asks for a wait of 1 h, and `retry_after_max_ms` allows 1 min)",
        ),
        (
            "{status: 502}",
            "run_retries_max: 3",
            "SERVER",
            4,
            " (tried 4 times, not tried again: the run has used its 3 retries)",
        ),
        (
            "{fault: stall}",
            "total_timeout_ms: 2000",
            "TIMEOUT",
            1,
            "llm-retry: the model request took longer than 2 s",
        ),
    ] {
        let model = FakeModel::start(&format!("{{replies: [{replies}], on_end: repeat_last}}"));
        let done = run(&model, config);
        let end = done.end();
        assert_eq!(
            (done.code(), &end["code"], model.requests().len()),
            (1, &json!(code), requests),
            "{done:?}"
        );
        let message = end["message"].as_str().unwrap();
        assert!(message.ends_with(said) && (!said.is_empty() || !message.contains("tried")), "{message}");
        assert_eq!(attempts(&done).len(), requests - 1);
    }
}

#[test]
fn a_cancel_ends_a_wait() {
    let model = FakeModel::start("{replies: [{status: 429, retry_after: 50}, {text: never}]}");
    let sandbox = sandbox(&model, "");
    let process = call(&sandbox).start();
    process.wait_for("trying again in ").signal(Signal::SIGINT);
    let done = process.finish();
    assert_eq!((done.code(), &done.end()["status"]), (130, &json!("aborted")), "{done:?}");
    assert_eq!((model.requests().len(), attempts(&done).len()), (1, 0));
}

#[test]
fn the_person_sees_why_nothing_happens() {
    let model = FakeModel::start("{replies: [{status: 503}, {text: Hello.}]}");
    let done = sandbox(&model, "jitter: 0").run(&["run", "hi", "--patch", "retry.yml"]);
    assert_eq!((done.code(), done.stdout.as_str()), (0, "Hello.\n"), "{done:?}");
    assert!(done.stderr.contains("the model answered 503; trying again in 4 ms (1 of 5)"), "{done:?}");
}

#[test]
fn a_code_that_must_not_be_tried_again_keeps_the_row_from_mounting() {
    let model = FakeModel::start("replies: [{text: never}]");
    let done = run(&model, "codes: [SERVER, AUTH]");
    assert!(done.code() != 0 && model.requests().is_empty(), "{done:?}");
    assert!(
        format!("{done:?}").contains("`codes` lists `AUTH`, which fails again in the same way"),
        "{done:?}"
    );
}
