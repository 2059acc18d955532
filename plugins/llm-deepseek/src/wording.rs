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
    let most = ["max", "maximum", "maximum allowed", "maximum supported", "max allowed", "max supported"];
    let words: Vec<&str> = plain.split_whitespace().collect();
    pairs(plain, &WINDOWS, &OUTGROWS)
        || pairs(plain, &most, &WINDOWS)
        || says(plain, "prompt is too long")
        || (0..words.len()).any(|at| too_long_for_a_model(&words[at..]) || outgrows_the_context(&words, at))
}

/// Whether the words begin with "input is too long for this model", or the like. A request may be too large for other things.
fn too_long_for_a_model(words: &[&str]) -> bool {
    let (subject, rest) = match words {
        [subject, "is" | "are", "too", "long" | "large", "for", rest @ ..]
        | [subject, "too", "long" | "large", "for", rest @ ..] => (subject, rest),
        _ => return false,
    };
    let model = matches!(rest, ["model" | "context", ..] | ["this" | "the", "model" | "context", ..]);
    SUBJECTS.contains(subject) && model
}

/// Whether the word there is the verb of "the input … exceeds … the context", with a few words in between.
fn outgrows_the_context(words: &[&str], at: usize) -> bool {
    const BETWEEN_MAX: usize = 8;
    let (before, after) = words.split_at(at);
    let near = before.iter().rev().take(BETWEEN_MAX).any(|word| SUBJECTS.contains(word));
    OUTGROWS.contains(&words[at]) && near && after.iter().take(BETWEEN_MAX).any(|word| *word == "context")
}
