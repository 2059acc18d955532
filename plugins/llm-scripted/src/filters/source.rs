//! What a source file and a manifest say about themselves.

use crate::filters::prose::{first_paragraph, heading};

/// How far into a file a comment still speaks about the file.
const LINES_MAX: usize = 80;
/// Words of comments that speak about something else.
const ELSEWHERE: [&str; 9] =
    ["copyright", "license", "spdx-", "-*-", "eslint", "@ts-", "coding:", "shellcheck", "generated"];
/// How a comment's line begins, and what ends the comment where that is not the line. Longer marks stand before those that they begin with.
const MARKS: [(&str, Option<&str>); 14] = [
    ("//!", None),
    ("///", None),
    ("//", None),
    ("/**", Some("*/")),
    ("/*!", Some("*/")),
    ("/*", Some("*/")),
    ("\"\"\"", Some("\"\"\"")),
    ("'''", Some("'''")),
    ("<!--", Some("-->")),
    ("# ", None),
    ("##", None),
    ("-- ", None),
    (";;", None),
    ("% ", None),
];

/// The first sentence of the first comment at the margin that explains something.
pub(crate) fn first_comment(source: &str) -> String {
    let mut lines = source.lines().take(LINES_MAX).peekable();
    let mut code_seen = false;
    while let Some(line) = lines.next() {
        let Some((mark, end)) = mark(line) else {
            code_seen |= !line.trim().is_empty() && !line.starts_with('#');
            continue;
        };
        if code_seen && end == Some(mark) {
            // Below code such quotes end a string as often as they begin one.
            continue;
        }
        let mut comment = String::new();
        let mut said = &line[mark.len()..];
        loop {
            let (text, is_over) = match end.and_then(|end| said.split_once(end)) {
                Some((before, _)) => (before, true),
                None => (said, false),
            };
            let text = text.trim();
            comment.push_str(if end.is_some() { text.trim_start_matches("* ") } else { text });
            comment.push('\n');
            let next = lines.next_if(|next| match end {
                Some(_) => !is_over,
                // An empty line of a comment has lost the blank of its mark.
                None => self::mark(next) == Some((mark, end)) || *next == mark.trim_end(),
            });
            let Some(next) = next else { break };
            said = if end.is_some() { next } else { next.trim_start_matches(mark.trim_end()) };
        }
        if let Some(said) = sentence(&comment) {
            return said;
        }
    }
    String::new()
}

fn mark(line: &str) -> Option<(&'static str, Option<&'static str>)> {
    MARKS.iter().copied().find(|(mark, _)| line.starts_with(mark))
}

/// What a whole comment says first, `None` when that is nothing about the code.
fn sentence(comment: &str) -> Option<String> {
    let lower = comment.to_lowercase();
    if ELSEWHERE.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let text =
        Some(first_paragraph(comment)).filter(|text| !text.is_empty()).unwrap_or_else(|| heading(comment));
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    Some(text[..end].trim_end_matches('.').to_owned()).filter(|text| !text.is_empty())
}

/// The value on the first line that sets a key, `""` when none does or it is no plain value.
pub(crate) fn field(manifest: &str, key: &str) -> String {
    manifest.lines().find_map(|line| value(line.trim(), key)).unwrap_or_default()
}

fn value(line: &str, key: &str) -> Option<String> {
    if let Some(rest) = line.strip_prefix('<') {
        let inner = rest.strip_prefix(key)?.strip_prefix('>')?;
        return inner.split_once("</").map(|(value, _)| value.trim().to_owned());
    }
    let quotes = ['"', '\''];
    let rest = line.trim_start_matches(quotes).strip_prefix(key)?.trim_start_matches(quotes);
    let set = rest.trim_start();
    let value = match set.strip_prefix(['=', ':']) {
        Some(value) => value.trim(),
        // `module example.org/x`
        None if set.len() < rest.len() && !set.contains(' ') => set,
        None => return None,
    };
    let quoted = value.trim_end_matches(',').trim();
    let bare = quoted.trim_matches(quotes);
    (!bare.is_empty() && !bare.starts_with(['{', '[', '(', '|', '>'])).then(|| bare.to_owned())
}
