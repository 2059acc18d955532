//! `llm-openai`: streaming chat completions against any endpoint that speaks OpenAI's protocol.
//!
//! A request goes through these modules in this order: the row (`config`) says where to (`endpoint`, `preset`)
//! and with which key (`credential`); the conversation becomes a body (`request`); the body is sent (`http`); the
//! answer is read (`stream`), decoded (`decode`, `document`) and translated (`translate`). What goes wrong on the
//! way is put into words by `report`, `wording` and `hint`.
mod config;
mod preset;
mod endpoint;
mod credential;
mod adapter;
mod request;
mod http;
mod stream;
mod decode;
mod document;
mod translate;
mod report;
mod wording;
mod hint;

use adapter::Adapter;
use contracts::llm::{self, Llm, LlmRequest, StreamChunk};
use plugin_sdk::*;
use std::sync::Arc;

pub use config::Config;
pub use decode::Decoder;

/// The word that reasoning of this adapter is marked with.
pub(crate) const ADAPTER: &str = "llm-openai";

/// One mounted row.
pub struct OpenAi(Arc<Adapter>);

impl OpenAi {
    /// Checks the row. Nothing is read, connected or built before the first request.
    ///
    /// # Errors
    /// `UNKNOWN_PROVIDER`, `INVALID_BASE_URL`, `INVALID_HEADER`.
    pub fn new(config: Config) -> Result<Self> {
        Ok(OpenAi(Arc::new(Adapter::new(config)?)))
    }
}

impl Plugin for OpenAi {
    type Config = Config;
    async fn create(_: Ctx, config: Config) -> Result<Self> {
        OpenAi::new(config)
    }
}

impl Llm for OpenAi {
    fn stream(
        &self,
        request: LlmRequest,
        history: Parts,
        cx: Cx,
    ) -> impl Stream<Item = StreamChunk> + Send + 'static {
        let adapter = Arc::clone(&self.0);
        relay(|out| async move { stream::respond(&adapter, &request, &history, &cx, &out).await })
    }
}

export_plugins! {
    plugin "llm-openai": OpenAi {
        services: [provide llm],
        config: include_str!("../config.schema.json"),
        runtime: tokio,
    }
}
