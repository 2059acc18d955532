//! `template-llm`: speaks to any endpoint of OpenAI's chat completions.
//!
//! What a row says is in `endpoint`; a conversation becomes a body (`request`), and the answer to it chunks (`response`).
//! To speak another protocol, change the last two.
mod endpoint;
mod failure;
mod request;
mod response;

use contracts::llm::{self, Failure, Finish, Llm, LlmRequest, StreamChunk, code};
use plugin_sdk::{
    sse::{Event, Parser},
    *,
};
use std::sync::Arc;

pub use endpoint::Config;
use endpoint::Endpoint;
use response::Translator;

/// One mounted row.
pub struct Adapter(Arc<Endpoint>);

impl Adapter {
    /// Checks the row; nothing is sent before the first request.
    ///
    /// # Errors
    /// `INVALID_BASE_URL`, and what keeps an HTTP client from being made.
    pub fn new(config: Config) -> Result<Self> {
        Ok(Adapter(Arc::new(Endpoint::new(config)?)))
    }
}

impl Plugin for Adapter {
    type Config = Config;
    async fn create(_: Ctx, config: Config) -> Result<Self> {
        Adapter::new(config)
    }
}

impl Llm for Adapter {
    fn stream(
        &self,
        request: LlmRequest,
        history: Parts,
        cx: Cx,
    ) -> impl Stream<Item = StreamChunk> + Send + 'static {
        let endpoint = Arc::clone(&self.0);
        relay(|out| async move {
            // Losing to the token drops the exchange, and with it the connection. Whatever happens, one finish comes, last.
            let exchanged = cx.until_cancelled(exchange(&endpoint, &request, &history, &out)).await;
            let finish = match exchanged {
                Ok(Ok(finish)) => finish,
                Ok(Err(failure)) => Finish::Error { failure: endpoint.masked(failure) },
                Err(aborted) => Finish::Aborted { failure: aborted.into() },
            };
            out.send(StreamChunk::Finish(finish)).await;
        })
    }
}

/// Sends the request, and hands on what comes as it comes.
async fn exchange(
    endpoint: &Endpoint,
    request: &LlmRequest,
    history: &Parts,
    out: &Out<StreamChunk>,
) -> Result<Finish, Failure> {
    let model = endpoint.model(&request.settings.model)?;
    let mut response = endpoint.post(request::body(model, request, history)?).await?;
    let (mut parser, mut translator, mut chunks) = (Parser::default(), Translator::default(), Vec::new());
    let mut finish = None;
    loop {
        let bytes = response.chunk().await.map_err(|error| failure::lost(endpoint.origin(), error))?;
        let Some(bytes) = bytes else { break };
        let fed = parser.feed(&bytes, |event| {
            if let (Event::Message(message), None) = (event, &finish) {
                finish = translator.event(message.data, &mut chunks);
            }
        });
        fed.map_err(|error| Failure::new(code::MALFORMED_RESPONSE, error.to_string()))?;
        for chunk in chunks.drain(..) {
            out.send(chunk).await;
        }
        if let Some(finish) = finish {
            return Ok(finish);
        }
    }
    let finish = translator.close(&mut chunks);
    for chunk in chunks {
        out.send(chunk).await;
    }
    Ok(finish)
}

export_plugins! {
    plugin "template-llm": Adapter {
        services: [provide llm],
        config: include_str!("../config.schema.json"),
        runtime: tokio,
    }
}
