//! The parser through its public face: bytes in, a listing of events out.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails where it stands")]

mod cases;
mod splits;

use kit_sse::{Event, Parser};

/// Feeds `chunks` and lists what comes out, one line a thing, `pending` last.
fn listing<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
    let mut parser = Parser::default();
    let mut lines = Vec::new();
    for chunk in chunks {
        parser.feed(chunk, |event| lines.push(line(event))).unwrap();
    }
    lines.extend(parser.finish().map(|p| format!("pending {} {:?} id={:?}", p.event, p.data, p.id)));
    lines
}

fn line(event: Event<'_>) -> String {
    match event {
        Event::Message(m) if m.id.is_empty() => format!("{} {:?}", m.event, m.data),
        Event::Message(m) => format!("{} {:?} id={:?}", m.event, m.data, m.id),
        Event::Comment(text) => format!("comment {text:?}"),
        Event::Retry(pause) => format!("retry {pause:?}"),
    }
}
