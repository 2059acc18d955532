//! How long files may be: one subject each, and read in one sitting.

use super::tree::{self, File};

struct Limit {
    /// What it is of.
    of: fn(&File) -> bool,
    lines: usize,
    instead: &'static str,
}

/// The first that fits counts.
const LIMITS: &[Limit] = &[
    Limit {
        of: |file| file.is_rust() && file.is_test(),
        lines: 800,
        instead: "a file for each subject, or fixtures",
    },
    Limit { of: File::is_rust, lines: 300, instead: "a file for each subject" },
    Limit { of: |file| file.name() == "README.md", lines: 120, instead: "a document of its own, and a link" },
    Limit {
        of: |file| file.path == "ARCHITECTURE.md",
        lines: 250,
        instead: "the `//!` of the crate it is about",
    },
    Limit {
        of: |file| file.path == "AGENTS.md",
        lines: 50,
        instead: "a lint, a rule in here, or CONTRIBUTING.md",
    },
];

/// Files that may be longer: by how much, and why.
const LONGER: &[(&str, usize, &str)] = &[(
    "plugin-api/sdk/src/glue.rs",
    340,
    "one object is several traits of the ABI, and its invariants are between them",
)];

/// How long the longest reason may make a file.
const NEVER: usize = 500;

/// How much code the kernel may be.
const KERNEL: (&str, usize) = ("host/src/", 2000);

fn check(file: &File) -> Vec<String> {
    let Some(limit) = LIMITS.iter().find(|limit| (limit.of)(file)) else { return Vec::new() };
    let longer = LONGER.iter().find(|(path, ..)| *path == file.path);
    let (lines, most) = (file.text.lines().count(), longer.map_or(limit.lines, |(_, most, _)| *most));
    let over = (lines > most)
        .then(|| file.breach(most + 1, &format!("line {} of {lines}", most + 1), limit.instead));
    let stale = longer.filter(|_| lines <= limit.lines);
    let stale = stale
        .map(|_| file.breach(1, "an exception that is not needed", "no line in LONGER of tidy/sizes.rs"));
    over.into_iter().chain(stale).collect()
}

fn kernel(files: &[File]) -> Vec<String> {
    let (folder, most) = KERNEL;
    let of = |file: &&File| file.is_rust() && file.path.starts_with(folder) && !file.is_test();
    let lines: usize = files.iter().filter(of).map(|file| file.text.lines().count()).sum();
    (lines > most)
        .then(|| format!("{folder}:1: a kernel of {lines} lines is banned, use at most {most}: new behaviour is a new row"))
        .into_iter()
        .collect()
}

#[test]
fn files_are_short() {
    tree::none(tree::files().iter().flat_map(check));
    for (path, most, _) in LONGER {
        assert!(*most <= NEVER, "`{path}` may not be that long for any reason");
        assert!(
            tree::files().iter().any(|file| file.path == *path),
            "`{path}` is not there: take it off the list"
        );
    }
}

#[test]
fn the_kernel_is_small() {
    tree::none(kernel(tree::files()));
}

#[test]
fn a_long_file_is_reported() {
    let report = |path: &str, lines: usize| check(&File::planted(path, &"\n".repeat(lines))).join("\n");
    for (path, most) in [
        ("host/src/plan.rs", 300),
        ("host/tests/it/run.rs", 800),
        ("host/rows/src/tests.rs", 800),
        ("labs/README.md", 120),
        ("README.md", 120),
        ("ARCHITECTURE.md", 250),
        ("AGENTS.md", 50),
    ] {
        assert_eq!(report(path, most), "");
        let expected = format!("{path}:{next}: line {next} of {next} is banned, use ", next = most + 1);
        assert!(report(path, most + 1).starts_with(&expected), "{}", report(path, most + 1));
    }
    assert_eq!(report("data/any.json", 9000), "");
    for (path, most, _) in LONGER {
        assert_eq!(report(path, *most), "");
        assert!(report(path, most + 1).contains("is banned, use a file for each subject"));
        assert!(report(path, 10).contains("an exception that is not needed is banned"));
    }
}

#[test]
fn a_big_kernel_is_reported() {
    let file = |path: &str, lines: usize| File::planted(path, &"\n".repeat(lines));
    let sound =
        [file("host/src/a.rs", 1000), file("host/src/b/c.rs", 1000), file("host/rows/src/lib.rs", 900)];
    assert_eq!(kernel(&sound), Vec::<String>::new());
    let expected =
        "host/src/:1: a kernel of 2001 lines is banned, use at most 2000: new behaviour is a new row";
    assert_eq!(
        kernel(&[file("host/src/a.rs", 1000), file("host/src/b.rs", 1001), file("host/tests/it/a.rs", 9)]),
        [expected]
    );
}
