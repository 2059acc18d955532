//! `session`: the append-only log that a model's history is derived from.
//!
//! | method | takes | answers |
//! |---|---|---|
//! | `create` | `{"session"?, "parent"?}` | `{"session"}` |
//! | `append` | `{"session", "events": [{"kind", "data", "parts"?: n}]}` and the events' parts in order | `{"seq"}` of the first |
//! | `flush` | `{"session"}` | `{}` once everything appended is on disk |
//! | `read` (stream) | `{"session", "from_seq"?}` | events in order, one item each |
//! | `fork` | `{"session", "at_seq"?}` | `{"session"}`, a new one that begins with the events before `at_seq`, or with all |
//! | `list` | `{}` | `{"sessions": [{"session", "parent"?, "started_ms", "last_ms", "title"?}]}`, latest first |
//! | `put` / `get` | `{"session", "key", "value"}` / `{"session", "key"}` | `{}` / `{"value"}`, `null` when unset |
//! | `close` | `{"session"}` | `{}` |
//! | `delete` | `{"session"}` | `{}` |
//!
//! # What a log is
//! Events with positions from 0 without gaps, under a header with the format's version. An append is kept as a whole or not at all, and its
//! order is the order of the calls. Time never goes back from one event to the next, whatever the clock does. Nothing is rewritten: the one
//! thing that is ever taken away is an end that was half written when its writer died, and that is said in a note.
//!
//! A log has one writer. Whoever appends first (an append of nothing is enough, and answers the next position) has it until `close`, or until
//! the session or the process ends; readers need nothing. A kept value is an event too ([`kind::SESSION_PUT`]), so a fork has those from before it.
//!
//! # What is not known
//! An event of an unknown kind is kept, and passed over by readers, unless its data says `"required": true`: then [`History`] refuses
//! to go on. A header of a newer format is refused by whoever reads the file. An unknown chunk kind of `read` is passed over.
//!
//! # Codes
//! [`code`] has them. Everything else a log says of its disk is `SESSION_IO`.
mod client;
mod event;
mod history;
mod pending;
mod serve;
mod turn;
pub mod kind;

use crate::{Cx, Result};
use futures_core::Stream;
use serde_json::Value;
use std::future::Future;

pub use client::{Client, Events};
pub use event::{Event, NewEvent, Summary};
pub use history::{History, closers, history};
pub use serve::Contract;

/// Codes of a log's errors.
pub mod code {
    /// No session of that name.
    pub const SESSION_NOT_FOUND: &str = "SESSION_NOT_FOUND";
    /// `create` was given the name of one that is there.
    pub const SESSION_EXISTS: &str = "SESSION_EXISTS";
    /// Somebody else writes it.
    pub const SESSION_LOCKED: &str = "SESSION_LOCKED";
    /// The log is damaged before its end; nothing was changed.
    pub const SESSION_CORRUPT: &str = "SESSION_CORRUPT";
    /// A newer format, or an event that must be understood and is not.
    pub const SESSION_UNSUPPORTED: &str = "SESSION_UNSUPPORTED";
    /// `fork` at a position inside a turn.
    pub const SESSION_OPEN_TURN: &str = "SESSION_OPEN_TURN";
    /// The system refused: a full disk, a read-only folder. Nothing was appended.
    pub const SESSION_IO: &str = "SESSION_IO";
    /// The result of a call whose tool was never started.
    pub const TOOL_NOT_STARTED: &str = "TOOL_NOT_STARTED";
    /// The result of a call whose tool was started, and nobody saw the end.
    pub const TOOL_OUTCOME_UNKNOWN: &str = "TOOL_OUTCOME_UNKNOWN";
}

/// What a log implements.
pub trait Session: Send + Sync + 'static {
    /// A new session, under the given name or one of its own making.
    fn create(
        &self,
        session: Option<String>,
        parent: Option<String>,
        cx: &Cx,
    ) -> impl Future<Output = Result<String>> + Send;
    /// Appends events as one; the position of the first, for none the next one's.
    fn append(
        &self,
        session: &str,
        events: Vec<NewEvent>,
        cx: &Cx,
    ) -> impl Future<Output = Result<u64>> + Send;
    /// Ready once everything appended is on disk.
    fn flush(&self, session: &str, cx: &Cx) -> impl Future<Output = Result<()>> + Send;
    /// The events from a position on. Damage is an error behind the events before it.
    fn read(
        &self,
        session: String,
        from_seq: u64,
        cx: Cx,
    ) -> impl Stream<Item = Result<Event>> + Send + 'static;
    /// A new session that begins with the events before a position, which must not be inside a turn; [`u64::MAX`]: with all.
    fn fork(&self, session: &str, at_seq: u64, cx: &Cx) -> impl Future<Output = Result<String>> + Send;
    /// All sessions, latest first.
    fn list(&self, cx: &Cx) -> impl Future<Output = Result<Vec<Summary>>> + Send;
    /// Keeps a value that must survive a swap, a fork or a crash.
    fn put(&self, session: &str, key: &str, value: Value, cx: &Cx)
    -> impl Future<Output = Result<()>> + Send;
    /// A kept value, `Null` when unset.
    fn get(&self, session: &str, key: &str, cx: &Cx) -> impl Future<Output = Result<Value>> + Send;
    /// Ends writing: the lock is given back.
    fn close(&self, session: &str, cx: &Cx) -> impl Future<Output = Result<()>> + Send;
    /// Takes a session away that nobody else writes.
    fn delete(&self, session: &str, cx: &Cx) -> impl Future<Output = Result<()>> + Send;
}
