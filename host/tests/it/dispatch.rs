//! The calls of one step: how many run at the same time, and which do not start after a cancel.

use crate::{
    cancel::{assert_aborts, results},
    process::Done,
    sandbox::Sandbox,
};
use nix::{
    sys::{signal::Signal::SIGINT, stat::Mode},
    unistd::mkfifo,
};
use serde_json::Value;
use std::fs;

/// At most so many at a time.
fn at_most(calls: u32) -> String {
    format!("- {{id: dispatch, config: {{calls_max: {calls}}}}}")
}

/// The loop's own way.
const REMOVED: &str = "- {id: dispatch, remove: true}";

/// A call for each name that takes one of `places`, tells of it, and leaves it once somebody writes to its gate.
fn gated(patch: &str, names: &[&str], places: u32) -> Sandbox {
    let places = (1..=places).map(|n| format!("place.{n}")).collect::<Vec<_>>().join(" ");
    let take = format!("for place in {places}; do mkdir $place 2>&- && break; place=; done");
    let call = |name: &&str| {
        let command = format!(
            "{take}; [ $place ] || echo no place; echo {name} started; cat gate.{name}; rmdir $place && echo left"
        );
        format!("{{name: run_shell, arguments: {{command: '{command}'}}}}")
    };
    let calls: Vec<String> = names.iter().map(call).collect();
    let sandbox =
        Sandbox::scripted(&format!("replies: [{{calls: [{}]}}, {{text: Done.}}]", calls.join(", ")));
    for name in names {
        mkfifo(&sandbox.path(&format!("gate.{name}")), Mode::S_IRWXU).unwrap();
    }
    sandbox.put("p.yml", patch);
    sandbox
}

/// What the calls said, in the order of the calls.
fn answers(done: &Done) -> Vec<String> {
    let text = |data: &Value| data["content"][0]["content"][0]["text"].as_str().unwrap().to_owned();
    done.events("tool/result").iter().map(text).collect()
}

const GO: [&str; 6] = ["run", "go", "--patch", "p.yml", "--output", "stream-json"];

#[test]
fn one_at_a_time_is_one_after_the_other() {
    for patch in [&at_most(1), REMOVED] {
        let sandbox = gated(patch, &["a", "b", "c"], 1);
        let run = sandbox.harness(&GO).start();
        for name in ["a", "b", "c"] {
            run.wait_for(&format!("{name} started\\n"));
            fs::write(sandbox.path(&format!("gate.{name}")), "").unwrap();
        }
        let done = run.finish();
        assert_eq!(done.code(), 0, "{done:?}");
        assert_no_more_than_places(&done, &["a", "b", "c"]);
    }
}

#[test]
fn two_at_a_time_are_two_and_never_three() {
    let sandbox = gated(&at_most(2), &["a", "b", "c", "d"], 2);
    let run = sandbox.harness(&GO).start();
    // Neither of the two has ended when both have started; then each that ends makes room for one.
    run.wait_for("a started\\n").wait_for("b started\\n");
    for (ends, starts) in [("b", "c"), ("c", "d")] {
        fs::write(sandbox.path(&format!("gate.{ends}")), "").unwrap();
        run.wait_for(&format!("{starts} started\\n"));
    }
    for name in ["a", "d"] {
        fs::write(sandbox.path(&format!("gate.{name}")), "").unwrap();
    }
    let done = run.finish();
    assert_eq!(done.code(), 0, "{done:?}");
    assert_no_more_than_places(&done, &["a", "b", "c", "d"]);
}

/// A call that started while all places were taken would have said so.
fn assert_no_more_than_places(done: &Done, names: &[&str]) {
    let answers = answers(done);
    assert_eq!(answers.len(), names.len(), "{done:?}");
    for (answer, name) in answers.iter().zip(names) {
        assert_eq!(*answer, format!("{name} started\nleft\n[exit code: 0]"), "{done:?}");
    }
}

#[test]
fn after_a_cancel_no_further_call_starts() {
    for (patch, running) in [(at_most(1), 1), (at_most(2), 2), (REMOVED.to_owned(), 1)] {
        let write = "{name: write_file, arguments: {path: b, content: b}}";
        let calls = [&["{name: wait}"].repeat(running)[..], &[write, write]].concat().join(", ");
        let sandbox = Sandbox::scripted(&format!("replies: [{{calls: [{calls}]}}]"));
        sandbox
            .put("p.yml", format!("{patch}\n- {{insert: [{{id: odd, name: tools-odd}}], after: tools}}\n"));
        let run = sandbox.harness(&GO).start();
        run.wait_until("all that may have started", |stdout| {
            stdout.matches("wait started").count() == running
        });
        let done = assert_aborts(run, SIGINT, "interrupted");
        let mut expected = vec![("ABORTED".to_owned(), false); running];
        expected.extend(vec![("ABORTED_BEFORE_DISPATCH".to_owned(), true); 2]);
        assert_eq!(results(&done), expected, "{done:?}");
        assert!(!sandbox.path("b").exists());
    }
}
