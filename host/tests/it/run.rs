//! `harness run`: where the task comes from, what each output prints, what the flags reach, and what the exit code says.

use crate::sandbox::Sandbox;
use checks::fake_model::FakeModel;
use expect_test::expect;
use serde_json::json;

/// Says the task back.
const ECHO: &str = r#"
replies:
  - text: "you said: {{ task }}"
    usage: {input_tokens: 7, output_tokens: 3}
"#;

#[test]
fn the_task_is_the_arguments_or_standard_input() {
    let sandbox = Sandbox::scripted(ECHO);
    let said = |args: &[&str], stdin: &str| {
        let done = sandbox.harness(args).stdin(stdin).run();
        assert_eq!(done.code(), 0, "{done:?}");
        done.stdout
    };
    assert_eq!(said(&["run", "one task"], ""), "you said: one task\n");
    assert_eq!(said(&["run", "two", "words"], "not read"), "you said: two words\n");
    assert_eq!(said(&["run"], "from a pipe"), "you said: from a pipe\n");
    assert_eq!(said(&["run", "-"], "from a pipe\nof two lines"), "you said: from a pipe\nof two lines\n");
    assert_eq!(said(&["run", "--", "--help"], ""), "you said: --help\n");
}

#[test]
fn without_a_task_nothing_starts() {
    let sandbox = Sandbox::scripted(ECHO);
    let done = sandbox.harness(&["run"]).stdin(" \n").run();
    expect![[r#"
        exit 2
        -- stderr
        error: there is no task (NO_TASK)
          hint: put it behind the command, or on standard input
    "#]]
    .assert_eq(&done.shown());
    let done = sandbox.harness(&["run", "-"]).stdin(b"\xff\xfe").run();
    expect![[r#"
        exit 2
        -- stderr
        error: the task on standard input: stream did not contain valid UTF-8 (BAD_TASK)
          hint: write it as UTF-8 text
    "#]]
    .assert_eq(&done.shown());
}

const TWO_STEPS: &str = r#"
replies:
  - text: I will look.
    calls: [{name: read_file, arguments: {path: a.txt}}]
    usage: {input_tokens: 100, output_tokens: 10, cache_read_tokens: 20}
  - text: It says {{ last.text }}
    usage: {input_tokens: 5, output_tokens: 1, cache_read_tokens: 120}
"#;

#[test]
fn text_is_on_stdout_and_everything_else_on_stderr() {
    let sandbox = Sandbox::scripted(TWO_STEPS);
    sandbox.put("a.txt", "hello");
    expect![[r#"
        exit 0
        -- stdout
        I will look.
        It says hello
        -- stderr
        → read_file {"path":"a.txt"}
        2 steps, 245 tokens in (140 cached), 11 out
        completed
    "#]]
    .assert_eq(&sandbox.run(&["run", "look"]).shown());
}

#[test]
fn json_is_one_object_at_the_end() {
    let sandbox = Sandbox::scripted(TWO_STEPS);
    sandbox.put("a.txt", "hello");
    expect![[r#"
        exit 0
        -- stdout
        {"cost":null,"message":"","session":"[SESSION]","status":"completed","steps":2,"text":"I will look.\nIt says hello","usage":{"cache_read_tokens":140,"input_tokens":105,"output_tokens":11}}
        -- stderr
        → read_file {"path":"a.txt"}
        2 steps, 245 tokens in (140 cached), 11 out
    "#]].assert_eq(&sandbox.run(&["run", "look", "--output", "json"]).shown());
}

#[test]
fn stream_json_is_one_object_a_line_and_the_last_is_the_end() {
    let sandbox = Sandbox::scripted(TWO_STEPS);
    sandbox.put("a.txt", "hello");
    let done = sandbox.run(&["run", "look", "--output", "stream-json", "--session", "s1"]);
    let kinds: Vec<String> = done
        .records()
        .iter()
        .map(|record| match record["kind"].as_str() {
            Some(kind) => format!("event {kind}"),
            None => record["type"].as_str().unwrap().to_owned(),
        })
        .collect();
    expect![[r#"
        event user/message
        event request/header
        event step/start
        out
        event step/end
        event assistant/message
        out
        event tool/call
        note
        event tool/result
        event step/start
        out
        event step/end
        event assistant/message
        note
        end"#]]
    .assert_eq(&kinds.join("\n"));
    assert_eq!(
        done.end(),
        json!({
            "type": "end", "status": "completed", "message": "", "steps": 2, "cost": null, "session": "s1",
            "usage": {"input_tokens": 105, "output_tokens": 11, "cache_read_tokens": 140}
        })
    );
    assert_eq!(done.stderr, "");
}

#[test]
fn each_delta_is_printed_as_it_comes() {
    for output in ["text", "stream-json"] {
        let model = FakeModel::start("replies: [{deltas: [first, second], wait_for: go, after: 2}]");
        let sandbox = Sandbox::http(&model);
        let run = sandbox.harness(&["run", "speak", "--output", output]).start();
        run.wait_for("first");
        assert!(!run.stdout().contains("second"));
        model.release("go");
        let done = run.finish();
        assert_eq!(done.code(), 0, "{done:?}");
        assert!(done.stdout.contains("second"));
        model.assert_done();
    }
}

#[test]
fn flags_reach_the_rows_that_ask_for_them() {
    let sandbox = Sandbox::scripted(
        r#"
replies:
  - text: model {{ model }}
    calls: [{name: list_files, arguments: {path: .}}]
    usage: {omit: true}
  - text: files {{ last.text }}
"#,
    );
    sandbox.put("elsewhere/only this.txt", "");
    let flags = ["--model", "m1", "--max-steps", "2", "--root", "elsewhere", "--session", "s1"];
    let done = sandbox.run(&[&["run", "look", "--output", "json"], flags.as_slice()].concat());
    assert_eq!(done.code(), 0, "{done:?}");
    let end = &done.records()[0];
    assert_eq!((&end["session"], &end["steps"]), (&json!("s1"), &json!(2)));
    assert_eq!(end["text"], "model m1\nfiles only this.txt\n");
    // Before the command as well, and the limit is the row's.
    let done = sandbox.run(&["--max-steps", "1", "run", "look"]);
    expect![[r#"
        exit 5
        -- stdout
        model 
        -- stderr
        → list_files {"path":"."}
        1 step, 0 tokens in, 0 out
        error: blocked: the turn reached its limit of 1 step (LIMIT_STEPS)
          hint: raise it with --max-steps, or split the task
    "#]]
    .assert_eq(&done.shown());
}

#[test]
fn a_session_is_named_by_the_host_when_nobody_does_and_never_twice() {
    let sandbox = Sandbox::scripted(ECHO);
    let session = || {
        let end = sandbox.run(&["run", "hi", "--output", "json"]).records().remove(0);
        end["session"].as_str().unwrap().to_owned()
    };
    let (first, second) = (session(), session());
    assert!(!first.is_empty() && first != second, "{first} {second}");
}

#[test]
fn the_exit_code_says_how_it_ended() {
    let policy =
        |code: &str| format!("- {{insert: [{{id: policy, name: policy-no, config: {{code: {code}}}}}]}}");
    let cut = "replies: [{text: so far, calls: [{name: write_file, arguments: {path: b, content: b}}], finish: max-tokens, usage: {omit: true}}]";
    let failed =
        "replies: [{finish: error, failure: {code: QUOTA, message: no credit left, hint: pay the bill}}]";
    let endless = "replies: [{calls: [{name: list_files}], repeat: 99, usage: {omit: true}}]";
    let table = [
        ("completed", 0, ECHO, "[]"),
        ("error", 1, failed, "[]"),
        ("blocked", 3, ECHO, &policy("NOT_TODAY")),
        ("max-tokens", 4, cut, "[]"),
        ("blocked", 5, endless, "[]"),
        ("blocked", 5, ECHO, &policy("LIMIT_COST")),
        ("aborted", 130, "replies: [{finish: aborted, failure: {code: ABORTED, message: gave up}}]", "[]"),
    ];
    let mut shown = String::new();
    for (status, code, script, patch) in table {
        let sandbox = Sandbox::scripted(script);
        sandbox.put("p.yml", patch);
        let done = sandbox.run(&["run", "go", "--patch", "p.yml", "--max-steps", "3", "--output", "json"]);
        assert_eq!((done.code(), done.records()[0]["status"].as_str()), (code, Some(status)), "{done:?}");
        // Nothing that was cut is executed.
        assert!(!sandbox.path("b").exists());
        shown.push_str(&sandbox.run(&["run", "go", "--patch", "p.yml", "--max-steps", "3"]).shown());
    }
    expect![[r#"
        exit 0
        -- stdout
        you said: go
        -- stderr
        1 step, 7 tokens in, 3 out
        completed
        exit 1
        -- stderr
        1 step, 0 tokens in, 0 out
        error: no credit left (QUOTA)
          hint: pay the bill
        exit 3
        -- stderr
        0 steps, 0 tokens in, 0 out
        error: blocked: the policy does not let step 1 begin (NOT_TODAY)
        exit 4
        -- stdout
        so far
        -- stderr
        1 step, 0 tokens in, 0 out
        error: max-tokens: the model's response was cut at its token limit
          hint: raise max_tokens of the loop row
        exit 5
        -- stderr
        → list_files {}
        → list_files {}
        → list_files {}
        3 steps, 0 tokens in, 0 out
        error: blocked: the turn reached its limit of 3 steps (LIMIT_STEPS)
          hint: raise it with --max-steps, or split the task
        exit 5
        -- stderr
        0 steps, 0 tokens in, 0 out
        error: blocked: the policy does not let step 1 begin (LIMIT_COST)
        exit 130
        -- stderr
        1 step, 0 tokens in, 0 out
        error: aborted: gave up
    "#]]
    .assert_eq(&shown);
}
