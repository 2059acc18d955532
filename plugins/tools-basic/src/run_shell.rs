//! `run_shell`: one command line, its output and how it ended.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use contracts::tools::{ToolResult, code};
use plugin_sdk::{
    contracts,
    spawn::{self, Group, Ran, Spec, Stopped},
    truncate::{Decoder, HeadTail},
};

use crate::{
    Config, environment,
    failure::{self, Failure},
    mask::Mask,
};

/// Where shells are, best first: bash is what models write for, sh is what every system has.
const SHELLS: [&str; 4] = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/bin/sh"];

/// Runs command lines, and keeps what they leave running.
#[derive(Debug)]
pub(crate) struct Shell {
    program: PathBuf,
    env_keep: Vec<String>,
    output_bytes_max: usize,
    /// Killed when this goes.
    background: Mutex<Vec<Group>>,
}

impl Shell {
    pub(crate) fn new(config: &Config) -> Self {
        let program = SHELLS.iter().map(PathBuf::from).find(|shell| shell.exists());
        Self {
            program: program.unwrap_or_else(|| "sh".into()),
            env_keep: config.env_keep.clone(),
            output_bytes_max: config.output_bytes_max,
            background: Mutex::default(),
        }
    }

    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// Kills what earlier commands left running.
    pub(crate) fn stop_background(&self) {
        drop(std::mem::take(&mut *self.background()));
    }

    /// Runs `command` in `folder` until it ends, `timeout` has passed or `cancelled` is ready. `progress` gets the output as it
    /// comes, until it has had as much as the result may hold.
    pub(crate) async fn run(
        &self,
        folder: &Path,
        command: &str,
        timeout: Duration,
        cancelled: impl Future<Output = ()>,
        progress: impl FnMut(&str),
        mask: &Mask,
    ) -> Result<ToolResult, Failure> {
        if command.trim().is_empty() || command.contains('\0') {
            let message = "`command` is empty or has a NUL; a correct command is a line that bash can run, such as `ls -l`";
            return Err(Failure::new(code::INVALID_ARGS, message));
        }
        let mut spec = Spec::new(&self.program, folder);
        spec.args = ["-c", command].map(Into::into).to_vec();
        spec.timeout = Some(timeout);
        spec.env_remove = environment::withheld(std::env::vars_os().map(|(name, _)| name), &self.env_keep);
        spec.env = environment::PLAIN.map(|(name, value)| (name.into(), value.into())).to_vec();

        let mut output = HeadTail::new(self.output_bytes_max / 2, self.output_bytes_max.div_ceil(2));
        let mut live = Live { decoder: Decoder::default(), bytes_left: self.output_bytes_max, progress };
        let ran = spawn::run(&spec, cancelled, |bytes| {
            output.push(bytes);
            live.push(bytes);
        });
        let mut ran = ran.await.map_err(|e| not_started(&e, command.len()))?;
        let left_behind = ran.background.take().map(|group| self.keep(group));
        let (text, _) = output.finish_masked(|text| mask.text(text));
        Ok(result(&ran, text, left_behind, timeout))
    }

    /// Keeps a group to be killed at the end, lets go of those that have ended by themselves, and says which number it has.
    fn keep(&self, group: Group) -> i32 {
        let id = group.id();
        let mut background = self.background();
        background.retain(Group::alive);
        background.push(group);
        id
    }

    fn background(&self) -> std::sync::MutexGuard<'_, Vec<Group>> {
        self.background.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The output as it is shown to whoever watches.
struct Live<F> {
    decoder: Decoder,
    bytes_left: usize,
    progress: F,
}

impl<F: FnMut(&str)> Live<F> {
    fn push(&mut self, bytes: &[u8]) {
        if self.bytes_left == 0 {
            return;
        }
        self.decoder.push(bytes, |text| {
            let fits = &text[..text.floor_char_boundary(self.bytes_left)];
            // The last line may end in half a secret, and what came after a cut would stand in the wrong place.
            let (text, bytes_left) = match fits.len() == text.len() {
                true => (text, self.bytes_left - text.len()),
                false => (&fits[..fits.rfind('\n').map_or(0, |end| end + 1)], 0),
            };
            self.bytes_left = bytes_left;
            if !text.is_empty() {
                (self.progress)(text);
            }
        });
    }
}

fn not_started(error: &std::io::Error, command_bytes: usize) -> Failure {
    let message = match error.kind() {
        ErrorKind::ArgumentListTooLong => format!(
            "the command has {command_bytes} bytes, more than the system takes; write it to a file with write_file and run that"
        ),
        ErrorKind::NotFound => "the shell or the working folder is not there any more".to_owned(),
        _ => format!("the shell could not be started: {error}"),
    };
    Failure::new(failure::code::SPAWN_FAILED, message)
}

fn result(ran: &Ran, mut text: String, left_behind: Option<i32>, timeout: Duration) -> ToolResult {
    if text.trim().is_empty() {
        text = "(no output)".to_owned();
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    if let Some(group) = left_behind {
        text.push_str(&format!(
            "[still running in the background, no longer heard; `kill -- -{group}` ends it]\n"
        ));
    }
    match ran.stopped {
        None => ToolResult::ok(format!("{text}[{}]", ran.exit)),
        Some(Stopped::TimedOut) => ToolResult::error(
            code::TOOL_TIMEOUT,
            format!(
                "{text}[Error: stopped after {} ms; give a longer timeout_ms if it needs more]",
                timeout.as_millis()
            ),
        ),
        Some(Stopped::Cancelled) => {
            ToolResult::error(code::ABORTED, format!("{text}[Error: stopped, the call was cancelled]"))
        }
    }
}
