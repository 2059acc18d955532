//! The run protocol: all that a host knows of a run.
//!
//! A plugin whose manifest declares a command is reached as `harness <command>`. The host opens the command's
//! method with the head `{"task": "…"}` and reads events from two sides, the stream it opened and [`crate::Run::emit`]:
//!
//! | event | in a stream | in `emit` | payload |
//! |---|---|---|---|
//! | out | [`OUT`], `text` | `"out"` | `{"text": "…"}`: what the person asked for, piece by piece |
//! | note | [`NOTE`], `data` | `"note"` | `{"level": "info" \| "warn" \| "error", "text": "…"}` |
//! | end | [`END`], `data` | – | [the end](#the-end); the last item of the stream |
//! | anything | [`EVENT`], `text` is the kind, `data` the value | any other kind | opaque: passed to JSON outputs only |
//!
//! # The end
//! `{"status": "completed", "code": null, "message": "", "steps": 2, "usage": {…}, "cost": null, "session": "…"}`. `status` is one
//! of `completed`, `max-tokens`, `aborted`, `blocked`, `error`, `interrupted`; `usage` and `cost` are passed on as they are. Exit codes:
//! completed 0, error and interrupted 1, blocked 3 (5 when `code` starts with `LIMIT_`), max-tokens 4, aborted 130.
//!
//! # Asking
//! [`crate::Run::ask`] takes `{"id", "title", "body", "choices": [{"id", "label"}], "default": "choice id" | null,
//! "timeout_ms": 0}` and yields `{"choice": "choice id", "remember": false}`. With no one to ask it fails with [`NO_ONE_TO_ASK`]; a
//! timeout yields the default, or fails so when there is none.

/// Text for the person.
pub const OUT: u16 = 60000;
/// A note beside the text.
pub const NOTE: u16 = 60001;
/// How it ended.
pub const END: u16 = 60002;
/// Any other event.
pub const EVENT: u16 = 60003;

/// The code of a question that nobody is there to answer.
pub const NO_ONE_TO_ASK: &str = "NO_ONE_TO_ASK";
/// The code of work that ended because its token was fired.
pub const ABORTED: &str = "ABORTED";
/// The code of a call into a slot that holds nothing.
pub const NOT_MOUNTED: &str = "NOT_MOUNTED";
/// The code of a method that a service does not have.
pub const NO_METHOD: &str = "NO_METHOD";
/// The code of a plugin's panic.
pub const PANIC: &str = "PANIC";
/// The code of a call to a row whose poll has not returned.
pub const STUCK: &str = "STUCK";
