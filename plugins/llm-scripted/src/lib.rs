//! `llm-scripted`: a model without a model. A YAML script says what it answers, so the same request gets the same answer.
//!
//! The script's format is in the README and in `format.rs`; which reply answers a request, in `choose.rs`.
use contracts::llm::{self, Llm, LlmRequest, StreamChunk};
use plugin_sdk::*;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

mod choose;
mod filters;
mod format;
mod play;
mod response;
mod script;
mod template;
mod turn;

use script::Script;

/// The name that reasoning blocks carry.
const ADAPTER: &str = "llm-scripted";
const OFFLINE: &str = include_str!("../offline.yml");

/// The row's config. With neither key it is the built-in script `offline`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The script: YAML text, or the same as a mapping.
    pub script: Option<Value>,
    /// The name of a script that comes with the plugin.
    pub builtin: Option<Builtin>,
}

/// A script that comes with the plugin.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Builtin {
    /// Looks around in the folder through the tools and tells what it read.
    Offline,
}

/// An instance: a script, and no state beside it.
#[derive(Debug)]
pub struct Scripted {
    script: Arc<Script>,
}

impl Scripted {
    /// Reads and checks the script.
    ///
    /// # Errors
    /// `SCRIPT_INVALID`, naming the place in the script.
    pub fn new(config: Config) -> Result<Self> {
        let script = match (config.script, config.builtin) {
            (Some(_), Some(_)) => {
                return Err(Error::new(script::INVALID, "script: `script` and `builtin` exclude each other")
                    .hint("remove `builtin`"));
            }
            (Some(script), None) => Script::read(&script)?,
            (None, Some(Builtin::Offline) | None) => Script::read(&Value::from(OFFLINE))?,
        };
        Ok(Scripted { script: Arc::new(script) })
    }
}

impl Plugin for Scripted {
    type Config = Config;
    async fn create(_: Ctx, config: Config) -> Result<Self> {
        Scripted::new(config)
    }
}

impl Llm for Scripted {
    fn stream(
        &self,
        request: LlmRequest,
        history: Parts,
        cx: Cx,
    ) -> impl Stream<Item = StreamChunk> + Send + 'static {
        let script = Arc::clone(&self.script);
        emit(|out| async move { play::play(response::answer(&script, &request, &history), &cx, &out).await })
    }
}

export_plugins! {
    plugin "llm-scripted": Scripted {
        services: [provide llm],
        config: include_str!("../config.schema.json"),
        runtime: none,
    }
}
