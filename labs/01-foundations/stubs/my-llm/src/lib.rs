//! `stub-llm`: your adapter, one model request in, a stream of chunks out.
//!
//! The frame below is complete. What is yours to write is [`Adapter::respond`] in `respond.rs`; the row's settings
//! ([`config`]) and the HTTP client ([`http`]) are there already.

pub mod config;
pub mod http;
pub mod respond;

use std::sync::Arc;

use config::Config;
use contracts::llm::{self, Finish, Llm, LlmRequest, StreamChunk};
use plugin_sdk::*;

/// What every request of this row has in common.
pub struct Adapter {
    /// The row.
    pub config: Config,
    /// The connection pool, made once.
    pub client: reqwest::Client,
}

/// One mounted row.
pub struct MyLlm(Arc<Adapter>);

impl Plugin for MyLlm {
    type Config = Config;
    async fn create(_: Ctx, config: Config) -> Result<Self> {
        let config = config.with_preset();
        let client = http::client(&config.base_url)?;
        Ok(MyLlm(Arc::new(Adapter { config, client })))
    }
}

impl Llm for MyLlm {
    fn stream(
        &self,
        request: LlmRequest,
        history: Parts,
        cx: Cx,
    ) -> impl Stream<Item = StreamChunk> + Send + 'static {
        let adapter = Arc::clone(&self.0);
        relay(|out| async move {
            // Whatever happens, exactly one finish comes, and it comes last. A cancel drops `respond`, and with it the connection.
            let finish = match cx.until_cancelled(adapter.respond(&request, &history, &out)).await {
                Ok(Ok(finish)) => finish,
                Ok(Err(failure)) => Finish::Error { failure },
                Err(aborted) => Finish::Aborted { failure: aborted.into() },
            };
            out.send(StreamChunk::Finish(finish)).await;
        })
    }
}

export_plugins! {
    plugin "stub-llm": MyLlm {
        services: [provide llm],
        config: include_str!("../config.schema.json"),
        runtime: tokio,
    }
}
