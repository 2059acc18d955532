//! From a reply and its request to the bytes to send, in the pieces in which they go out.

use std::ops::Range;

use bytes::Bytes;
use hyper::StatusCode;
use serde_json::json;

use super::conversation::{Turn, TurnCall};
use super::script::{Answer, Content, Fault, Place, Reply};
use super::sse::{self, Stamp};
use super::usage::Usage;

/// What a request asks of the form of its answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) model: &'a str,
    pub(super) stream: bool,
    pub(super) include_usage: bool,
    pub(super) sent_bytes: usize,
    pub(super) shared_bytes: usize,
}

/// A response ready to be delivered.
#[derive(Debug)]
pub(super) struct Rendered {
    pub(super) status: StatusCode,
    pub(super) content_type: &'static str,
    /// Whether the body ends by its announced length; chunked otherwise.
    pub(super) sized: bool,
    /// The body. For a stream one piece an event, for a raw body one a part, for anything else two halves.
    pub(super) pieces: Vec<Bytes>,
    /// Whether every piece must be a write of its own.
    pub(super) pieces_apart: bool,
    /// The index of the piece after which the model has said all, and what that was.
    pub(super) said: Option<(usize, Said)>,
}

/// What the next request of the conversation must build on.
#[derive(Debug, Clone)]
pub(super) enum Said {
    /// It extends this request by this turn.
    Turn(Turn),
    /// It extends this request; whether a truncated or refused turn is kept is the caller's choice.
    Unfinished,
}

impl Rendered {
    fn whole(status: StatusCode, content_type: &'static str, body: String) -> Self {
        let mut middle = body.len() / 2;
        while !body.is_char_boundary(middle) {
            middle += 1;
        }
        let rest = body[middle..].to_owned();
        let first = body[..middle].to_owned();
        let pieces = [first, rest].into_iter().filter(|half| !half.is_empty()).map(Bytes::from).collect();
        Self { status, content_type, sized: true, pieces, pieces_apart: false, said: None }
    }

    fn events(events: Vec<String>) -> Self {
        let pieces = events.into_iter().map(Bytes::from).collect();
        let content_type = "text/event-stream";
        Self { status: StatusCode::OK, content_type, sized: false, pieces, pieces_apart: false, said: None }
    }
}

/// Renders the reply number `serial` (counted from 1 over all replies served, which keeps ids distinct).
pub(super) fn render(reply: &Reply, asked: &Asked<'_>, serial: usize) -> Rendered {
    let mut rendered = match &reply.content {
        Content::Plain { status, body } => {
            let body = body.clone().unwrap_or_else(|| error_body(*status));
            Rendered::whole(*status, "application/json", body)
        }
        Content::Raw(raw) => {
            let bounds = piece_bounds(&raw.split_at, raw.bytes.len()).unwrap_or_default();
            let mut rendered = Rendered::events(Vec::new());
            rendered.pieces =
                bounds.into_iter().map(|part| Bytes::copy_from_slice(&raw.bytes[part])).collect();
            rendered.pieces_apart = !raw.split_at.is_empty();
            rendered
        }
        Content::Answer(answer) => render_answer(answer, reply.fault.is_some(), asked, serial),
    };
    distort(&mut rendered, reply.fault, reply.place);
    rendered
}

fn render_answer(answer: &Answer, faulty: bool, asked: &Asked<'_>, serial: usize) -> Rendered {
    let call_ids: Vec<String> = (answer.calls.iter().enumerate())
        .map(|(n, call)| call.id.clone().unwrap_or_else(|| format!("call_{serial}_{}", n + 1)))
        .collect();
    let id = answer.id.clone().unwrap_or_else(|| format!("chatcmpl-{serial}"));
    let usage = Usage::of(answer.usage, answer, asked.sent_bytes, asked.shared_bytes);
    let asked_for_usage = asked.include_usage || !asked.stream;
    let stamp = Stamp {
        id: &id,
        model: answer.model.as_deref().unwrap_or(asked.model),
        usage: asked_for_usage.then_some(usage),
    };
    let said = if faulty { None } else { said(answer, &call_ids) };
    if asked.stream {
        let (events, finish_at) = sse::events(answer, &call_ids, stamp);
        Rendered { said: said.map(|said| (finish_at, said)), ..Rendered::events(events) }
    } else {
        let body = sse::object(answer, &call_ids, stamp);
        let rendered = Rendered::whole(StatusCode::OK, "application/json", body);
        Rendered { said: said.map(|said| (rendered.pieces.len() - 1, said)), ..rendered }
    }
}

/// An empty answer is no turn: a caller may leave it out, keep its reasoning or ask again.
fn said(answer: &Answer, call_ids: &[String]) -> Option<Said> {
    let text = answer.deltas.concat();
    if text.is_empty() && answer.calls.is_empty() {
        return None;
    }
    if !matches!(answer.finish.as_str(), "stop" | "tool_calls") {
        return Some(Said::Unfinished);
    }
    let calls = (answer.calls.iter().zip(call_ids))
        .map(|(call, id)| TurnCall {
            id: id.clone(),
            name: call.name.clone(),
            arguments: call.fragments.concat(),
        })
        .collect();
    Some(Said::Turn(Turn { text, reasoning: answer.reasoning.concat(), calls }))
}

/// Applies the faults that are wrong bytes; `cut`, `reset` and `stall` happen while sending.
fn distort(rendered: &mut Rendered, fault: Option<Fault>, place: Place) {
    let at = match place {
        Place::BeforeHead => 0,
        Place::AfterEvents(events) => events.min(rendered.pieces.len()),
    };
    match fault {
        Some(Fault::Garbage) => {
            rendered.pieces.truncate(at);
            rendered.pieces.push(Bytes::from_static(b"\x00\xff\xfe{{{ no event, no JSON, no UTF-8 \x80\n\n"));
        }
        Some(Fault::BadJson) if rendered.sized => rendered.pieces.truncate(1),
        Some(Fault::BadJson) => {
            rendered
                .pieces
                .insert(at, Bytes::from_static(b"data: {\"id\":\"chatcmpl-broken\",\"choices\":[{\n\n"));
        }
        Some(Fault::NoDone) if !rendered.sized => {
            rendered.pieces.pop();
        }
        Some(Fault::Html) => {
            let page = "<!doctype html>\n<title>Sign in</title>\n<p>This network asks you to sign in.</p>\n";
            *rendered = Rendered::whole(StatusCode::OK, "text/html; charset=utf-8", page.to_owned());
        }
        Some(Fault::WrongContentType) => rendered.content_type = "text/plain; charset=utf-8",
        Some(Fault::NoDone | Fault::Cut | Fault::Reset | Fault::Stall) | None => {}
    }
}

fn error_body(status: StatusCode) -> String {
    let reason = status.canonical_reason().unwrap_or("no reason");
    let kind = match status.as_u16() {
        401 | 403 => "authentication_error",
        429 => "rate_limit_error",
        400..=499 => "invalid_request_error",
        _ => "server_error",
    };
    let message = format!("the script answers with {} {reason}", status.as_u16());
    json!({"error": {"message": message, "type": kind, "param": null, "code": null}}).to_string()
}

/// The parts into which ascending offsets cut `length` bytes.
///
/// # Errors
/// A sentence when the offsets do not ascend or one lies outside the bytes.
pub(super) fn piece_bounds(split_at: &[usize], length: usize) -> Result<Vec<Range<usize>>, String> {
    let mut bounds = Vec::new();
    let mut start = 0;
    for &end in split_at {
        if end <= start || end >= length {
            return Err(format!(
                "`split_at`: {end} is no offset between {start} and the end of the body ({length} bytes)"
            ));
        }
        bounds.push(start..end);
        start = end;
    }
    if start < length {
        bounds.push(start..length);
    }
    Ok(bounds)
}
