//! Two failures that providers tell by their words alone: the context window is full, the account is empty.
//!
//! A pattern is a row of words; `a|b` is either, `a?` may be missing, `*` is up to eight words of any kind.

const GAP_WORDS_MAX: usize = 8;

const CONTEXT_WINDOW: [&str; 9] = [
    "context length|window|size exceeded|overflow|overflowed",
    "max|maximum allowed|supported? context length|window|size",
    "request|prompt|input|messages is|are? too large|long for this|the? model s? context",
    "input|prompt|request is? too long|large for this|the model",
    "input|prompt|request|messages|tokens * exceeds|exceed|overflows|overflow * the model s? context",
    "prompt is too long",
    // llama.cpp
    "exceeds|exceed the? available? context size",
    // vLLM
    "longer than the maximum model length",
    // Gemini
    "input token count * exceeds the maximum number of tokens",
];

const QUOTA: [&str; 6] = [
    "insufficient quota|balance|credits|credit|funds",
    "quota exceeded|exhausted|reached",
    "usage limit exceeded|exhausted|reached",
    "exceed|exceeds|exceeded your|the? current? quota",
    "balance|credits exhausted|depleted",
    "out of credits|budget",
];

/// A text as its words: lower case, each followed by one space, everything else gone.
pub(crate) fn words(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.flat_map(|word| [word.to_lowercase(), " ".to_owned()]).collect()
}

/// Whether the conversation does not fit the model. Compacting it does not cure anything else, so no other limit may pass for it.
pub(crate) fn context_window(words: &str) -> bool {
    CONTEXT_WINDOW.iter().any(|pattern| has(words, pattern))
}

/// Whether the account is out of credit, which waiting does not cure.
pub(crate) fn quota(words: &str) -> bool {
    QUOTA.iter().any(|pattern| has(words, pattern))
}

/// Whether a pattern matches anywhere.
pub(crate) fn has(words: &str, pattern: &str) -> bool {
    let words: Vec<&str> = words.split_whitespace().collect();
    let pattern: Vec<&str> = pattern.split_whitespace().collect();
    (0..words.len()).any(|from| matches(&words[from..], &pattern))
}

fn matches(words: &[&str], pattern: &[&str]) -> bool {
    let Some((first, rest)) = pattern.split_first() else { return true };
    if *first == "*" {
        return (0..=GAP_WORDS_MAX.min(words.len())).any(|gap| matches(&words[gap..], rest));
    }
    let (either, optional) = first.strip_suffix('?').map_or((*first, false), |either| (either, true));
    let taken = words.split_first().is_some_and(|(word, others)| {
        either.split('|').any(|choice| choice == *word) && matches(others, rest)
    });
    taken || optional && matches(words, rest)
}
