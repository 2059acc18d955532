//! Scripts in, answers out. `scripts/*.yml` hold scripts, parted by `---`; the file of the same name that ends with `.txt` what they answer.
use crate::support::{config, model, request, respond, result, shown, user};
use contracts::{Block, Message, Part, Parts, llm::LlmRequest, tools::ToolResult};
use expect_test::{Expect, expect, expect_file};
use llm_scripted::Scripted;
use plugin_sdk::contracts;
use serde_json::{Value, json};
use std::{fs, path::Path};

/// How many requests a task is followed for.
const STEPS: usize = 4;

/// Two tasks to their ends: each call is answered with its own name and arguments, `fail` with an error.
fn run(model: &Scripted, request: &LlmRequest, tasks: &[&str]) -> String {
    let (mut history, mut out) = (Parts::new(), String::new());
    for task in tasks {
        history.push(user(task));
        for _ in 0..STEPS {
            let response = respond(model, request, &history);
            let text = shown(response.clone());
            assert_eq!(text, shown(respond(model, request, &history)), "the same request got another answer");
            out.push_str(&text);
            let blocks = response.into_blocks();
            if blocks.is_empty() {
                break;
            }
            history.push(Message::assistant(blocks.clone()).part());
            let answers: Vec<Part> = blocks.iter().filter_map(answer).collect();
            if answers.is_empty() {
                break;
            }
            answers.into_iter().for_each(|part| history.push(part));
        }
    }
    out
}

fn answer(block: &Block) -> Option<Part> {
    let Block::ToolCall { id, name, arguments } = block else { return None };
    let answer = match name.as_str() {
        "fail" => ToolResult::error("FS_NOT_FOUND", "there is no such file"),
        _ => ToolResult::ok(format!("{name} {arguments}")),
    };
    Some(result(id, answer))
}

fn outcome(script: &Value, tasks: &[&str]) -> String {
    match Scripted::new(config(&json!({ "script": script }))) {
        Ok(model) => run(&model, &request(&["look", "fail"]), tasks),
        Err(error) => format!("{}: {}\n  hint: {}\n", error.code, error.message, error.hint),
    }
}

fn check(name: &str, tasks: &[&str]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/scripts");
    let scripts = fs::read_to_string(folder.join(name).with_extension("yml")).unwrap();
    let outcomes: Vec<String> = scripts.split("---\n").map(|script| outcome(&json!(script), tasks)).collect();
    expect_file![folder.join(name).with_extension("txt")].assert_eq(&outcomes.join("---\n"));
}

#[test]
fn replies_come_in_order_and_a_new_task_starts_over() {
    check("order", &["first", "second"]);
}

#[test]
fn calls_are_rendered() {
    check("calls", &["go"]);
}

#[test]
fn finishes_failures_and_usage_are_as_the_script_says() {
    check("finishes", &["go"]);
}

#[test]
fn a_template_that_does_not_work_out_is_a_failure_that_names_its_place() {
    check("failures", &["go"]);
}

#[test]
fn a_script_that_is_wrong_says_where() {
    check("invalid", &["go"]);
}

#[test]
fn a_script_may_be_a_mapping() {
    let right = json!({ "replies": [{ "text": "\u{1}{{ task }} 😀\n", "chunk": 2 }], "then": "last" });
    let wrong = json!({ "replies": [{ "text": "a" }, { "txt": "b" }] });
    let said = [right, wrong, json!(3)].map(|script| outcome(&script, &["go"])).concat();
    expect![[r#"
        text "\u{1}go 😀\n"
        usage {"input_tokens":46,"output_tokens":3}
        stop
        SCRIPT_INVALID: script: replies[1]: unknown field `txt`, expected one of `when`, `reasoning`, `text`, `calls`, `each`, `finish`, `usage`, `failure`, `first_delay_ms`, `delay_ms`, `chunk`, `repeat`, `hang`
          hint: correct it there; the format is in the README of llm-scripted
        SCRIPT_INVALID: script: invalid type: integer `3`, expected a mapping with `replies`
          hint: correct it there; the format is in the README of llm-scripted
    "#]].assert_eq(&said);
}

#[track_caller]
fn check_request(request: &LlmRequest, expected: Expect) {
    let script = "replies: [{text: '{{ [model, purpose, tools, step, last, results, task, vars] }}'}]";
    expected.assert_eq(&run(&model(script), request, &["go"]));
}

#[test]
fn the_templates_see_the_request() {
    let mut asked = request(&["b", "a"]);
    check_request(
        &asked,
        expect![[r#"
        text "['', '', ['b', 'a'], 1, None, [], 'go', {}]"
        usage {"input_tokens":44,"output_tokens":11}
        stop
    "#]],
    );
    asked.settings.model = "small".into();
    asked.settings.purpose = Some("title".into());
    asked.settings.tool_choice = Some("none".into());
    check_request(
        &asked,
        expect![[r#"
        text "['small', 'title', [], 1, None, [], 'go', {}]"
        usage {"input_tokens":44,"output_tokens":12}
        stop
    "#]],
    );
}

#[test]
fn the_task_is_what_the_person_said_last() {
    let injected = Message { source: Some("memory".into()), ..Message::user("remember this") }.part();
    let model = model("replies: [{text: '{{ task }}/{{ step }}'}, {text: 'second {{ task }}'}]");
    let said = |parts: &[Part]| {
        let history: Parts = parts.iter().cloned().collect();
        shown(respond(&model, &request(&[]), &history)).lines().next().unwrap().to_owned()
    };
    let answer = Message::assistant(vec![Block::text("ok")]).part();
    assert_eq!(said(&[]), r#"text "/1""#);
    assert_eq!(said(&[user("a"), injected.clone()]), r#"text "a/1""#);
    assert_eq!(said(std::slice::from_ref(&injected)), r#"text "remember this/1""#);
    assert_eq!(said(&[user("a"), answer.clone(), injected.clone()]), r#"text "second a""#);
    assert_eq!(said(&[user("a"), answer, injected, user("b")]), r#"text "b/1""#);
    let no_message =
        "error INVALID_REQUEST: message 0 of the history: message: `role` is missing (at character 2)";
    assert_eq!(said(&[Part::new("{}")]), no_message);
}

#[test]
fn a_script_that_grows_by_aliases_or_is_huge_is_refused() {
    let mut bomb = String::from("vars:\n  a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let below = vec![format!("*a{}", level - 1); 9].join(", ");
        bomb.push_str(&format!("  a{level}: &a{level} [{below}]\n"));
    }
    bomb.push_str("replies: [{text: a}]\n");
    let huge = format!("replies: [{{text: {}}}]", "x".repeat(2 << 20));
    for (script, expected) in [(bomb, "repetition limit exceeded"), (huge, "more than 1048576")] {
        let said = outcome(&json!(script), &["go"]);
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn the_example_of_the_readme_is_a_script() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let (_, rest) = readme.split_once("```yaml\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    expect![[r#"
        reasoning of llm-scripted "Let me look."
        text "I will read into it."
        call call_1_1 list_files {"path":"."}
        call call_1_2 read_file {"path":"README.md"}
        usage {"input_tokens":31,"output_tokens":21,"reasoning_tokens":3}
        tool-calls
        text "Found read_file {\"path\":\"README.md\"}"
        usage {"input_tokens":183,"output_tokens":5}
        stop
    "#]]
    .assert_eq(&run(&model(example), &request(&["read_file"]), &["it"]));
}

#[test]
fn script_and_builtin_exclude_each_other() {
    let both = json!({ "script": "replies: [{text: a}]", "builtin": "offline" });
    let error = Scripted::new(config(&both)).unwrap_err();
    assert_eq!(error.message, "script: `script` and `builtin` exclude each other");
    for right in [json!({ "builtin": "offline" }), json!({})] {
        assert!(Scripted::new(config(&right)).is_ok());
    }
}
