//! The row's config.

use std::path::Path;

use plugin_sdk::{Error, Result};
use serde::Deserialize;

use crate::root::Root;

/// The row's config; `config.schema.json` says what each key means and has the defaults, which the host fills in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "described once, in the schema")]
pub struct Config {
    pub root: String,
    pub shell_timeout_ms: u64,
    pub shell_timeout_ms_max: u64,
    pub output_bytes_max: usize,
    pub env_keep: Vec<String>,
}

impl Config {
    /// What the schema cannot say: that the default timeout is allowed, and that the root is there.
    ///
    /// # Errors
    /// `CONFIG_INVALID`, `ROOT_NOT_FOUND`.
    pub(crate) fn root(&self) -> Result<Root> {
        if self.shell_timeout_ms > self.shell_timeout_ms_max {
            let message = "`shell_timeout_ms` is more than `shell_timeout_ms_max`";
            return Err(Error::new("CONFIG_INVALID", message).hint("raise `shell_timeout_ms_max`"));
        }
        Root::new(Path::new(&self.root)).map_err(|e| {
            Error::new("ROOT_NOT_FOUND", format!("root `{}`: {e}", self.root))
                .hint("set `root` to a folder that exists")
        })
    }
}
