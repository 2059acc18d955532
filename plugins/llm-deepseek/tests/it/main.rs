//! The adapter through its contract: bytes in and chunks out, and real HTTP against the fake model.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails where it stands")]

mod chunks;
mod row;
mod streams;
mod cuts;
mod requests;
mod refusals;
mod credentials;
mod endings;
