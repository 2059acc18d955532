//! The spine as a person runs it, against a scripted model on a loopback socket.

#![expect(clippy::unwrap_used, reason = "a fixture that cannot be set up should stop its test")]

mod model;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use model::{Answer, Model, calls, text};

/// Runs the binary in `root` with an environment of only `variables` and `PATH`.
fn spine(root: &Path, variables: &[(&str, &str)], task: &str) -> (i32, String, String) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut command = Command::new(env!("CARGO_BIN_EXE_spine"));
    command.arg(task).current_dir(root).env_clear().env("PATH", path).envs(variables.iter().copied());
    let Output { status, stdout, stderr } = command.output().unwrap();
    let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (status.code().unwrap(), stdout, stderr)
}

/// One run against scripted answers in a fresh folder: exit code, both outputs, and the requests' raw bodies.
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
    bodies: Vec<String>,
    root: tempfile::TempDir,
}

impl Run {
    fn of(answers: Vec<Answer>) -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("notes.txt"), "the notes\n").unwrap();
        let model = Model::start(answers);
        let variables = [("LLM_BASE_URL", model.base_url.as_str()), ("LLM_API_KEY", "key-for-the-test")];
        let (code, stdout, stderr) = spine(root.path(), &variables, "do the task");
        Self { code, stdout, stderr, bodies: model.bodies(), root }
    }

    fn messages(&self, request: usize) -> Vec<Value> {
        let body: Value = serde_json::from_str(&self.bodies[request]).unwrap();
        body["messages"].as_array().unwrap().clone()
    }

    /// What the model saw of the first call of its first answer.
    fn observation(&self) -> String {
        let messages = self.messages(1);
        let result = &messages[3];
        assert_eq!((&result["role"], &result["tool_call_id"]), (&"tool".into(), &"call-0".into()));
        result["content"].as_str().unwrap().to_owned()
    }
}

/// A run whose model makes one call and then stops.
fn one_call(name: &str, arguments: &str) -> Run {
    let run = Run::of(vec![calls(&[(name, arguments)]), text("done", "stop")]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run
}

#[test]
fn a_tool_call_runs_and_its_result_goes_back_citing_the_id() {
    let run = one_call("read_file", r#"{"path":"notes.txt"}"#);
    assert_eq!(run.observation(), "the notes\n");
    assert_eq!(run.messages(1)[2]["tool_calls"][0]["id"], "call-0");
    assert!(run.stdout.contains("[tool] read_file {\"path\":\"notes.txt\"}"), "{}", run.stdout);
    assert!(run.stdout.contains("[assistant] done"), "{}", run.stdout);
    assert!(run.stdout.contains("[done] 2 step(s)"), "{}", run.stdout);
}

#[test]
fn results_keep_the_order_of_the_calls() {
    let write = r#"{"path":"new.txt","content":"fresh"}"#;
    let run = Run::of(vec![
        calls(&[("write_file", write), ("read_file", r#"{"path":"new.txt"}"#)]),
        text("done", "stop"),
    ]);
    let messages = run.messages(1);
    let results: Vec<_> = messages[3..].iter().map(|m| (&m["tool_call_id"], &m["content"])).collect();
    assert_eq!(
        results,
        [(&"call-0".into(), &"wrote new.txt".into()), (&"call-1".into(), &Value::from("fresh"))]
    );
    assert_eq!(std::fs::read_to_string(run.root.path().join("new.txt")).unwrap(), "fresh");
}

#[test]
fn every_request_extends_the_one_before() {
    let read = calls(&[("read_file", r#"{"path":"notes.txt"}"#)]);
    let run = Run::of(vec![read.clone(), read.clone(), read, text("done", "stop")]);
    assert_eq!(run.bodies.len(), 4);
    for pair in run.bodies.windows(2) {
        let prefix = pair[0].strip_suffix("]}").unwrap();
        assert!(pair[1].starts_with(&format!("{prefix},{{")), "{}\n{}", pair[0], pair[1]);
    }
}

#[test]
fn a_request_asks_for_a_stream_with_usage_and_names_three_tools() {
    let run = Run::of(vec![text("done", "stop")]);
    let body: Value = serde_json::from_str(&run.bodies[0]).unwrap();
    assert_eq!(body["model"], "deepseek-chat");
    assert_eq!((&body["stream"], &body["stream_options"]["include_usage"]), (&true.into(), &true.into()));
    let tools = body["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["read_file", "write_file", "run_shell"]);
    for tool in tools {
        let parameters = &tool["function"]["parameters"];
        let described = parameters["properties"].as_object().unwrap().len();
        assert_eq!(parameters["required"].as_array().unwrap().len(), described);
        assert_eq!(parameters["additionalProperties"], false);
    }
}

#[test]
fn a_reply_that_did_not_end_properly_halts_the_run_and_runs_no_tool() {
    let write = calls(&[("write_file", r#"{"path":"cut.txt","content":"half"}"#)]);
    for (answer, wanted) in [
        (write.clone().finish("length"), "cut at the token limit"),
        (write.clone().finish("content_filter"), "unexpected finish_reason `content_filter`"),
        (write.clone().finish(""), "ended without a finish_reason"),
        (write.event(r#"{"error":{"message":"overloaded"}}"#), "overloaded"),
        (Answer::status(401, r#"{"error":{"message":"no such key"}}"#), "401 Unauthorized"),
    ] {
        let run = Run::of(vec![answer]);
        assert_eq!((run.code, run.bodies.len()), (1, 1), "{wanted}");
        assert!(run.stderr.starts_with("[halt] ") && run.stderr.contains(wanted), "{wanted}: {}", run.stderr);
        assert!(!run.stderr.contains("key-for-the-test"), "{}", run.stderr);
        assert!(run.stdout.contains("[usage] total: "), "{wanted}: {}", run.stdout);
        assert!(!run.root.path().join("cut.txt").exists(), "{wanted}");
    }
}

#[test]
fn a_failed_tool_is_an_observation() {
    for (name, arguments, wanted) in [
        ("delete_everything", "{}", "Error: unknown tool `delete_everything`"),
        ("read_file", r#"{"path":"missing.txt"}"#, "Error: No such file"),
        ("read_file", r#"{"path":"../notes.txt"}"#, "Error: path leaves the working folder: ../notes.txt"),
        ("read_file", r#"{"path":"a/../../b"}"#, "Error: path leaves the working folder: a/../../b"),
        ("write_file", r#"{"path":"/tmp/../x","content":""}"#, "Error: path leaves the working folder"),
        ("read_file", r#"{"path":7}"#, "Error: `path` must be a string"),
        ("read_file", r#"{"path":"#, "Error: arguments are not JSON"),
        ("read_file", "", "Error: `path` must be a string"),
    ] {
        let observation = one_call(name, arguments).observation();
        assert!(observation.starts_with(wanted), "{name} {arguments}: {observation}");
    }
}

#[test]
fn the_shell_runs_in_the_folder_and_without_the_key() {
    let command = r#"{"command":"cat notes.txt; echo key=$LLM_API_KEY; echo oops >&2; exit 3"}"#;
    let observation = one_call("run_shell", command).observation();
    assert_eq!(observation, "exit status: 3\nstdout:\nthe notes\nkey=\n\nstderr:\noops\n");
}

#[test]
fn a_long_observation_keeps_head_and_tail_and_says_what_was_cut() {
    let command = r#"{"command":"printf BEGIN; printf 'é%.0s' $(seq 10000); printf END"}"#;
    let observation = one_call("run_shell", command).observation();
    assert!(observation.starts_with("exit status: 0\nstdout:\nBEGINé"), "{observation}");
    assert!(observation.ends_with("éEND\nstderr:\n"), "{observation}");
    let cut = observation.lines().find(|line| line.starts_with("[cut: ")).unwrap();
    assert_eq!(cut, "[cut: 2040 of 10040 characters left out here]");
    assert_eq!(observation.chars().count(), 8_000 + cut.len() + 2);
}

#[test]
fn usage_is_printed_after_each_call_and_summed_at_the_end() {
    let read = calls(&[("read_file", r#"{"path":"notes.txt"}"#)]);
    let run = Run::of(vec![read.prompt_tokens(100), text("done", "stop").prompt_tokens(250)]);
    let usage: Vec<_> = run.stdout.lines().filter(|line| line.starts_with("[usage]")).collect();
    assert_eq!(
        usage,
        [
            r#"[usage] step 1: {"completion_tokens":5,"prompt_tokens":100} (input tokens so far: 100)"#,
            r#"[usage] step 2: {"completion_tokens":5,"prompt_tokens":250} (input tokens so far: 350)"#,
            "[usage] total: 350 input tokens",
        ]
    );
}

#[test]
fn the_step_cap_stops_a_model_that_never_does() {
    let read = calls(&[("read_file", r#"{"path":"notes.txt"}"#)]);
    let run = Run::of(vec![read; 25]);
    assert_eq!((run.code, run.bodies.len()), (1, 20));
    assert!(run.stderr.contains("the step cap (20) was reached"), "{}", run.stderr);
}

#[test]
fn a_key_is_needed_for_every_host_but_this_machine() {
    let root = tempfile::tempdir().unwrap();
    for variables in [
        &[][..],
        &[("LLM_BASE_URL", "https://models.invalid")],
        &[("LLM_BASE_URL", "https://models.invalid"), ("DEEPSEEK_API_KEY", "for-deepseek-only")],
        &[("LLM_BASE_URL", "https://localhost.models.invalid"), ("LLM_API_KEY", "")],
    ] {
        let (code, _, stderr) = spine(root.path(), variables, "do the task");
        assert_eq!(code, 1);
        assert!(stderr.contains("LLM_API_KEY is not set"), "{variables:?}: {stderr}");
    }
    let model = Model::start(vec![text("hello", "stop")]);
    let (code, stdout, stderr) =
        spine(root.path(), &[("LLM_BASE_URL", &model.base_url), ("DSH_MODEL", "other")], "do the task");
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("[assistant] hello"), "{stdout}");
    assert!(model.bodies()[0].contains(r#""model":"other""#), "{}", model.bodies()[0]);
}
