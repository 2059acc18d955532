//! The fake model, seen from the other end of a socket.

mod client;
mod replies;
mod faults;
mod rules;
mod extension;
mod waiting;
mod script;
mod process;
mod properties;
