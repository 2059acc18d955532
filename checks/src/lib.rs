//! Proves of any row, ours or yours, that it keeps its service's contract; its parts are usable from other tests.

pub mod failure;
pub mod fake_model;
pub mod workspace;
