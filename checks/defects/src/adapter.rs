//! An honest adapter whose requests are spoilt on their way: what no wrap of it could do.
use crate::forwarder::{Forwarder, Spoil};
use plugin_sdk::{
    contracts::llm::{Llm, LlmRequest, StreamChunk},
    *,
};
use serde::Deserialize;
use template_llm::{Adapter, Config};

pub(crate) struct Spoilt(Adapter);

/// The row's config: the adapter's, and the defect.
#[derive(Deserialize)]
pub(crate) struct SpoiltConfig {
    defect: String,
    base_url: String,
    model: String,
    api_key: String,
}

impl Plugin for Spoilt {
    type Config = SpoiltConfig;
    async fn create(_: Ctx, config: SpoiltConfig) -> Result<Self> {
        let spoil = match config.defect.as_str() {
            "no-key" => Spoil::Header("authorization"),
            "no-user-agent" => Spoil::Header("user-agent"),
            _ => Spoil::Slashes,
        };
        // An adapter that is told of this machine needs no key: what is elsewhere is left alone.
        let base_url = if config.base_url.contains("://127.0.0.1:") {
            Forwarder::start(&config.base_url, spoil).await?
        } else {
            config.base_url
        };
        Ok(Spoilt(Adapter::new(Config { base_url, model: config.model, api_key: config.api_key })?))
    }
}

impl Llm for Spoilt {
    fn stream(
        &self,
        request: LlmRequest,
        history: Parts,
        cx: Cx,
    ) -> impl Stream<Item = StreamChunk> + 'static {
        self.0.stream(request, history, cx)
    }
}
