//! Why a command could not be carried out, and the exit code that says so to programs.

use std::io::Write as _;
use std::process::ExitCode;

/// The one way to call this program.
const USAGE: &str = "harness-lab run [--release] <program> [arguments…]";

/// A refusal: what is wrong, the one thing to do about it, and the exit code.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) message: String,
    pub(crate) hint: String,
    pub(crate) exit: u8,
}

impl Problem {
    /// Nothing was started: the call or the installation is at fault.
    pub(crate) fn new(message: String, hint: impl Into<String>) -> Self {
        Self { message, hint: hint.into(), exit: 2 }
    }

    /// The command line is not one we know.
    pub(crate) fn usage(message: String) -> Self {
        Self::new(message, USAGE)
    }

    /// Says the problem on stderr.
    pub(crate) fn report(self) -> ExitCode {
        // A closed stderr leaves the exit code to say it.
        writeln!(std::io::stderr(), "error: {}\n  hint: {}", self.message, self.hint).ok();
        ExitCode::from(self.exit)
    }
}
