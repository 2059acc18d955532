//! L1.15: another adapter in the llm row, and nothing else notices.
use super::runs::{Run, task};
use crate::check::{Check, Miss, Subject, Tried, Verdict, ensure, scripted};
use checks::fake_model::FakeModel;
use serde_json::{Value, json};
use std::fs;

pub(super) const SWAP: &[Check] = &[Check {
    name: "task",
    next: "look for what knows its adapter: no loop, tool or wrap may depend on which one is mounted",
    run: same_task,
}];

/// The two official adapters: the one that is not mounted takes the other's place.
const REFERENCES: [&str; 2] = ["llm-deepseek", "llm-openai"];
const TASK: &str = "Create hello.txt with the word harness in it.";
const WRITE_AND_TELL: &str = r#"
replies:
  - reasoning: One call will do.
    calls: [{id: call_Hello-1, name: write_file, arguments: {path: hello.txt, content: "harness\n"}}]
  - text: hello.txt is there.
"#;

/// The patch that swaps the llm row.
fn swapped(subject: &Subject) -> Result<String, Miss> {
    let row = subject.provider("llm")?.cloned().unwrap_or_default();
    let plugin = row["plugin"].as_str().unwrap_or_default();
    let other =
        REFERENCES.iter().find(|name| plugin.split(' ').next() != Some(**name)).unwrap_or(&REFERENCES[0]);
    let id = row["id"].as_str().unwrap_or_default();
    Ok(format!(
        "- id: {id}\n  name: {other}\n  config:\n    base_url: !env \"LLM_BASE_URL:-\"\n    model: !env \"LLM_MODEL:-\"\n    api_key: !secret LLM_API_KEY\n"
    ))
}

fn same_task(subject: &Subject) -> Verdict {
    let patch = swapped(subject)?;
    let own = write_and_tell(|model| subject.with(model))?;
    let other = write_and_tell(|model| subject.with(model)?.patch(&patch))?;
    let pairs = [("text", json!(own.text), json!(other.text)), ("messages", told(&own), told(&other))];
    for (what, own, other) in pairs {
        ensure(
            own == other,
            || format!("{what} with the other adapter: {other}"),
            &format!("{what}: {own}"),
        )?;
    }
    Ok(())
}

/// The task, done.
fn write_and_tell<'a>(tried: impl Fn(&FakeModel) -> Result<Tried<'a>, Miss>) -> Result<Run, Miss> {
    let model = scripted(WRITE_AND_TELL)?;
    let tried = tried(&model)?;
    let run = task(&tried, &model, &[], TASK)?;
    run.ended("completed")?;
    let made = fs::read_to_string(tried.root().join("hello.txt")).unwrap_or_else(|error| error.to_string());
    ensure(made == "harness\n", || format!("hello.txt: {made}"), "hello.txt: harness")?;
    Ok(run)
}

/// The last request's messages, without what belongs to one provider.
fn told(run: &Run) -> Value {
    let mut messages = run.messages(run.requests.len().saturating_sub(1));
    for message in messages.as_array_mut().into_iter().flatten() {
        let content = message["content"].as_str().unwrap_or_default().to_owned();
        if let Some(message) = message.as_object_mut() {
            // Empty text and none are the same to a model.
            message.insert("content".to_owned(), content.into());
            message
                .retain(|key, _| ["role", "content", "tool_calls", "tool_call_id"].contains(&key.as_str()));
        }
    }
    messages
}
