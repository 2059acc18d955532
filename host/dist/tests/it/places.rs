//! The unpacked folder runs wherever it is, from wherever it is called, and nothing is written into it.

use crate::release::{Release, file_name, libraries, stdout};
use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::Command,
};

/// Runs a task, lists rows and calls a tool, each from another folder; all comes from the bundle in `place`.
fn works(place: &Path, harness: impl Fn(&[&str]) -> Command) {
    let run = stdout(&mut harness(&["run", "--offline", "summarise what this project does"]));
    assert!(run.contains("A project of somebody's"), "{run}");
    assert!(run.contains("Written by a script out of"), "{run}");
    let rows = libraries(&mut harness(&["--offline", "rows", "--json"]));
    assert_eq!(rows.len(), 4, "{rows:?}");
    assert!(rows.iter().all(|(_, file)| *file == place.join(file_name("bundle"))), "{rows:?}");
    let call = [
        "--offline",
        "call",
        "tools",
        "execute",
        r#"{"id":"1","name":"read_file"}"#,
        "--part",
        r#"{"path":"README.md"}"#,
    ];
    let answer = stdout(&mut harness(&call));
    assert!(answer.contains("A project of somebody's"), "{answer}");
}

#[test]
fn it_runs_from_any_folder_and_after_a_move() {
    let release = Release::unpacked("a folder with spaces");
    works(&release.place, |args| release.harness(args));
    let moved = release.root.join("elsewhere");
    fs::rename(&release.place, &moved).unwrap();
    works(&moved, |args| release.command(&moved.join("harness"), args));
}

#[test]
fn a_link_on_the_path_finds_what_is_beside_the_program() {
    let release = Release::unpacked("opt");
    fs::create_dir(release.root.join("bin")).unwrap();
    symlink(release.place.join("harness"), release.root.join("bin/harness")).unwrap();
    works(&release.place, |args| release.command(Path::new("harness"), args));
}

#[test]
fn a_folder_that_may_only_be_read_stays_as_it_is() {
    let release = Release::unpacked("opt");
    let before = listing(&release.place);
    for (path, ..) in &before {
        let mode = fs::metadata(path).unwrap().mode();
        fs::set_permissions(path, fs::Permissions::from_mode(mode & !0o222)).unwrap();
    }
    works(&release.place, |args| release.harness(args));
    assert_eq!(listing(&release.place), before);
    for (path, ..) in before.iter().filter(|(path, ..)| path.is_dir()) {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Every file and folder with its size and time.
fn listing(folder: &Path) -> Vec<(PathBuf, u64, i64)> {
    let meta = fs::metadata(folder).unwrap();
    let mut found = vec![(folder.to_owned(), meta.len(), meta.mtime_nsec())];
    if meta.is_dir() {
        let mut below: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        below.sort();
        found.extend(below.iter().flat_map(|path| listing(path)));
    }
    found
}

#[test]
fn the_checks_are_found_beside_the_program() {
    let release = Release::unpacked("opt");
    let help = stdout(&mut release.harness(&["check", "serve", "--help"]));
    assert!(help.contains("--script"), "{help}");
}
