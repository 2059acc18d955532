//! Where a part of a text may begin and end, and what may stand between two parts that belong together.
use std::ops::Range;

/// A line end, as it is or as JSON has it, with the bytes it takes.
const LINE_ENDS: [&[u8]; 5] = [b"\\r\\n", b"\r\n", b"\\n", b"\n", b"\r"];

pub(crate) fn line_end_after(text: &[u8]) -> Option<usize> {
    LINE_ENDS.iter().find(|end| text.starts_with(end)).map(|end| end.len())
}

pub(crate) fn line_end_before(text: &[u8]) -> Option<usize> {
    LINE_ENDS.iter().find(|end| text.ends_with(end)).map(|end| end.len())
}

/// Without what belongs to a character, or to an escape of JSON, that lies half outside.
pub(crate) fn whole_characters(text: &[u8], mut at: Range<usize>) -> Range<usize> {
    let goes_on = |at: usize| text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    let escapes = |end: usize| text[..end].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
    if escapes(at.start) && text.get(at.start).is_some_and(|byte| b"\"\\/bfnrt".contains(byte)) {
        at.start += 1;
    }
    while goes_on(at.start) {
        at.start += 1;
    }
    if escapes(at.end) && text.get(at.end).is_some_and(|byte| b"\"\\".contains(byte)) {
        at.end -= 1;
    }
    while at.end > at.start && goes_on(at.end) {
        at.end -= 1;
    }
    at
}
