//! A row of some config, and what it answers.
use crate::chunks::checked;
use contracts::{
    Cx, Message, Parts, Result,
    llm::{Llm as _, LlmRequest, StreamChunk},
};
use llm_deepseek::DeepSeek;
use plugin_sdk::{Stream, contracts, next, testing};
use serde_json::{Value, json};
use std::{pin::Pin, time::Duration};

/// The key of every row that has one.
pub(crate) const KEY: &str = "dummy-key-of-a-test";

/// A row with a key, and more config.
pub(crate) fn row(base_url: &str, more: Value) -> DeepSeek {
    let mut config = json!({ "base_url": base_url, "api_key": KEY });
    config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    row_of(config).unwrap()
}

pub(crate) fn row_of(config: Value) -> Result<DeepSeek> {
    DeepSeek::new(serde_json::from_value(config).unwrap())
}

/// What a user says first.
pub(crate) fn go() -> Parts {
    Message::user("go").part().into()
}

/// The whole answer to "go".
pub(crate) async fn ask(row: &DeepSeek) -> Vec<StreamChunk> {
    answer(row, LlmRequest::default(), go(), testing::cx().0).await
}

pub(crate) async fn answer(row: &DeepSeek, request: LlmRequest, history: Parts, cx: Cx) -> Vec<StreamChunk> {
    let (mut stream, mut chunks) = (open(row, request, history, cx), Vec::new());
    while let Some(chunk) = soon(&mut stream).await {
        chunks.push(chunk);
    }
    checked(chunks)
}

pub(crate) type Answer = Pin<Box<dyn Stream<Item = StreamChunk> + Send>>;

pub(crate) fn open(row: &DeepSeek, request: LlmRequest, history: Parts, cx: Cx) -> Answer {
    Box::pin(row.stream(request, history, cx))
}

/// The next chunk. That there is one soon is not what is tested, but a test must end.
pub(crate) async fn soon(stream: &mut Answer) -> Option<StreamChunk> {
    tokio::time::timeout(Duration::from_secs(30), next(stream)).await.expect("a chunk in half a minute")
}
