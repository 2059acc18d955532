//! The folder that file tools stay in.
use plugin_sdk::{Error, Result};
use std::{
    fs,
    path::{Component, Path, PathBuf},
};

/// Whole and without links: what a path really leads to is compared with it.
#[derive(Debug)]
pub(crate) struct Root(PathBuf);

impl Root {
    pub(crate) fn new(folder: &str) -> Result<Self> {
        let is_folder = |path: &PathBuf| path.is_dir();
        fs::canonicalize(folder).ok().filter(is_folder).map(Root).ok_or_else(|| {
            Error::new("ROOT_NOT_FOUND", format!("template-tools: root `{folder}` is not a folder"))
                .hint("set `root` of the row to a folder that is there")
        })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    /// Where a path of the model's leads, whether something is there or not.
    ///
    /// # Errors
    /// `FS_SANDBOX_DENIED` when its words, or the links on it, lead out of the root.
    pub(crate) fn resolve(&self, path: &str) -> Result<PathBuf> {
        let denied = || Error::new("FS_SANDBOX_DENIED", format!("`{path}` leads out of the working folder"));
        // Joining an absolute path takes the place of the root, and then it has to begin like it.
        let mut place = PathBuf::new();
        for part in self.0.join(path).components() {
            match part {
                Component::ParentDir => drop(place.pop()),
                part => place.push(part),
            }
        }
        if !place.starts_with(&self.0) {
            return Err(denied());
        }
        // What is not there yet cannot be a link; a link to nowhere is there.
        let there = place.ancestors().find(|above| above.symlink_metadata().is_ok()).unwrap_or(&self.0);
        match there.canonicalize() {
            Ok(real) if real.starts_with(&self.0) => Ok(place),
            _ => Err(denied()),
        }
    }
}
