//! What must hold however it ends, and however rows are ordered.

use crate::{cancel::assert_aborts, lifeline::Lifeline, sandbox::Sandbox};
use expect_test::expect;
use nix::sys::signal::Signal::{SIGHUP, SIGTERM};

#[test]
fn no_child_outlives_a_run_that_a_plugin_holds_up() {
    let sandbox = Sandbox::scripted(
        r#"
replies:
  - calls: [{name: run_shell, arguments: {command: "exec 9>lifeline; sleep 1000 & setsid sleep 1000 & echo left"}}]
  - calls: [{name: hang}]
"#,
    );
    sandbox.put("odd.yml", "- {insert: [{id: odd, name: tools-odd}], after: tools}");
    let lifeline = Lifeline::new(&sandbox);
    let run = sandbox.harness(&["run", "go", "--patch", "odd.yml"]).env("HARNESS_STUCK_MS", "300").run();
    assert_eq!(run.code(), 1, "{run:?}");
    lifeline.assert_gone();
}

#[test]
fn a_daemon_in_a_session_of_its_own_ends_with_the_run() {
    let sandbox = Sandbox::scripted(
        r#"
replies:
  - calls: [{name: run_shell, arguments: {command: "exec 9>lifeline; setsid -f sh -c 'setsid sleep 1000 & sleep 1000'; echo left"}}]
  - text: Done.
"#,
    );
    let lifeline = Lifeline::new(&sandbox);
    let done = sandbox.run(&["run", "go"]);
    assert_eq!(done.code(), 0, "{done:?}");
    lifeline.assert_gone();
}

#[test]
fn a_wrap_stands_before_a_provider_whose_row_is_mounted_after_it() {
    // The second row provides what the first wraps, and as a wrap of something else it is mounted with the wraps.
    let sandbox = Sandbox::scripted("replies: [{text: not to be said}]");
    let rows =
        "- insert: [{id: guard, name: policy-guard, config: {code: NO}}, {id: both, name: policy-both}]";
    sandbox.put("rows.yml", rows);
    let done = sandbox.run(&["run", "go", "--patch", "rows.yml"]);
    assert_eq!((done.code(), done.stdout.as_str()), (3, ""), "{done:?}");
    let shown = sandbox.run(&["rows", "--patch", "rows.yml"]).stdout;
    assert!(shown.contains("turn-policy = guard > both\n"), "{shown}");
}

#[test]
fn a_row_that_needs_its_own_slot_is_refused() {
    let sandbox = Sandbox::scripted("replies: []");
    sandbox.put("self.yml", "- {id: dispatch, needs: {tools: dispatch}}");
    let done = sandbox.run(&["run", "go", "--patch", "self.yml"]);
    let rule = "it needs `dispatch`, the slot it is in itself, so it would call itself for ever (BAD_NEED)";
    assert!(done.code() == 2 && done.stderr.contains(rule), "{done:?}");
}

#[test]
fn rows_show_no_piece_of_a_secret_however_long_or_short_it_is() {
    let sandbox = Sandbox::new(include_str!("../../../harness.yml"));
    let long = format!("sk-proj-{}", "A1".repeat(60));
    for secret in [long.as_str(), "abc"] {
        for format in [&["rows"][..], &["rows", "--json"]] {
            let done = sandbox.harness(format).env("LLM_API_KEY", secret).run();
            let shown = done.stdout.replace("[LLM_API_KEY]", "");
            assert!(done.code() == 0 && done.stdout.contains("[LLM_API_KEY]"), "{done:?}");
            assert!(!shown.contains(&secret[..3]), "{shown}");
        }
    }
}

#[test]
fn a_placeholder_for_a_key_garbles_nothing() {
    let sandbox = Sandbox::scripted(
        r#"
replies:
  - calls: [{name: write_file, arguments: {path: a.toml, content: "provider = ollama"}}]
  - text: "ollama it is"
"#,
    );
    sandbox.put(
        "key.yml",
        "- {insert: [{id: spare, name: llm-openai, as: spare, config: {api_key: !secret LLM_API_KEY}}]}",
    );
    let done = sandbox.harness(&["run", "go", "--patch", "key.yml"]).env("LLM_API_KEY", "ollama").run();
    expect!["ollama it is\n"].assert_eq(&done.stdout);
    assert_eq!(sandbox.read("a.toml"), "provider = ollama");
}

#[test]
fn a_signal_that_was_ignored_from_the_start_stays_ignored() {
    let sandbox = Sandbox::scripted("replies: [{text: half a, hang: true}]");
    let run = sandbox.harness(&["run", "go", "--output", "stream-json"]).through_shell("trap '' HUP").start();
    run.wait_for("half a").signal(SIGHUP);
    // Had it been heeded, it would be the reason.
    assert_aborts(run, SIGTERM, "terminated");
}

#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let sandbox = Sandbox::scripted("replies: [{text: Hello.}]");
    for args in
        [&["run", "hi"][..], &["run", "hi", "--output", "json"], &["call", "tools", "list"], &["rows"]]
    {
        let done = sandbox.harness(args).through_shell("exec >/dev/full").run();
        assert_eq!(done.code(), 1, "{args:?}: {done:?}");
    }
}
