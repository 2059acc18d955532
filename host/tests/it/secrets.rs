//! A secret of the rows reaches the row that names it, and nothing else: no output, no model, no child process.

mod matrix;

use crate::{process::Done, sandbox::Sandbox};
use checks::fake_model::FakeModel;
use serde_json::Value;

const CANARY: &str = "canary/3141+59265358=9793";
/// As it is, as `base64` has it, and in a URL.
const FORMS: [&str; 4] =
    ["canary/3141+5926", "Y2FuYXJ5LzMxNDErNTkyNjUzNTg9OTc5", "canary%2F3141%2B5926", "canary%2f3141%2b5926"];

/// Tries to get at it in every way a model may think of.
const NOSY: &str = r#"
replies:
  - calls:
      - {id: a, name: read_file, arguments: {path: .env}}
      - {id: b, name: run_shell, arguments: {command: "cat .env; env; echo key=$LLM_API_KEY.; printf %s $(cut -d= -f2- .env | tail -1) | base64"}}
      - {id: c, name: run_shell, arguments: {command: "cut -d= -f2- .env | sed 's:/:%2F:g; s:+:%2B:g; s:=:%3D:g'; cut -d= -f2- .env | sed 's:/:%2f:g; s:+:%2b:g; s:=:%3d:g'"}}
  - text: Nothing to see.
"#;

fn assert_hidden(what: &str, text: &str) {
    for form in FORMS {
        assert!(!text.contains(form), "{what} shows `{form}`:\n{text}");
    }
}

fn assert_silent(done: &Done) {
    assert_eq!(done.code(), 0, "{done:?}");
    assert_hidden("stdout", &done.stdout);
    assert_hidden("stderr", &done.stderr);
}

#[test]
fn in_a_file_that_the_model_can_read_it_is_masked() {
    for output in ["text", "json", "stream-json"] {
        let model = FakeModel::start(NOSY);
        let sandbox = Sandbox::http(&model);
        sandbox.put(".env", format!("{}LLM_API_KEY={CANARY}\n", sandbox.read(".env")));
        let done =
            sandbox.harness(&["run", "find the key", "--output", output]).env("HARNESS_LOG", "trace").run();
        assert_silent(&done);
        assert!(done.stderr.contains("TRACE") && done.stderr.contains("DEBUG"), "{done:?}");
        model.assert_done();
        let requests = model.requests();
        // The provider has it, as it must.
        assert_eq!(requests[0].header("authorization"), Some(format!("Bearer {CANARY}").as_str()));
        for request in &requests {
            assert_hidden("a request", &request.body);
        }
        let last = &requests.last().unwrap().body;
        assert!(last.matches("[LLM_API_KEY]").count() >= 4, "{last}");
        assert!(last.contains("key=."), "{last}");
    }
}

#[test]
fn in_the_environment_no_child_process_gets_it() {
    let model = FakeModel::start(
        r#"
replies:
  - calls: [{name: run_shell, arguments: {command: "env; echo key=$MINE.; echo other=$OTHER; tr '\\0' '\\n' < /proc/$PPID/environ; true"}}]
  - text: Done.
"#,
    );
    let sandbox = Sandbox::http(&model);
    // The name alone says nothing; that the rows name it as a secret does.
    sandbox.put("harness.yml", sandbox.read("harness.yml").replace("LLM_API_KEY", "MINE"));
    let call = sandbox.harness(&["run", "go"]).env("MINE", CANARY).env("OTHER", "passed on");
    let done = call.env("HARNESS_LOG", "trace").run();
    assert_silent(&done);
    model.assert_done();
    let last = model.requests().last().unwrap().body.clone();
    assert_hidden("a request", &last);
    assert!(last.contains("key=.") && last.contains("other=passed on"), "{last}");
}

/// As [`assert_hidden`], and its name stands where the key was echoed.
fn assert_masked(what: &str, text: &str) {
    assert_hidden(what, text);
    assert!(text.contains("[LLM_API_KEY]"), "{what} does not show that something was there:\n{text}");
}

/// The stream that shows how a run ended, and the other one.
fn told<'a>(done: &'a Done, output: &str) -> (&'a str, &'a str) {
    if output == "text" { (&done.stderr, &done.stdout) } else { (&done.stdout, &done.stderr) }
}

#[test]
fn in_an_error_it_is_masked() {
    let sandbox = Sandbox::scripted(&format!(
        "replies: [{{failure: {{code: AUTH, message: 'no such key: {CANARY}', hint: 'give up {CANARY}'}}}}]"
    ));
    sandbox.put("p.yml", "- {id: loop, config: {system: !secret LLM_API_KEY}}");
    for output in ["text", "json", "stream-json"] {
        let args = ["run", "go", "--patch", "p.yml", "--output", output];
        let done = sandbox.harness(&args).env("LLM_API_KEY", CANARY).run();
        assert_eq!(done.code(), 1, "{done:?}");
        let (told, other) = told(&done, output);
        assert_masked(output, told);
        assert_hidden("the other stream", other);
        assert!(told.contains("no such key: [LLM_API_KEY]"), "{done:?}");
        assert!(told.contains("give up [LLM_API_KEY]"), "{done:?}");
    }
}

#[test]
fn in_what_the_person_says_and_the_provider_repeats_it_is_masked() {
    let refusal = format!("{{status: 401, body: 'no such key: {CANARY}'}}");
    let model = FakeModel::start(&format!("replies: [{refusal}, {refusal}, {refusal}]"));
    let sandbox = Sandbox::http(&model);
    let task = format!("is {CANARY} my key?");
    for output in ["text", "json", "stream-json"] {
        let done = sandbox.harness(&["run", &task, "--output", output]).env("LLM_API_KEY", CANARY).run();
        assert_eq!(done.code(), 1, "{done:?}");
        let (told, other) = told(&done, output);
        assert_hidden(output, told);
        assert_hidden("the other stream", other);
        // The adapter knows its own key, and takes it out before the host does.
        assert!(told.contains("no such key: [redacted]"), "{done:?}");
        if output == "stream-json" {
            assert_eq!(done.events("user/message")[0]["content"][0]["text"], "is [LLM_API_KEY] my key?");
        }
    }
    model.assert_done();
    for request in model.requests() {
        assert_masked("a request", &request.body);
    }
}

#[test]
fn in_a_value_of_the_rows_it_is_masked_wherever_the_value_is_shown() {
    let model = FakeModel::start("replies: [{text: never}]");
    let sandbox = Sandbox::http(&model);
    sandbox.put("shown.yml", "- {id: loop, config: {system: !secret LLM_API_KEY}}");
    // The adapter says what is wrong with it, and quotes it.
    sandbox.put("wrong.yml", "- {id: llm-adapter, config: {base_url: !secret LLM_API_KEY}}");
    let calls: [(&[&str], &str, i32); 6] = [
        (&["rows"], "shown.yml", 0),
        (&["rows", "--json"], "shown.yml", 0),
        (&["rows"], "wrong.yml", 2),
        (&["rows", "--json"], "wrong.yml", 2),
        (&["run", "go"], "wrong.yml", 2),
        (&["call", "llm", "stream", "{}"], "wrong.yml", 2),
    ];
    for (args, patch, code) in calls {
        let call = sandbox.harness(&[args, &["--patch", patch]].concat());
        let done = call.env("LLM_API_KEY", CANARY).run();
        assert_eq!(done.code(), code, "{args:?} {done:?}");
        let (told, other) =
            if code == 0 { (&done.stdout, &done.stderr) } else { (&done.stderr, &done.stdout) };
        assert_masked(&args.join(" "), told);
        assert_hidden("the other stream", other);
    }
}

/// Both ends of the key, each harmless alone.
const HALVES: [&str; 2] = ["canary/3141+", "59265358=9793"];

/// What all records have in this field, put together.
fn joined(done: &Done, field: impl Fn(&Value) -> Option<&str>) -> String {
    done.records().iter().filter_map(|record| field(record).map(str::to_owned)).collect()
}

#[test]
fn in_two_deltas_it_is_masked_as_in_one() {
    assert_eq!(HALVES.concat(), CANARY);
    for output in ["text", "json", "stream-json"] {
        let [first, second] = HALVES;
        let model = FakeModel::start(&format!(
            "replies: [{{deltas: ['It is {first}', '{second}', ', is it not?']}}]"
        ));
        let sandbox = Sandbox::http(&model);
        let args = ["run", "tell me", "--output", output];
        let done = sandbox.harness(&args).env("LLM_API_KEY", CANARY).run();
        assert_silent(&done);
        let said = match output {
            "text" => done.stdout.clone(),
            "json" => joined(&done, |record| record["text"].as_str()),
            _ => joined(&done, |record| record["text"].as_str().filter(|_| record["type"] == "out")),
        };
        assert_eq!(said.trim_end(), "It is [LLM_API_KEY], is it not?", "{done:?}");
    }
}

#[test]
fn in_what_a_call_answers_it_is_masked() {
    let [first, second] = HALVES;
    for reply in [format!("text: 'It is {CANARY}.'"), format!("deltas: ['It is {first}', '{second}', .]")] {
        let model = FakeModel::start(&format!("replies: [{{{reply}}}]"));
        let sandbox = Sandbox::http(&model);
        let task =
            format!(r#"{{"role": "user", "content": [{{"type": "text", "text": "tell me {CANARY}"}}]}}"#);
        let args = ["call", "llm", "stream", r#"{"tools": 0}"#, "--part", &task];
        let done = sandbox.harness(&args).env("LLM_API_KEY", CANARY).run();
        assert_silent(&done);
        model.assert_done();
        assert_masked("a request", &model.requests()[0].body);
        let said = joined(&done, |record| record["text"].as_str());
        assert_eq!(said, "It is [LLM_API_KEY].", "{done:?}");
    }
}

#[test]
fn in_two_bursts_of_a_tool_it_is_masked_as_in_one() {
    let [first, second] = HALVES;
    for output in ["text", "json", "stream-json"] {
        let model = FakeModel::start(&format!(
            "
replies:
  - calls: [{{name: tell, arguments: {{bursts: ['It is {first}', '{second}', ', is it not?']}}}}]
  - {{text: Done., expect: {{last_text_contains: 'It is [LLM_API_KEY], is it not?'}}}}
"
        ));
        let sandbox = Sandbox::http(&model);
        sandbox.put("odd.yml", "- {insert: [{id: odd, name: tools-odd}], after: tools}");
        let args = ["run", "tell me", "--patch", "odd.yml", "--output", output];
        let done = sandbox.harness(&args).env("LLM_API_KEY", CANARY).run();
        assert_silent(&done);
        model.assert_done();
        if output == "stream-json" {
            let told = joined(&done, |record| {
                record["data"]["text"].as_str().filter(|_| record["kind"] == "tool/progress")
            });
            assert_eq!(told, "tell startedIt is [LLM_API_KEY], is it not?", "{done:?}");
        }
    }
}
