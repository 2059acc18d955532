//! Exact outputs.

use kit_truncate::{HeadTail, keep_bytes, keep_chars};

#[test]
fn text_within_the_limit_is_handed_back_as_it_is() {
    for text in ["", "a", "héllo", "漢字"] {
        assert!(matches!(keep_bytes(text, text.len()), std::borrow::Cow::Borrowed(t) if t == text));
        assert!(matches!(keep_chars(text, text.chars().count()), std::borrow::Cow::Borrowed(t) if t == text));
    }
}

#[test]
fn bytes_keep_whole_characters_of_both_ends() {
    const CASES: &[(&str, usize, &str)] = &[
        ("abcdef", 4, "ab\n… [cut: 2 of 6 bytes left out of the middle] …\nef"),
        ("abcdef", 3, "ab\n… [cut: 3 of 6 bytes left out of the middle] …\nf"),
        ("abcdef", 1, "a\n… [cut: 5 of 6 bytes left out of the middle] …\n"),
        ("abcdef", 0, "\n… [cut: 6 of 6 bytes left out of the middle] …\n"),
        ("ééé", 4, "é\n… [cut: 2 of 6 bytes left out of the middle] …\né"),
        ("ééé", 3, "é\n… [cut: 4 of 6 bytes left out of the middle] …\n"),
        ("😀😀", 7, "😀\n… [cut: 4 of 8 bytes left out of the middle] …\n"),
        ("😀😀", 3, "\n… [cut: 8 of 8 bytes left out of the middle] …\n"),
    ];
    for (text, bytes_max, wanted) in CASES {
        assert_eq!(keep_bytes(text, *bytes_max), *wanted, "{text} in {bytes_max}");
    }
}

#[test]
fn characters_are_counted_as_characters() {
    assert_eq!(keep_chars("漢字漢字漢", 3), "漢字\n… [cut: 2 of 5 characters left out of the middle] …\n漢");
    assert_eq!(keep_chars("漢字漢字漢", 0), "\n… [cut: 5 of 5 characters left out of the middle] …\n");
}

#[test]
fn counts_are_exact_and_grouped() {
    let cut = keep_bytes(&"x".repeat(1_234_567), 7).into_owned();
    assert_eq!(cut, "xxxx\n… [cut: 1,234,560 of 1,234,567 bytes left out of the middle] …\nxxx");
}

#[test]
fn output_without_end_is_collected_in_bounded_memory() {
    let mut output = HeadTail::new(1_000, 1_000);
    output.push("start ".as_bytes());
    let flood = [b'y'; 1 << 16];
    for _ in 0..1_000 {
        output.push(&flood);
    }
    output.push(b" end");
    let (text, cut_bytes) = output.finish();
    assert!(text.starts_with("start yyy") && text.ends_with("yyy end"), "{text}");
    assert_eq!(cut_bytes, 6 + 4 + 1_000 * (1 << 16) - 2_000);
}

#[test]
fn output_that_is_not_text_is_made_visible() {
    let mut output = HeadTail::new(100, 100);
    output.push(b"before\xFF\xFE\0 \x1B[31mred\x1B[0m 10%\r20%\r after\n");
    let (text, cut_bytes) = output.finish();
    assert_eq!(text, "before\u{FFFD}\u{FFFD}␀ \x1B[31mred\x1B[0m 10%\r20%\r after\n");
    assert_eq!(cut_bytes, 0);
}
