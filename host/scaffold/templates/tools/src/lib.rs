//! `template-tools`: read_file, write_file and run_shell over one folder.
//!
//! A tool is a schema (`schemas`), which is all that the model knows of it, and code (`files`, `shell`). To add one, add a schema and a
//! case in `Bench::run`.
mod files;
mod root;
mod schemas;
mod shell;

use contracts::tools::{self, ToolCall, ToolEvent, ToolList, ToolResult, Tools, code};
use plugin_sdk::*;
use root::Root;
use serde::{Deserialize, de::DeserializeOwned};
use std::{sync::Arc, time::Duration};

/// The row's `config`; `config.schema.json` says what each key means, and gives the defaults.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "described once, in the schema")]
pub struct Config {
    pub root: String,
    pub shell_timeout_ms: u64,
    pub output_bytes_max: usize,
}

/// What a call is run with.
#[derive(Debug)]
struct Bench {
    root: Root,
    shell_timeout: Duration,
    output_bytes_max: usize,
}

/// One mounted row.
#[derive(Debug)]
pub struct ThreeTools {
    bench: Arc<Bench>,
    tools: Parts,
}

impl ThreeTools {
    /// # Errors
    /// `ROOT_NOT_FOUND`.
    pub fn new(config: Config) -> Result<Self> {
        let bench = Bench {
            root: Root::new(&config.root)?,
            shell_timeout: Duration::from_millis(config.shell_timeout_ms),
            output_bytes_max: config.output_bytes_max,
        };
        Ok(ThreeTools { bench: Arc::new(bench), tools: schemas::parts()? })
    }
}

impl Plugin for ThreeTools {
    type Config = Config;
    async fn create(_: Ctx, config: Config) -> Result<Self> {
        ThreeTools::new(config)
    }
}

impl Tools for ThreeTools {
    async fn list(&self, known: Option<String>, _: &Cx) -> Result<ToolList> {
        // The list never changes, so that a request can begin as the last one did.
        let generation = schemas::GENERATION;
        if known.as_deref() == Some(generation) {
            return Ok(ToolList::Unchanged);
        }
        Ok(ToolList::Tools { generation: generation.into(), tools: self.tools.clone() })
    }

    fn execute(&self, call: ToolCall, cx: Cx) -> impl Stream<Item = ToolEvent> + Send + 'static {
        let bench = Arc::clone(&self.bench);
        emit(|out| async move {
            let result = bench.run(&call, &cx).await;
            out.send(ToolEvent::Result(result.unwrap_or_else(ToolResult::from))).await;
        })
    }
}

impl Bench {
    /// # Errors
    /// What becomes an error result: the model reads it and can do better.
    async fn run(self: Arc<Self>, call: &ToolCall, cx: &Cx) -> Result<ToolResult> {
        match call.name.as_str() {
            // What waits for the disk does so on a thread of its own.
            "read_file" => {
                let arguments = arguments(call)?;
                blocking(move || files::read(&self.root, &arguments, self.output_bytes_max)).await?
            }
            "write_file" => {
                let arguments = arguments(call)?;
                blocking(move || files::write(&self.root, &arguments)).await?
            }
            "run_shell" => shell::run(&self, &arguments(call)?, cx).await,
            unknown => {
                let text =
                    format!("unknown tool `{unknown}`; the tools are read_file, write_file and run_shell");
                Err(Error::new(code::UNKNOWN_TOOL, text))
            }
        }
    }
}

/// Read only here, where they are complete.
fn arguments<T: DeserializeOwned>(call: &ToolCall) -> Result<T> {
    serde_json::from_str(call.arguments_text()).map_err(|error| {
        Error::new(
            code::INVALID_ARGS,
            format!("the arguments of `{}` do not fit its schema: {error}", call.name),
        )
    })
}

export_plugins! {
    plugin "template-tools": ThreeTools {
        services: [provide tools],
        config: include_str!("../config.schema.json"),
        runtime: tokio,
    }
}
