//! The guards that ship: each ends a turn as it says, tells the model beforehand, and stands with others in the order of the rows.

use crate::{
    policy::{messages, said},
    process::Done,
    sandbox::Sandbox,
};
use checks::fake_model::FakeModel;
use expect_test::expect;
use serde_json::{Value, json};

/// A model that lists the same empty folder so often, and then says that it is done.
fn listing(times: usize) -> FakeModel {
    let call = "{calls: [{name: list_files, arguments: {path: empty}}], usage: {prompt_tokens: 100, completion_tokens: 10}}, ";
    FakeModel::start(&format!("replies: [{}{{text: Done.}}]", call.repeat(times)))
}

/// The shipped rows, and these behind them: a line each.
fn guarded(model: &FakeModel, rows: &[&str]) -> Sandbox {
    let sandbox = Sandbox::http(model);
    sandbox.put("empty/file", "");
    sandbox.put("p.yml", format!("- insert: [{}]", rows.join(", ")));
    sandbox
}

fn run(model: &FakeModel, rows: &[&str]) -> Done {
    guarded(model, rows).run(&["run", "the task", "--patch", "p.yml", "--output", "stream-json"])
}

/// How it ended: exit code, status, code, and the requests that the model got.
fn ended(done: &Done, model: &FakeModel) -> (i32, Value, Value, usize) {
    assert_eq!(model.violations(), [""; 0], "{done:?}");
    let end = done.end();
    (done.code(), end["status"].clone(), end["code"].clone(), model.requests().len())
}

fn blocked(exit: i32, code: &str, requests: usize) -> (i32, Value, Value, usize) {
    (exit, json!("blocked"), json!(code), requests)
}

/// What was injected: who said it, and what.
fn injected(done: &Done) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let pair = |message: &Value| (text(&message["source"]), text(&message["content"][0]["text"]));
    messages(done, "policy/message").iter().map(pair).collect()
}

fn sources(done: &Done) -> Vec<String> {
    injected(done).into_iter().map(|(source, _)| source).collect()
}

#[test]
fn each_limit_ends_the_turn_between_steps_with_what_the_last_one_asked_for_done() {
    let prices =
        "input_usd_per_million: 1000, output_usd_per_million: 1000, cache_read_usd_per_million: 1000";
    for (row, code, requests) in [
        ("{id: guard, name: policy-steps, config: {max_steps: 2}}", "LIMIT_STEPS", 2),
        ("{id: guard, name: policy-budget, config: {steps_max: 2}}", "LIMIT_STEPS", 2),
        ("{id: guard, name: policy-budget, config: {tool_calls_max: 3}}", "LIMIT_TOOL_CALLS", 3),
        ("{id: guard, name: policy-budget, config: {input_tokens_max: 101}}", "LIMIT_INPUT_TOKENS", 2),
        ("{id: guard, name: policy-budget, config: {output_tokens_max: 30}}", "LIMIT_OUTPUT_TOKENS", 3),
        (
            &format!("{{id: guard, name: policy-budget, config: {{cost_usd_max: 0.2, {prices}}}}}"),
            "LIMIT_COST",
            2,
        ),
        ("{id: guard, name: policy-budget, config: {cost_usd_max: 0.2}}", "LIMIT_UNMEASURED", 0),
    ] {
        let model = listing(5);
        let done = run(&model, &[row]);
        assert_eq!(ended(&done, &model), blocked(5, code, requests), "{done:?}");
        assert_eq!(done.events("tool/result").len(), requests, "{code}");
        assert!(done.end()["hint"].as_str().unwrap().contains("row `guard`"), "{done:?}");
    }
}

#[test]
fn time_is_a_limit_too() {
    // The response takes longer than that, and what is before it may.
    let model = FakeModel::start("replies: [{calls: [{name: list_files}], delay_ms: 2}, {text: never}]");
    let done = run(&model, &["{id: guard, name: policy-budget, config: {elapsed_ms_max: 1}}"]);
    let requests = model.requests().len();
    assert_eq!(ended(&done, &model), blocked(5, "LIMIT_TIME", requests), "{done:?}");
    assert!(requests <= 1, "{done:?}");
}

#[test]
fn tokens_that_the_provider_does_not_say_are_no_budget() {
    let model =
        FakeModel::start("replies: [{calls: [{name: list_files}], usage: null}, {text: Done., usage: null}]");
    let done = run(&model, &["{id: guard, name: policy-budget, config: {output_tokens_max: 1000}}"]);
    assert_eq!(ended(&done, &model), blocked(5, "LIMIT_UNMEASURED", 1), "{done:?}");
    let model =
        FakeModel::start("replies: [{calls: [{name: list_files}], usage: null}, {text: Done., usage: null}]");
    assert_eq!(run(&model, &["{id: guard, name: policy-budget, config: {tool_calls_max: 9}}"]).code(), 0);
}

#[test]
fn a_person_reads_which_limit_it_was_and_how_to_go_on() {
    let model = listing(5);
    let rows =
        ["{id: guard, name: policy-budget, config: {steps_max: 4, tool_calls_max: 4, warn_percent: 70}}"];
    let done = guarded(&model, &rows).run(&["run", "the task", "--patch", "p.yml"]);
    // A note of a policy takes another way than those of the loop, and may overtake them.
    let (near, rest): (Vec<&str>, Vec<&str>) =
        done.stderr.lines().partition(|line| line.starts_with("warning"));
    let warning =
        "warning: guard: the turn has used 3 of 4 steps and 3 of 4 tool calls, and the model is told so";
    assert_eq!((done.code(), near), (5, vec![warning]), "{done:?}");
    expect![[r#"
        → list_files {"path":"empty"}
        → list_files {"path":"empty"}
        → list_files {"path":"empty"}
        → list_files {"path":"empty"}
        4 steps, 400 tokens in, 40 out
        error: blocked: the turn has used 4 of 4 steps and 4 of 4 tool calls (LIMIT_STEPS)
          hint: raise `steps_max` and `tool_calls_max` of the row `guard` to go on"#]]
    .assert_eq(&rest.join("\n"));
}

#[test]
fn the_model_is_told_once_that_a_limit_is_near() {
    let model = listing(9);
    let done = run(&model, &["{id: guard, name: policy-budget, config: {steps_max: 10}}"]);
    assert_eq!((done.code(), model.requests().len()), (0, 10), "{done:?}");
    model.assert_done();
    let told = "This turn has used 8 of 10 steps. Do what matters most, and say what is left before it ends.";
    assert_eq!(injected(&done), [("policy-budget".to_owned(), told.to_owned())]);
    assert_eq!(said(&model, 8).last(), Some(&("user".to_owned(), told.to_owned())));
}

#[test]
fn a_call_that_is_repeated_is_remarked_on_and_then_refused() {
    let model = listing(9);
    let done = run(&model, &["{id: guard, name: policy-repeat}"]);
    assert_eq!(ended(&done, &model), blocked(3, "NO_PROGRESS", 6), "{done:?}");
    let told = "You have made the same call of `list_files` 3 times in a row, with the same result each time: nothing \
                has changed. Do something else, or say what stands in your way.";
    assert_eq!(injected(&done), [("policy-repeat".to_owned(), told.to_owned())]);
    assert_eq!(said(&model, 3).last(), Some(&("user".to_owned(), told.to_owned())));
}

#[test]
fn two_calls_in_turn_are_repeated_as_well_and_however_their_arguments_are_written() {
    let pair = r#"{calls: [{name: list_files, arguments: {path: empty}}]}, {calls: [{name: read_file, arguments: {path: empty/file}}]}, "#;
    let again = r#"{calls: [{name: list_files, arguments: ' { "path" : "empty" } '}]}, {calls: [{name: read_file, arguments: '{"path":"empty/file"}'}]}, "#;
    let model =
        FakeModel::start(&format!("replies: [{}{{text: Done.}}]", [pair, again, pair, again].concat()));
    let done = run(&model, &["{id: guard, name: policy-repeat, config: {nudge_at: 2, block_at: 3}}"]);
    assert_eq!(ended(&done, &model), blocked(3, "NO_PROGRESS", 6), "{done:?}");
    let told = injected(&done);
    assert!(
        told.len() == 1 && told[0].1.contains("the same 2 calls (`list_files`, `read_file`) 2 times"),
        "{told:?}"
    );
}

#[test]
fn a_result_that_changes_is_progress() {
    let call = r#"{calls: [{name: run_shell, arguments: {command: "echo x >>grows; cat grows"}}]}, "#;
    let model = FakeModel::start(&format!("replies: [{}{{text: Done.}}]", call.repeat(8)));
    let done = run(&model, &["{id: guard, name: policy-repeat}"]);
    assert_eq!((done.code(), injected(&done)), (0, vec![]), "{done:?}");
    model.assert_done();
}

#[test]
fn guards_stack_in_the_order_of_their_rows() {
    let repeat = "{id: repeat, name: policy-repeat, config: {nudge_at: 2, block_at: 8}}";
    let budget = "{id: budget, name: policy-budget, config: {tool_calls_max: 4, warn_percent: 50}}";
    let steps = "{id: steps, name: policy-steps, config: {max_steps: 3}}";
    for (rows, order) in [
        ([repeat, budget, steps], ["policy-repeat", "policy-budget"]),
        ([steps, budget, repeat], ["policy-budget", "policy-repeat"]),
    ] {
        let model = listing(9);
        let done = run(&model, &rows);
        // Both speak before the third step, and it is the last.
        assert_eq!(sources(&done), order, "{done:?}");
        assert_eq!(ended(&done, &model), blocked(5, "LIMIT_STEPS", 3), "{done:?}");
    }
    // The innermost of two that say no is heard.
    for (rows, code) in [([1, 2], "LIMIT_TOOL_CALLS"), ([2, 1], "LIMIT_STEPS")] {
        let model = listing(9);
        let rows = rows.map(|which| match which {
            1 => "{id: a, name: policy-budget, config: {tool_calls_max: 2}}",
            _ => "{id: b, name: policy-steps, config: {max_steps: 2}}",
        });
        let done = run(&model, &rows);
        assert_eq!(ended(&done, &model), blocked(5, code, 2), "{done:?}");
    }
}

#[test]
fn a_policy_that_injects_or_goes_on_is_limited_by_those_above_it() {
    let odd = "{id: odd, name: policy-odd, config: {inject_before_step: mind the gap, continue_times: 8}}";
    let steps = "{id: steps, name: policy-steps, config: {max_steps: 3}}";
    // A provider is below every wrap, wherever its row stands.
    for rows in [[odd, steps], [steps, odd]] {
        let model = FakeModel::start("{replies: [{text: more}], on_end: repeat_last}");
        let done = run(&model, &rows);
        assert_eq!(ended(&done, &model), blocked(5, "LIMIT_STEPS", 3), "{done:?}");
        // Before the first step, and to go on after each.
        assert_eq!(sources(&done), ["policy-odd"; 4], "{done:?}");
    }
    let model = listing(9);
    let no = "{id: no, name: policy-no, config: {code: NOT_TODAY}}";
    let done = run(&model, &[no, "{id: budget, name: policy-budget, config: {cost_usd_max: 1}}", steps]);
    assert_eq!(ended(&done, &model), blocked(3, "NOT_TODAY", 0), "{done:?}");
}

#[test]
fn with_nothing_below_a_step_begins_and_a_turn_stops() {
    let sandbox = Sandbox::scripted("replies: [{text: Hello.}]");
    sandbox.put(
        "p.yml",
        "- insert: [{id: steps, name: policy-steps}, {id: repeat, name: policy-repeat}, {id: budget, name: policy-budget}]",
    );
    let mut shown = String::new();
    for (method, facts) in [
        // Facts of a loop that is older than what they were given.
        ("before_step", r#"{"step":1}"#),
        ("before_step", r#"{"step":2,"totals":{"steps":1,"tool_calls":1}}"#),
        ("before_step", r#"{"step":51,"totals":{"steps":50}}"#),
        ("before_stop", r#"{"step":2,"text":"all said"}"#),
    ] {
        let done = sandbox.run(&["call", "turn-policy", method, facts, "--patch", "p.yml"]);
        shown.push_str(&format!("{method} {facts}: {}", done.shown()));
    }
    let rows = sandbox.run(&["rows", "--patch", "p.yml"]).stdout;
    shown.push_str(rows.lines().find(|line| line.starts_with("turn-policy")).unwrap_or_default());
    expect![[r#"
        before_step {"step":1}: exit 0
        -- stdout
        {"level":"warn","text":"repeat: the loop does not say which calls were made, so repeated ones go unseen","type":"note"}
        {"head":{"enter":{"inject":0}},"parts":[]}
        before_step {"step":2,"totals":{"steps":1,"tool_calls":1}}: exit 0
        -- stdout
        {"head":{"enter":{"inject":0}},"parts":[]}
        before_step {"step":51,"totals":{"steps":50}}: exit 0
        -- stdout
        {"head":{"reject":{"code":"LIMIT_STEPS","hint":"raise `max_steps` of the row `steps` to go on","message":"the turn has taken 50 of 50 steps","resumable":true}},"parts":[]}
        before_stop {"step":2,"text":"all said"}: exit 0
        -- stdout
        {"head":{"stop":{}},"parts":[]}
        turn-policy = budget > repeat > steps"#]].assert_eq(&shown);
}

#[test]
fn a_guard_that_would_block_before_it_has_nudged_is_not_mounted() {
    let sandbox = Sandbox::scripted("replies: [{text: Hello.}]");
    sandbox.put("p.yml", "- insert: [{id: repeat, name: policy-repeat, config: {nudge_at: 6, block_at: 3}}]");
    let done = sandbox.run(&["run", "go", "--patch", "p.yml"]);
    expect![[r#"
        exit 2
        -- stderr
        error: p.yml:1: row `repeat`: `block_at` is 3, which is no more than `nudge_at` with 6 (BAD_CONFIG)
          hint: raise `block_at`
    "#]]
    .assert_eq(&done.shown());
}
