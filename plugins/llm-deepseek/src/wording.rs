//! Two kinds of failure that have no status of their own: providers tell them in words.

/// What outgrows a model, and what it outgrows.
const SUBJECTS: [&str; 5] = ["request", "prompt", "input", "messages", "tokens"];
const WINDOWS: [&str; 3] = ["context length", "context window", "context size"];
const OUTGROWS: [&str; 6] = ["exceed", "exceeds", "exceeded", "overflow", "overflows", "overflowed"];

/// A text in lower case, its words parted by single spaces, with one before and one behind.
pub(crate) fn plain(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(String::from(" "), |all, word| all + word + " ")
}

/// Whether whole words of a plain text are these.
pub(crate) fn says(plain: &str, phrase: &str) -> bool {
    plain.contains(&format!(" {phrase} "))
}

/// Whether one of the first is directly followed by one of the second.
fn pairs(plain: &str, first: &[&str], second: &[&str]) -> bool {
    first.iter().any(|a| second.iter().any(|b| says(plain, &format!("{a} {b}"))))
}

/// Whether the account has nothing left: waiting would not help.
pub(crate) fn is_about_credit(plain: &str) -> bool {
    let used_up = ["exceeded", "exhausted", "reached", "depleted"];
    pairs(plain, &["insufficient"], &["quota", "balance", "credit", "credits", "funds"])
        || pairs(plain, &["quota", "usage limit", "balance", "credit", "credits"], &used_up)
        || pairs(plain, &["exceed", "exceeds", "exceeded"], &["quota", "your quota", "the quota"])
        || pairs(plain, &["exceeded your", "exceed your", "exceeds your"], &["current quota"])
        || pairs(plain, &["out of"], &["credit", "credits", "budget"])
}

/// Whether the conversation is longer than the model's context. Nothing else may be taken for that, because it would be shortened in vain.
pub(crate) fn is_about_length(plain: &str) -> bool {
    let maximum = ["max", "maximum", "maximum allowed", "maximum supported", "max allowed", "max supported"];
    pairs(plain, &WINDOWS, &OUTGROWS)
        || pairs(plain, &maximum, &WINDOWS)
        || is_too_long(plain)
        || outgrows_the_context(plain)
}

/// "The prompt is too long", by itself or for a model; a request may be too large for other things.
fn is_too_long(plain: &str) -> bool {
    let mut long = SUBJECTS.iter().flat_map(|subject| {
        ["", " is", " are"]
            .map(|verb| [" too long ", " too large "].map(|too| format!(" {subject}{verb}{too}")))
    });
    let target = |rest: &str| match rest.split_whitespace().collect::<Vec<_>>()[..] {
        ["for", "this" | "the", next, ..] | ["for", next, ..] => ["model", "context"].contains(&next),
        _ => false,
    };
    says(plain, "prompt is too long")
        || long.any(|either| {
            either
                .iter()
                .any(|phrase| plain.match_indices(phrase).any(|(at, _)| target(&plain[at + phrase.len()..])))
        })
}

/// "The input … exceeds the context …", with a few words in between.
fn outgrows_the_context(plain: &str) -> bool {
    const BETWEEN_MAX: usize = 8;
    let words: Vec<&str> = plain.split(' ').collect();
    let verbs = words.iter().enumerate().filter(|(_, word)| OUTGROWS.contains(word));
    verbs.map(|(at, _)| at).any(|at| {
        let before = &words[at.saturating_sub(BETWEEN_MAX)..at];
        let after = &words[at + 1..words.len().min(at + 1 + BETWEEN_MAX)];
        before.iter().any(|word| SUBJECTS.contains(word)) && after.contains(&"context")
    })
}
