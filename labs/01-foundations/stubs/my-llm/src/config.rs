//! The row's config, and the base URL and model that a provider's name stands for.

use serde::Deserialize;

/// Provider, base URL and model, for rows that name only the first.
const PRESETS: [[&str; 3]; 4] = [
    ["openai", "https://api.openai.com/v1", "gpt-5-mini"],
    ["deepseek", "https://api.deepseek.com", "deepseek-flash"],
    ["openrouter", "https://openrouter.ai/api/v1", "openrouter/auto"],
    ["ollama", "http://localhost:11434/v1", ""],
];

/// The row's `config`; the schema says what each key means. An empty text is an unset one.
///
/// Not `Debug`: it holds the key.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "described once, in the schema")]
pub struct Config {
    pub provider: String,
    pub base_url: String,
    pub model: String,
    pub api_key: String,
}

impl Config {
    /// The same with the base URL and the model of its provider, where it has none of its own.
    pub(crate) fn with_preset(mut self) -> Self {
        let preset = PRESETS.iter().find(|[name, ..]| *name == self.provider);
        if let Some([_, base_url, model]) = preset {
            for (own, preset) in [(&mut self.base_url, base_url), (&mut self.model, model)] {
                if own.trim().is_empty() {
                    *own = (*preset).to_owned();
                }
            }
        }
        self
    }
}
