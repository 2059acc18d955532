//! The title and the first paragraph of a README, whatever it is written in.

/// A link or a tag longer than this is shown as it is.
const MARK_BYTES_MAX: usize = 500;
/// A line of more words than this is prose, fewer may be a row of links above the heading.
const NAME_WORDS_MAX: usize = 4;

/// The heading above all prose, `""` when there is none.
pub(crate) fn heading(text: &str) -> String {
    let mut above = "";
    for line in body(text) {
        let trimmed = line.trim();
        let marked = trimmed.trim_start_matches('#');
        if marked.len() < trimmed.len() && marked.starts_with([' ', '\t']) {
            return plain(marked.trim_end_matches('#'));
        }
        if let Some(title) = trimmed.strip_prefix("= ") {
            return plain(title);
        }
        if is_heading_tag(trimmed) && !plain(trimmed).is_empty() {
            return plain(trimmed);
        }
        if is_underline(trimmed) && !above.is_empty() {
            return plain(above);
        }
        if above.split_whitespace().count() > NAME_WORDS_MAX {
            // Prose came first: what comes later heads a section.
            break;
        }
        above = if is_markup(trimmed) { "" } else { trimmed };
    }
    String::new()
}

/// The first paragraph that says something, as one line.
pub(crate) fn first_paragraph(text: &str) -> String {
    let mut paragraph: Vec<&str> = Vec::new();
    for line in body(text) {
        let trimmed = line.trim().trim_start_matches("> ");
        if is_underline(trimmed) {
            // What stands above it was a heading.
            paragraph.clear();
        } else if trimmed.is_empty() || is_markup(trimmed) {
            if says_something(&plain(&paragraph.join(" "))) {
                break;
            }
            paragraph.clear();
        } else {
            paragraph.push(trimmed);
        }
    }
    Some(plain(&paragraph.join(" "))).filter(|text| says_something(text)).unwrap_or_default()
}

/// More than an address, as the rest of a badge is.
fn says_something(text: &str) -> bool {
    text.contains(char::is_alphabetic) && (text.contains(' ') || !text.contains("://"))
}

/// The words on one line, cut behind a word where they are too long.
pub(crate) fn clip(text: &str, chars: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= chars {
        return text;
    }
    let end = text.char_indices().nth(chars.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    let kept = &text[..end];
    let kept = kept.rsplit_once(' ').map_or(kept, |(words, _)| words);
    format!("{}…", kept.trim_end_matches(|c: char| c.is_whitespace() || ",;:—-".contains(c)))
}

/// Whether it holds what text does not: a NUL, or many characters that could not be decoded.
pub(crate) fn is_binary(text: &str) -> bool {
    let odd = |c: &char| {
        *c == char::REPLACEMENT_CHARACTER || (c.is_control() && !c.is_whitespace() && *c != '\u{1b}')
    };
    text.contains('\0') || text.chars().filter(odd).count() * 20 > text.chars().count()
}

/// The lines, without front matter, code blocks and comments.
fn body(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim_start_matches('\u{feff}');
    let matter = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    let (mut fenced, mut commented) = (false, false);
    matter.map_or(text, |(_, body)| body).lines().filter(move |line| {
        let line = line.trim_start();
        let is_fence = !commented && (line.starts_with("```") || line.starts_with("~~~"));
        fenced ^= is_fence;
        let is_comment = commented || (!fenced && line.starts_with("<!--"));
        commented = is_comment && !line.contains("-->");
        !(fenced || is_fence || is_comment)
    })
}

/// A line that is no prose: a heading, an image, a table, a list, an attribute, a tag without text.
fn is_markup(line: &str) -> bool {
    let starts = ["#", "|", "- ", "* ", "+ ", "= ", "***", ".. "];
    let is_definition =
        line.starts_with('[') && line.contains("]: ") || line.starts_with(':') && line.contains(": ");
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_item = number.len() < line.len() && (number.starts_with(". ") || number.starts_with(") "));
    let is_bare = is_heading_tag(line) || plain(line).is_empty();
    is_definition || is_item || is_bare || starts.iter().any(|start| line.starts_with(start))
}

fn is_heading_tag(line: &str) -> bool {
    let name = line.as_bytes();
    name.len() > 3 && name[..2].eq_ignore_ascii_case(b"<h") && name[2].is_ascii_digit()
}

fn is_underline(line: &str) -> bool {
    let mark = line.chars().next().filter(|c| "=-~".contains(*c));
    line.len() >= 3 && mark.is_some_and(|mark| line.chars().all(|c| c == mark))
}

/// Markdown and HTML without their marks: a link is its text, an image and a tag are nothing.
fn plain(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(['[', '<', '!', '*', '&']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (end, shown) = mark(rest).unwrap_or((1, &rest[..1]));
        out.push_str(shown);
        rest = &rest[end..];
    }
    out.push_str(rest);
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A mark at the start of the text: where it ends, and what a reader sees of it.
fn mark(text: &str) -> Option<(usize, &str)> {
    // An opening that is closed nowhere would be searched for to the end, again and again.
    let text = &text[..text.floor_char_boundary(MARK_BYTES_MAX)];
    let behind = |text: &str, end: &str| text.find(end).map(|at| at + end.len());
    if text.starts_with("**") {
        Some((2, ""))
    } else if let Some(entity) = text.strip_prefix('&') {
        let (name, _) = entity.split_once(';')?;
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '#').then_some((name.len() + 2, " "))
    } else if text.starts_with("[![") {
        let image = behind(text, ")](")?;
        Some((image + behind(&text[image..], ")")?, ""))
    } else if text.starts_with("![") {
        Some((behind(text, ")")?, ""))
    } else if let Some(label) = text.strip_prefix('[') {
        let (label, target) = label.split_once(']')?;
        let close = if target.starts_with('(') { ")" } else { "]" };
        let is_link = target.starts_with(['(', '[']);
        let shown = if label.starts_with('<') { "" } else { label };
        is_link.then(|| Some((label.len() + 2 + behind(target, close)?, shown)))?
    } else {
        let (tag, _) = text.strip_prefix('<')?.split_once('>')?;
        let is_tag = tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
        is_tag.then_some((tag.len() + 2, if tag.contains("://") && !tag.contains(' ') { tag } else { "" }))
    }
}
