//! What is made of a template, and what is refused.
#![expect(clippy::unwrap_used, reason = "this is how a test fails")]

mod writing;
