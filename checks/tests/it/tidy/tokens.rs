//! The identifiers and string literals of Rust source, without its comments.

#[derive(Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Word(&'a str),
    /// What is between the quotes, escapes as written.
    Text(&'a str),
    /// Any other character that is no space.
    Mark(char),
}

/// The tokens, each with its line from 1.
pub(crate) fn tokens(source: &str) -> Vec<(usize, Token<'_>)> {
    let (mut rest, mut line, mut found) = (source, 1, Vec::new());
    while let Some(first) = rest.chars().next() {
        let (length, token) = one(rest, first);
        let (taken, behind) = rest.split_at(length);
        found.extend(token.map(|token| (line, token)));
        line += taken.matches('\n').count();
        rest = behind;
    }
    found
}

/// How long the next thing is, and what it is when it is a token.
fn one(rest: &str, first: char) -> (usize, Option<Token<'_>>) {
    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), None);
    }
    if rest.starts_with("/*") {
        return (block_comment(rest), None);
    }
    if let Some((length, text)) = string(rest) {
        return (length, Some(Token::Text(text)));
    }
    if first == '\'' {
        return (character(rest), None);
    }
    if first.is_alphabetic() || first == '_' {
        let raw = if rest.starts_with("r#") { 2 } else { 0 };
        let word = &rest[raw..];
        let end = word.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(word.len());
        return (raw + end, Some(Token::Word(&word[..end])));
    }
    (first.len_utf8(), (!first.is_whitespace()).then_some(Token::Mark(first)))
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let here = &rest[at..];
        if here.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if here.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                break;
            }
        } else {
            at += here.chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// A string of any kind: `"…"`, `b"…"`, `c"…"`, `r"…"`, `br#"…"#`.
fn string(rest: &str) -> Option<(usize, &str)> {
    let prefix = rest.find(|c: char| !matches!(c, 'b' | 'c' | 'r')).filter(|n| *n <= 2)?;
    let hashes = rest[prefix..].find(|c| c != '#')?;
    let raw = rest[..prefix].contains('r');
    let open = prefix + hashes;
    if !rest[open..].starts_with('"') || (hashes > 0 && !raw) {
        return None;
    }
    let body = &rest[open + 1..];
    let (length, close) = if raw {
        let close = format!("\"{}", "#".repeat(hashes));
        (body.find(&close).unwrap_or(body.len()), close.len())
    } else {
        let mut escaped = false;
        let end = body.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        (end.unwrap_or(body.len()), 1)
    };
    Some(((open + 1 + length + close).min(rest.len()), &body[..length]))
}

/// A character, or the quote of a lifetime.
fn character(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => rest[3..].find('\'').map_or(rest.len(), |end| 3 + end + 1),
        Some(_) => match chars.next() {
            Some((at, '\'')) => at + 1,
            _ => 1,
        },
        None => 1,
    }
}

/// The tokens before a file's module of tests, which stands at its end.
pub(crate) fn tokens_of_code(source: &str) -> Vec<(usize, Token<'_>)> {
    let mut all = tokens(source);
    let test = |window: &[(usize, Token<'_>)]| {
        let words: Vec<&Token<'_>> = window.iter().map(|(_, token)| token).collect();
        matches!(
            words[..],
            [
                Token::Mark('#'),
                Token::Mark('['),
                Token::Word("cfg"),
                Token::Mark('('),
                Token::Word("test"),
                Token::Mark(')'),
                Token::Mark(']'),
                Token::Word("mod"),
                Token::Word(_),
                Token::Mark('{'),
            ]
        )
    };
    if let Some(at) = all.windows(10).position(test) {
        all.truncate(at);
    }
    all
}

#[test]
fn words_and_texts_are_found_and_comments_are_not() {
    let shown = |source: &str| {
        let one = |(line, token): (usize, Token<'_>)| match token {
            Token::Word(word) => Some(format!("{line}:{word}")),
            Token::Text(text) => Some(format!("{line}:\"{text}\"")),
            Token::Mark(_) => None,
        };
        tokens(source).into_iter().filter_map(one).collect::<Vec<_>>().join(" ")
    };
    for (source, expected) in [
        ("let a_1 = b;", "1:let 1:a_1 1:b"),
        ("// llm\na /* tools /* x */ llm */ b\n\nc", "2:a 2:b 4:c"),
        (r#"f("a \" // b", c)"#, r#"1:f 1:"a \" // b" 1:c"#),
        (r##"r"a\" b r#"x"y"# br"z" b"\\" c"""##, r#"1:"a\" 1:b 1:"x"y" 1:"z" 1:"\\" 1:"""#),
        ("fn f<'a>(x: &'a str) { '\\'' '\"' 'x' '\\u{1f}' y }", "1:fn 1:f 1:a 1:x 1:a 1:str 1:y"),
        ("\"one\ntwo\" r#type brr", "1:\"one\ntwo\" 2:type 2:brr"),
        ("größe \"ß", "1:größe 1:\"ß\""),
        ("/* never closed", ""),
    ] {
        assert_eq!(shown(source), expected, "{source}");
    }
}

#[test]
fn a_module_of_tests_is_not_code() {
    let words = |source| tokens_of_code(source).len();
    assert_eq!(words("a\n#[cfg(test)]\nmod tests { b }"), 1);
    assert_eq!(words("a\n#[cfg(test)]\nmod tests;\nb"), words("a #[cfg(test)] mod tests; b"));
    assert!(words("a\n#[cfg(test)]\nmod tests;\nb") > 10);
}
