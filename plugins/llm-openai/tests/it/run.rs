//! One exchange, from a config to a transcript.
use crate::{server::Server, transcript::Transcript};
use contracts::{
    Cx, Message, Parts,
    llm::{Llm as _, LlmRequest, StreamChunk},
};
use llm_openai::OpenAi;
use plugin_sdk::{Stream, contracts, next, testing};
use serde_json::{Value, json};
use std::{pin::Pin, time::Duration};

/// The key of every test.
pub(crate) const KEY: &str = "dummy-key-0000";
/// A response of one word.
pub(crate) const OK: &[u8] = b"data: {\"choices\":[{\"delta\":{\"content\":\"ok\"}}]}\n\ndata: [DONE]\n\n";

/// An adapter of that config; the base URL is the server's where the config names none.
pub(crate) fn adapter(server: &Server, config: Value) -> OpenAi {
    let mut all = json!({ "base_url": server.base_url(), "model": "m", "api_key": KEY });
    all.as_object_mut().unwrap().extend(config.as_object().unwrap().clone());
    mounted(all).unwrap()
}

/// An adapter of exactly that config.
pub(crate) fn mounted(config: Value) -> contracts::Result<OpenAi> {
    OpenAi::new(serde_json::from_value(config).unwrap())
}

/// A response, chunk by chunk.
pub(crate) struct Chunks(Pin<Box<dyn Stream<Item = StreamChunk> + Send>>);

impl Chunks {
    pub(crate) fn open(adapter: &OpenAi, request: LlmRequest, history: Parts, cx: Cx) -> Self {
        Chunks(Box::pin(adapter.stream(request, history, cx)))
    }

    pub(crate) async fn next(&mut self) -> Option<StreamChunk> {
        tokio::time::timeout(Duration::from_secs(30), next(&mut self.0)).await.expect("a chunk within 30 s")
    }

    /// The rest of it.
    pub(crate) async fn transcript(mut self) -> Transcript {
        let mut transcript = Transcript::default();
        while let Some(chunk) = self.next().await {
            transcript.push(chunk);
        }
        transcript.ended()
    }
}

/// One whole exchange: "go" is all that is said.
pub(crate) async fn ask(adapter: &OpenAi) -> Transcript {
    ask_with(adapter, LlmRequest::default(), Message::user("go").part().into()).await
}

pub(crate) async fn ask_with(adapter: &OpenAi, request: LlmRequest, history: Parts) -> Transcript {
    Chunks::open(adapter, request, history, testing::cx().0).transcript().await
}
