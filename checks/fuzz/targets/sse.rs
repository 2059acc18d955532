//! The reader of event streams: nothing makes it panic, and it says the same however the bytes are cut.
#![no_main]

use kit_sse::{Event, Parser};
use libfuzzer_sys::fuzz_target;

/// A limit that small inputs pass as well.
const SMALL: usize = 48;

/// All that comes out, `pending` or what went wrong last.
fn listing<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, mut parser: Parser) -> Vec<String> {
    let mut lines = Vec::new();
    for piece in pieces {
        let fed = parser.feed(piece, |event| {
            if let Event::Message(message) = event {
                assert!(!message.event.is_empty());
                assert!(!message.data.contains('\r'), "a line end in {:?}", message.data);
            }
            lines.push(format!("{event:?}"));
        });
        if let Err(too_long) = fed {
            assert_eq!(parser.feed(b"data: x\n\n", |_| {}), Err(too_long), "the state stays");
            lines.push(too_long.to_string());
            break;
        }
    }
    lines.extend(parser.finish().map(|pending| format!("{pending:?}")));
    lines
}

fuzz_target!(|stream: &[u8]| {
    for limit in [SMALL, usize::MAX] {
        let whole = listing([stream], Parser::new(limit));
        for pieces in fuzz::ways(stream) {
            assert_eq!(listing(pieces, Parser::new(limit)), whole);
        }
    }
});
