//! Questions of a tool to whoever is behind the run: a client, a person at a terminal, or no one.

use crate::{process::Done, sandbox::Sandbox};
use nix::sys::signal::Signal::SIGINT;
use serde_json::{Value, json};
use std::time::Duration;

const ASKS: &str = "replies: [{calls: [{name: ask}]}, {text: 'it was: {{ last.text }}'}]";
const CLIENT: [&str; 4] = ["--ask", "stdin", "--output", "stream-json"];

/// The task, and rows with a tool that asks.
const GO: [&str; 4] = ["run", "go", "--patch", "odd.yml"];

fn asking() -> Sandbox {
    let sandbox = Sandbox::scripted(ASKS);
    sandbox.put("odd.yml", "- {insert: [{id: odd, name: tools-odd}], after: tools}");
    sandbox
}

/// What the tool got.
fn got(done: &Done) -> Value {
    assert_eq!(done.code(), 0, "{done:?}");
    done.events("tool/result")[0]["content"][0].clone()
}

#[test]
fn a_client_reads_the_question_and_answers_under_its_id() {
    let sandbox = asking();
    let mut run = sandbox.harness(&[GO, CLIENT].concat()).start();
    run.wait_for(r#""kind":"ask""#);
    run.say(r#"{"id": "q1", "choice": "yes", "remember": true}"#);
    let done = run.finish();
    let question = json!({
        "id": "q1", "title": "May I?", "body": "The tool wants to go on.", "default": null, "timeout_ms": 0,
        "choices": [{"id": "yes", "label": "yes"}, {"id": "no", "label": "no"}]
    });
    assert_eq!(done.events("ask"), [question]);
    // What it is about comes first.
    let kinds: Vec<Value> = done.records().iter().map(|record| record["kind"].clone()).collect();
    let place = |kind: &str| kinds.iter().position(|other| other == kind);
    assert!(place("tool/progress") < place("ask") && place("ask") < place("tool/result"), "{done:?}");
    assert_eq!(got(&done)["content"][0]["text"], r#"{"choice":"yes","remember":true}"#);
}

#[test]
fn what_is_no_answer_to_the_question_is_asked_again() {
    let sandbox = asking();
    let mut run = sandbox.harness(&[GO, CLIENT].concat()).start();
    run.wait_for(r#""kind":"ask""#);
    for line in [r#"{"id": "q0", "choice": "yes"}"#, r#"{"id": "q1", "choice": "maybe"}"#, "yes", "", "[]"] {
        run.say(line);
    }
    run.say(r#"{"id": "q1", "choice": "no"}"#);
    let done = run.finish();
    assert_eq!(done.events("ask").len(), 6, "{done:?}");
    assert_eq!(got(&done)["content"][0]["text"], r#"{"choice":"no","remember":false}"#);
}

#[test]
fn with_nobody_there_the_tool_is_told_so() {
    let sandbox = asking();
    let tables: [&[&str]; 3] =
        [&CLIENT, &["--ask", "none", "--output", "stream-json"], &["--output", "stream-json"]];
    for args in tables {
        // Standard input ends at once: a client that hangs up, or none.
        let result = got(&sandbox.run(&[&GO, args].concat()));
        assert_eq!(
            (&result["code"], &result["is_error"]),
            (&json!("NO_ONE_TO_ASK"), &json!(true)),
            "{args:?}"
        );
    }
}

#[test]
fn a_question_may_have_a_time_and_come_from_any_thread() {
    let sandbox = asking();
    sandbox.put("script.yml", ASKS.replace("name: ask", "name: ask_elsewhere"));
    let run = sandbox.harness(&[GO, CLIENT].concat()).start();
    run.wait_for(r#""type":"end""#);
    let done = run.finish();
    assert_eq!(got(&done)["code"], "NO_ONE_TO_ASK", "{done:?}");
}

#[test]
fn a_client_has_to_read_the_questions() {
    let sandbox = asking();
    let done = sandbox.run(&[GO.as_slice(), &["--ask", "stdin", "--output", "json"]].concat());
    expect_test::expect![[r#"
        exit 2
        -- stderr
        error: --ask stdin: questions are put in stream-json only (BAD_FLAGS)
          hint: add --output stream-json
    "#]]
    .assert_eq(&done.shown());
}

#[test]
fn a_signal_ends_a_question() {
    let sandbox = asking();
    let run = sandbox.harness(&[GO, CLIENT].concat()).start();
    run.wait_for(r#""kind":"ask""#).signal(SIGINT);
    let done = run.finish_within(Duration::from_secs(5));
    assert_eq!((done.code(), &done.end()["status"]), (130, &json!("aborted")), "{done:?}");
    let results = done.events("tool/result");
    assert_eq!((results.len(), &results[0]["content"][0]["code"]), (1, &json!("ABORTED")), "{done:?}");
}

#[test]
fn a_person_at_a_terminal_answers_by_number_or_by_word() {
    for (typed, choice) in [("1", "yes"), ("no", "no"), ("NO", "no"), ("7\nyes", "yes")] {
        let sandbox = asking();
        let mut run = sandbox.harness(&GO).start_in_terminal();
        run.wait_for("2) no");
        let shown = run.stdout();
        assert!(shown.find("→ ask").unwrap() < shown.find("May I?").unwrap(), "{shown}");
        run.say(typed);
        run.wait_for(&format!("it was: {{\"choice\":\"{choice}\",\"remember\":false}}"));
        let done = run.finish();
        assert_eq!(done.code(), 0, "{done:?}");
    }
}

#[test]
fn a_terminal_gets_colour_unless_it_does_not_want_any() {
    let sandbox = Sandbox::scripted("replies: [{text: \"\\e[31mred\\e]0;title\\a\"}]");
    let done = sandbox.harness(&["run", "go"]).start_in_terminal().finish();
    assert!(done.stdout.contains("\x1b[2mcompleted\x1b[0m"), "{done:?}");
    // What the model says is text: it commands no terminal.
    assert!(done.stdout.contains("[31mred]0;title") && !done.stdout.contains("\x1b[31m"), "{done:?}");
    let done = sandbox.harness(&["run", "go"]).env("NO_COLOR", "1").start_in_terminal().finish();
    assert!(done.stdout.contains("completed") && !done.stdout.contains('\x1b'), "{done:?}");
    let done = sandbox.run(&["run", "go"]);
    assert_eq!(done.stdout, "\x1b[31mred\x1b]0;title\x07\n", "a pipe gets what the model said");
    assert!(!done.stderr.contains('\x1b'), "{done:?}");
}
