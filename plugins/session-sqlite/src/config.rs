//! The row's config.
use plugin_sdk::{Error, Result};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// As `config.schema.json` has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The folder of the database; a leading `~/` is the home folder.
    pub root: String,
}

impl Config {
    /// The folder as a path that stays the same wherever the process goes.
    pub(crate) fn folder(&self) -> Result<PathBuf> {
        let folder = match self.root.strip_prefix("~/") {
            None => PathBuf::from(&self.root),
            Some(rest) => home()?.join(rest),
        };
        std::path::absolute(&folder)
            .map_err(|error| invalid(format!("`root`: `{}`: {error}", folder.display())))
    }
}

fn home() -> Result<PathBuf> {
    let home = std::env::home_dir().filter(|home| Path::is_absolute(home));
    home.ok_or_else(|| invalid("`root` begins with `~/`, and this user has no home folder".to_owned()))
}

fn invalid(message: String) -> Error {
    Error::new("CONFIG_INVALID", message).hint("give `root` of the session row as an absolute path")
}
