//! A library with a single plugin wins over the bundle, wherever it is; without one, the bundle says what it has.

use crate::release::{Release, file_name, libraries, stdout};
use checks::workspace::built;
use std::{fs, path::Path, process::Command};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The scripted model as a library of its own, of major version 9, and it says that it is a plugin.
fn single() -> Vec<u8> {
    let (major, rest) = VERSION.split_once('.').unwrap();
    assert_eq!(major.len(), 1);
    let manifest = |version: &str| format!(r#"{{"name":"llm-scripted","version":"{version}""#);
    let mut bytes = fs::read(built().join(file_name("llm_scripted"))).unwrap();
    replace(&mut bytes, &manifest(VERSION), &manifest(&format!("9.{rest}")));
    replace(&mut bytes, "Written by a script out of", "Written by a plugin out of");
    bytes
}

fn replace(bytes: &mut [u8], from: &str, to: &str) {
    assert_eq!(from.len(), to.len());
    let at = memchr::memmem::find(bytes, from.as_bytes()).unwrap();
    bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
}

#[test]
fn a_single_library_wins_beside_the_bundle_on_the_path_and_in_the_users_folder() {
    let release = Release::unpacked("opt");
    let bytes = single();
    let named = release.root.join("named");
    let with_path = |args: &[&str]| {
        let mut command = release.harness(args);
        command.env("HARNESS_PLUGIN_PATH", &named);
        command
    };
    for folder in [&release.place, &named, &release.root.join("home/.local/share/harness/plugins")] {
        assert_eq!(libraries(&mut with_path(&ROWS))[0].1, release.place.join(file_name("bundle")));
        let library = release.install(folder, "llm_scripted", &bytes);
        let rows = libraries(&mut with_path(&ROWS));
        assert_eq!(rows[0], ("llm-adapter".to_owned(), library.clone()));
        let others = rows[1..].iter().all(|(_, file)| *file == release.place.join(file_name("bundle")));
        assert!(others, "the other rows stay in the bundle: {rows:?}");
        let said = stdout(&mut with_path(&["run", "--offline", "summarise what this project does"]));
        assert!(said.contains("Written by a plugin out of"), "{said}");
        fs::remove_file(library).unwrap();
    }
    let said = stdout(&mut with_path(&["run", "--offline", "summarise what this project does"]));
    assert!(said.contains("Written by a script out of"), "{said}");
}

const ROWS: [&str; 3] = ["--offline", "rows", "--json"];

/// The rows of the archive, but that the model has this name.
fn rows_with(release: &Release, name: &str) -> Command {
    let patch = release.root.join("patch.yml");
    fs::write(&patch, format!("- {{id: llm-adapter, name: \"{name}\", config: {{builtin: offline}}}}\n"))
        .unwrap();
    release.harness(&["--patch", patch.to_str().unwrap(), "rows", "--json"])
}

#[test]
fn a_version_that_the_bundle_does_not_have_is_refused_with_the_one_it_has() {
    let release = Release::unpacked("opt");
    let done = rows_with(&release, "llm-scripted@^9").output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    let bundle = release.place.join(file_name("bundle"));
    let has =
        format!("{}: plugin `llm-scripted` is version {VERSION}, the row asks for ^9", bundle.display());
    assert!(said.contains(&has), "{said}");
    assert_eq!(done.status.code(), Some(2));
    let library = release.install(&release.place, "llm_scripted", &single());
    assert_eq!(libraries(&mut rows_with(&release, "llm-scripted@^9"))[0].1, library);
}

#[test]
fn a_plugin_that_is_nowhere_is_named_with_the_places_that_were_looked_at() {
    let release = Release::unpacked("opt");
    let done = rows_with(&release, "llm-gone").output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    let places = [&release.place, &release.root.join("home/.local/share/harness/plugins")];
    for place in places.map(|folder: &std::path::PathBuf| Path::new(folder).join(file_name("llm_gone"))) {
        assert!(said.contains(&*place.to_string_lossy()), "{said}");
    }
    assert_eq!(done.status.code(), Some(2));
}
