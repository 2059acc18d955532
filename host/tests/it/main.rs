//! The `harness` program, run as a person or a client would: in a folder of its own, with real libraries and real signals.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it stands")]

mod sandbox;
mod process;
mod terminal;
mod lifeline;

mod run;
mod http;
mod response;
mod retry;
mod policy;
mod guards;
mod context;
mod dispatch;
mod extension;
mod cancel;
mod endings;
mod ask;
mod loading;
mod damaged;
mod faults;
mod entries;
mod garbled;
mod configuration;
mod first_abi;
mod secrets;
mod cli;
