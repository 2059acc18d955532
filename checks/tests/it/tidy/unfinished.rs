//! Nothing is left for later in the code: what is missing is an issue.

use super::tree::{self, File};

/// Words, put together so that this file has none of them.
const WORDS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
const MACROS: &[&str] = &[concat!("to", "do!"), concat!("unimpl", "emented!")];

/// Data of tests may be anything, and a lock file is a machine's.
fn is_checked(file: &File) -> bool {
    file.path != "Cargo.lock" && (file.is_rust() || !file.is_test())
}

fn check(file: &File) -> Vec<String> {
    let mut breaches = Vec::new();
    // A document may speak of the word; it may not be one.
    let note = file.name().ends_with(".md");
    for (line, text) in file.lines() {
        for word in WORDS.iter().filter(|word| stands_alone(text, word, note)) {
            breaches.push(file.breach(line, &format!("`{word}`"), "an issue"));
        }
        for name in MACROS.iter().filter(|name| file.is_rust() && stands_alone(text, name, false)) {
            breaches.push(file.breach(line, &format!("`{name}`"), "an error with a code"));
        }
    }
    breaches
}

/// Whether a line has the word by itself; as a note, only with a colon or a bracket behind it.
fn stands_alone(text: &str, word: &str, as_note: bool) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(part_of_word)
            && !behind.starts_with(part_of_word)
            && (!as_note || behind.starts_with([':', '(']))
    })
}

#[test]
fn nothing_is_left_for_later() {
    tree::none(tree::files().iter().filter(|file| is_checked(file)).flat_map(check));
}

#[test]
fn what_is_left_for_later_is_reported() {
    let report = |path: &str, text: &str| check(&File::planted(path, text)).join("\n");
    for word in WORDS {
        let expected = format!("a.rs:2: `{word}` is banned, use an issue");
        assert_eq!(report("a.rs", &format!("//! A.\n// {word}: later\n")), expected);
        assert_eq!(report("a.rs", &format!("//! A.\nlet x = 1; // ({word})\n")), expected);
        assert_eq!(report("a.rs", &format!("//! A{word}S {word}_LIST\n")), "");
        assert_eq!(
            report("a.yml", &format!("- id: x\n# {word}\n")),
            format!("a.yml:2: `{word}` is banned, use an issue")
        );
        assert_eq!(report("a.md", &format!("No {word} on main.\n")), "");
        assert_eq!(
            report("a.md", &format!("{word}: later\n")),
            format!("a.md:1: `{word}` is banned, use an issue")
        );
    }
    for name in MACROS {
        let expected = format!("a.rs:1: `{name}` is banned, use an error with a code");
        assert_eq!(report("a.rs", &format!("fn f() {{ {name}() }}")), expected);
        assert_eq!(report("a.rs", &format!("fn f() {{ my_{name}() }}")), "");
    }
    assert!(is_checked(&File::planted("a/tests/it/b.rs", "")));
    assert!(
        !is_checked(&File::planted("a/tests/it/b.txt", "")) && !is_checked(&File::planted("Cargo.lock", ""))
    );
}
