//! The row's config, as it is written.
use contracts::llm::Settings;
use plugin_sdk::contracts;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The config of a row; `config.schema.json` describes each key. An empty text is an unset one.
///
/// Not `Debug`: it holds the key.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    pub(crate) provider: String,
    pub(crate) base_url: String,
    pub(crate) model: String,
    pub(crate) api_key: String,
    pub(crate) idle_timeout_ms: u64,
    pub(crate) ca_file: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) max_tokens: Option<u32>,
    pub(crate) temperature: Option<f64>,
    pub(crate) reasoning_effort: String,
    pub(crate) tool_choice: String,
    pub(crate) user_agent: String,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            provider: String::new(),
            base_url: String::new(),
            model: String::new(),
            api_key: String::new(),
            idle_timeout_ms: 300_000,
            ca_file: String::new(),
            headers: BTreeMap::new(),
            max_tokens: None,
            temperature: None,
            reasoning_effort: String::new(),
            tool_choice: String::new(),
            user_agent: String::new(),
        }
    }
}

impl Config {
    /// What a request gets that does not say otherwise.
    pub(crate) fn defaults(&self) -> Settings {
        let word = |text: &str| Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned);
        Settings {
            model: self.model.trim().to_owned(),
            max_tokens: self.max_tokens,
            temperature: self.temperature,
            reasoning_effort: word(&self.reasoning_effort),
            tool_choice: word(&self.tool_choice),
            ..Settings::default()
        }
    }
}
