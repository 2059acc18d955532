//! Where the learner works: in a checkout of the repository, or in a folder of their own.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::{checkout, problem::Problem};

/// The folder that plugins, notes and rows are in.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) root: PathBuf,
    /// It is the repository's own.
    pub(crate) is_checkout: bool,
}

impl Place {
    /// The checkout around the current folder, else that folder.
    ///
    /// # Errors
    /// `FILE_FAILED` when there is no current folder any more.
    pub(crate) fn here() -> Result<Self, Problem> {
        let here = std::env::current_dir().map_err(|error| Problem::file(".".as_ref(), &error))?;
        Ok(match checkout::around(&here) {
            Some(root) => Self { root, is_checkout: true },
            None => Self { root: here, is_checkout: false },
        })
    }

    /// How `harness` is called here.
    pub(crate) fn harness(&self) -> &'static str {
        if self.is_checkout { "cargo harness" } else { "harness" }
    }

    /// A path as it is shown: from the root on.
    pub(crate) fn shown<'a>(&self, path: &'a Path) -> std::path::Display<'a> {
        path.strip_prefix(&self.root).unwrap_or(path).display()
    }

    /// Writes a file unless there is one; whether there was.
    ///
    /// # Errors
    /// `FILE_FAILED`.
    pub(crate) fn put(&self, path: &Path, text: &str) -> Result<bool, Problem> {
        let failed = |error| Problem::file(path, &error);
        fs::create_dir_all(path.parent().unwrap_or(&self.root)).map_err(failed)?;
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(mut file) => file.write_all(text.as_bytes()).map(|()| false).map_err(failed),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(true),
            Err(error) => Err(failed(error)),
        }
    }
}
