//! Arguments as models write them, right and wrong.

use std::fs;

use expect_test::expect;
use tempfile::tempdir;

use crate::{basic, call, told};

const CALLS: &[(&str, &str)] = &[
    ("read_file", ""),
    ("read_file", "{}"),
    ("read_file", r#"{"path":"a.txt""#),
    ("read_file", r#"{"path":"a.txt"}{"path":"b.txt"}"#),
    ("read_file", r#"{"path":"a.txt"} ok?"#),
    ("read_file", r#"["a.txt"]"#),
    ("read_file", r#""a.txt""#),
    ("read_file", "null"),
    ("read_file", r#"{"path":5}"#),
    ("read_file", r#"{"path":null}"#),
    ("read_file", "```json\n{\"path\":\"a.txt\"}\n```"),
    ("read_file", "{'path':'a.txt'}"),
    ("read_file", r#"{"path":"a.txt","limit":1e400}"#),
    ("read_file", "{\"path\":\"a\n.txt\"}"),
    ("read_file", r#"{"path":"a.txt","path":"b.txt"}"#),
    ("read_file", r#"{"path":"a.txt","offset":0,"limit":-3}"#),
    ("read_file", r#"{"path":"a.txt","offset":1.5,"limit":"7"}"#),
    ("read_file", r#"{"file":"a.txt","limit":[]}"#),
    ("write_file", r#"{"path":"new.txt"}"#),
    ("write_file", r#"{"path":"new.txt","content":{"a":1},"mode":true}"#),
    ("run_shell", r#"{"command":["ls"],"timeout_ms":600001}"#),
    ("run_shell", r#"{"command":"  "}"#),
];

#[tokio::test]
async fn wrong_arguments_are_told_all_at_once_and_nothing_is_guessed() {
    let root = tempdir().unwrap();
    fs::write(root.path().join("a.txt"), "AAA").unwrap();
    fs::write(root.path().join("b.txt"), "BBB").unwrap();
    let tools = basic(root.path());
    let mut transcript = String::new();
    for (name, arguments) in CALLS {
        let answer = told(&call(&tools, name, arguments).await);
        transcript.push_str(&format!("> {name} {arguments}\n{answer}\n"));
    }
    expect![[r#"
        > read_file 
        INVALID_ARGS: Error: invalid arguments of read_file: `path` is missing; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        > read_file {}
        INVALID_ARGS: Error: invalid arguments of read_file: `path` is missing; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        > read_file {"path":"a.txt"
        INVALID_ARGS: Error: invalid arguments of read_file: they are not JSON, EOF while parsing an object at line 1 column 15; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        > read_file {"path":"a.txt"}{"path":"b.txt"}
        INVALID_ARGS: Error: invalid arguments of read_file: they are not JSON, trailing characters at line 1 column 17; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        > read_file {"path":"a.txt"} ok?
        INVALID_ARGS: Error: invalid arguments of read_file: they are not JSON, trailing characters at line 1 column 18; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        > read_file ["a.txt"]
        INVALID_ARGS: Error: invalid arguments of read_file: they are JSON, but not an object; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        > read_file "a.txt"
        INVALID_ARGS: Error: invalid arguments of read_file: they are JSON, but not an object; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        > read_file null
        INVALID_ARGS: Error: invalid arguments of read_file: they are JSON, but not an object; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        > read_file {"path":5}
        INVALID_ARGS: Error: invalid arguments of read_file: `path` must be a string, not a number; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        > read_file {"path":null}
        INVALID_ARGS: Error: invalid arguments of read_file: `path` must be a string, not null; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        > read_file ```json
        {"path":"a.txt"}
        ```
        INVALID_ARGS: Error: invalid arguments of read_file: they are not JSON, expected value at line 1 column 1; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        > read_file {'path':'a.txt'}
        INVALID_ARGS: Error: invalid arguments of read_file: they are not JSON, key must be a string at line 1 column 2; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        > read_file {"path":"a.txt","limit":1e400}
        INVALID_ARGS: Error: invalid arguments of read_file: they are not JSON, number out of range at line 1 column 29; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        > read_file {"path":"a
        .txt"}
        INVALID_ARGS: Error: invalid arguments of read_file: they are not JSON, control character (\u0000-\u001F) found while parsing a string at line 2 column 0; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        > read_file {"path":"a.txt","path":"b.txt"}
        INVALID_ARGS: Error: invalid arguments of read_file: `path` is there twice; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        > read_file {"path":"a.txt","offset":0,"limit":-3}
        INVALID_ARGS: Error: invalid arguments of read_file: `offset` must be a whole number of at least 1, not 0, `limit` must be a whole number of at least 1, not -3; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        > read_file {"path":"a.txt","offset":1.5,"limit":"7"}
        INVALID_ARGS: Error: invalid arguments of read_file: `offset` must be a whole number of at least 1, not 1.5, `limit` must be a whole number of at least 1, not a string; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        > read_file {"file":"a.txt","limit":[]}
        INVALID_ARGS: Error: invalid arguments of read_file: `path` is missing, `file` is not an argument of it, `limit` must be a whole number of at least 1, not an array; a correct call is {"path": "src/main.rs", "offset": 1, "limit": 200}
        > write_file {"path":"new.txt"}
        INVALID_ARGS: Error: invalid arguments of write_file: `content` is missing; a correct call is {"path": "notes/plan.md", "content": "First line.\n"}
        > write_file {"path":"new.txt","content":{"a":1},"mode":true}
        INVALID_ARGS: Error: invalid arguments of write_file: `content` must be a string, not an object, `mode` is not an argument of it; a correct call is {"path": "notes/plan.md", "content": "First line.\n"}
        > run_shell {"command":["ls"],"timeout_ms":600001}
        INVALID_ARGS: Error: invalid arguments of run_shell: `command` must be a string, not an array, `timeout_ms` must be a whole number of at least 1 and at most 600000, not 600001; a correct call is {"command": "ls -l src", "timeout_ms": 10000}
        > run_shell {"command":"  "}
        INVALID_ARGS: Error: `command` is empty or has a NUL; a correct command is a line that bash can run, such as `ls -l`
    "#]].assert_eq(&transcript);
    assert!(!root.path().join("new.txt").exists());
}

#[tokio::test]
async fn nesting_without_end_is_refused() {
    let root = tempdir().unwrap();
    let arguments = format!("{{\"path\":{}", "[".repeat(100_000));
    let result = call(&basic(root.path()), "read_file", arguments).await;
    assert_eq!(result.code.as_deref(), Some("INVALID_ARGS"));
    assert!(result.text.contains("recursion limit"), "{}", result.text);
}

#[tokio::test]
async fn what_the_schema_allows_is_taken() {
    let root = tempdir().unwrap();
    fs::write(root.path().join("a.txt"), "one\ntwo\n").unwrap();
    let tools = basic(root.path());
    for arguments in [
        " {\"path\" : \"a.txt\"}\n",
        r#"{"path":"a.txt","offset":null,"limit":null}"#,
        r#"{"path":"a.txt","offset":1.0,"limit":1e3}"#,
        r#"{"path":"\u0061.txt"}"#,
    ] {
        assert_eq!(call(&tools, "read_file", arguments).await.text, "one\ntwo\n", "{arguments}");
    }
    for arguments in ["", "{}", r#"{"path":null}"#, r#"{"path":"."}"#, r#"{"path":"./"}"#] {
        assert_eq!(call(&tools, "list_files", arguments).await.text, "a.txt\n", "{arguments}");
    }
}

#[tokio::test]
async fn a_long_wrong_value_is_not_sent_back() {
    let root = tempdir().unwrap();
    let long = "x".repeat(100_000);
    for arguments in [format!("\"{long}\""), format!("{{\"{long}\":1}}"), format!("{{\"path\":\"{long}\"}}")]
    {
        let result = call(&basic(root.path()), "read_file", arguments).await;
        assert!(result.is_error && result.text.len() < 500, "{}", result.text.len());
    }
}
