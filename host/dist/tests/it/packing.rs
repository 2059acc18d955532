//! What is in the archive, and that it is the same whenever it is made of the same.

use crate::release::{archive, dist, file_name, pack, value, workspace};
use checks::workspace::built;
use sha2::{Digest as _, Sha256};
use std::{fs, io::Read as _};
use tempfile::TempDir;

/// Path, mode, owner, group and time of each file.
fn entries() -> Vec<(String, u32, u64, u64, u64)> {
    let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(archive().0.as_slice()));
    let entry = |entry: std::io::Result<tar::Entry<'_, _>>| {
        let entry = entry.unwrap();
        let (path, header) = (entry.path().unwrap().to_string_lossy().into_owned(), entry.header());
        let owner = (header.uid().unwrap(), header.gid().unwrap());
        (path, header.mode().unwrap(), owner.0, owner.1, header.mtime().unwrap())
    };
    tar.entries().unwrap().map(entry).collect()
}

/// The text of a file of the archive.
pub(crate) fn content(name: &str) -> String {
    let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(archive().0.as_slice()));
    let mut found =
        tar.entries().unwrap().map(Result::unwrap).find(|e| e.path().unwrap().ends_with(name)).unwrap();
    let mut text = String::new();
    found.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn one_folder_holds_the_programs_one_library_the_rows_the_checks_and_the_licences() {
    let entries = entries();
    let top = entries[0].0.split('/').next().unwrap().to_owned();
    assert!(value(&archive().1, "archive").ends_with(&format!("/{top}.tar.gz")), "{top}");
    assert!(top.starts_with(concat!("harness-", env!("CARGO_PKG_VERSION"), "-")), "{top}");
    let paths: Vec<&str> = entries.iter().map(|e| e.0.strip_prefix(&format!("{top}/")).unwrap()).collect();
    let bundle = file_name("bundle");
    for path in [
        "LICENSE",
        "README.md",
        "licences/third-party.txt",
        "checks/01-foundations/rows.yml",
        "checks/swaps/llm-deepseek.patch.yml",
        "checks/SCRIPTS.md",
        "checks/tests/it/scripts/tools.yml",
        "harness",
        "harness-check",
        "harness-lab",
        "harness-new",
        "harness-services",
        "harness.yml",
        "offline.patch.yml",
        &bundle,
    ] {
        assert!(paths.contains(&path), "{path} of {paths:?}");
    }
    let code: Vec<&&str> =
        paths.iter().filter(|path| path.contains(".so") || path.contains(".dylib")).collect();
    assert_eq!(code, [&bundle.as_str()], "a single library would shadow the bundle");
    for (path, mode, uid, gid, _) in &entries {
        let name = path.strip_prefix(&format!("{top}/")).unwrap();
        let program = name == "harness" || (name.starts_with("harness-") && !name.contains(['.', '/']));
        assert_eq!((*mode, *uid, *gid), (if program { 0o755 } else { 0o644 }, 0, 0), "{path}");
    }
    assert!(entries.is_sorted() && entries.iter().all(|entry| entry.4 == entries[0].4));
}

#[test]
fn the_sources_are_those_a_plugin_is_built_with_and_no_others() {
    let entries = entries();
    let inside =
        |entry: &(String, u32, u64, u64, u64)| entry.0.split_once("/sdk/").map(|(_, path)| path.to_owned());
    let sources: Vec<String> = entries.iter().filter_map(inside).collect();
    for path in [
        "Cargo.toml",
        "plugin-api/sdk/build.rs",
        "plugin-api/contracts/src/llm.rs",
        "plugin-api/kit/sse/src/lib.rs",
    ] {
        assert!(sources.iter().any(|source| source == path), "{path} of {sources:?}");
    }
    for path in &sources {
        let is_source = path.ends_with("Cargo.toml") || path.ends_with("/build.rs") || path.contains("/src/");
        assert!(is_source && (path == "Cargo.toml" || path.starts_with("plugin-api/")), "{path}");
    }
    let code = entries.iter().filter(|entry| entry.0.ends_with(".rs") && !entry.0.contains("/sdk/"));
    assert_eq!(code.count(), 0, "the criteria are in the program");
}

#[test]
fn the_readme_names_the_oldest_compiler() {
    let root = fs::read_to_string(workspace().join("Cargo.toml")).unwrap();
    let version =
        root.lines().find_map(|line| line.strip_prefix("rust-version = ")).unwrap().trim_matches('"');
    assert!(content("README.md").contains(&format!("Rust {version} or newer")), "{version}");
}

#[test]
fn the_same_files_make_the_same_bytes_and_the_report_is_of_them() {
    let (bytes, report) = archive();
    let again = TempDir::new().unwrap();
    let second = pack(again.path());
    assert_eq!(value(report, "sha256"), value(&second, "sha256"));
    let hex: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(value(report, "sha256"), hex);
    assert_eq!(value(report, "bytes"), bytes.len().to_string());
    let size = fs::metadata(built().join("harness")).unwrap().len();
    assert_eq!(value(report, "harness"), format!("{size} bytes"));
    assert_eq!(fs::read_dir(again.path()).unwrap().count(), 1, "nothing else is left there");
}

#[test]
fn every_plugin_of_the_repository_is_in_the_bundle() {
    let bytes = fs::read(built().join(file_name("bundle"))).unwrap();
    let names = fs::read_dir(workspace().join("plugins")).unwrap().map(|e| e.unwrap().file_name());
    // What a learner writes in a clone is not shipped.
    let is_shipped = |name: &String| name != "bundle" && !name.starts_with("my-");
    let names: Vec<String> = names.map(|n| n.into_string().unwrap()).filter(is_shipped).collect();
    assert!(names.len() > 4, "{names:?}");
    for name in names {
        let manifest = format!(r#"{{"name":"{name}","version""#);
        let count = memchr::memmem::find_iter(&bytes, &manifest).count();
        assert_eq!(count, 1, "`{name}`: name it in the manifest and in the source of plugins/bundle");
    }
}

#[test]
fn the_licences_are_of_what_is_shipped_and_of_nothing_else() {
    let text = content("licences/third-party.txt");
    for shipped in [
        "abi_stable ",
        "tokio ",
        "clap ",
        "reqwest ",
        "ring ",
        "hyper ",
        "toml_edit ",
        "Rust's standard library ",
    ] {
        assert!(text.lines().any(|line| line.starts_with(shipped)), "{shipped}");
    }
    for other in ["flate2 ", "tar ", "proptest ", "host ", "plugin-api "] {
        assert!(!text.lines().any(|line| line.starts_with(other)), "{other}");
    }
    assert!(text.contains("Permission is hereby granted") && text.contains("Apache License"));
}

#[test]
fn what_is_not_there_is_named() {
    let empty = TempDir::new().unwrap();
    let done = dist(&["--from", &empty.path().to_string_lossy()]);
    let said = String::from_utf8(done.stderr).unwrap();
    let lacking =
        format!("error: {} is not there (NOT_BUILT)\n  hint: ", empty.path().join("harness").display());
    assert!(said.starts_with(&lacking), "{said}");
    assert_eq!(done.status.code(), Some(2));
}
