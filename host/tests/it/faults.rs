//! Plugins that panic, hang or break their contract: the host names the row and goes on where it can.

use crate::sandbox::Sandbox;
use expect_test::expect;
use serde_json::json;

/// Rows whose model has this defect.
fn faulty(fault: &str) -> Sandbox {
    let sandbox = Sandbox::scripted("replies: []");
    sandbox.put("f.yml", format!("- {{id: llm-adapter, name: llm-faulty, config: {{fault: {fault}}}}}"));
    sandbox
}

const GO: [&str; 4] = ["run", "go", "--patch", "f.yml"];

#[test]
fn each_defect_of_a_model_ends_the_run_with_a_name() {
    let mut shown = String::new();
    for fault in [
        "create-panic",
        "create-error",
        "call-panic",
        "poll-panic",
        "drop-panic",
        "no-finish",
        "stray-delta",
        "two-finishes",
    ] {
        shown.push_str(&format!("{fault}: {}", faulty(fault).run(&GO).shown()));
    }
    expect![[r#"
        create-panic: exit 2
        -- stderr
        error: harness.yml:2: row `llm-adapter`: panicked at checks/planted/src/faulty.rs:[LINE]: planted in create (PANIC)
          hint: this is a bug in the plugin: report it to its author with the place above
        create-error: exit 2
        -- stderr
        error: harness.yml:2: row `llm-adapter`: planted refusal (NO_LUCK)
          hint: take another plugin
        call-panic: exit 1
        -- stderr
        1 step, 0 tokens in, 0 out
        error: row `llm-adapter`: panicked at checks/planted/src/faulty.rs:[LINE]: planted in a call (PANIC)
          hint: this is a bug in the plugin: report it to its author with the place above
        poll-panic: exit 1
        -- stderr
        1 step, 0 tokens in, 0 out
        error: row `llm-adapter`: panicked at checks/planted/src/faulty.rs:[LINE]: planted in a poll (PANIC)
          hint: this is a bug in the plugin: report it to its author with the place above
        drop-panic: exit 1
        -- stderr
        1 step, 0 tokens in, 0 out
        error: row `llm-adapter`: panicked at checks/planted/src/faulty.rs:[LINE]: planted in a drop (PANIC)
          hint: this is a bug in the plugin: report it to its author with the place above
        no-finish: exit 1
        -- stdout
        so far so good
        -- stderr
        1 step, 0 tokens in, 0 out
        error: llm: the stream ended without a finish (STREAM_CLOSED)
          hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
        stray-delta: exit 1
        -- stderr
        1 step, 0 tokens in, 0 out
        error: llm: a text delta for block 0 needs an open text block, there is none (INVARIANT)
          hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
        two-finishes: exit 0
        -- stdout
        so far so good
        -- stderr
        1 step, 0 tokens in, 0 out
        completed
    "#]].assert_eq(&shown);
}

#[test]
fn code_that_does_not_return_is_found_in_create() {
    let done = faulty("create-hang").harness(&GO).env("HARNESS_STUCK_MS", "300").run();
    expect![[r#"
        exit 2
        -- stderr
        error: row `llm-adapter`: plugin `llm-faulty` ([BUILT]/libplanted_bundle.so) does not return from a call (STUCK)
          hint: disable or swap the row, and report this to the plugin's author
    "#]].assert_eq(&done.shown());
}

#[test]
fn code_that_does_not_return_is_found_in_a_poll_and_the_end_is_written_all_the_same() {
    let mut shown = String::new();
    for output in ["text", "json", "stream-json"] {
        let args = [GO.as_slice(), &["--output", output, "--session", "s1"]].concat();
        let done = faulty("poll-hang").harness(&args).env("HARNESS_STUCK_MS", "300").run();
        if output == "stream-json" {
            assert_eq!((&done.end()["status"], &done.end()["code"]), (&json!("error"), &json!("STUCK")));
        }
        shown.push_str(&format!("{output}: {}", done.shown()));
    }
    expect![[r#"
        text: exit 1
        -- stderr
        error: row `llm-adapter`: plugin `llm-faulty` ([BUILT]/libplanted_bundle.so) does not return from a call (STUCK)
          hint: disable or swap the row, and report this to the plugin's author
        json: exit 1
        -- stdout
        {"code":"STUCK","cost":null,"hint":"disable or swap the row, and report this to the plugin's author","message":"row `llm-adapter`: plugin `llm-faulty` ([BUILT]/libplanted_bundle.so) does not return from a call","session":"s1","status":"error","steps":null,"text":"","usage":null}
        stream-json: exit 1
        -- stdout
        {"code":"STUCK","cost":null,"hint":"disable or swap the row, and report this to the plugin's author","message":"row `llm-adapter`: plugin `llm-faulty` ([BUILT]/libplanted_bundle.so) does not return from a call","session":"s1","status":"error","steps":null,"type":"end","usage":null}
    "#]].assert_eq(&shown);
}

/// The model calls one of the tools that misbehave.
fn calling(tool: &str) -> Sandbox {
    let sandbox = Sandbox::scripted(&format!(
        "replies: [{{calls: [{{name: {tool}}}, {{name: list_files}}], usage: {{omit: true}}}}, {{text: 'it said: {{{{ results[0].text }}}}', usage: {{omit: true}}}}]"
    ));
    sandbox.put("f.yml", "- {insert: [{id: odd, name: tools-odd}], after: tools}");
    sandbox
}

#[test]
fn a_tool_that_panics_or_breaks_its_contract_is_an_observation() {
    let mut shown = String::new();
    for tool in ["panic", "no_result", "two_results"] {
        shown.push_str(&format!("{tool}: {}", calling(tool).run(&GO).shown()));
    }
    expect![[r#"
        panic: exit 0
        -- stdout
        it said: Error: row `odd`: panicked at checks/planted/src/tools.rs:[LINE]: planted in a tool (this is a bug in the plugin: report it to its author with the place above)
        -- stderr
        → panic {}
        → list_files {}
        warning: panic (PANIC): Error: row `odd`: panicked at checks/planted/src/tools.rs:[LINE]: planted in a tool (this is a bug in the plugin: report it to its author with the place above)
        2 steps, 0 tokens in, 0 out
        completed
        no_result: exit 0
        -- stdout
        it said: Error: `no_result` ended without a result; whether it had an effect is unknown
        -- stderr
        → no_result {}
        → list_files {}
        warning: no_result (NO_RESULT): Error: `no_result` ended without a result; whether it had an effect is unknown
        2 steps, 0 tokens in, 0 out
        completed
        two_results: exit 0
        -- stdout
        it said: first
        -- stderr
        → two_results {}
        → list_files {}
        2 steps, 0 tokens in, 0 out
        completed
    "#]].assert_eq(&shown);
}

#[test]
fn a_tool_that_does_not_return_ends_the_run() {
    let done = calling("hang").harness(&GO).env("HARNESS_STUCK_MS", "300").run();
    expect![[r#"
        exit 1
        -- stderr
        error: row `odd`: plugin `tools-odd` ([BUILT]/libplanted_bundle.so) does not return from a call (STUCK)
          hint: disable or swap the row, and report this to the plugin's author
    "#]].assert_eq(&done.shown());
}

#[test]
fn a_wrap_with_nothing_below_says_so() {
    let wrap = "- {id: loud, name: llm-upper}";
    let sandbox = Sandbox::new(&format!(
        "{wrap}\n- {{id: tools, name: tools-clock}}\n- {{id: loop, name: loop-basic}}"
    ));
    expect![[r#"
        exit 2
        -- stderr
        error: no llm service: add the llm-adapter row from checks/01-foundations/rows.yml (row `loop` needs it) (NEED_MISSING)
          hint: add the row to harness.yml
    "#]].assert_eq(&sandbox.run(&["run", "go"]).shown());
    // Nobody needs it, but somebody calls it.
    let call = Sandbox::new(wrap).run(&["call", "llm", "stream", r#"{"tools": 0}"#]);
    expect![[r#"
        exit 0
        -- stdout
        {"data":{"failure":{"code":"NOT_MOUNTED","hint":"add a row that provides `llm`","message":"nothing is mounted below row `loud` in slot `llm`"},"reason":"error"},"index":0,"kind":7,"parts":[],"text":""}
    "#]].assert_eq(&call.shown());
}
