//! From the bytes of a response to its chunks, however the bytes are cut.
use crate::{document, translate::Translator};
use contracts::llm::{Failure, Finish, StreamChunk, code};
use plugin_sdk::{
    contracts,
    sse::{Event, Parser, TooLong},
};

/// The code of a response that passes a limit.
const RESPONSE_TOO_LARGE: &str = "RESPONSE_TOO_LARGE";
/// How large an answer may be that is no event stream.
const DOCUMENT_BYTES_MAX: usize = 16 << 20;

/// Reads one response, from its first byte to its last.
#[derive(Debug)]
pub struct Decoder {
    content_type: String,
    form: Form,
    parser: Parser,
    translator: Translator,
}

/// What the response is. The content type is wrong too often to tell, the first byte is not.
#[derive(Debug)]
enum Form {
    Unknown,
    Events,
    Document(Vec<u8>),
}

impl Decoder {
    /// A decoder of a response with that content type, which only messages name.
    pub fn new(content_type: &str) -> Self {
        Decoder {
            content_type: content_type.to_owned(),
            form: Form::Unknown,
            parser: Parser::default(),
            translator: Translator::default(),
        }
    }

    /// Takes the next bytes and appends what they complete to `out`. Returns the finish once the response has said its end;
    /// nothing is to be fed after that.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<StreamChunk>) -> Option<Finish> {
        if matches!(self.form, Form::Unknown) {
            self.form = match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                // No line of an event stream begins like this.
                Some(b'<' | b'{' | b'[') => Form::Document(Vec::new()),
                Some(_) => Form::Events,
                None => Form::Unknown,
            };
        }
        if let Form::Document(document) = &mut self.form {
            document.extend_from_slice(bytes);
            let too_long = document.len() > DOCUMENT_BYTES_MAX;
            return too_long.then(|| {
                too_large(&format!("no event stream, and more than {DOCUMENT_BYTES_MAX} bytes of it"))
            });
        }
        let (translator, mut finish) = (&mut self.translator, None);
        let fed = self.parser.feed(bytes, |event| {
            if let (Event::Message(message), None) = (event, &finish) {
                finish = translator.event(message.event, message.data, out);
            }
        });
        finish.or_else(|| {
            fed.err().map(|TooLong { bytes_max }| {
                too_large(&format!("an event or a line of more than {bytes_max} bytes"))
            })
        })
    }

    /// The connection has ended: the finish of a response that has not said its own.
    pub fn close(&mut self, out: &mut Vec<StreamChunk>) -> Finish {
        if let Form::Document(document) = &self.form {
            return document::read(document, &self.content_type, &mut self.translator, out);
        }
        // A last event without the blank line behind it may be cut anywhere, unless it is the one that says the end.
        match std::mem::take(&mut self.parser).finish() {
            Some(last) if last.data.trim() == "[DONE]" => self.translator.done(out),
            _ => Finish::Error {
                failure: Failure::new(
                    code::STREAM_CLOSED,
                    "llm-openai: the event stream ended without [DONE], so the answer may be cut",
                ),
            },
        }
    }
}

/// The finish of a response that passes a limit. Nothing of it is kept or executed.
pub(crate) fn too_large(what: &str) -> Finish {
    let message = format!("llm-openai: the response is too large: {what}");
    let hint = "set `max_tokens`, or look at what answers at LLM_BASE_URL".into();
    Finish::Error { failure: Failure { hint, ..Failure::new(RESPONSE_TOO_LARGE, message) } }
}

/// The finish of a response that breaks its protocol.
pub(crate) fn malformed(why: &str) -> Finish {
    Finish::Error { failure: Failure::new(code::MALFORMED_RESPONSE, format!("llm-openai: {why}")) }
}
