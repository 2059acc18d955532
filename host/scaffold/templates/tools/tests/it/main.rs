//! The tools through their contract, on real files and processes.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "this is how a test fails")]

use plugin_sdk::{
    contracts::tools::{ToolCall, ToolEvent, ToolList, ToolResult, ToolSchema, Tools},
    next,
    testing::cx,
};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::symlink, pin::pin};
use tempfile::TempDir;

use template_tools::{Config, ThreeTools};

fn tools(root: &TempDir) -> ThreeTools {
    let root = root.path().to_string_lossy().into_owned();
    ThreeTools::new(Config { root, shell_timeout_ms: 20_000, output_bytes_max: 1000 }).unwrap()
}

async fn run(tools: &ThreeTools, name: &str, arguments: Value) -> ToolResult {
    let (cx, _cancel, _events) = cx();
    let call = ToolCall::new("c1", name, &arguments.to_string());
    let (mut events, mut results) = (pin!(tools.execute(call, cx)), Vec::new());
    while let Some(event) = next(&mut events).await {
        if let ToolEvent::Result(result) = event {
            results.push(result);
        }
    }
    assert_eq!(results.len(), 1, "exactly one result: {results:?}");
    results.remove(0)
}

#[tokio::test]
async fn the_list_has_three_tools_and_does_not_change() {
    let (root, (cx, ..)) = (TempDir::new().unwrap(), cx());
    let tools = tools(&root);
    let ToolList::Tools { generation, tools: list } = tools.list(None, &cx).await.unwrap() else {
        unreachable!("nothing is known yet");
    };
    let names: Vec<String> = list.iter().map(ToolSchema::name_of).collect();
    assert_eq!(names, ["read_file", "write_file", "run_shell"]);
    assert_eq!(tools.list(Some(generation), &cx).await.unwrap(), ToolList::Unchanged);
}

#[tokio::test]
async fn what_is_written_reads_back() {
    let root = TempDir::new().unwrap();
    let tools = tools(&root);
    let wrote = run(&tools, "write_file", json!({ "path": "a/b.txt", "content": "grün\n" })).await;
    assert_eq!((wrote.text.as_str(), wrote.is_error), ("wrote 6 bytes to a/b.txt", false));
    assert_eq!(run(&tools, "read_file", json!({ "path": "./a/../a/b.txt" })).await, ToolResult::ok("grün\n"));
}

#[tokio::test]
async fn what_fails_is_a_result_that_says_why() {
    let (root, outside) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    fs::write(outside.path().join("secret"), "x").unwrap();
    symlink(outside.path(), root.path().join("out")).unwrap();
    symlink(outside.path().join("new"), root.path().join("dangling")).unwrap();
    let tools = tools(&root);
    let absolute = outside.path().join("secret");
    for (name, arguments, code) in [
        ("read_file", json!({ "path": "../secret" }), "FS_SANDBOX_DENIED"),
        ("read_file", json!({ "path": absolute }), "FS_SANDBOX_DENIED"),
        ("read_file", json!({ "path": "out/secret" }), "FS_SANDBOX_DENIED"),
        ("write_file", json!({ "path": "out/new", "content": "x" }), "FS_SANDBOX_DENIED"),
        ("write_file", json!({ "path": "dangling", "content": "x" }), "FS_SANDBOX_DENIED"),
        ("write_file", json!({ "path": "none/../../new", "content": "x" }), "FS_SANDBOX_DENIED"),
        ("read_file", json!({ "path": "none" }), "FS_NOT_FOUND"),
        ("read_file", json!({ "path": "." }), "FS_ERROR"),
        ("read_file", json!({ "file": "x" }), "INVALID_ARGS"),
        ("write_file", json!([]), "INVALID_ARGS"),
        ("list_files", json!({}), "UNKNOWN_TOOL"),
    ] {
        let result = run(&tools, name, arguments.clone()).await;
        assert_eq!(result.code.as_deref(), Some(code), "{name} {arguments}: {}", result.text);
        assert!(result.is_error && result.text.starts_with("Error: "), "{}", result.text);
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1, "nothing was written outside");
}

#[tokio::test]
async fn a_command_runs_in_the_root_and_tells_its_exit_code() {
    let root = TempDir::new().unwrap();
    let tools = tools(&root);
    fs::write(root.path().join("here"), "").unwrap();
    assert_eq!(
        run(&tools, "run_shell", json!({ "command": "ls; exit 3" })).await.text,
        "here\n[exit code: 3]"
    );
}

#[tokio::test]
async fn what_is_long_is_cut_and_the_cut_is_said() {
    let root = TempDir::new().unwrap();
    let tools = tools(&root);
    fs::write(root.path().join("long"), "0123456789".repeat(300)).unwrap();
    let read = run(&tools, "read_file", json!({ "path": "long" })).await;
    let shown = run(&tools, "run_shell", json!({ "command": "cat long" })).await;
    for text in [read.text, shown.text] {
        assert!(text.contains("[cut: 2,000 of 3,000 bytes left out of the middle]"), "{text}");
    }
}

#[tokio::test]
async fn a_cancel_ends_a_command_with_a_result() {
    let root = TempDir::new().unwrap();
    let (cx, cancel, _events) = cx();
    let call = ToolCall::new("c1", "run_shell", r#"{"command": "touch started; sleep 60"}"#);
    let mut events = pin!(tools(&root).execute(call, cx));
    let mut first = pin!(next(&mut events));
    // Cancelled once the command runs, and not before.
    let started = async {
        while !root.path().join("started").exists() {
            tokio::task::yield_now().await;
        }
        cancel.cancel("enough".into());
        std::future::pending::<()>().await;
    };
    let event = tokio::select! {
        event = &mut first => event,
        () = started => None,
    };
    let Some(ToolEvent::Result(result)) = event else { unreachable!("{event:?}") };
    assert_eq!(result.code.as_deref(), Some("ABORTED"));
}
