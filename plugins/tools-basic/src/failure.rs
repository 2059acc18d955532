//! A call that went wrong, as the model reads it: what, and what a correct call looks like.

use contracts::tools::ToolResult;
use nix::errno::Errno;
use plugin_sdk::contracts;

/// Codes of failed results beside those that the contract names.
pub(crate) mod code {
    pub(crate) const FS_ERROR: &str = "FS_ERROR";
    pub(crate) const FS_NOT_DIRECTORY: &str = "FS_NOT_DIRECTORY";
    pub(crate) const FS_NOT_FOUND: &str = "FS_NOT_FOUND";
    pub(crate) const FS_NOT_REGULAR_FILE: &str = "FS_NOT_REGULAR_FILE";
    pub(crate) const FS_NOT_TEXT: &str = "FS_NOT_TEXT";
    pub(crate) const FS_SANDBOX_DENIED: &str = "FS_SANDBOX_DENIED";
    pub(crate) const SPAWN_FAILED: &str = "SPAWN_FAILED";
}

/// Why a call failed. The message never holds a path that leads out of the root.
#[derive(Debug)]
pub(crate) struct Failure {
    code: &'static str,
    message: String,
}

impl Failure {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// What the system said about a path that the model gave.
    pub(crate) fn system(path: &str, error: impl Into<std::io::Error>) -> Self {
        let error = error.into();
        let errno = error.raw_os_error().map_or(Errno::UnknownErrno, Errno::from_raw);
        let path = shown(path);
        match errno {
            Errno::ENOENT => {
                Self::new(code::FS_NOT_FOUND, format!("{path} is not there; list_files shows what is"))
            }
            Errno::ENOTDIR => Self::new(
                code::FS_NOT_DIRECTORY,
                format!("{path}: a part of the path is a file, not a folder"),
            ),
            Errno::ENAMETOOLONG => {
                Self::new(code::FS_ERROR, format!("{path} is too long a path or name for the system"))
            }
            Errno::ELOOP => Self::new(code::FS_ERROR, format!("{path} is a link that leads in a circle")),
            Errno::UnknownErrno => Self::new(code::FS_ERROR, format!("{path}: {error}")),
            _ => Self::new(code::FS_ERROR, format!("{path}: {}", errno.desc().to_lowercase())),
        }
    }

    pub(crate) fn not_a_file(path: &str, what: &str) -> Self {
        Self::new(code::FS_NOT_REGULAR_FILE, format!("{} is {what}, not a regular file", shown(path)))
    }

    pub(crate) fn outside() -> Self {
        let message = "the path leads out of the working folder, which file tools cannot leave; \
                       a correct path is relative to it, such as `src/main.rs`";
        Self::new(code::FS_SANDBOX_DENIED, message)
    }
}

impl From<Failure> for ToolResult {
    fn from(failure: Failure) -> Self {
        ToolResult::error(failure.code, format!("Error: {}", failure.message))
    }
}

/// A name or path of the model's, quoted, on one line, cut if it is long.
pub(crate) fn shown(text: &str) -> String {
    const CHARS_MAX: usize = 120;
    let mut shown: String = text.chars().take(CHARS_MAX).flat_map(char::escape_debug).collect();
    if text.chars().nth(CHARS_MAX).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}
