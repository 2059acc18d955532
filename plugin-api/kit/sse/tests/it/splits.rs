//! Properties over generated streams: a split changes nothing, and another implementation of the standard agrees.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use kit_sse::{Event, Parser};
use proptest::{collection::vec, prelude::*, sample::select};

use crate::listing;

/// Streams that meet the rules often: field names, separators and line ends in any order, with arbitrary text between.
fn stream_text() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        6 => select(vec!["data", "event", "id", "retry", "datax", ":", ": ", " ", "\u{FEFF}", "7", "[DONE]", "{\"a\": 1}"])
            .prop_map(str::to_owned),
        5 => select(vec!["\n", "\r", "\r\n", "\n\n", "\r\n\r\n"]).prop_map(str::to_owned),
        3 => "data: ?[a-z:é漢😀]{0,8}\n".prop_map(|line| line),
        1 => "\\PC{0,6}".prop_map(|text| text),
    ];
    vec(token, 0..40).prop_map(|tokens| tokens.concat())
}

fn pieces(mut bytes: &[u8], cuts: &[usize]) -> Vec<Vec<u8>> {
    let mut pieces = Vec::new();
    for cut in cuts {
        let (head, tail) = bytes.split_at(*cut.min(&bytes.len()));
        pieces.push(head.to_vec());
        bytes = tail;
    }
    pieces.push(bytes.to_vec());
    pieces
}

/// The messages only: event, data, id.
fn messages(stream: &[u8]) -> Vec<[String; 3]> {
    let mut parser = Parser::default();
    let mut found = Vec::new();
    let keep = |event: Event<'_>| {
        if let Event::Message(m) = event {
            found.push([m.event, m.data, m.id].map(str::to_owned));
        }
    };
    parser.feed(stream, keep).unwrap();
    found
}

fn messages_of_the_other_parser(pieces: Vec<Vec<u8>>) -> Vec<[String; 3]> {
    let bytes = stream::iter(pieces.into_iter().map(|piece| Ok::<_, Infallible>(Bytes::from(piece))));
    sseer::EventStream::new(bytes)
        .map(|event| event.map(|e| [e.event.to_string(), e.data.to_string(), e.id.to_string()]).unwrap())
        .collect()
        .now_or_never()
        .expect("nothing to wait for")
}

proptest! {
    #[test]
    fn a_split_changes_nothing(text in stream_text(), cuts in vec(0usize..12, 0..20)) {
        let split = pieces(text.as_bytes(), &cuts);
        prop_assert_eq!(listing(split.iter().map(Vec::as_slice)), listing([text.as_bytes()]));
    }

    #[test]
    fn a_split_changes_nothing_in_bytes_that_are_not_text(
        bytes in vec(prop_oneof![select(b"data: \r\n".to_vec()), any::<u8>()], 0..60),
        cuts in vec(0usize..6, 0..20),
    ) {
        let split = pieces(&bytes, &cuts);
        prop_assert_eq!(listing(split.iter().map(Vec::as_slice)), listing([bytes.as_slice()]));
    }

    // The other parser lets an earlier name stand when a later `event` line is empty; the standard's buffer is set to "".
    #[test]
    fn another_parser_sees_the_same_messages(text in stream_text(), cuts in vec(0usize..12, 0..20)) {
        let empty_name = |line: &str| ["event", "event:", "event: "].contains(&line);
        if text.split(['\r', '\n']).any(empty_name) {
            return Ok(());
        }
        let theirs = messages_of_the_other_parser(pieces(text.as_bytes(), &cuts));
        prop_assert_eq!(messages(text.as_bytes()), theirs);
    }
}
