//! `run_shell`: one command line, its output and how it ended.
use crate::Bench;
use plugin_sdk::{
    Cx, Error, Result,
    contracts::tools::{ToolResult, code},
    spawn::{self, Spec, Stopped},
    truncate::HeadTail,
};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shell {
    command: String,
}

pub(crate) async fn run(bench: &Bench, Shell { command }: &Shell, cx: &Cx) -> Result<ToolResult> {
    let mut spec = Spec::new("/bin/sh", bench.root.folder());
    spec.args = ["-c", command].map(Into::into).to_vec();
    spec.timeout = Some(bench.shell_timeout);
    let bytes_max = bench.output_bytes_max;
    let mut output = HeadTail::new(bytes_max / 2, bytes_max.div_ceil(2));
    // The child and all it starts are one group, which ends with the call.
    let ran = spawn::run(&spec, cx.cancelled(), |bytes| output.push(bytes)).await;
    let ran =
        ran.map_err(|error| Error::new("SPAWN_FAILED", format!("the shell could not be started: {error}")))?;
    let (mut text, _) = output.finish();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(match ran.stopped {
        None => ToolResult::ok(format!("{text}[{}]", ran.exit)),
        Some(Stopped::TimedOut) => {
            let waited = bench.shell_timeout.as_millis();
            ToolResult::error(code::TOOL_TIMEOUT, format!("{text}[Error: stopped after {waited} ms]"))
        }
        Some(Stopped::Cancelled) => {
            ToolResult::error(code::ABORTED, format!("{text}[Error: stopped, the call was cancelled]"))
        }
    })
}
