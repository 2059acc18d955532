//! `llm-deepseek`: DeepSeek's chat completions as a provider of `llm`, written from DeepSeek's documents and sharing nothing with the
//! other adapters but the kit.
//!
//! Out: `config` and `key` and `address` say what a row sends where, `body` and `messages` write the JSON, `exchange` posts it over a
//! client of `http`. Back: `reader` cuts bytes into events, `reply` turns each payload (`payload`) into chunks, with `calls` for tool
//! calls and `usage` for token counts. Failures are made by `failure`; `refusal`, `said` and `wording` read those of the provider.
mod config;
mod key;
mod address;
mod body;
mod messages;
mod http;
mod exchange;
mod reader;
mod payload;
mod reply;
mod calls;
mod usage;
mod failure;
mod refusal;
mod said;
mod wording;

use contracts::llm::{self, Llm, LlmRequest, StreamChunk};
use plugin_sdk::*;
use std::sync::Arc;

pub use config::Config;
pub use reader::Reader;

/// The name of this adapter: reasoning that carries it goes back to the model, and messages for people begin with it.
pub(crate) const NAME: &str = "llm-deepseek";

/// A mounted row.
pub struct DeepSeek(Arc<exchange::Row>);

impl DeepSeek {
    /// A row of that config. It connects to nothing before the first request.
    ///
    /// # Errors
    /// `INVALID_BASE_URL`.
    pub fn new(config: Config) -> Result<Self> {
        exchange::Row::new(config).map(|row| DeepSeek(Arc::new(row)))
    }
}

impl Plugin for DeepSeek {
    type Config = Config;
    async fn create(_: Ctx, config: Config) -> Result<Self> {
        Self::new(config)
    }
}

impl Llm for DeepSeek {
    fn stream(
        &self,
        request: LlmRequest,
        history: Parts,
        cx: Cx,
    ) -> impl Stream<Item = StreamChunk> + Send + 'static {
        let row = self.0.clone();
        relay(move |out| async move { row.answer(request, history, cx, out).await })
    }
}

export_plugins! {
    plugin "llm-deepseek": DeepSeek {
        services: [provide llm],
        config: include_str!("../config.schema.json"),
        runtime: tokio,
    }
}
