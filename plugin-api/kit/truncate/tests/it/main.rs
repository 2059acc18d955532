//! Cutting through its public face: text or bytes in, bounded text out.
#![expect(clippy::panic, reason = "a test fails where it stands")]

mod cases;
mod properties;

/// What stands between head and tail, taken apart: head, bytes or characters left out, of how many, tail.
fn cut(text: &str) -> Option<(&str, usize, usize, &str)> {
    let (head, rest) = text.split_once("\n… [cut: ")?;
    let (counts, tail) = rest.split_once(" left out of the middle] …\n")?;
    let (left_out, rest) = counts.split_once(" of ")?;
    let (of, _) = rest.split_once(' ')?;
    Some((head, left_out.replace(',', "").parse().ok()?, of.replace(',', "").parse().ok()?, tail))
}
