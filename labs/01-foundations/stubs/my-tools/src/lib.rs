//! `stub-tools`: your tools, over one root folder.
//!
//! The frame below is complete. Yours to write: what the model is told of the tools ([`schemas`]) and what a call does
//! ([`Desk::run`] in `run.rs`).

pub mod run;
pub mod schemas;

use std::{path::PathBuf, sync::Arc};

use contracts::tools::{self, ToolCall, ToolEvent, ToolList, ToolResult, ToolSchema, Tools};
use plugin_sdk::*;
use serde::Deserialize;

/// The row's `config`; the schema says what each key means.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "described once, in the schema")]
pub struct Config {
    pub root: String,
    pub output_bytes_max: usize,
}

/// What the tools work on.
pub struct Desk {
    /// The root folder: absolute, every link in it resolved.
    pub root: PathBuf,
    /// How much of an observation the model gets to see, in bytes.
    pub output_bytes_max: usize,
}

/// One mounted row.
pub struct MyTools(Arc<Desk>);

impl Plugin for MyTools {
    type Config = Config;
    async fn create(_: Ctx, config: Config) -> Result<Self> {
        let root = std::fs::canonicalize(&config.root).map_err(|error| {
            Error::new("ROOT_NOT_FOUND", format!("root `{}`: {error}", config.root))
                .hint("set `root` to a folder that exists")
        })?;
        Ok(MyTools(Arc::new(Desk { root, output_bytes_max: config.output_bytes_max })))
    }
}

impl Tools for MyTools {
    async fn list(&self, known: Option<String>, _: &Cx) -> Result<ToolList> {
        // The list never changes, so one name will do for it.
        let generation = "1".to_owned();
        if known.as_ref() == Some(&generation) {
            return Ok(ToolList::Unchanged);
        }
        Ok(ToolList::Tools { generation, tools: schemas::schemas()?.iter().map(ToolSchema::part).collect() })
    }

    fn execute(&self, call: ToolCall, cx: Cx) -> impl Stream<Item = ToolEvent> + Send + 'static {
        let desk = Arc::clone(&self.0);
        emit(|out| async move {
            // A failure is a result like any other: the model reads it, and can do better. Of a cancelled call `run` is dropped.
            let result = match cx.until_cancelled(desk.run(&call)).await {
                Ok(Ok(text)) => ToolResult::ok(text),
                Ok(Err(error)) | Err(error) => ToolResult::from(error),
            };
            out.send(ToolEvent::Result(result)).await;
        })
    }
}

export_plugins! {
    plugin "stub-tools": MyTools {
        services: [provide tools],
        config: include_str!("../config.schema.json"),
        runtime: tokio,
    }
}
