//! The labs as a learner meets them: the commands, what they write, and the text.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a fixture that cannot be set up should stop its test")]

mod launcher;
mod start;
mod status;
mod text;
mod clone;
