//! `tools-basic`: read_file, write_file, list_files and run_shell over one root folder.

mod arguments;
mod basic;
mod config;
mod environment;
mod failure;
mod list_files;
mod mask;
mod read_file;
mod root;
mod run_shell;
mod schema;
mod stream;
mod write_file;

use contracts::tools::{self, ToolCall, ToolEvent, ToolList, Tools};
use plugin_sdk::*;
use std::sync::Arc;

pub use basic::Basic;
pub use config::Config;

/// The service.
#[derive(Debug)]
pub struct ToolsBasic {
    basic: Arc<Basic>,
    generation: String,
    tools: Parts,
}

impl ToolsBasic {
    /// # Errors
    /// As [`Basic::new`].
    pub fn new(config: Config) -> Result<Self> {
        Self::of(Basic::new(config)?)
    }

    fn of(basic: Basic) -> Result<Self> {
        let tools: Parts = basic.schemas()?.into_iter().collect();
        // The list never changes, so its content names it: another config is another generation.
        let generation = tools.iter().flat_map(|part| part.id()).map(|byte| format!("{byte:02x}")).collect();
        Ok(ToolsBasic { basic: Arc::new(basic), generation, tools })
    }
}

impl Plugin for ToolsBasic {
    type Config = Config;
    async fn create(ctx: Ctx, config: Config) -> Result<Self> {
        Self::of(Basic::new(config)?.with_secrets_of(ctx))
    }
    async fn shutdown(&self) {
        self.basic.stop_background();
    }
}

impl Tools for ToolsBasic {
    async fn list(&self, known: Option<String>, _: &Cx) -> Result<ToolList> {
        if known.as_ref() == Some(&self.generation) {
            return Ok(ToolList::Unchanged);
        }
        Ok(ToolList::Tools { generation: self.generation.clone(), tools: self.tools.clone() })
    }

    fn execute(&self, call: ToolCall, cx: Cx) -> impl Stream<Item = ToolEvent> + Send + 'static {
        stream::of(Arc::clone(&self.basic), call, cx)
    }
}

export_plugins! {
    plugin "tools-basic": ToolsBasic {
        services: [provide tools],
        config: include_str!("../config.schema.json"),
        runtime: tokio,
    }
}
