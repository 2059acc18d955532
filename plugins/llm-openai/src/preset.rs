//! The endpoints that have a name: where they are, and what they are asked for when the row names no model.
use plugin_sdk::{Error, Result};

/// A named endpoint. The README names the provider's page behind each value.
pub(crate) struct Preset {
    name: &'static str,
    pub(crate) base_url: &'static str,
    /// `""` where only the person knows what is installed.
    pub(crate) model: &'static str,
    /// Usually one's own machine: no key is asked for.
    pub(crate) local: bool,
}

const PRESETS: [Preset; 7] = [
    Preset { name: "openai", base_url: "https://api.openai.com/v1", model: "gpt-5-mini", local: false },
    Preset { name: "deepseek", base_url: "https://api.deepseek.com", model: "deepseek-flash", local: false },
    Preset {
        name: "openrouter",
        base_url: "https://openrouter.ai/api/v1",
        model: "openrouter/auto",
        local: false,
    },
    Preset { name: "ollama", base_url: "http://localhost:11434/v1", model: "", local: true },
    Preset { name: "lmstudio", base_url: "http://localhost:1234/v1", model: "", local: true },
    Preset { name: "vllm", base_url: "http://localhost:8000/v1", model: "", local: true },
    Preset { name: "llamacpp", base_url: "http://localhost:8080/v1", model: "default", local: true },
];

/// The preset of that name, `None` for the empty name.
///
/// # Errors
/// `UNKNOWN_PROVIDER`.
pub(crate) fn named(provider: &str) -> Result<Option<&'static Preset>> {
    let provider = provider.trim();
    if provider.is_empty() {
        return Ok(None);
    }
    PRESETS.iter().find(|preset| preset.name == provider).map(Some).ok_or_else(|| {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        Error::new("UNKNOWN_PROVIDER", format!("llm-openai: there is no provider `{provider}`"))
            .hint(format!("name one of {}, or leave it empty and set `base_url`", names.join(", ")))
    })
}
