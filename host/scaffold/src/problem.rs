//! Why no crate was made: a code for programs, a sentence, and the one thing to do.
use std::{fmt, io, path::Path};

/// A failure as it is shown.
#[derive(Debug)]
pub struct Problem {
    /// A stable word, SCREAMING_SNAKE.
    pub code: &'static str,
    /// One plain sentence: what is wrong, and where.
    pub what: String,
    /// The one thing to do about it.
    pub hint: String,
}

impl Problem {
    /// A failure with all it says.
    pub fn new(code: &'static str, what: impl Into<String>, hint: impl Into<String>) -> Problem {
        Problem { code, what: what.into(), hint: hint.into() }
    }

    /// A file or folder that cannot be read or written.
    pub fn file(path: &Path, error: &io::Error) -> Problem {
        let what = format!("{}: {error}", path.display());
        Problem::new("FILE_FAILED", what, "make it a place that this user may read and write")
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {} ({})\n  hint: {}", self.what, self.code, self.hint)
    }
}

impl std::error::Error for Problem {}
