//! The service as its contract describes it: lists with a generation, streams with exactly one result, last.

use std::sync::Arc;

use plugin_sdk::{
    contracts::tools::{ToolEvent, ToolList, Tools as _},
    testing,
};
use tempfile::{TempDir, tempdir};
use tools_basic::ToolsBasic;

use crate::{config, events};

fn service() -> (TempDir, Arc<ToolsBasic>) {
    let root = tempdir().unwrap();
    let service = ToolsBasic::new(config(root.path())).unwrap();
    (root, Arc::new(service))
}

#[tokio::test]
async fn a_list_has_a_generation_that_stays() {
    let (root, service) = service();
    let (cx, _, _) = testing::cx();
    let ToolList::Tools { generation, tools } = service.list(None, &cx).await.unwrap() else {
        panic!("unchanged")
    };
    assert_eq!(tools.len(), 4);
    assert_eq!(service.list(Some(generation.clone()), &cx).await.unwrap(), ToolList::Unchanged);
    assert_ne!(service.list(Some("older".into()), &cx).await.unwrap(), ToolList::Unchanged);
    let mut other = config(root.path());
    other.shell_timeout_ms = 5;
    let other = ToolsBasic::new(other).unwrap().list(Some(generation), &cx).await.unwrap();
    assert!(matches!(other, ToolList::Tools { .. }), "the description has changed with the config");
}

#[tokio::test]
async fn a_call_streams_progress_and_then_one_result() {
    let (_root, service) = service();
    let events = events(&service, testing::cx().0, "run_shell", r#"{"command":"echo hello"}"#, || {}).await;
    let (result, before) = events.split_last().unwrap();
    let ToolEvent::Result(result) = result else { panic!("{result:?}") };
    assert_eq!(result.text, "hello\n[exit code: 0]");
    assert_eq!(before, [ToolEvent::Progress("hello\n".into())]);
}

#[tokio::test]
async fn a_failure_is_a_result() {
    let (_root, service) = service();
    for (name, arguments, code) in [
        ("read_file", r#"{"path":"none"}"#, "FS_NOT_FOUND"),
        ("read_file", r#"{"path":"../x"}"#, "FS_SANDBOX_DENIED"),
        ("read_file", "{", "INVALID_ARGS"),
        ("no_such_tool", "", "UNKNOWN_TOOL"),
    ] {
        let events = events(&service, testing::cx().0, name, arguments, || {}).await;
        let [ToolEvent::Result(result)] = &events[..] else { panic!("{events:?}") };
        assert!(result.is_error && !result.synthetic, "{result:?}");
        assert_eq!(result.code.as_deref(), Some(code));
    }
}

#[tokio::test]
async fn a_cancelled_call_ends_with_its_own_result() {
    let (_root, service) = service();
    let (cx, cancel, _) = testing::cx();
    let arguments = r#"{"command":"echo ready; sleep 1000"}"#;
    let events = events(&service, cx, "run_shell", arguments, || cancel.cancel("test".into())).await;
    let Some(ToolEvent::Result(result)) = events.last() else { panic!("{events:?}") };
    assert_eq!(result.code.as_deref(), Some("ABORTED"));
    assert!(result.text.starts_with("ready\n"), "{}", result.text);
}

#[tokio::test]
async fn a_call_that_was_cancelled_before_does_nothing() {
    let (root, service) = service();
    let (cx, cancel, _) = testing::cx();
    cancel.cancel("test".into());
    let events = events(&service, cx, "write_file", r#"{"path":"a","content":""}"#, || {}).await;
    let [ToolEvent::Result(result)] = &events[..] else { panic!("{events:?}") };
    assert_eq!(result.code.as_deref(), Some("ABORTED_BEFORE_DISPATCH"));
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
}
