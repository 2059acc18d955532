//! The rows that are shipped, against a model behind HTTP that checks every request.

use crate::sandbox::Sandbox;
use checks::fake_model::FakeModel;
use expect_test::expect;
use serde_json::{Value, json};

/// The messages of the last request that answer calls: ids and texts.
fn answers(model: &FakeModel) -> Vec<(String, String)> {
    let body = model.requests().last().unwrap().json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let tools = body["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "tool");
    tools.map(|message| (text(&message["tool_call_id"]), text(&message["content"]))).collect()
}

#[test]
fn a_call_runs_and_its_result_goes_back_under_its_id() {
    let model = FakeModel::start(
        r#"
replies:
  - text: I will look.
    calls: [{id: call_a, name: read_file, arguments: {path: a.txt}, fragments: 3}]
    usage: {prompt_tokens: 100, completion_tokens: 10, cached_tokens: 0}
    expect: {model: fake-model, stream: true, last_role: user, last_text_contains: look into a.txt}
  - calls: [{id: call_b, name: run_shell, arguments: {command: "echo $((6 * 7))"}}]
    usage: {prompt_tokens: 130, completion_tokens: 10, cached_tokens: 100}
    expect: {last_role: tool, last_text_contains: needle}
  - text: Done.
    usage: {prompt_tokens: 160, completion_tokens: 5, cached_tokens: 130, reasoning_tokens: 2}
    expect: {last_role: tool, last_text_contains: "42"}
"#,
    );
    let sandbox = Sandbox::http(&model);
    sandbox.put("a.txt", "a needle");
    let done = sandbox.run(&["run", "look into a.txt", "--output", "json"]);
    assert_eq!(done.code(), 0, "{done:?}");
    model.assert_done();
    let [(first, text), (second, output)] = &answers(&model)[..] else { panic!("{done:?}") };
    assert_eq!((first.as_str(), text.as_str(), second.as_str()), ("call_a", "a needle", "call_b"));
    assert!(output.starts_with("42\n"), "{output}");
    // Disjoint and summed: what came from the cache is not counted twice.
    expect![[r#"{"cache_read_tokens":230,"input_tokens":160,"output_tokens":25,"reasoning_tokens":2}"#]]
        .assert_eq(&done.records()[0]["usage"].to_string());
}

#[test]
fn every_request_extends_the_last_over_many_steps() {
    let call = r#"
  - calls: [{name: read_file, arguments: {path: a.txt}}, {name: no_such_tool}]
    text: "Once more, \"quoted\" and \\ and é."
"#;
    let model = FakeModel::start(&format!("replies:\n{}  - text: Done.\n", call.repeat(12)));
    let sandbox = Sandbox::http(&model);
    sandbox.put("a.txt", "line\n\ttab \u{1F980} \"quotes\" \\ back\r\n");
    let done = sandbox.run(&["run", "go"]);
    assert_eq!(done.code(), 0, "{done:?}");
    model.assert_done();
    // The model checked it message by message; this is the same in bytes.
    let bodies: Vec<String> = model.requests().into_iter().map(|request| request.body).collect();
    for pair in bodies.windows(2) {
        let open = pair[0].strip_suffix("]}").unwrap();
        assert!(pair[1].starts_with(open), "{}\n{}", pair[0], pair[1]);
    }
}

#[test]
fn calls_of_one_step_run_side_by_side_and_are_answered_in_the_order_asked() {
    // The first call ends only when the second has run.
    let model = FakeModel::start(
        r#"
replies:
  - calls:
      - {id: slow, name: run_shell, arguments: {command: "cat fifo"}}
      - {id: fast, name: run_shell, arguments: {command: "echo from the fast one > fifo; echo sent"}}
      - {id: last, name: read_file, arguments: {path: a.txt}}
  - text: Done.
"#,
    );
    let sandbox = Sandbox::http(&model);
    sandbox.put("a.txt", "last");
    nix::unistd::mkfifo(&sandbox.path("fifo"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let done = sandbox.run(&["run", "go", "--output", "stream-json"]);
    assert_eq!(done.code(), 0, "{done:?}");
    model.assert_done();
    let answers = answers(&model);
    let ids: Vec<&str> = answers.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["slow", "fast", "last"]);
    assert!(answers[0].1.starts_with("from the fast one\n"), "{answers:?}");
    let told: Vec<Value> =
        done.events("tool/result").iter().map(|data| data["content"][0]["call_id"].clone()).collect();
    assert_eq!(told, ["slow", "fast", "last"]);
}

#[test]
fn a_call_that_goes_wrong_is_an_observation_and_the_run_goes_on() {
    let model = FakeModel::start(
        r#"
replies:
  - calls:
      - {id: unknown, name: read_flie, arguments: {path: a.txt}}
      - {id: broken, name: read_file, arguments: '{"path": "a.t'}
      - {id: missing, name: read_file, arguments: {path: gone.txt}}
      - {id: wrong, name: read_file, arguments: {file: a.txt}}
      - {id: failing, name: run_shell, arguments: {command: "echo oops >&2; exit 3"}}
    usage: null
  - {text: I see., usage: null}
"#,
    );
    let sandbox = Sandbox::http(&model);
    let done = sandbox.run(&["run", "go"]);
    assert_eq!(done.code(), 0, "{done:?}");
    model.assert_done();
    let lines: Vec<String> = answers(&model).iter().map(|(id, text)| format!("{id}: {text}")).collect();
    expect![[r#"
        unknown: Error: unknown tool `read_flie`; the tools are `read_file`, `write_file`, `list_files`, `run_shell`
        broken: Error: the arguments are not JSON: EOF while parsing a string at line 1 column 13
        missing: Error: `gone.txt` is not there; list_files shows what is
        wrong: Error: invalid arguments of read_file: `path` is missing, `file` is not an argument of it; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        failing: oops
        [exit code: 3]"#]].assert_eq(&lines.join("\n"));
    expect![[r#"
        exit 0
        -- stdout
        I see.
        -- stderr
        → read_flie {"path":"a.txt"}
        → read_file {"path": "a.t
        → read_file {"path":"gone.txt"}
        → read_file {"file":"a.txt"}
        → run_shell {"command":"echo oops >&2; exit 3"}
        warning: read_flie (UNKNOWN_TOOL): Error: unknown tool `read_flie`; the tools are `read_file`, `write_file`, `list_files`, `run_shell`
        warning: read_file (INVALID_ARGS): Error: the arguments are not JSON: EOF while parsing a string at line 1 column 13
        warning: read_file (FS_NOT_FOUND): Error: `gone.txt` is not there; list_files shows what is
        warning: read_file (INVALID_ARGS): Error: invalid arguments of read_file: `path` is missing, `file` is not an argument of it; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        2 steps, 0 tokens in, 0 out
        completed
    "#]].assert_eq(&done.shown());
}

#[test]
fn a_provider_that_fails_ends_the_run_with_its_own_words() {
    let model = FakeModel::start(
        r#"
replies:
  - {text: Let me see., calls: [{name: list_files, arguments: {path: .}}]}
  - {status: 500, body: {error: {message: the planet is on fire, type: server_error}}}
"#,
    );
    let sandbox = Sandbox::http(&model);
    let done = sandbox.run(&["run", "go", "--output", "json"]);
    assert_eq!(done.code(), 1);
    let end = &done.records()[0];
    assert_eq!((&end["status"], &end["code"], &end["steps"]), (&json!("error"), &json!("SERVER"), &json!(2)));
    assert!(end["message"].as_str().unwrap().contains("the planet is on fire"), "{done:?}");
    model.assert_done();
}

#[test]
fn what_was_cut_at_max_tokens_is_not_executed() {
    let model = FakeModel::start(
        r#"
replies:
  - text: I will write.
    calls: [{name: write_file, arguments: {path: b.txt, content: whole}}, {name: write_file, arguments: '{"path": "c.txt", "cont'}]
    finish: length
"#,
    );
    let sandbox = Sandbox::http(&model);
    let done = sandbox.run(&["run", "go", "--output", "stream-json"]);
    assert_eq!(done.code(), 4, "{done:?}");
    assert_eq!(done.end()["status"], "max-tokens");
    assert!(done.events("tool/call").is_empty());
    assert!(!sandbox.path("b.txt").exists() && !sandbox.path("c.txt").exists());
    model.assert_done();
}

#[test]
fn the_key_goes_to_the_provider_and_nowhere_else() {
    let model = FakeModel::start("replies: [{text: hi, expect: {bearer: canary-3141592653}}]");
    let sandbox = Sandbox::http(&model);
    let done = sandbox.harness(&["run", "hi"]).env("LLM_API_KEY", "canary-3141592653").run();
    assert_eq!(done.code(), 0, "{done:?}");
    model.assert_done();
}

#[test]
fn the_shipped_patch_needs_no_model() {
    let sandbox = Sandbox::new(include_str!("../../../harness.yml"));
    sandbox.put("offline.patch.yml", include_str!("../../../offline.patch.yml"));
    sandbox.put("README.md", "# Teapot\n\nBoils water.\n");
    let done = sandbox.run(&["run", "--offline", "summarise what this project does"]);
    assert_eq!(done.code(), 0, "{done:?}");
    assert!(done.stdout.contains("Teapot: Boils water."), "{done:?}");
}
