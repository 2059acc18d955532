//! Services that answer what their contract does not allow: what a consumer makes of it, and the sentence that the person sees.

use crate::sandbox::Sandbox;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

const ONCE: &str = "replies: [{calls: [{name: list_files}], usage: {omit: true}}, {text: 'it said: {{ last.text }}', usage: {omit: true}}]";

/// A run with this patch.
fn run(patch: Value) -> String {
    let sandbox = Sandbox::scripted(ONCE);
    sandbox.put("f.yml", patch.to_string());
    sandbox.run(&["run", "go", "--patch", "f.yml"]).shown()
}

fn chunk(kind: u16, index: u32, text: &str, data: &str) -> Value {
    json!([kind, index, text, data])
}

fn start() -> Value {
    chunk(1, 0, "", r#"{"type":"text"}"#)
}

fn text(text: &str) -> Value {
    chunk(2, 0, text, "")
}

fn end() -> Value {
    chunk(5, 0, "", "")
}

fn usage() -> Value {
    chunk(6, 0, "", r#"{"input_tokens":1,"output_tokens":1}"#)
}

fn stop() -> Value {
    chunk(7, 0, "", r#"{"reason":"stop"}"#)
}

#[track_caller]
fn check_stream(table: &[(&str, Vec<Value>)], expected: Expect) {
    let mut shown = String::new();
    for (what, chunks) in table {
        let patch = json!([{"id": "llm-adapter", "name": "llm-garbled", "config": {"chunks": chunks}}]);
        shown.push_str(&format!("{what}: {}", run(patch)));
    }
    expected.assert_eq(&shown);
}

#[test]
fn a_response_whose_blocks_are_out_of_order() {
    check_stream(
        &[
            ("no rule", vec![start(), text("a"), end(), usage(), stop()]),
            ("a delta before its block", vec![text("a"), stop()]),
            ("a delta of another type", vec![start(), chunk(4, 0, "{}", ""), stop()]),
            ("a delta of another block", vec![start(), chunk(2, 7, "a", ""), stop()]),
            ("a block opens twice", vec![start(), start(), stop()]),
            ("a block ends twice", vec![start(), end(), end(), stop()]),
            (
                "a block ends as another type",
                vec![start(), chunk(5, 0, "", r#"{"type":"reasoning","text":"a","adapter":"b"}"#), stop()],
            ),
            ("a block stays open", vec![start(), text("a"), stop()]),
        ],
        expect![[r#"
            no rule: exit 0
            -- stdout
            a
            -- stderr
            1 step, 1 tokens in, 1 out
            completed
            a delta before its block: exit 1
            -- stderr
            1 step, 0 tokens in, 0 out
            error: llm: a text delta for block 0 needs an open text block, there is none (INVARIANT)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            a delta of another type: exit 1
            -- stderr
            1 step, 0 tokens in, 0 out
            error: llm: a tool-call delta for block 0 needs an open tool-call block, there is text (INVARIANT)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            a delta of another block: exit 1
            -- stderr
            1 step, 0 tokens in, 0 out
            error: llm: a text delta for block 7 needs an open text block, there is none (INVARIANT)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            a block opens twice: exit 1
            -- stderr
            1 step, 0 tokens in, 0 out
            error: llm: block 0 opens twice (INVARIANT)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            a block ends twice: exit 1
            -- stderr
            1 step, 0 tokens in, 0 out
            error: llm: block 0 ends without having been opened (INVARIANT)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            a block ends as another type: exit 1
            -- stderr
            1 step, 0 tokens in, 0 out
            error: llm: block 0 opened as text and ends as another type (INVARIANT)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            a block stays open: exit 1
            -- stdout
            a
            -- stderr
            1 step, 0 tokens in, 0 out
            error: llm: the stream finished with 1 open block(s) (INVARIANT)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
        "#]],
    );
}

#[test]
fn a_response_whose_end_is_not_the_end() {
    check_stream(
        &[
            ("usage twice", vec![start(), text("a"), end(), usage(), usage(), stop()]),
            ("no finish", vec![start(), text("a"), end()]),
            ("nothing", vec![chunk(99, 0, "", "")]),
            ("finish twice", vec![start(), text("a"), end(), stop(), stop()]),
            ("more after the finish", vec![start(), text("a"), end(), stop(), text("b")]),
            (
                "a failure without words",
                vec![chunk(7, 0, "", r#"{"reason":"error","failure":{"code":"","message":""}}"#)],
            ),
            (
                "a finish that is not known",
                vec![start(), text("a"), end(), chunk(7, 0, "", r#"{"reason":"tired"}"#)],
            ),
        ],
        expect![[r#"
            usage twice: exit 1
            -- stdout
            a
            -- stderr
            1 step, 1 tokens in, 1 out
            error: llm: usage comes more than once (INVARIANT)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            no finish: exit 1
            -- stdout
            a
            -- stderr
            1 step, 0 tokens in, 0 out
            error: llm: the stream ended without a finish (STREAM_CLOSED)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            nothing: exit 1
            -- stderr
            1 step, 0 tokens in, 0 out
            error: llm: the stream ended without a finish (STREAM_CLOSED)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            finish twice: exit 0
            -- stdout
            a
            -- stderr
            1 step, 0 tokens in, 0 out
            completed
            more after the finish: exit 0
            -- stdout
            a
            -- stderr
            1 step, 0 tokens in, 0 out
            completed
            a failure without words: exit 1
            -- stderr
            1 step, 0 tokens in, 0 out
            error: llm: a failure needs a code and a message (INVARIANT)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            a finish that is not known: exit 1
            -- stdout
            a
            -- stderr
            1 step, 0 tokens in, 0 out
            error: finish: expected one of `stop`, `tool-calls`, `max-tokens`, `aborted`, `error`, not `tired` (at character 17) (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
        "#]],
    );
}

#[test]
fn a_response_that_cannot_be_read() {
    check_stream(
        &[
            ("a finish that is no JSON", vec![start(), text("a"), end(), chunk(7, 0, "", "stop")]),
            ("a start that is no JSON", vec![chunk(1, 0, "", "text"), stop()]),
            ("a start without a type", vec![chunk(1, 0, "", "{}"), stop()]),
            (
                "usage of another type",
                vec![start(), text("a"), end(), chunk(6, 0, "", r#"{"input_tokens":"many"}"#), stop()],
            ),
            ("a kind that is not known", vec![start(), chunk(99, 0, "x", "{}"), text("a"), end(), stop()]),
            (
                "all anew after an attempt",
                vec![
                    start(),
                    text("a"),
                    chunk(8, 0, "", r#"{"n":2,"discard":true}"#),
                    start(),
                    text("b"),
                    end(),
                    stop(),
                ],
            ),
            ("an attempt without a number", vec![chunk(8, 0, "", "{}"), start(), end(), stop()]),
        ],
        expect![[r#"
            a finish that is no JSON: exit 1
            -- stdout
            a
            -- stderr
            1 step, 0 tokens in, 0 out
            error: finish: this is not JSON (at character 1) (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            a start that is no JSON: exit 1
            -- stderr
            1 step, 0 tokens in, 0 out
            error: block start: this is not JSON (at character 2) (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            a start without a type: exit 1
            -- stderr
            1 step, 0 tokens in, 0 out
            error: block start: `type` is missing (at character 2) (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            usage of another type: exit 1
            -- stdout
            a
            -- stderr
            1 step, 0 tokens in, 0 out
            error: usage: expected a whole number that is not negative, not "many" (at character 22) (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            a kind that is not known: exit 0
            -- stdout
            a
            -- stderr
            1 step, 0 tokens in, 0 out
            completed
            all anew after an attempt: exit 0
            -- stdout
            ab
            -- stderr
            1 step, 0 tokens in, 0 out
            completed
            an attempt without a number: exit 1
            -- stderr
            1 step, 0 tokens in, 0 out
            error: attempt: `n` is missing (at character 2) (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
        "#]],
    );
}

#[track_caller]
fn check(row: &str, name: &str, table: &[(&str, Value)], expected: Expect) {
    let mut shown = String::new();
    for (what, config) in table {
        let plugin = json!({"id": row, "name": name, "config": config});
        let patch = match row {
            "tools" | "dispatch" | "loop" => json!([plugin]),
            _ => json!([{"insert": [plugin]}]),
        };
        shown.push_str(&format!("{what}: {}", run(patch)));
    }
    expected.assert_eq(&shown);
}

#[test]
fn a_list_of_tools_that_cannot_be_read() {
    let list = |head: &str, parts: &[&str]| json!({"answers": {"list": head}, "parts": parts});
    let (one, schema) =
        (r#"{"generation":"1"}"#, r#"{"name":"list_files","description":"","parameters":{}}"#);
    check(
        "tools",
        "tools-garbled",
        &[
            ("no JSON", list("tools: none", &[])),
            ("a list", list("[1, 2]", &[])),
            ("a generation that is a number", list(r#"{"generation":1}"#, &[])),
            ("unchanged, though nothing was known", list(r#"{"unchanged":true}"#, &[])),
            ("a schema that is no JSON", list(one, &["list_files()"])),
            ("a schema without a name", list(one, &["{}"])),
            ("a schema without parameters", list(one, &[r#"{"name":"list_files"}"#])),
            ("a name twice", list(one, &[schema, schema])),
        ],
        expect![[r#"
            no JSON: exit 1
            -- stderr
            0 steps, 0 tokens in, 0 out
            error: the answer of `list`: this is not JSON (at character 2) (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            a list: exit 1
            -- stderr
            0 steps, 0 tokens in, 0 out
            error: the answer of `list`: expected true or false, not `1` (at character 2) (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            a generation that is a number: exit 1
            -- stderr
            0 steps, 0 tokens in, 0 out
            error: the answer of `list`: expected a string, not `1` (at character 15) (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            unchanged, though nothing was known: exit 1
            -- stderr
            0 steps, 0 tokens in, 0 out
            error: tools: the list is said to be unchanged, and nothing of it was known (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            a schema that is no JSON: exit 1
            -- stderr
            0 steps, 0 tokens in, 0 out
            error: tools: number 1 of the list is no JSON object with a `name` (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            a schema without a name: exit 1
            -- stderr
            0 steps, 0 tokens in, 0 out
            error: tools: number 1 of the list is no JSON object with a `name` (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            a schema without parameters: exit 0
            -- stdout
            it said: Error: `tools` has no method `execute`
            -- stderr
            → list_files {}
            warning: list_files (NO_METHOD): Error: `tools` has no method `execute`
            2 steps, 0 tokens in, 0 out
            completed
            a name twice: exit 1
            -- stderr
            0 steps, 0 tokens in, 0 out
            error: tools: two tools are named `list_files` (DUPLICATE_TOOL)
              hint: disable one of the rows that offer them
        "#]],
    );
}

#[test]
fn a_result_of_a_tool_that_cannot_be_read() {
    let schema = r#"{"name":"list_files","description":"","parameters":{}}"#;
    let result = |chunks: Value| json!({"answers": {"list": r#"{"generation":"1"}"#}, "parts": [schema], "chunks": chunks});
    check(
        "tools",
        "tools-garbled",
        &[
            ("in order", result(json!([[3, 0, "fine", ""]]))),
            ("no JSON", result(json!([[3, 0, "fine", "{is_error"]]))),
            ("another type", result(json!([[3, 0, "fine", r#"{"is_error":"no"}"#]]))),
            ("a note that is no JSON", result(json!([[2, 0, "", "note"], [3, 0, "fine", ""]]))),
            ("no result", result(json!([[1, 0, "on my way", ""]]))),
            ("more after the result", result(json!([[3, 0, "fine", ""], [3, 0, "again", ""]]))),
        ],
        expect![[r#"
            in order: exit 0
            -- stdout
            it said: fine
            -- stderr
            → list_files {}
            2 steps, 0 tokens in, 0 out
            completed
            no JSON: exit 0
            -- stdout
            it said: Error: result: this is not JSON (at character 2) (`harness rows` shows the rows of the slot: report this to the author of the one at fault)
            -- stderr
            → list_files {}
            warning: list_files (BAD_PAYLOAD): Error: result: this is not JSON (at character 2) (`harness rows` shows the rows of the slot: report this to the author of the one at fault)
            2 steps, 0 tokens in, 0 out
            completed
            another type: exit 0
            -- stdout
            it said: Error: result: expected true or false, not "no" (at character 16) (`harness rows` shows the rows of the slot: report this to the author of the one at fault)
            -- stderr
            → list_files {}
            warning: list_files (BAD_PAYLOAD): Error: result: expected true or false, not "no" (at character 16) (`harness rows` shows the rows of the slot: report this to the author of the one at fault)
            2 steps, 0 tokens in, 0 out
            completed
            a note that is no JSON: exit 0
            -- stdout
            it said: Error: note: this is not JSON (at character 2) (`harness rows` shows the rows of the slot: report this to the author of the one at fault)
            -- stderr
            → list_files {}
            warning: list_files (BAD_PAYLOAD): Error: note: this is not JSON (at character 2) (`harness rows` shows the rows of the slot: report this to the author of the one at fault)
            2 steps, 0 tokens in, 0 out
            completed
            no result: exit 0
            -- stdout
            it said: Error: `list_files` ended without a result; whether it had an effect is unknown
            -- stderr
            → list_files {}
            warning: list_files (NO_RESULT): Error: `list_files` ended without a result; whether it had an effect is unknown
            2 steps, 0 tokens in, 0 out
            completed
            more after the result: exit 0
            -- stdout
            it said: fine
            -- stderr
            → list_files {}
            2 steps, 0 tokens in, 0 out
            completed
        "#]],
    );
}

/// The model calls a tool that only the wrap knows.
#[test]
fn a_wrap_that_answers_what_it_does_not_list() {
    let sandbox = Sandbox::scripted(&ONCE.replace("list_files", "ghost"));
    let ghost = json!({"id": "ghost", "name": "tools-ghost", "config": {"chunks": [[3, 0, "boo", ""]]}});
    sandbox.put("f.yml", json!([{"insert": [ghost]}]).to_string());
    expect![[r#"
        exit 0
        -- stdout
        it said: Error: unknown tool `ghost`; the tools are `read_file`, `write_file`, `list_files`, `run_shell`
        -- stderr
        → ghost {}
        warning: ghost (UNKNOWN_TOOL): Error: unknown tool `ghost`; the tools are `read_file`, `write_file`, `list_files`, `run_shell`
        2 steps, 0 tokens in, 0 out
        completed
    "#]].assert_eq(&sandbox.run(&["run", "go", "--patch", "f.yml"]).shown());
}

#[test]
fn events_of_a_dispatcher_that_cannot_be_read() {
    let chunks = |chunks: Value| json!({"chunks": chunks});
    check(
        "dispatch",
        "dispatch-garbled",
        &[
            ("of no call", chunks(json!([[3, 9, "fine", ""]]))),
            ("no JSON", chunks(json!([[3, 0, "fine", "{"]]))),
            ("a result twice", chunks(json!([[3, 0, "fine", ""], [3, 0, "again", ""]]))),
            ("no result", chunks(json!([[1, 0, "on my way", ""]]))),
        ],
        expect![[r#"
            of no call: exit 0
            -- stdout
            it said: Error: the dispatcher ended without a result of this call; whether it had an effect is unknown
            -- stderr
            → list_files {}
            warning: list_files (NO_RESULT): Error: the dispatcher ended without a result of this call; whether it had an effect is unknown
            2 steps, 0 tokens in, 0 out
            completed
            no JSON: exit 0
            -- stdout
            it said: Error: result: this is not JSON (at character 1) (`harness rows` shows the rows of the slot: report this to the author of the one at fault)
            -- stderr
            → list_files {}
            warning: list_files (BAD_PAYLOAD): Error: result: this is not JSON (at character 1) (`harness rows` shows the rows of the slot: report this to the author of the one at fault)
            2 steps, 0 tokens in, 0 out
            completed
            a result twice: exit 0
            -- stdout
            it said: fine
            -- stderr
            → list_files {}
            2 steps, 0 tokens in, 0 out
            completed
            no result: exit 0
            -- stdout
            it said: Error: the dispatcher ended without a result of this call; whether it had an effect is unknown
            -- stderr
            → list_files {}
            warning: list_files (NO_RESULT): Error: the dispatcher ended without a result of this call; whether it had an effect is unknown
            2 steps, 0 tokens in, 0 out
            completed
        "#]],
    );
}

#[test]
fn a_policy_that_cannot_be_understood() {
    let before = |head: &str| json!({"answers": {"before_step": head, "before_stop": r#"{"stop":{}}"#}});
    let stop = |head: &str| json!({"answers": {"before_step": r#"{"enter":{}}"#, "before_stop": head}});
    check(
        "policy",
        "policy-garbled",
        &[
            ("no JSON", before("yes")),
            ("no answer", before("{}")),
            ("another answer", before(r#"{"perhaps":{}}"#)),
            ("a reason of no type", before(r#"{"reject":{"code":7}}"#)),
            ("a message that is not there", before(r#"{"enter":{"inject":3}}"#)),
            ("no method", json!({})),
            ("no JSON at the end", stop("stop")),
            ("to go on with nothing", stop(r#"{"continue":{"inject":0}}"#)),
        ],
        expect![[r#"
            no JSON: exit 1
            -- stderr
            0 steps, 0 tokens in, 0 out
            error: the answer of `before_step`: this is not JSON (at character 1) (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            no answer: exit 1
            -- stderr
            0 steps, 0 tokens in, 0 out
            error: the answer of `before_step`: expected an object with one key (at character 2) (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            another answer: exit 1
            -- stderr
            0 steps, 0 tokens in, 0 out
            error: the answer of `before_step`: expected `enter` or `reject`, not `perhaps` (at character 10) (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            a reason of no type: exit 1
            -- stderr
            0 steps, 0 tokens in, 0 out
            error: the answer of `before_step`: expected a string, not `7` (at character 19) (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            a message that is not there: exit 1
            -- stderr
            0 steps, 0 tokens in, 0 out
            error: turn-policy: 3 messages said, 0 sent (BAD_PAYLOAD)
            no method: exit 1
            -- stderr
            0 steps, 0 tokens in, 0 out
            error: `turn-policy` has no method `before_step` (NO_METHOD)
            no JSON at the end: exit 1
            -- stdout
            it said: f.yml
            harness.yml
            script.yml
            -- stderr
            → list_files {}
            2 steps, 0 tokens in, 0 out
            error: the answer of `before_stop`: this is not JSON (at character 1) (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            to go on with nothing: exit 1
            -- stdout
            it said: f.yml
            harness.yml
            script.yml
            -- stderr
            → list_files {}
            2 steps, 0 tokens in, 0 out
            error: turn-policy: a turn was made to go on with no message (BAD_PAYLOAD)
        "#]],
    );
}

#[test]
fn a_plan_that_cannot_be_followed() {
    let plan = |head: &str| json!({"answers": {"prepare": head}, "parts": ["{}"]});
    check(
        "context",
        "context-garbled",
        &[
            ("no JSON", plan("plan")),
            ("another type", plan(r#"{"append":"all"}"#)),
            ("fewer messages than said", plan(r#"{"append":2}"#)),
            ("a stretch without an end", plan(r#"{"replace":{"from_seq":0}}"#)),
            ("a message that is no message", plan(r#"{"append":1}"#)),
        ],
        expect![[r#"
            no JSON: exit 1
            -- stderr
            0 steps, 0 tokens in, 0 out
            error: the answer of `prepare`: this is not JSON (at character 1) (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            another type: exit 1
            -- stderr
            0 steps, 0 tokens in, 0 out
            error: the answer of `prepare`: expected a whole number that is not negative, not "all" (at character 15) (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            fewer messages than said: exit 1
            -- stderr
            0 steps, 0 tokens in, 0 out
            error: context: the plan speaks of 2 parts and brings 1 (BAD_PAYLOAD)
            a stretch without an end: exit 1
            -- stderr
            0 steps, 0 tokens in, 0 out
            error: the answer of `prepare`: `to_seq` is missing (at character 25) (BAD_PAYLOAD)
              hint: `harness rows` shows the rows of the slot: report this to the author of the one at fault
            a message that is no message: exit 1
            -- stderr
            1 step, 0 tokens in, 0 out
            error: message 1 of the history: message: `role` is missing (at character 2) (INVALID_REQUEST)
        "#]],
    );
}

#[test]
fn an_end_that_cannot_be_read() {
    let chunks = |chunks: Value| json!({"chunks": chunks});
    check(
        "loop",
        "loop-garbled",
        &[
            ("no JSON", chunks(json!([[60002, 0, "", "done"]]))),
            ("no status", chunks(json!([[60002, 0, "", "{}"]]))),
            ("another status", chunks(json!([[60002, 0, "", r#"{"status":"tired"}"#]]))),
            ("no end", chunks(json!([[60000, 0, "hello\n", ""]]))),
            ("a note that is no JSON", chunks(json!([[60001, 0, "", "note"]]))),
        ],
        expect![[r#"
            no JSON: exit 1
            -- stderr
            error: the run's end cannot be read (BAD_PAYLOAD)
              hint: look at the row behind this command: `harness rows`
            no status: exit 1
            -- stderr
            error: the run's end cannot be read (BAD_PAYLOAD)
              hint: look at the row behind this command: `harness rows`
            another status: exit 1
            -- stderr
            error: tired
            no end: exit 1
            -- stdout
            hello
            -- stderr
            error: the run ended without saying how (NO_END)
              hint: look at the row behind this command: `harness rows`
            a note that is no JSON: exit 1
            -- stderr
            note
            error: the run ended without saying how (NO_END)
              hint: look at the row behind this command: `harness rows`
        "#]],
    );
}
