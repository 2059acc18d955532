//! The standard's corners, each fed whole and in pieces of every small size.

use kit_sse::{Event, Parser, TooLong};

use crate::listing;

/// Name, stream, listing.
const CASES: &[(&str, &[u8], &[&str])] = &[
    ("nothing", b"", &[]),
    ("lf", b"data: a\n\ndata: b\n\n", &[r#"message "a""#, r#"message "b""#]),
    ("crlf", b"data: a\r\n\r\ndata: b\r\n\r\n", &[r#"message "a""#, r#"message "b""#]),
    ("cr", b"data: a\r\rdata: b\r\r", &[r#"message "a""#, r#"message "b""#]),
    ("mixed line ends", b"data: a\r\n\ndata: b\n\r", &[r#"message "a""#, r#"message "b""#]),
    ("lf cr is two ends", b"data: a\n\rdata: b\n\n", &[r#"message "a""#, r#"message "b""#]),
    ("byte order mark", b"\xEF\xBB\xBFdata: a\n\n", &[r#"message "a""#]),
    (
        "second byte order mark is text",
        b"\xEF\xBB\xBF\xEF\xBB\xBFdata: a\n\ndata: b\n\n",
        &[r#"message "b""#],
    ),
    ("byte order mark on a later line is text", b"\n\xEF\xBB\xBFdata: a\n\n", &[]),
    ("byte order mark before a blank line", b"\xEF\xBB\xBF\n\ndata: a\n\n", &[r#"message "a""#]),
    ("no space", b"data:a\n\n", &[r#"message "a""#]),
    ("two spaces", b"data:  a\n\n", &[r#"message " a""#]),
    ("a tab is not a space", b"data:\ta\n\n", &[r#"message "\ta""#]),
    ("several data lines", b"data: a\ndata: b\n\n", &[r#"message "a\nb""#]),
    ("no colon", b"data\n\n", &[r#"message """#]),
    ("two empty data lines", b"data\ndata:\n\n", &[r#"message "\n""#]),
    ("colons in the value", b"data: a:b: c\n\n", &[r#"message "a:b: c""#]),
    ("leading space is another field", b" data: x\ndata: a\n\n", &[r#"message "a""#]),
    ("field names are case sensitive", b"Data: a\nDATA: b\ndata: c\n\n", &[r#"message "c""#]),
    ("unknown fields", b"foo: x\nfoo\ndata: a\n\n", &[r#"message "a""#]),
    ("named", b"event: ping\ndata: a\n\ndata: b\n\n", &[r#"ping "a""#, r#"message "b""#]),
    ("named without data", b"event: ping\n\ndata: b\n\n", &[r#"message "b""#]),
    ("empty name", b"event: \ndata: b\n\n", &[r#"message "b""#]),
    ("last name counts", b"event: a\nevent: b\ndata: x\n\n", &[r#"b "x""#]),
    ("comments", b": hi\n\n:\n:x\n\n", &[r#"comment "hi""#, r#"comment """#, r#"comment "x""#]),
    ("comment inside an event", b"data: a\n: hi\ndata: b\n\n", &[r#"comment "hi""#, r#"message "a\nb""#]),
    ("id stays", b"id: 7\ndata: a\n\ndata: b\n\n", &[r#"message "a" id="7""#, r#"message "b" id="7""#]),
    ("id without data stays", b"id: 7\n\ndata: b\n\n", &[r#"message "b" id="7""#]),
    ("empty id resets", b"id: 7\n\nid\ndata: b\n\n", &[r#"message "b""#]),
    ("id with nul", b"id: 7\nid: a\0b\ndata: b\n\n", &[r#"message "b" id="7""#]),
    ("retry", b"retry: 1500\ndata: a\n\n", &["retry 1.5s", r#"message "a""#]),
    ("odd retry", b"retry: 1s\nretry:\nretry: -1\nretry: +1\nretry: 99999999999999999999\n\n", &[]),
    ("utf-8", "data: 你好😀é\n\n".as_bytes(), &[r#"message "你好😀é""#]),
    ("nul in data", b"data: a\0b\n\n", &[r#"message "a\0b""#]),
    ("not utf-8", b"data: a\xFFb\n\ndata: c\n\n", &["message \"a\u{FFFD}b\"", r#"message "c""#]),
    ("cut character", b"data: a\xF0\x9F\x98\ndata: b\n\n", &["message \"a\u{FFFD}\\nb\""]),
    ("not utf-8 in a comment", b": \xFF\n", &["comment \"\u{FFFD}\""]),
    ("end inside a line", b"data: a\n\ndata: b", &[r#"message "a""#, r#"pending message "b" id="""#]),
    ("end inside an event", b"event: x\ndata: b\n", &[r#"pending x "b" id="""#]),
    ("end after cr", b"data: a\n\ndata: b\r", &[r#"message "a""#, r#"pending message "b" id="""#]),
    ("end without data", b"data: a\n\nevent: x\nid: 3", &[r#"message "a""#]),
    ("end in a comment", b"data: a\n\n: b", &[r#"message "a""#]),
    ("html", b"<html>\n<body>502</body>\n\n</html>", &[]),
];

#[test]
fn every_case_comes_out_the_same_however_it_is_split() {
    for (name, stream, wanted) in CASES {
        assert_eq!(listing([*stream]), *wanted, "{name}, whole");
        for size in 1..=8 {
            assert_eq!(listing(stream.chunks(size)), *wanted, "{name}, {size} bytes at a time");
        }
        for at in 0..=stream.len() {
            let (head, tail) = stream.split_at(at);
            assert_eq!(listing([head, b"", tail]), *wanted, "{name}, split at {at}");
        }
    }
}

#[test]
fn a_cr_ends_an_event_without_waiting_for_what_follows() {
    let mut parser = Parser::default();
    let mut seen = 0;
    parser.feed(b"data: a\r\r", |_| seen += 1).unwrap();
    assert_eq!(seen, 1);
    parser.feed(b"\ndata: b\r\n\r", |_| seen += 1).unwrap();
    assert_eq!(seen, 2);
}

#[test]
fn a_huge_line_in_small_pieces_comes_out_whole() {
    let mut stream = b"data: ".to_vec();
    stream.resize(2 << 20, b'x');
    stream.extend_from_slice(b"\n\n");
    let mut parser = Parser::default();
    let mut bytes = 0;
    for piece in stream.chunks(512) {
        let count = |event: Event<'_>| {
            let Event::Message(message) = event else { panic!("{event:?}") };
            bytes += message.data.len();
        };
        parser.feed(piece, count).unwrap();
    }
    assert_eq!(bytes, (2 << 20) - "data: ".len());
}

#[test]
fn what_passes_the_limit_is_an_error_and_stays_one() {
    const EXACT: &[u8] = b"data: 789\n\n";
    const LINE: &[u8] = b"data: 7890\n";
    const NO_END: &[u8] = b"xxxxxxxxxx";
    const EVENT: &[u8] = b"data: 1234\ndata: 5678\ndata: 9\n\n";
    let first_failure = |bytes_max: usize, stream: &[u8], size: usize| {
        let mut parser = Parser::new(bytes_max);
        let failed = stream.chunks(size).find_map(|piece| parser.feed(piece, |_| {}).err());
        assert_eq!(parser.feed(b"\n\n", |_| {}).err(), failed, "the state stays");
        assert_eq!(parser.finish(), None);
        failed
    };
    for size in [1, 2, 100] {
        assert_eq!(first_failure(9, EXACT, size), None);
        assert_eq!(first_failure(9, LINE, size), Some(TooLong { bytes_max: 9 }));
        assert_eq!(first_failure(9, NO_END, size), Some(TooLong { bytes_max: 9 }));
        assert_eq!(first_failure(10, EVENT, size), Some(TooLong { bytes_max: 10 }));
    }
    assert_eq!(
        TooLong { bytes_max: 9 }.to_string(),
        "event stream: a line or an event is longer than 9 bytes"
    );
}
