//! The script of a fake model: what it answers to each request, read from YAML and checked before it serves.

mod written;
mod reply;

use std::path::Path;

use serde::Deserialize;

use super::answer::piece_bounds;
use crate::failure::Failure;

pub(super) use reply::{Answer, Content, Place, Reply};
pub(super) use written::{Changes, Expect, Fault, ReasoningField, UsagePlan};

/// A checked script; see SCRIPTS.md for the format.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    pub(super) replies: Vec<Reply>,
    #[serde(default)]
    pub(super) on_end: OnEnd,
    #[serde(default = "one_model")]
    pub(super) models: Vec<String>,
}

/// What a request gets that comes after the last reply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum OnEnd {
    #[default]
    Error,
    RepeatLast,
}

fn one_model() -> Vec<String> {
    vec!["fake-model".to_owned()]
}

impl Script {
    /// Reads a script from its YAML text; a `raw_file` is found from the current directory.
    ///
    /// # Errors
    /// `SCRIPT_INVALID` for text that is no script, with its line where YAML knows it; `SCRIPT_UNREADABLE` for a
    /// `raw_file` that cannot be read.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        Self::read(text, "script", Path::new(""))
    }

    /// Reads a script from a file; a `raw_file` in it is found from that file's directory.
    ///
    /// # Errors
    /// As [`Script::parse`], and `SCRIPT_UNREADABLE` for the file itself.
    pub fn load(file: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(file).map_err(|error| unreadable("script", file, &error))?;
        let base = file.parent().unwrap_or(Path::new(""));
        Self::read(&text, &file.display().to_string(), base)
    }

    fn read(text: &str, origin: &str, base: &Path) -> Result<Self, Failure> {
        let mut script: Self = serde_yaml::from_str(text).map_err(|error| {
            let place = error.location().map(|at| format!(":{}", at.line())).unwrap_or_default();
            let said = error.to_string();
            // The parser ends its text with the same place in words of its own.
            let said = said.split(" at line ").next().unwrap_or(&said);
            invalid(format!("{origin}{place}: {said}"))
        })?;
        if script.replies.is_empty() {
            return Err(invalid(format!("{origin}: `replies` is empty, a script has at least one reply")));
        }
        for (index, reply) in script.replies.iter_mut().enumerate() {
            if let Content::Raw(raw) = &mut reply.content {
                if let Some(file) = &raw.file {
                    let file = base.join(file);
                    raw.bytes =
                        std::fs::read(&file).map_err(|error| unreadable("`raw_file`", &file, &error))?;
                }
                piece_bounds(&raw.split_at, raw.bytes.len())
                    .map_err(|said| invalid(format!("{origin}: replies[{index}]: {said}")))?;
            }
        }
        Ok(script)
    }

    /// Whether any reply waits for the gate `name`.
    pub(super) fn has_gate(&self, name: &str) -> bool {
        self.replies.iter().any(|reply| reply.wait_for.as_deref() == Some(name))
    }

    /// The names of all gates, in the order of the replies.
    pub(super) fn gates(&self) -> Vec<&str> {
        self.replies.iter().filter_map(|reply| reply.wait_for.as_deref()).collect()
    }
}

fn invalid(message: String) -> Failure {
    Failure::new("SCRIPT_INVALID", message, "correct the script; checks/SCRIPTS.md lists every key")
}

fn unreadable(what: &str, file: &Path, error: &std::io::Error) -> Failure {
    Failure::new(
        "SCRIPT_UNREADABLE",
        format!("{what} {}: {error}", file.display()),
        "name a readable file; a `raw_file` is found from the script's own directory",
    )
}
