//! What somebody does who has the archive and a compiler: makes a plugin, builds it, changes one row and has it checked.

use crate::{
    packing::content,
    release::{Release, file_name, stdout, workspace},
};
use checks::workspace::built;
use std::{fs, path::Path, process::Command};

#[test]
fn a_plugin_is_made_built_mounted_and_checked_with_nothing_but_the_archive() {
    let release = Release::unpacked("here");
    let place = &release.place;
    let made = stdout(release.harness(&["new", "my-llm", "--service", "llm"]).current_dir(place));
    let row = made.split_once("in the place of the one with its id:\n").unwrap().1;
    assert!(made.contains("\n  ./harness check 01 --patch my-llm/try.patch.yml\n"), "{made}");
    let shown = row.replace(&file_name("my_llm"), "libmy_llm.so");
    assert!(content("README.md").contains(&shown), "the README shows another row than\n{row}");
    build(&place.join("my-llm"));

    let rows = place.join("harness.yml");
    let shipped = fs::read_to_string(&rows).unwrap();
    let others = &shipped[shipped.find("- id: tools").unwrap()..];
    fs::write(&rows, format!("{row}\n{others}")).unwrap();
    let shown = stdout(release.harness(&["rows"]).current_dir(place));
    assert!(shown.contains(" my-llm 0.1.0 ") && shown.contains("llm = llm-adapter"), "{shown}");
    let checked = stdout(release.harness(&["check", "01", "--only", "L1.5"]).current_dir(place));
    assert!(checked.starts_with("PASS    L1.5 "), "{checked}");
}

/// As its author would, but for what is kept between runs: cargo's downloads, the versions, and what is built already.
fn build(folder: &Path) {
    fs::copy(workspace().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let target = built().parent().unwrap().join("scaffold");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["build", "--quiet", "--offline"]).current_dir(folder).env("CARGO_TARGET_DIR", &target);
    // What cargo tells the process of a test would have build scripts run again.
    for (name, _) in std::env::vars_os() {
        if ["CARGO_MANIFEST_", "CARGO_PKG_"].iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            cargo.env_remove(name);
        }
    }
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
    stdout(&mut cargo);
    let library = file_name("my_llm");
    fs::create_dir_all(folder.join("target/debug")).unwrap();
    fs::copy(target.join("debug").join(&library), folder.join("target/debug").join(&library)).unwrap();
}
