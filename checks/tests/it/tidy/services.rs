//! The host names no service: its code has neither their names nor words of their trades.

use super::tokens::{Token, tokens_of_code};
use super::tree::{self, File};

/// Names of contracts that are no words of the run protocol, as texts. `session` is a field of its end.
const NAMES: &[&str] =
    &["llm", "tools", "dispatch", "turn-policy", "turn_policy", "context", "loop", "sandbox"];

/// Words that no identifier of the host has.
const WORDS: &[&str] = &["llm", "tool", "tools"];

/// What makes plugins out of templates knows of services what its templates do, and is not part of the host.
const SCAFFOLD: &str = "host/scaffold/";

fn is_host(file: &File) -> bool {
    let inside = file.path.starts_with("host/") && !file.path.starts_with(SCAFFOLD);
    file.is_rust() && inside && !file.is_test()
}

fn check(file: &File) -> Vec<String> {
    let instead = "what a row, a manifest or an argument says: the host knows no service";
    let breach = |(line, token): (usize, Token<'_>)| match token {
        Token::Text(text) if NAMES.contains(&text) => {
            Some(file.breach(line, &format!("the text `{text}`"), instead))
        }
        Token::Word(word) if words(word).iter().any(|part| WORDS.contains(&part.as_str())) => {
            Some(file.breach(line, &format!("the identifier `{word}`"), instead))
        }
        _ => None,
    };
    tokens_of_code(&file.text).into_iter().filter_map(breach).collect()
}

/// The words of an identifier, in lower case: `ToolCall`, `tool_call` and `TOOL_CALL` have the same.
fn words(identifier: &str) -> Vec<String> {
    let (mut words, mut last_lower) = (vec![String::new()], false);
    for c in identifier.chars() {
        if c == '_' || (c.is_uppercase() && last_lower) {
            words.push(String::new());
        }
        last_lower = c.is_lowercase() || c.is_numeric();
        if let Some(word) = words.last_mut().filter(|_| c != '_') {
            word.extend(c.to_lowercase());
        }
    }
    words
}

#[test]
fn the_host_names_no_service() {
    let host: Vec<&File> = tree::files().iter().filter(|file| is_host(file)).collect();
    assert!(host.len() > 10);
    tree::none(host.into_iter().flat_map(check));
}

#[test]
fn a_service_named_in_the_host_is_reported() {
    let report = |text: &str| check(&File::planted("host/src/x.rs", text)).join("\n");
    for sound in [
        "// llm and tools\nlet session = \"session\"; loop {}",
        "/// One `tools` row.\nstruct FileTooLarge;",
        "let stool = \"the llm row\";",
        "let x = 1;\n#[cfg(test)]\nmod tests {\n    const LLM: &str = \"llm\";\n}",
    ] {
        assert_eq!(report(sound), "", "{sound}");
    }
    let instead = "is banned, use what a row, a manifest or an argument says: the host knows no service";
    for name in NAMES {
        let expected = format!("host/src/x.rs:2: the text `{name}` {instead}");
        assert_eq!(report(&format!("//! x\nmatch service {{ \"{name}\" => 1 }}")), expected);
    }
    for word in
        ["llm", "LLM_URL", "LlmRequest", "tool", "tool_call", "ToolCall", "known_tools", "TOOLS", "isTool"]
    {
        assert_eq!(
            report(&format!("fn {word}() {{}}")),
            format!("host/src/x.rs:1: the identifier `{word}` {instead}")
        );
    }
    assert!(is_host(&File::planted("host/rows/src/raw.rs", "")));
    for elsewhere in [
        "host/tests/it/run.rs",
        "host/rows/src/tests.rs",
        "host/scaffold/templates/llm/src/lib.rs",
        "plugins/a/src/lib.rs",
        "host/README.md",
    ] {
        assert!(!is_host(&File::planted(elsewhere, "")), "{elsewhere}");
    }
}
