//! Why a command could not be carried out, and the exit code that says so to programs.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// A refusal: what is wrong, the one thing to do about it, and the exit code.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: String,
    pub(crate) exit: u8,
}

impl Problem {
    /// Nothing was started: the call or the installation is at fault.
    pub(crate) fn new(code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: hint.into(), exit: 2 }
    }

    /// The command line is not one we know.
    pub(crate) fn usage(message: impl Into<String>, usage: &str) -> Self {
        Self::new("USAGE", message, usage)
    }

    /// A file or a folder that could not be read or written.
    pub(crate) fn file(path: &Path, error: &std::io::Error) -> Self {
        let message = format!("{}: {error}", path.display());
        Self::new("FILE_FAILED", message, "make it a place that this user may read and write")
    }

    /// Says the problem on stderr.
    pub(crate) fn report(self) -> ExitCode {
        let Self { code, message, hint, exit } = self;
        // A closed stderr leaves the exit code to say it.
        writeln!(std::io::stderr(), "error: {message} ({code})\n  hint: {hint}").ok();
        ExitCode::from(exit)
    }
}

impl From<scaffold::Problem> for Problem {
    fn from(scaffold::Problem { code, what, hint }: scaffold::Problem) -> Self {
        Self::new(code, what, hint)
    }
}
