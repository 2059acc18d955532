//! Counting, and how it is said.

/// `1 line, 2 words, 11 characters`
pub(crate) fn told(text: &str) -> String {
    let number = |count: usize, of: &str| format!("{count} {of}{}", if count == 1 { "" } else { "s" });
    let (lines, words) = (text.lines().count(), text.split_whitespace().count());
    format!(
        "{}, {}, {}",
        number(lines, "line"),
        number(words, "word"),
        number(text.chars().count(), "character")
    )
}
