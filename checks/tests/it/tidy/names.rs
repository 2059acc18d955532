//! What files, folders and crates are called: after the thing that is in them.

use super::tree::{self, File};

/// Words that say nothing of what is in a file.
const EMPTY: &[&str] = &["utils", "util", "common", "helpers", "misc", "core", "manager", "types"];

/// The services that a plugin's name may begin with, and so its folder. `policy` is short for `turn-policy`.
const SERVICES: &[&str] = &[
    "llm",
    "tools",
    "dispatch",
    "turn-policy",
    "policy",
    "context",
    "session",
    "loop",
    "sandbox",
    "agents",
    "eval",
];

/// What a learner's plugin begins with: the labs put them there.
const OWN: &str = "my";

fn is_empty(word: &str) -> bool {
    EMPTY.contains(&word.to_lowercase().as_str())
}

/// The name in a manifest, and its line.
fn package(file: &File) -> Option<(usize, &str)> {
    let mut lines = file.lines().skip_while(|(_, line)| line.trim() != "[package]");
    lines.find_map(|(at, line)| Some((at, line.strip_prefix("name = \"")?.strip_suffix('"')?)))
}

fn check(file: &File) -> Vec<String> {
    let mut breaches = Vec::new();
    for part in file.path.split('/') {
        let stem = part.split_once('.').map_or(part, |(stem, _)| stem);
        if is_empty(stem) {
            breaches.push(file.breach(1, &format!("the name `{part}`"), "the noun of what is in it"));
        }
    }
    if file.name() == "mod.rs" {
        let folder = file.folder();
        breaches.push(file.breach(1, "`mod.rs`", &format!("`{folder}.rs` beside `{folder}/`")));
    }
    let manifest = (file.name() == "Cargo.toml").then(|| package(file)).flatten();
    let Some((line, name)) = manifest else { return breaches };
    if name.split(['-', '_']).any(is_empty) {
        breaches.push(file.breach(line, &format!("the name `{name}`"), "the noun of what is in it"));
    }
    if let Some(folder) = file.folder().strip_prefix("plugins/").filter(|folder| !folder.contains('/')) {
        if name != folder {
            breaches.push(file.breach(
                line,
                &format!("the name `{name}`"),
                &format!("`{folder}`, the folder's"),
            ));
        }
        let adds = |first: &str| {
            let rest = folder.strip_prefix(first).and_then(|rest| rest.strip_prefix('-'));
            rest.is_some_and(|rest| {
                !rest.is_empty() && !["impl", "new", "plugin", "service", "v2"].contains(&rest)
            })
        };
        if folder != "bundle" && !SERVICES.iter().chain([&OWN]).any(|first| adds(first)) {
            breaches.push(file.breach(line, &format!("the name `{folder}`"), "`<service>-<what it adds>`"));
        }
    }
    breaches
}

#[test]
fn names_say_what_is_in_them() {
    tree::none(tree::files().iter().flat_map(check));
}

#[test]
fn a_name_that_says_nothing_is_reported() {
    let report = |path: &str, text: &str| check(&File::planted(path, text)).join("\n");
    for path in
        ["host/src/rows.rs", "plugin-api/kit/sse/src/lib.rs", "a/type.rs", "a/core_dump.rs", "a/model.rs"]
    {
        assert_eq!(report(path, ""), "", "{path}");
    }
    for word in EMPTY {
        let expected = "is banned, use the noun of what is in it";
        assert_eq!(
            report(&format!("a/src/{word}.rs"), ""),
            format!("a/src/{word}.rs:1: the name `{word}.rs` {expected}")
        );
        assert_eq!(
            report(&format!("{word}/x.txt"), ""),
            format!("{word}/x.txt:1: the name `{word}` {expected}")
        );
        let manifest = format!("[package]\nname = \"kit-{word}\"\n");
        assert_eq!(
            report("a/Cargo.toml", &manifest),
            format!("a/Cargo.toml:2: the name `kit-{word}` {expected}")
        );
    }
    assert_eq!(
        report("a/src/Utils.rs", ""),
        "a/src/Utils.rs:1: the name `Utils.rs` is banned, use the noun of what is in it"
    );
    assert_eq!(
        report("a/src/b/mod.rs", ""),
        "a/src/b/mod.rs:1: `mod.rs` is banned, use `a/src/b.rs` beside `a/src/b/`"
    );
}

#[test]
fn a_plugin_that_is_not_called_after_its_service_is_reported() {
    let report = |folder: &str, name: &str| {
        check(&File::planted(
            &format!("plugins/{folder}/Cargo.toml"),
            &format!("[package]\nname = \"{name}\"\n"),
        ))
        .join("\n")
    };
    for name in ["llm-openai", "turn-policy-steps", "policy-steps", "tools-mcp", "my-llm", "bundle"] {
        assert_eq!(report(name, name), "");
    }
    assert_eq!(
        report("llm-openai", "openai"),
        "plugins/llm-openai/Cargo.toml:2: the name `openai` is banned, use `llm-openai`, the folder's"
    );
    for name in ["openai-llm", "llm", "llm-", "turn-limit", "tools-plugin", "llm-new", "my-"] {
        let expected = format!(
            "plugins/{name}/Cargo.toml:2: the name `{name}` is banned, use `<service>-<what it adds>`"
        );
        assert_eq!(report(name, name), expected);
    }
}
