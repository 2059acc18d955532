//! What `harness new` does not do, and how it says so. Nothing is written where it refuses.

use crate::made::{checkout, harness};
use checks::workspace::built;
use std::{fs, path::Path, process::Command};
use tempfile::TempDir;

/// What it says, after it has failed with the exit code of what did not start.
fn refused(folder: &Path, args: &[&str]) -> String {
    let done = harness(folder, &[&["new"], args].concat());
    assert_eq!((done.status.code(), done.stdout.len()), (Some(2), 0), "{done:?}");
    String::from_utf8(done.stderr).unwrap()
}

#[test]
fn names_and_pairs_that_cannot_be_are_refused_with_what_could() {
    let place = TempDir::new().unwrap();
    for (args, expected) in [
        (&["My LLM", "--service", "llm"][..], "(INVALID_NAME)\n  hint: take another name, such as `my-llm`"),
        (&["loop", "--service", "loop"], "(INVALID_NAME)\n  hint: take another name, such as `my-loop`"),
        (&["../x", "--service", "llm"], "(INVALID_NAME)\n  hint: take another name, such as `x`"),
        (
            &["tools-basic", "--service", "tools"],
            "`tools-basic` is that of an official plugin (NAME_TAKEN)\n  hint: ",
        ),
        (
            &["serde", "--service", "tools"],
            "`serde` is that of a crate that it may depend on (NAME_TAKEN)\n  hint: ",
        ),
        (
            &["x", "--service", "llm", "--join"],
            "error: there is no template that joins `llm` (NO_TEMPLATE)\n  hint: take one of llm (provide, wrap), \
             tools (provide, join, wrap), turn-policy (provide, wrap), loop (provide, wrap)",
        ),
        (&["x", "--service", "weather"], "error: there is no template that provides `weather` (NO_TEMPLATE)"),
        (&["x", "--service", "llm", "--join", "--wrap"], "cannot be used with"),
        (
            &["x", "--service", "llm", "--sdk", "."],
            "error: . has no plugin-api/sdk/Cargo.toml (NO_SDK)\n  hint: ",
        ),
    ] {
        let said = refused(place.path(), args);
        assert!(said.contains(expected), "{args:?}: {said}");
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn what_is_there_is_left_alone() {
    let place = TempDir::new().unwrap();
    fs::create_dir(place.path().join("full")).unwrap();
    fs::write(place.path().join("full/mine.txt"), "mine").unwrap();
    fs::write(place.path().join("file"), "mine").unwrap();
    std::os::unix::fs::symlink("nowhere", place.path().join("link")).unwrap();
    for name in ["full", "file", "link"] {
        let said = refused(place.path(), &[name, "--service", "llm"]);
        let expected =
            format!("error: {name} is there already, and not an empty folder (FOLDER_NOT_EMPTY)\n  hint: ");
        assert!(said.starts_with(&expected), "{said}");
    }
    assert_eq!(fs::read_dir(place.path().join("full")).unwrap().count(), 1);
    assert!(!place.path().join("nowhere").exists());

    fs::create_dir(place.path().join("empty")).unwrap();
    assert!(harness(place.path(), &["new", "empty", "--service", "turn-policy"]).status.success());
    assert!(
        refused(place.path(), &["empty", "--service", "llm"]).contains("FOLDER_NOT_EMPTY"),
        "a second time"
    );
}

#[test]
fn without_the_sources_it_says_where_they_are_looked_for() {
    let place = TempDir::new().unwrap();
    let program = place.path().join("harness-new");
    fs::copy(built().join("harness-new"), &program).unwrap();
    let new = |sdk: Option<&Path>| {
        let mut command = Command::new(&program);
        command.args(["my-llm", "--service", "llm"]).current_dir(place.path()).env_remove("HARNESS_SDK");
        command.envs(sdk.map(|sdk| ("HARNESS_SDK", sdk)));
        command.output().unwrap()
    };
    let said = String::from_utf8(new(None).stderr).unwrap();
    assert!(
        said.contains(&*program.to_string_lossy()) && said.contains("(NO_SDK)\n  hint: set HARNESS_SDK"),
        "{said}"
    );
    assert!(!place.path().join("my-llm").exists());
    let done = new(Some(place.path()));
    assert!(String::from_utf8(done.stderr).unwrap().contains("has no plugin-api/sdk/Cargo.toml (NO_SDK)"));

    // Beside the program, as a release has it.
    std::os::unix::fs::symlink(checkout(), place.path().join("sdk")).unwrap();
    assert!(new(None).status.success());
}
