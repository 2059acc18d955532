//! What this crate could not do: a code for programs, a sentence and a remedy for people.

use std::fmt;

/// One reason why something could not be done.
///
/// `message` is one lower-case sentence that starts with the thing and has no final period; `hint` says exactly
/// one thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// `SCREAMING_SNAKE`, stable, never to be read out of the text.
    pub code: &'static str,
    /// What is wrong and where.
    pub message: String,
    /// The one remedy.
    pub hint: String,
}

impl Failure {
    /// A failure from its three parts.
    pub fn new(code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: hint.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})\n  hint: {}", self.message, self.code, self.hint)
    }
}

impl std::error::Error for Failure {}
