//! The bytes of a response, as they come, into chunks.
use crate::{
    failure::{RESPONSE_TOO_LARGE, failure},
    reply::Reply,
    said::Said,
};
use contracts::llm::{StreamChunk, code};
use plugin_sdk::{
    contracts,
    sse::{Event, Parser, TooLong},
};
use std::mem::take;

/// How much is kept of a response that is no event stream: enough for an error message.
const PAGE_BYTES_MAX: usize = 64 << 10;

/// Reads one response. The chunks do not depend on how its bytes are cut; the last one is the only finish.
#[derive(Debug, Default)]
pub struct Reader {
    parser: Parser,
    reply: Reply,
    /// Whether anything but white space has come.
    begun: bool,
    /// What came in place of an event stream.
    page: Option<Vec<u8>>,
}

impl Reader {
    /// Takes the next bytes and adds the chunks they complete. What comes after the finish is passed over.
    pub fn read(&mut self, bytes: &[u8], chunks: &mut Vec<StreamChunk>) {
        let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace());
        if let Some(start) = start.filter(|_| !self.begun) {
            self.begun = true;
            // An event stream has no line that begins with one of these, but pages and plain JSON do.
            if matches!(bytes[start], b'<' | b'{' | b'[') {
                self.page = Some(Vec::new());
                return self.read(&bytes[start..], chunks);
            }
        }
        if let Some(page) = &mut self.page {
            let room = PAGE_BYTES_MAX - page.len();
            page.extend_from_slice(&bytes[..room.min(bytes.len())]);
            if room <= bytes.len() {
                self.end(chunks);
            }
            return;
        }
        let reply = &mut self.reply;
        let parsed = self.parser.feed(bytes, |event| {
            if let Event::Message(message) = event {
                reply.take(message.event, message.data, chunks);
            }
        });
        if let Err(TooLong { bytes_max }) = parsed {
            let what = format_args!("the response has a line or an event of more than {bytes_max} bytes");
            reply.fail(failure(RESPONSE_TOO_LARGE, what), chunks);
        }
    }

    /// The response has ended: adds what is still missing, the finish at least.
    pub fn end(&mut self, chunks: &mut Vec<StreamChunk>) {
        if let Some(page) = &self.page {
            let text = String::from_utf8_lossy(page);
            return self.reply.page(&Said::in_body(&text), &text, chunks);
        }
        match take(&mut self.parser).finish() {
            // Cut or not, nothing can be missing behind this.
            Some(last) if last.data.trim() == "[DONE]" => self.reply.take(&last.event, &last.data, chunks),
            _ => {
                let what = "the response stopped before its [DONE], so there may be more of it";
                self.reply.fail(failure(code::STREAM_CLOSED, what), chunks);
            }
        }
    }
}
