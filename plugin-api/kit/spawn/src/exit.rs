//! How a process ended, and how that is said.

use std::{fmt, os::unix::process::ExitStatusExt, process::ExitStatus};

use nix::sys::signal::Signal;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code. A shell that says 137 is not a process that was killed.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// Nobody could tell: the kernel did not let go of it after SIGKILL, or someone else has reaped it.
    Unknown,
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Unknown,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code: {code}"),
            Self::Signal(number) => match Signal::try_from(*number) {
                Ok(signal) => write!(f, "killed by signal: {signal}"),
                Err(_) => write!(f, "killed by signal: {number}"),
            },
            Self::Unknown => f.write_str("exit code: unknown"),
        }
    }
}
