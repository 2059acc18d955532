//! The adapter through its contract, against real HTTP on loopback.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails where it stands")]

mod run;
mod server;
mod transcript;
mod list;

mod sse_cases;
mod stream_edges;
mod large;
mod properties;
mod refusals;
mod redirects;
mod configuration;
mod requests;
mod connection;
mod stopping;
mod tls;
