//! `harness-check serve` as a process: what a user sees.

use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use serde_json::{Value, json};

use super::client::{Client, post};

const USER: &str = r#"{"role":"user","content":"hi"}"#;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/scripts").join(name)
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harness-check"));
    command.arg("serve").args(arguments).stdin(Stdio::null());
    command
}

struct Served {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    base_url: String,
}

impl Served {
    fn start(arguments: &[&str]) -> Self {
        let mut child = command(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut served = Self { child, lines, base_url: String::new() };
        let ready = served.line();
        assert_eq!(ready["ready"], true);
        served.base_url = ready["base_url"].as_str().unwrap().to_owned();
        served
    }

    fn line(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }

    fn stop(mut self, signal: &str) -> (Value, Option<i32>) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        (self.line(), self.child.wait().unwrap().code())
    }
}

#[test]
fn it_prints_a_line_when_ready_one_a_request_and_one_at_the_end() {
    let mut served = Served::start(&["--script", example("text.yml").to_str().unwrap()]);
    let received = post(&served.base_url, &format!(r#"{{"model":"m","messages":[{USER}]}}"#));
    assert_eq!(received.status, 200);
    assert_eq!(
        served.line(),
        json!({"request": 1, "method": "POST", "path": "/v1/chat/completions", "reply": 0, "status": 200, "outcome": "sent", "violation": null})
    );
    assert_eq!(
        served.stop("-TERM"),
        (json!({"ready": false, "served": 1, "replies": 1, "violations": 0}), Some(0))
    );
}

#[test]
fn a_broken_rule_is_told_logged_and_decides_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("requests.jsonl");
    let script = example("text.yml");
    let mut served = Served::start(&["--script", script.to_str().unwrap(), "--log", log.to_str().unwrap()]);
    let headers = "content-type: application/json\r\nauthorization: Bearer dummy-key-0000\r\n";
    assert_eq!(Client::connect(&served.base_url).post_with("{}", headers).status, 400);
    let line = served.line();
    assert_eq!(line["violation"], "REQUEST_INVALID: model: the key is missing");
    let (last, code) = served.stop("-INT");
    assert_eq!((&last["violations"], code), (&json!(1), Some(1)));
    let logged: Value = serde_json::from_str(&std::fs::read_to_string(log).unwrap()).unwrap();
    assert_eq!(
        (&logged["request"], &logged["body"], &logged["violation"]),
        (&json!(1), &json!("{}"), &line["violation"])
    );
    assert_eq!(logged["headers"][2], json!(["authorization", "[redacted]"]));
}

#[test]
fn what_cannot_be_served_is_an_error_with_a_hint() {
    let said = |output: Output| (output.status.code(), String::from_utf8(output.stderr).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.yml");
    std::fs::write(&script, "replies:\n  - txt: hello\n").unwrap();
    let (code, stderr) = said(command(&["--script", script.to_str().unwrap()]).output().unwrap());
    assert_eq!(code, Some(2));
    assert!(stderr.starts_with(&format!("error: {}:2: ", script.display())), "{stderr}");
    assert!(
        stderr.ends_with("(SCRIPT_INVALID)\n  hint: correct the script; checks/SCRIPTS.md lists every key\n"),
        "{stderr}"
    );

    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let text = example("text.yml");
    let (code, stderr) =
        said(command(&["--script", text.to_str().unwrap(), "--port", &port]).output().unwrap());
    assert_eq!(code, Some(2));
    assert!(stderr.contains("(PORT_UNAVAILABLE)\n  hint: name a free port"), "{stderr}");

    let log = folder.path().join("no/such/log");
    let (code, stderr) = said(
        command(&["--script", text.to_str().unwrap(), "--log", log.to_str().unwrap()]).output().unwrap(),
    );
    assert_eq!(code, Some(2));
    assert!(stderr.contains("(LOG_UNWRITABLE)"), "{stderr}");
}
