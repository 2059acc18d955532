//! Manifest records: written at compile time, found again among any bytes.
use plugin_api::manifest::{BEGIN, END, Piece, join, joined_len, records};
use proptest::prelude::*;

const PIECES: &[Piece] = &[
    Piece::Raw(BEGIN),
    Piece::Raw("{\"plugins\":["),
    Piece::Sep,
    Piece::Text("a \"quoted\" \\ name\n"),
    Piece::Sep,
    Piece::Text("é"),
    Piece::Raw("]}"),
    Piece::Raw(END),
];
static RECORD: [u8; joined_len(PIECES)] = join(PIECES);

fn find(rest: &[u8]) -> Option<usize> {
    rest.windows(BEGIN.len()).position(|window| window == BEGIN.as_bytes())
}

fn all(file: &[u8]) -> Vec<String> {
    records(file, find).map(|record| String::from_utf8_lossy(record).into_owned()).collect()
}

#[test]
fn pieces_become_json() {
    let expected = "{\"plugins\":[\"a \\\"quoted\\\" \\\\ name\\u000a\",\"é\"]}";
    assert_eq!(all(&RECORD), [expected]);
}

#[test]
fn a_mark_without_a_record_is_passed_over() {
    let file =
        [BEGIN.as_bytes(), b"no json", &RECORD, b"between", &RECORD, BEGIN.as_bytes(), b"{cut"].concat();
    assert_eq!(all(&file).len(), 2);
}

proptest! {
    #[test]
    fn records_are_found_wherever_they_stand(before: Vec<u8>, after: Vec<u8>) {
        let file = [&before, &RECORD[..], &after].concat();
        prop_assert!(all(&file).contains(&all(&RECORD)[0]));
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
        let _ = all(&bytes);
    }
}
