//! Who may write a session: whoever has the lock of a file that is there as long as somebody writes.
use crate::failure;
use plugin_sdk::{Part, Result, lock};
use std::{
    fs::{self, File, OpenOptions},
    io::ErrorKind,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

/// The right to write a session, until it is dropped or its process ends.
pub(crate) struct Claim {
    path: PathBuf,
    _file: File,
}

impl Claim {
    pub(crate) fn take(folder: &Path, session: &str) -> Result<Self> {
        let name: String = Part::new(session).id().iter().map(|byte| format!("{byte:02x}")).collect();
        let path = folder.join(name).with_extension("lock");
        loop {
            let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
            let file = file.map_err(|error| match error.kind() {
                // Without a folder there are no sessions.
                ErrorKind::NotFound => failure::not_found(session),
                _ => failure::refused_by_system(session, &path, &error),
            })?;
            lock::take(&file).map_err(|refused| failure::locked(session, &path, refused))?;
            let links =
                file.metadata().map_err(|error| failure::refused_by_system(session, &path, &error))?.nlink();
            // The one who had it before has taken the file away meanwhile: this lock is nobody else's business.
            if links > 0 {
                return Ok(Claim { path, _file: file });
            }
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // While the lock is still held, so that it is this one's file.
        drop(fs::remove_file(&self.path));
    }
}
