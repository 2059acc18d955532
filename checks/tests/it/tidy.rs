//! The rules of the repository: each is data, and each is shown to report what breaks it.
//!
//! A report is `path:line: X is banned, use Y`, one line a breach.

mod tree;
mod tokens;
mod dependencies;
mod manifests;
mod names;
mod services;
mod sizes;
mod headers;
mod unfinished;
mod machine;
mod links;
mod readmes;
mod schemas;
