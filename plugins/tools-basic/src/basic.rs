//! One instance: its root, its limits, and which tool answers a call.

use std::{pin::pin, sync::Arc, time::Duration};

use contracts::tools::{ToolResult, code};
use plugin_sdk::{Ctx, Part, Result, blocking, contracts};
use tokio::time::timeout;

use crate::{
    Config,
    arguments::Arguments,
    failure::{Failure, shown},
    list_files::list_files,
    mask::Mask,
    read_file::read_file,
    root::Root,
    run_shell::Shell,
    schema::{self, Tool},
    write_file::write_file,
};

/// How long a cancelled call waits for what the disk is doing, so that it can say what has become of it.
const DISK_WAIT: Duration = Duration::from_secs(1);

/// The four tools over one root.
#[derive(Debug)]
pub struct Basic {
    root: Arc<Root>,
    config: Config,
    shell: Shell,
    tools: Vec<Tool>,
    mask: Mask,
}

impl Basic {
    /// # Errors
    /// `CONFIG_INVALID` when the default timeout is over the longest one, `ROOT_NOT_FOUND` when the root is not a folder that can
    /// be opened.
    pub fn new(config: Config) -> Result<Self> {
        let root = config.root()?;
        let shell = Shell::new(&config);
        let tools = schema::tools(&config, shell.program());
        Ok(Self { root: Arc::new(root), config, shell, tools, mask: Mask::default() })
    }

    /// The same, which asks the host for what is secret before it cuts a text.
    #[must_use]
    pub fn with_secrets_of(self, host: Ctx) -> Self {
        Self { mask: Mask::of(host), ..self }
    }

    /// The tools' schemas, in the order in which the model is told of them: always the same bytes.
    ///
    /// # Errors
    /// None of ours; those of the contract's constructor.
    pub fn schemas(&self) -> Result<Vec<Part>> {
        let part = |tool: &Tool| {
            contracts::tools::ToolSchema::new(tool.name, &tool.description, &tool.parameters)
                .map(|schema| schema.part())
        };
        self.tools.iter().map(part).collect()
    }

    /// Kills what commands have left running.
    pub fn stop_background(&self) {
        self.shell.stop_background();
    }

    /// Runs one call. `arguments` is the raw text the model wrote; `progress` gets what run_shell prints, as it comes.
    ///
    /// Once `cancelled` is ready the result comes within 2 s: run_shell is stopped, the others end by themselves.
    pub async fn execute(
        &self,
        name: &str,
        arguments: &str,
        cancelled: impl Future<Output = ()>,
        progress: impl FnMut(&str),
    ) -> ToolResult {
        match self.answer(name, arguments, cancelled, progress).await {
            Ok(result) => result,
            Err(failure) => failure.into(),
        }
    }

    async fn answer(
        &self,
        name: &str,
        arguments: &str,
        cancelled: impl Future<Output = ()>,
        progress: impl FnMut(&str),
    ) -> Result<ToolResult, Failure> {
        let tool = self.tools.iter().find(|tool| tool.name == name).ok_or_else(|| self.unknown(name))?;
        let arguments = Arguments::read(tool, arguments)?;
        let text = |name: &str| arguments.text(name).map(str::to_owned);
        let count = |name: &str| arguments.count(name);
        let (root, bytes_max) = (Arc::clone(&self.root), self.config.output_bytes_max);
        let path = text("path").unwrap_or_else(|| ".".to_owned());
        let mask = self.mask.clone();
        match tool.name {
            "read_file" => {
                let (offset, limit) = (count("offset").unwrap_or(1), count("limit").unwrap_or(u64::MAX));
                on_disk(cancelled, move || read_file(&root, &path, offset, limit, bytes_max, &mask)).await
            }
            "write_file" => {
                let content = text("content").unwrap_or_default();
                on_disk(cancelled, move || write_file(&root, &path, &content)).await
            }
            "list_files" => on_disk(cancelled, move || list_files(&root, &path, bytes_max)).await,
            _ => {
                let command = text("command").unwrap_or_default();
                let timeout =
                    Duration::from_millis(count("timeout_ms").unwrap_or(self.config.shell_timeout_ms));
                self.shell.run(self.root.path(), &command, timeout, cancelled, progress, &mask).await
            }
        }
    }

    fn unknown(&self, name: &str) -> Failure {
        let names: Vec<_> = self.tools.iter().map(|tool| format!("`{}`", tool.name)).collect();
        let message = format!("unknown tool {}; the tools are {}", shown(name), names.join(", "));
        Failure::new(code::UNKNOWN_TOOL, message)
    }
}

/// Runs code that waits for the disk on a thread of its own. It cannot be interrupted, so a cancelled call gives it a moment
/// and else says that it does not know.
async fn on_disk(
    cancelled: impl Future<Output = ()>,
    code: impl FnOnce() -> Result<String, Failure> + Send + 'static,
) -> Result<ToolResult, Failure> {
    let mut work = pin!(blocking(code));
    let done = tokio::select! {
        biased;
        done = &mut work => Some(done),
        () = cancelled => timeout(DISK_WAIT, work).await.ok(),
    };
    match done {
        Some(Ok(text)) => text.map(ToolResult::ok),
        Some(Err(panic)) => Ok(panic.into()),
        None => Err(Failure::new(
            code::ABORTED,
            "the call was cancelled while the disk was busy; look before you repeat it",
        )),
    }
}
