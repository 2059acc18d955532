//! The tool through its contract.
#![expect(clippy::unwrap_used, reason = "this is how a test fails")]

use plugin_sdk::{
    contracts::tools::{ToolCall, ToolEvent, ToolList, ToolResult, ToolSchema, Tools},
    next,
    testing::cx,
};
use std::pin::pin;

use template_tools_join::{Config, WordCount};

async fn run(arguments: &str) -> ToolResult {
    let (cx, _cancel, _events) = cx();
    let tool = WordCount::new(Config { text_bytes_max: 20 }).unwrap();
    let mut events = pin!(tool.execute(ToolCall::new("c1", "word_count", arguments), cx));
    let Some(ToolEvent::Result(result)) = next(&mut events).await else { unreachable!("no result") };
    assert_eq!(next(&mut events).await, None, "the result is the last item");
    result
}

#[tokio::test]
async fn its_one_tool_is_listed_once() {
    let (cx, ..) = cx();
    let tool = WordCount::new(Config { text_bytes_max: 20 }).unwrap();
    let ToolList::Tools { generation, tools } = tool.list(None, &cx).await.unwrap() else {
        unreachable!("nothing is known yet");
    };
    assert_eq!(tools.iter().map(ToolSchema::name_of).collect::<Vec<_>>(), ["word_count"]);
    assert_eq!(tool.list(Some(generation), &cx).await.unwrap(), ToolList::Unchanged);
}

#[tokio::test]
async fn it_counts() {
    for (text, expected) in [
        ("", "0 lines, 0 words, 0 characters"),
        ("hello world", "1 line, 2 words, 11 characters"),
        (r"eins\n zwei  drü\n", "2 lines, 3 words, 16 characters"),
    ] {
        assert_eq!(run(&format!(r#"{{"text": "{text}"}}"#)).await, ToolResult::ok(expected));
    }
}

#[tokio::test]
async fn what_it_cannot_count_is_an_error_that_says_why() {
    for (arguments, why) in [
        ("{}", "missing field `text`"),
        (r#"{"text": 5}"#, "expected a string"),
        (r#"{"text": "a", "more": 1}"#, "unknown field `more`"),
        (r#"{"te"#, "EOF"),
        (r#"{"text": "more than twenty bytes"}"#, "22 bytes, and 20 are the most"),
    ] {
        let result = run(arguments).await;
        assert_eq!(result.code.as_deref(), Some("INVALID_ARGS"));
        assert!(result.text.contains(why), "{arguments}: {}", result.text);
    }
}
