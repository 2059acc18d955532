//! Bounds text that is there already, and writes the sentence that says what was cut.

use std::borrow::Cow;

/// The text itself if it has at most `bytes_max` bytes, else its head and its tail, together at most that many bytes, and
/// the cut between them. The line that says the cut comes on top of the limit; it has less than 100 bytes.
pub fn keep_bytes(text: &str, bytes_max: usize) -> Cow<'_, str> {
    if text.len() <= bytes_max {
        return Cow::Borrowed(text);
    }
    let head = text.floor_char_boundary(bytes_max - bytes_max / 2);
    let tail = text.ceil_char_boundary(text.len() - bytes_max / 2);
    let cut = notice((tail - head) as u64, text.len() as u64, "bytes");
    Cow::Owned([&text[..head], &cut, &text[tail..]].concat())
}

/// As [`keep_bytes`], counting characters (Unicode scalar values) instead of bytes.
pub fn keep_chars(text: &str, chars_max: usize) -> Cow<'_, str> {
    if text.len() <= chars_max {
        return Cow::Borrowed(text);
    }
    let chars = text.chars().count();
    if chars <= chars_max {
        return Cow::Borrowed(text);
    }
    let at = |n: usize| text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
    let (head, tail) = (at(chars_max - chars_max / 2), at(chars - chars_max / 2));
    let cut = notice((chars - chars_max) as u64, chars as u64, "characters");
    Cow::Owned([&text[..head], &cut, &text[tail..]].concat())
}

/// The line between head and tail. It stands on a line of its own, whatever head and tail end and begin with.
pub(crate) fn notice(cut: u64, of: u64, unit: &str) -> String {
    format!("\n… [cut: {} of {} {unit} left out of the middle] …\n", grouped(cut), grouped(of))
}

/// `12400` as `12,400`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
