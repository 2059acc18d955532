//! What is made of a template, and what is refused: the library, the program, and the crates that it makes, built and mounted.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "this is how a test fails")]

mod made;

mod writing;
mod templates;
mod refusals;
mod guide;
mod generated;
