//! Nothing of one machine is in the repository: no path of its disk, no host that packages come from.

use super::tree::{self, File, root};

/// Where people's own folders are, put together so that this file has none of them.
const HOMES: &[&str] =
    &[concat!("/ho", "me/"), concat!("/Us", "ers/"), concat!("/ro", "ot/"), concat!("C:\\Us", "ers\\")];

/// What names a registry, or puts one in the place of another.
const REGISTRIES: &[&str] = &[
    concat!("crates", ".io-index"),
    concat!("index.crates", ".io"),
    concat!("static.crates", ".io"),
    concat!("registry", "+http"),
    concat!("sparse", "+http"),
    concat!("[sou", "rce."),
    concat!("replace", "-with"),
    concat!("pypi", ".org"),
    concat!("registry.npmjs", ".org"),
];

fn check(file: &File, here: &str) -> Vec<String> {
    let mut breaches = Vec::new();
    for (line, text) in file.lines() {
        for path in HOMES.iter().chain([&here]).filter(|path| begins_a_path(text, path)) {
            breaches.push(file.breach(line, &format!("`{path}`, a path of one machine,"), "a relative path"));
        }
        for name in REGISTRIES.iter().filter(|name| text.contains(**name)) {
            breaches.push(file.breach(
                line,
                &format!("`{name}`, a word on a registry,"),
                "cargo's own settings",
            ));
        }
    }
    breaches
}

/// Whether a line has the path, and not as the rest of a longer one.
fn begins_a_path(text: &str, path: &str) -> bool {
    let part_of_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '}' | ']' | '*');
    text.match_indices(path).any(|(at, _)| !text[..at].ends_with(part_of_path))
}

/// A lock file names its registry as it must.
fn is_checked(file: &File) -> bool {
    file.path != "Cargo.lock"
}

#[test]
fn nothing_of_one_machine_is_in_the_repository() {
    let here = root().to_string_lossy();
    tree::none(tree::files().iter().filter(|file| is_checked(file)).flat_map(|file| check(file, &here)));
}

#[test]
fn what_is_of_one_machine_is_reported() {
    let report = |text: &str| check(&File::planted("a/b.txt", text), "/srv/clones/it").join("\n");
    for sound in
        ["see src/lib.rs", "a/home/b", "tmp/root/x", "/tmp/x", "${HOME}/x", "https://example.org/srv/clones"]
    {
        assert_eq!(report(sound), "", "{sound}");
    }
    for path in HOMES.iter().chain(&["/srv/clones/it"]) {
        let expected = format!("a/b.txt:2: `{path}`, a path of one machine, is banned, use a relative path");
        assert_eq!(report(&format!("\nin {path}someone/x")), expected);
        assert_eq!(report(&format!("\nroot=\"{path}\"")), expected);
    }
    for name in REGISTRIES {
        let expected =
            format!("a/b.txt:1: `{name}`, a word on a registry, is banned, use cargo's own settings");
        assert_eq!(report(&format!("{name}s")), expected);
    }
    assert!(!is_checked(&File::planted("Cargo.lock", "")) && is_checked(&File::planted("Cargo.toml", "")));
}
