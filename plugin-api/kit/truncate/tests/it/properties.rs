//! What holds of every text, every limit and every way the bytes may arrive.

use kit_truncate::{Decoder, HeadTail, keep_bytes, keep_chars};
use proptest::{collection::vec, prelude::*, sample::select};

use crate::cut;

fn text() -> impl Strategy<Value = String> {
    "[a-z\n é漢😀]{0,60}"
}

/// Bytes that are often UTF-8, often just not.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        4 => select(vec!["a", "é", "漢", "😀", "\0", "\n"]).prop_map(|s| s.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 1..4),
        1 => select(vec![b"\xF0\x9F\x98".to_vec(), b"\xE6\xBC".to_vec(), b"\xC3".to_vec(), b"\xED\xA0\x80".to_vec()]),
    ];
    vec(part, 0..40).prop_map(|parts| parts.concat())
}

fn pushed_in_pieces(bytes: &[u8], sizes: &[usize], mut push: impl FnMut(&[u8])) {
    let mut rest = bytes;
    for size in sizes.iter().cycle().take(bytes.len() + 1) {
        let (piece, after) = rest.split_at(rest.len().min(*size));
        push(piece);
        rest = after;
    }
}

fn as_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\0', "␀")
}

/// Head and tail are the text's own, add up to the whole, keep the limit and waste less than a character at each cut.
fn assert_cut(got: &str, text: &str, max: usize, waste: usize, size: impl Fn(&str) -> usize) {
    if size(text) <= max {
        assert_eq!(got, text);
        return;
    }
    let Some((head, left_out, of, tail)) = cut(got) else { panic!("no cut in {got:?}") };
    assert!(text.starts_with(head) && text.ends_with(tail), "{got:?} of {text:?}");
    assert_eq!(of, size(text));
    assert_eq!(size(head) + left_out + size(tail), of);
    assert!((max.saturating_sub(waste)..=max).contains(&(size(head) + size(tail))), "{got:?} of {text:?}");
}

proptest! {
    #[test]
    fn cutting_keeps_the_ends(text in text(), max in 0usize..80) {
        assert_cut(&keep_bytes(&text, max), &text, max, 6, str::len);
        assert_cut(&keep_chars(&text, max), &text, max, 0, |s| s.chars().count());
    }

    #[test]
    fn decoding_in_pieces_is_decoding_the_whole(bytes in bytes(), sizes in vec(1usize..5, 1..6)) {
        let mut decoder = Decoder::default();
        let mut text = String::new();
        pushed_in_pieces(&bytes, &sizes, |piece| decoder.push(piece, |part| {
            assert!(!part.is_empty());
            text.push_str(part);
        }));
        decoder.finish(|part| text.push_str(part));
        prop_assert_eq!(text, as_text(&bytes));
    }

    #[test]
    fn collecting_in_pieces_keeps_the_ends(
        bytes in bytes(), sizes in vec(1usize..30, 1..6), head in 0usize..40, tail in 0usize..40,
    ) {
        let mut output = HeadTail::new(head, tail);
        pushed_in_pieces(&bytes, &sizes, |piece| output.push(piece));
        let (text, cut_bytes) = output.finish();
        let whole = as_text(&bytes);
        assert_cut(&text, &whole, head + tail, 6, str::len);
        prop_assert_eq!(cut(&text).map_or(0, |c| c.1 as u64), cut_bytes);
    }

    #[test]
    fn what_is_masked_is_not_shown_by_halves(
        before in "[xé]{0,30}", fill in vec(select(vec!["é", "hunter2-hunter2", "x", "\n"]), 1..9), copies in 1usize..4_000,
        sizes in vec(1usize..9_000, 1..6), head in 0usize..60, tail in 0usize..60,
    ) {
        let mut output = HeadTail::new(head, tail);
        let text = format!("{before}{}", fill.concat().repeat(copies));
        pushed_in_pieces(text.as_bytes(), &sizes, |piece| output.push(piece));
        let plain = output.clone().finish().0;
        assert_cut(&plain, &text, head + tail, 6, str::len);
        let (masked, _) = output.finish_masked(|text| text.replace("hunter2-hunter2", "*").into());
        let Some((head_shown, .., tail_shown)) = cut(&masked) else {
            prop_assert_eq!(masked, text.replace("hunter2-hunter2", "*"));
            return Ok(());
        };
        prop_assert!(head_shown.len() + tail_shown.len() <= head + tail);
        prop_assert!(![head_shown, tail_shown].concat().contains(|c: char| "hunter2-".contains(c)), "{}", masked);
    }
}
