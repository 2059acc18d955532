//! Responses that do not end as they should, and what the loop makes of them: a call runs when it is complete, and only then.

use crate::sandbox::Sandbox;
use checks::fake_model::FakeModel;
use serde_json::json;

/// A call whose arguments are complete, in a stream that breaks off in the middle of its next event.
const CUT: &str = r#"
replies:
  - raw: |
      data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"run_shell","arguments":"{\"command\":\"touch made\"}"}}]},"finish_reason":null}]}

      data: {"object":"chat.completion.chunk","choi
  - text: never
"#;

/// Arguments that break off, on a socket that is closed.
const CUT_IN_ARGUMENTS: &str = r#"
replies:
  - {calls: [{name: run_shell, arguments: {command: touch made}, fragments: 3}], fault: cut, after: 3}
  - text: never
"#;

#[test]
fn a_call_in_a_response_without_an_end_is_not_executed() {
    for (script, code) in [(CUT, "STREAM_CLOSED"), (CUT_IN_ARGUMENTS, "TRANSPORT")] {
        let model = FakeModel::start(script);
        let sandbox = Sandbox::http(&model);
        let done = sandbox.run(&["run", "go", "--output", "stream-json"]);
        let end = done.end();
        assert_eq!(
            (done.code(), &end["status"], &end["code"]),
            (1, &json!("error"), &json!(code)),
            "{done:?}"
        );
        assert!(!sandbox.path("made").exists());
        // Nothing is said that nobody answers.
        assert!(done.events("tool/call").is_empty() && done.events("assistant/message").is_empty());
        assert_eq!(model.requests().len(), 1);
    }
}

#[test]
fn a_refusal_is_what_the_model_says() {
    let model = FakeModel::start(
        r#"
replies:
  - raw: |
      data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":null,"refusal":"I will "},"finish_reason":null}]}

      data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"refusal":"not do that."},"finish_reason":null}]}

      data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

      data: [DONE]

  - text: never
"#,
    );
    let done = Sandbox::http(&model).run(&["run", "go"]);
    assert_eq!((done.code(), done.stdout.as_str()), (0, "I will not do that.\n"), "{done:?}");
    assert_eq!(model.requests().len(), 1);
}

#[test]
fn a_call_runs_whichever_way_the_response_says_it_ended() {
    for finish in ["stop", "tool_calls", "function_call"] {
        let model = FakeModel::start(&format!(
            "
replies:
  - {{calls: [{{name: run_shell, arguments: {{command: touch made}}}}], finish: {finish}}}
  - {{text: Done., expect: {{last_role: tool}}}}
"
        ));
        let sandbox = Sandbox::http(&model);
        let done = sandbox.run(&["run", "go"]);
        assert_eq!((done.code(), done.stdout.as_str()), (0, "Done.\n"), "{finish} {done:?}");
        assert!(sandbox.path("made").exists());
        model.assert_done();
    }
}

#[test]
fn a_response_that_promises_calls_and_has_none_ends_the_run() {
    let model = FakeModel::start("replies: [{finish: tool_calls}, {text: never}]");
    let done = Sandbox::http(&model).run(&["run", "go", "--output", "stream-json"]);
    let end = done.end();
    assert_eq!((done.code(), &end["code"]), (1, &json!("EMPTY_RESPONSE")), "{done:?}");
    assert_eq!(model.requests().len(), 1);
}
