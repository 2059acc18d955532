//! What a row may say, and what holds where it says nothing.
use contracts::llm::Settings;
use plugin_sdk::contracts;
use serde::Deserialize;

/// DeepSeek API docs, "Thinking Mode": the model of its examples.
const MODEL: &str = "deepseek-flash";
const IDLE_TIMEOUT_MS: u64 = 300_000;

/// A row's config, key by key as in `config.schema.json`. It has no `Debug`, because of the key.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    pub(crate) base_url: String,
    pub(crate) model: String,
    pub(crate) api_key: String,
    idle_timeout_ms: Option<u64>,
    max_tokens: Option<u32>,
    temperature: Option<f64>,
    reasoning_effort: String,
}

impl Config {
    /// How long a response may be silent, in milliseconds.
    pub(crate) fn idle_timeout_ms(&self) -> u64 {
        self.idle_timeout_ms.unwrap_or(IDLE_TIMEOUT_MS).max(1)
    }

    /// A request's settings, filled up with the row's.
    pub(crate) fn fill(&self, mut asked: Settings) -> Settings {
        let effort = Some(self.reasoning_effort.trim()).filter(|effort| !effort.is_empty());
        if asked.model.trim().is_empty() {
            let model = Some(self.model.trim()).filter(|model| !model.is_empty());
            asked.model = model.unwrap_or(MODEL).to_owned();
        }
        asked.max_tokens = asked.max_tokens.or(self.max_tokens);
        asked.temperature = asked.temperature.or(self.temperature);
        asked.reasoning_effort = asked.reasoning_effort.or_else(|| effort.map(str::to_owned));
        asked
    }
}
