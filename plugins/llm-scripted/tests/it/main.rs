//! The scripted model, driven through its contract.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it stands")]

mod support;

mod filters;
mod offline;
mod properties;
mod scripts;
mod streams;
