//! The ABI as a plugin and a host see it.
mod cancel;
mod listing;
mod manifest;
mod parts;
mod polls;
