//! A folder of this process, for parsers whose way in is a file.
use std::{fs, io, path::PathBuf, process, sync::OnceLock};

/// The folder, the same each time.
///
/// # Errors
/// It cannot be made.
pub fn folder() -> io::Result<&'static PathBuf> {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| std::env::temp_dir().join(format!("fuzz-{}", process::id())));
    fs::create_dir_all(folder)?;
    Ok(folder)
}
