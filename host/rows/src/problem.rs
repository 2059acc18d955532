//! The host's one error: a code for programs, a message for people, and the one thing to do about it.
//!
//! `Problem::new(code, message, hint)`, or `problem!(CODE: "message"; "hint")`, whose texts are format strings that name
//! variables in scope; `did_you_mean(word, known) -> String` is `, did you mean `x`?` or nothing, `names(words) -> String`
//! is `` `a`, `b` and `c` ``, or `none`; `known` and `words` are any iterators of `&str`.

use std::borrow::Cow;

/// Why the host could not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// `SCREAMING_SNAKE`, stable; programs branch on it and never on the message.
    pub code: Cow<'static, str>,
    /// What is wrong and where; several mistakes in one row are several lines.
    pub message: String,
    /// Exactly one thing to do.
    pub hint: String,
}

impl Problem {
    /// A problem of a code, a sentence and a hint.
    pub fn new(
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Problem {
        Problem { code: code.into(), message: message.into(), hint: hint.into() }
    }
}

macro_rules! problem {
    ($code:ident: $message:literal; $hint:literal) => {
        crate::problem::Problem::new(stringify!($code), format!($message), format!($hint))
    };
}
pub(crate) use problem;

/// The end of a sentence about a word that is most likely a typo: one edit, or two swapped neighbours.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let near = |other: &&str| {
        let (a, b) = (word.as_bytes(), other.as_bytes());
        let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let end = a[start..].iter().rev().zip(b[start..].iter().rev()).take_while(|(a, b)| a == b).count();
        let differ = a.len().max(b.len()) - start - end;
        differ < 3 && differ * 2 <= b.len()
    };
    known.into_iter().find(near).map(|best| format!(", did you mean `{best}`?")).unwrap_or_default()
}

/// Words as a sentence lists them.
pub fn names<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((only, _)) => only.clone(),
        None => "none".into(),
    }
}
