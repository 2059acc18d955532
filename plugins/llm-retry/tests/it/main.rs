//! Requests through the wrap, on a clock that the test moves: what is sent below, and what comes out above.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it stands")]

mod notation;
mod run;
mod failures;
mod waits;
mod output;
mod limits;
mod budget;
mod cancel;
mod properties;
