//! Which names a new plugin may have.
use crate::{Problem, inherited};

/// How long a name may be: crates.io takes no longer one.
const CHARS_MAX: usize = 64;
/// Words of the language (the Rust Reference, "Keywords"), which no crate can be called.
const KEYWORDS: [&str; 52] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield", "union",
];
/// Crates that every build has; cargo refuses their names as well.
const OF_RUST: [&str; 5] = ["alloc", "core", "proc-macro", "std", "test"];

/// Whether a plugin, and so its crate, may have this name.
///
/// # Errors
/// `INVALID_NAME` for what cargo or rustc would not take; `NAME_TAKEN` for the name of a plugin of this repository, whose place the new
/// one would take, and of a crate that it would depend on.
pub fn check(name: &str) -> Result<(), Problem> {
    let invalid = |why: &str| {
        let hint = format!("take another name, such as `{}`", suggestion(name));
        Err(Problem::new("INVALID_NAME", format!("the name `{name}` {why}"), hint))
    };
    let is_letter = |c: char| c.is_ascii_lowercase();
    let fits = |c: char| is_letter(c) || c.is_ascii_digit() || c == '-';
    if !name.starts_with(is_letter) || !name.chars().all(fits) {
        return invalid("is not made of lower-case letters, digits and dashes, a letter first");
    }
    if name.len() > CHARS_MAX {
        return invalid(&format!("is longer than {CHARS_MAX} characters"));
    }
    if KEYWORDS.contains(&name) {
        return invalid("is a word of Rust");
    }
    if OF_RUST.contains(&name) {
        return invalid("is that of a crate of Rust itself");
    }
    if let Some(owner) = inherited::owner(name) {
        let hint = format!("take another name, such as `my-{name}`");
        return Err(Problem::new("NAME_TAKEN", format!("the name `{name}` is that of {owner}"), hint));
    }
    Ok(())
}

/// A name close to what was asked for.
fn suggestion(name: &str) -> String {
    let dashed: String =
        name.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let words: Vec<&str> = dashed.split('-').filter(|word| !word.is_empty()).collect();
    let close = words.join("-").trim_start_matches(|c: char| !c.is_ascii_lowercase()).to_owned();
    let close: String = close.chars().take(CHARS_MAX).collect();
    if close.is_empty() {
        return "my-plugin".to_owned();
    }
    if close == name || check(&close).is_err() { format!("my-{close}") } else { close }
}

#[cfg(test)]
mod tests {
    use super::{check, suggestion};
    use proptest::prelude::*;

    #[test]
    fn names_that_cargo_and_rustc_take_are_taken() {
        for name in ["my-llm", "a", "a1", "x-2-y", "loop-mine", "plugin"] {
            assert!(check(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn other_names_are_refused_with_one_that_would_do() {
        let table = [
            ("", "INVALID_NAME", "`my-plugin`"),
            ("My LLM", "INVALID_NAME", "`my-llm`"),
            ("my_llm", "INVALID_NAME", "`my-llm`"),
            ("1st", "INVALID_NAME", "`st`"),
            ("-x", "INVALID_NAME", "`x`"),
            ("../x", "INVALID_NAME", "`x`"),
            ("größe", "INVALID_NAME", "`gr-e`"),
            ("loop", "INVALID_NAME", "`my-loop`"),
            ("Loop", "INVALID_NAME", "`my-loop`"),
            ("test", "INVALID_NAME", "`my-test`"),
            ("llm-openai", "NAME_TAKEN", "`my-llm-openai`"),
            ("plugin-sdk", "NAME_TAKEN", "`my-plugin-sdk`"),
            ("serde", "NAME_TAKEN", "`my-serde`"),
            ("bundle", "NAME_TAKEN", "`my-bundle`"),
        ];
        for (name, code, close) in table {
            let problem = check(name).unwrap_err();
            assert_eq!(problem.code, code, "{name}");
            assert!(problem.hint.ends_with(close), "{name}: {}", problem.hint);
            assert!(problem.what.contains(&format!("`{name}`")), "{problem}");
        }
        let long = "a".repeat(65);
        assert_eq!(check(&long).unwrap_err().code, "INVALID_NAME");
    }

    proptest! {
        #[test]
        fn whatever_is_asked_for_the_name_suggested_would_do(name in "\\PC{0,80}|[a-zA-Z0-9_-]{0,90}|[a-z]{1,6}") {
            let close = suggestion(&name);
            prop_assert!(check(&close).is_ok(), "{name:?}: {close}");
        }
    }
}
