//! From files to rows: harness.yml, patches, variables and config schemas in, rows that can be mounted out.
//!
//! Knows files and nothing of plugins: [`read`], then [`patch`] as often as there are patches, then [`resolve`], and, once a row's plugin
//! has been found, [`complete`] with its schema. Every mistake is a [`Problem`] that names file and line.
mod raw;
mod patch;
mod yaml;
mod locate;
mod lines;
mod environment;
mod resolve;
mod schema;
mod problem;
#[cfg(test)]
mod tests;

pub use environment::Environment;
pub use locate::{Place, escaped};
pub use patch::apply as patch;
pub use problem::{Problem, did_you_mean, names};
pub use raw::{RawRow, read};
pub use resolve::{Resolved, Row, rows as resolve};
pub use schema::apply as complete;
