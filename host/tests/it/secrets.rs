//! A secret of the rows reaches the row that names it, and nothing else: no output, no model, no child process.

use crate::{process::Done, sandbox::Sandbox};
use checks::fake_model::FakeModel;

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

#[test]
fn in_errors_and_in_what_the_person_says_it_is_masked_too() {
    let model = FakeModel::start(&format!("replies: [{{status: 401, body: 'no such key: {CANARY}'}}]"));
    let sandbox = Sandbox::http(&model);
    let task = format!("is {CANARY} my key?");
    for output in ["text", "json", "stream-json"] {
        let done = sandbox.harness(&["run", &task, "--output", output]).env("LLM_API_KEY", CANARY).run();
        assert_hidden("stdout", &done.stdout);
        assert_hidden("stderr", &done.stderr);
    }
    assert_hidden("a request", &model.requests()[0].body);
    sandbox.put("p.yml", "- {id: llm-adapter, config: {base_url: !secret LLM_API_KEY}}");
    for args in [["rows", "--json"], ["run", "go"], ["call", "llm"]] {
        let done = sandbox
            .harness(&[args.as_slice(), &["--patch", "p.yml"]].concat())
            .env("LLM_API_KEY", CANARY)
            .run();
        assert_hidden("stdout", &done.stdout);
        assert_hidden("stderr", &done.stderr);
    }
}
