//! Signals: wherever a run is, it ends with a record of its own, every call has one result, and nothing is left running.

use crate::{
    lifeline::Lifeline,
    process::{Done, Process},
    sandbox::Sandbox,
};
use checks::fake_model::{FakeModel, Outcome};
use nix::sys::signal::Signal::{self, SIGHUP, SIGINT, SIGTERM};
use serde_json::Value;
use std::{io::Read as _, time::Duration};

/// A cancelled run ends within 2 s; this is what a busy machine may add.
const SOON: Duration = Duration::from_secs(5);

/// Rows with the tools that misbehave.
fn odd(script: &str) -> Sandbox {
    let sandbox = Sandbox::scripted(script);
    sandbox.put("odd.yml", "- {insert: [{id: odd, name: tools-odd}], after: tools}");
    sandbox
}

fn start(sandbox: &Sandbox) -> Process {
    let odd = sandbox.path("odd.yml").exists().then_some(["--patch", "odd.yml"]);
    let args = [["run", "go"], ["--output", "stream-json"]].into_iter().chain(odd);
    sandbox.harness(&args.flatten().collect::<Vec<_>>()).start()
}

/// Sends the signal and checks what any cancelled run owes: its end, in time, and one result a call.
pub(crate) fn assert_aborts(run: Process, signal: Signal, reason: &str) -> Done {
    run.signal(signal);
    let done = run.finish_within(SOON);
    let end = done.end();
    assert_eq!(
        (done.code(), end["status"].as_str(), end["message"].as_str()),
        (130, Some("aborted"), Some(reason)),
        "{done:?}"
    );
    let ids = |kind: &str, id: fn(&Value) -> &Value| -> Vec<Value> {
        done.events(kind).iter().map(|data| id(data).clone()).collect()
    };
    let calls = ids("tool/call", |data| &data["id"]);
    let results = ids("tool/result", |data| &data["content"][0]["call_id"]);
    assert_eq!(calls, results, "{done:?}");
    done
}

/// The codes of the results, and whether somebody else stated them.
pub(crate) fn results(done: &Done) -> Vec<(String, bool)> {
    let result = |data: &Value| {
        let block = &data["content"][0];
        (block["code"].as_str().unwrap_or("ok").to_owned(), block["synthetic"] == true)
    };
    done.events("tool/result").iter().map(result).collect()
}

const HANGS: &str = "replies: [{text: half a, hang: true}]";

#[test]
fn between_two_deltas() {
    for (signal, reason) in [(SIGINT, "interrupted"), (SIGTERM, "terminated"), (SIGHUP, "hung up")] {
        let sandbox = Sandbox::scripted(HANGS);
        let run = start(&sandbox);
        run.wait_for("half a");
        let done = assert_aborts(run, signal, reason);
        // What was said is kept.
        assert_eq!(done.events("assistant/message")[0]["content"][0]["text"], "half a");
    }
}

#[test]
fn text_tells_of_it_on_stderr() {
    let sandbox = Sandbox::scripted(HANGS);
    let run = sandbox.harness(&["run", "go"]).start();
    run.wait_for("half a").signal(SIGINT);
    let done = run.finish_within(SOON);
    expect_test::expect![[r#"
        exit 130
        -- stdout
        half a
        -- stderr
        1 step, 0 tokens in, 0 out
        error: aborted: interrupted
    "#]]
    .assert_eq(&done.shown());
}

#[test]
fn before_the_first_byte_of_a_response() {
    let model = FakeModel::start("replies: [{text: never, fault: stall}]");
    let sandbox = Sandbox::http(&model);
    let run = start(&sandbox);
    model.wait_for_requests(1);
    assert_aborts(run, SIGINT, "interrupted");
    model.wait_until_idle();
    assert_eq!(model.requests()[0].outcome, Outcome::ClientLeft);
}

#[test]
fn in_a_command_with_children_that_do_not_want_to_end() {
    let sandbox = odd(r#"
replies:
  - calls:
      - {name: run_shell, arguments: {command: "exec 9>lifeline; trap '' TERM INT HUP; sleep 1000 & echo started; sleep 1000; sleep 1000"}}
      - {name: list_files, arguments: {path: .}}
"#);
    let lifeline = Lifeline::new(&sandbox);
    let run = start(&sandbox);
    run.wait_for("started\\n").wait_for("list_files");
    let done = assert_aborts(run, SIGINT, "interrupted");
    lifeline.assert_gone();
    assert_eq!(results(&done), [("ABORTED".to_owned(), false), ("ok".to_owned(), false)], "{done:?}");
}

#[test]
fn what_a_command_left_in_the_background_ends_with_the_run() {
    let sandbox = Sandbox::scripted(
        r#"
replies:
  - calls: [{name: run_shell, arguments: {command: "exec 9>lifeline; sleep 1000 & echo left"}}]
  - text: Done.
"#,
    );
    let lifeline = Lifeline::new(&sandbox);
    let done = sandbox.run(&["run", "go"]);
    assert_eq!(done.code(), 0, "{done:?}");
    lifeline.assert_gone();
}

#[test]
fn in_a_tool_that_listens_and_in_one_that_is_deaf() {
    let sandbox = odd("replies: [{calls: [{name: wait}, {name: deaf}]}]");
    let run = start(&sandbox);
    run.wait_for("wait started").wait_for("deaf started");
    let done = assert_aborts(run, SIGINT, "interrupted");
    assert_eq!(results(&done), [("ABORTED".to_owned(), false), ("ABORTED".to_owned(), true)], "{done:?}");
}

#[test]
fn a_call_whose_turn_has_not_come_does_not_start() {
    let sandbox =
        odd("replies: [{calls: [{name: wait}, {name: write_file, arguments: {path: b, content: b}}]}]");
    sandbox.put("odd.yml", format!("{}\n- {{id: dispatch, disabled: true}}\n", sandbox.read("odd.yml")));
    let run = start(&sandbox);
    run.wait_for("wait started");
    let done = assert_aborts(run, SIGINT, "interrupted");
    let expected = [("ABORTED".to_owned(), false), ("ABORTED_BEFORE_DISPATCH".to_owned(), true)];
    assert_eq!(results(&done), expected, "{done:?}");
    assert!(!sandbox.path("b").exists());
}

#[test]
fn a_second_signal_drops_at_once() {
    // Alone, the deaf tool is given up on after 1.5 s.
    let sandbox = odd(
        r#"replies: [{calls: [{name: deaf}, {name: run_shell, arguments: {command: "exec 9>lifeline; trap '' TERM; sleep 1000 & echo started; wait"}}]}]"#,
    );
    let lifeline = Lifeline::new(&sandbox);
    let run = start(&sandbox);
    run.wait_for("deaf started").wait_for("started\\n").signal(SIGINT);
    run.signal(SIGTERM);
    let done = run.finish_within(SOON);
    let end = done.end();
    assert_eq!((done.code(), &end["status"]), (130, &"aborted".into()), "{done:?}");
    assert!(end["message"].as_str().unwrap().ends_with("the run did not end by itself"), "{done:?}");
    lifeline.assert_gone();
}

#[test]
fn in_a_model_that_never_answers() {
    let sandbox = Sandbox::scripted("replies: []");
    sandbox.put("silent.yml", "- {id: llm-adapter, name: llm-faulty, config: {fault: silent}}");
    let run = sandbox.harness(&["run", "go", "--patch", "silent.yml", "--output", "stream-json"]).start();
    run.wait_for("so far so good");
    assert_aborts(run, SIGINT, "interrupted");
}

/// 500 kB, much more than a pipe holds.
const LONG: &str = "replies: [{text: \"{{ 'line\\n' * 100000 }}\", chunk: 1000}]";

#[test]
fn a_reader_that_leaves_ends_the_run() {
    for output in ["text", "stream-json"] {
        let sandbox = Sandbox::scripted(LONG);
        let (run, mut stdout) = sandbox.harness(&["run", "go", "--output", output]).start_unread();
        stdout.read_exact(&mut [0]).unwrap();
        drop(stdout);
        assert_eq!(run.finish_within(SOON).code(), 130);
    }
}

#[test]
fn a_reader_that_stalls_does_not_keep_the_run_from_ending() {
    for output in ["text", "stream-json"] {
        let sandbox = Sandbox::scripted(LONG);
        let (run, mut stdout) = sandbox.harness(&["run", "go", "--output", output]).start_unread();
        stdout.read_exact(&mut [0]).unwrap();
        run.signal(SIGINT);
        assert_eq!(run.finish_within(SOON).code(), 130);
    }
}

#[test]
fn a_call_ends_like_a_run() {
    let args = ["call", "llm", "stream", "{}"];
    let sandbox = Sandbox::scripted(HANGS);
    let run = sandbox.harness(&args).start();
    run.wait_for("half a").signal(SIGINT);
    let done = run.finish_within(SOON);
    assert_eq!(
        (done.code(), &done.records().last().unwrap()["data"]["reason"]),
        (130, &"aborted".into()),
        "{done:?}"
    );
    let sandbox = Sandbox::scripted(LONG);
    let (run, mut stdout) = sandbox.harness(&args).start_unread();
    stdout.read_exact(&mut [0]).unwrap();
    drop(stdout);
    assert_eq!(run.finish_within(SOON).code(), 130);
}

#[test]
fn while_a_row_is_being_mounted() {
    let sandbox = Sandbox::scripted("replies: []");
    sandbox.put("wait.yml", "- {id: llm-adapter, name: llm-faulty, config: {fault: create-wait}}");
    let run = sandbox.harness(&["run", "go", "--patch", "wait.yml"]).env("HARNESS_LOG", "info").start();
    run.wait_for_note("waits in create").signal(SIGINT);
    assert_eq!(run.finish_within(SOON).code(), 130);
}

#[test]
fn a_row_that_does_not_shut_down_does_not_end_the_run_twice() {
    for (fault, code) in [("shutdown-wait", 0), ("shutdown-hang", 0)] {
        let sandbox = Sandbox::scripted("replies: []");
        sandbox.put("f.yml", format!("- {{id: llm-adapter, name: llm-faulty, config: {{fault: {fault}}}}}"));
        let args = ["run", "go", "--patch", "f.yml", "--output", "stream-json"];
        let run = sandbox.harness(&args).env("HARNESS_STUCK_MS", "500").start();
        run.wait_for("\"type\":\"end\"").signal(SIGINT);
        let done = run.finish_within(SOON);
        assert_eq!((done.code(), &done.end()["status"]), (code, &"completed".into()), "{fault} {done:?}");
    }
}
