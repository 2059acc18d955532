//! Server-sent events: bytes are pushed in as they arrive, events come out as soon as they are complete.
//!
//! The rules are those of the WHATWG HTML standard, section 9.2 ("server-sent events"): lines end in LF, CR LF or CR,
//! one byte order mark at the start is skipped, several `data` lines are joined by a newline, an event without data is
//! not an event, and text that is not UTF-8 is replaced, never fatal. Bytes may be split anywhere.
//!
//! Two things go beyond the standard. Comments are handed out too, because a keep-alive comment is a sign of life that
//! an idle watchdog wants to see. And what one line, or the data of one event, may hold is bounded, because the other
//! end decides what it sends.
//!
//! ```
//! use kit_sse::{Event, Parser};
//!
//! let mut parser = Parser::default();
//! let mut seen = Vec::new();
//! for bytes in [&b"data: {\"a\""[..], b": 1}\r", b"\n\r\n: still here\n\ndata: [DONE]"] {
//!     parser.feed(bytes, |event| match event {
//!         Event::Message(message) => seen.push(message.data.to_owned()),
//!         Event::Comment(text) => seen.push(format!("comment {text}")),
//!         Event::Retry(_) => {}
//!     })?;
//! }
//! assert_eq!(seen, ["{\"a\": 1}", "comment still here"]);
//!
//! // The stream ended without the blank line that would have completed its last event: the caller decides.
//! assert_eq!(parser.finish().map(|pending| pending.data).as_deref(), Some("[DONE]"));
//! # Ok::<(), kit_sse::TooLong>(())
//! ```

mod parser;

pub use parser::{Event, Message, Parser, Pending, TooLong};
