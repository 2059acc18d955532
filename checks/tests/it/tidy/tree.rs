//! The files of the repository as git knows them, and what a rule says of them.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// A file: tracked, or neither tracked nor ignored.
pub(crate) struct File {
    /// From the root of the repository.
    pub(crate) path: String,
    /// `""` for what is not text, and for a link.
    pub(crate) text: String,
}

impl File {
    /// A file that a test makes up.
    pub(crate) fn planted(path: &str, text: &str) -> Self {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    pub(crate) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Code of tests, or data of theirs.
    pub(crate) fn is_test(&self) -> bool {
        self.path.split('/').any(|part| part == "tests" || part == "tests.rs")
    }

    /// The lines, numbered from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }

    /// A breach in this file.
    pub(crate) fn breach(&self, line: usize, what: &str, instead: &str) -> String {
        format!("{}:{line}: {what} is banned, use {instead}", self.path)
    }
}

pub(crate) fn root() -> &'static Path {
    let checks = Path::new(env!("CARGO_MANIFEST_DIR"));
    checks.parent().unwrap_or(checks)
}

/// Runs a program in the root; what it prints.
pub(crate) fn output(program: &str, args: &[&str]) -> Vec<u8> {
    let out = Command::new(program).args(args).current_dir(root()).output().unwrap();
    assert!(out.status.success(), "{program} {args:?}: {}", String::from_utf8_lossy(&out.stderr));
    out.stdout
}

/// Every file of the repository.
pub(crate) fn files() -> &'static [File] {
    static FILES: OnceLock<Vec<File>> = OnceLock::new();
    FILES.get_or_init(|| {
        let listed = output("git", &["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let mut paths: Vec<&str> = std::str::from_utf8(&listed).unwrap().split_terminator('\0').collect();
        paths.sort_unstable();
        paths.dedup();
        paths.into_iter().filter_map(read).collect()
    })
}

/// `None` for a file that is listed and has been deleted.
fn read(path: &str) -> Option<File> {
    let there = root().join(path);
    let link = there.symlink_metadata().ok()?.is_symlink();
    let bytes = if link { Vec::new() } else { std::fs::read(there).ok()? };
    Some(File { path: path.to_owned(), text: String::from_utf8(bytes).unwrap_or_default() })
}

/// Fails with every breach.
#[track_caller]
pub(crate) fn none(breaches: impl IntoIterator<Item = String>) {
    let breaches: Vec<String> = breaches.into_iter().collect();
    assert!(breaches.is_empty(), "{} breach(es):\n{}", breaches.len(), breaches.join("\n"));
}

/// Whether a path matches a pattern in which `*` stands for one part.
pub(crate) fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
    pattern.len() == path.len() && pattern.iter().zip(path).all(|(p, part)| *p == "*" || *p == part)
}

#[test]
fn git_lists_what_there_is() {
    let paths: Vec<&str> = files().iter().map(|file| file.path.as_str()).collect();
    for path in ["Cargo.toml", "checks/tests/it/tidy/tree.rs", "plugin-api/abi.txt"] {
        assert!(paths.contains(&path), "{path}");
    }
    assert!(!paths.iter().any(|path| path.starts_with("target/")));
}

#[test]
fn a_star_is_one_part_of_a_path() {
    for (pattern, path, expected) in [
        ("plugins/*", "plugins/llm-openai", true),
        ("plugins/*", "plugins", false),
        ("plugins/*", "plugins/a/b", false),
        ("labs/*/spine", "labs/01-foundations/spine", true),
        ("host", "host", true),
        ("host", "host/rows", false),
    ] {
        assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
    }
}
