//! The adapter through its contract, against a server on this machine.
#![expect(clippy::unwrap_used, reason = "this is how a test fails")]

mod server;
mod requests;
mod responses;

use plugin_sdk::{
    Message, Parts,
    contracts::llm::{Finish, Llm, LlmRequest, StreamChunk},
    next,
    testing::cx,
};
use std::pin::pin;

use template_llm::{Adapter, Config};

/// An adapter for that base URL, with a key.
fn adapter(base_url: &str, api_key: &str) -> Adapter {
    Adapter::new(Config { base_url: base_url.into(), model: "m1".into(), api_key: api_key.into() }).unwrap()
}

/// All chunks of the answer to "hi".
async fn answer(adapter: &Adapter) -> Vec<StreamChunk> {
    let history: Parts = [Message::user("hi").part()].into_iter().collect();
    chunks(adapter, LlmRequest::default(), history).await
}

async fn chunks(adapter: &Adapter, request: LlmRequest, history: Parts) -> Vec<StreamChunk> {
    let (cx, _cancel, _events) = cx();
    let (mut stream, mut chunks) = (pin!(adapter.stream(request, history, cx)), Vec::new());
    while let Some(chunk) = next(&mut stream).await {
        chunks.push(chunk);
    }
    chunks
}

/// The code and the message of the failure that a stream ends with.
fn failure(chunks: &[StreamChunk]) -> (&str, &str) {
    match chunks.last() {
        Some(StreamChunk::Finish(Finish::Error { failure })) => (&failure.code, &failure.message),
        other => unreachable!("{other:?} is no failure"),
    }
}
