//! What each crate's manifest says: one lint table, one spelling of every dependency.

use super::tree::{self, File};

/// Packages whose lints are their own, and why.
const OWN_LINTS: &[(&str, &str)] =
    &[("plugin-api/Cargo.toml", "the ABI is where unsafe code is, and abi_stable's derives break lints")];

fn is_package(file: &File) -> bool {
    file.name() == "Cargo.toml" && file.lines().any(|(_, line)| line.trim() == "[package]")
}

fn check(file: &File) -> Vec<String> {
    let (mut breaches, mut section, mut shared_lints, mut own_lints) = (Vec::new(), "", false, false);
    for (line, text) in file.lines() {
        let text = text.trim();
        if text.starts_with('[') {
            section = text;
        } else if section == "[lints]" && text == "workspace = true" {
            shared_lints = true;
        } else if section.starts_with("[lints.") && !text.is_empty() {
            own_lints = true;
        } else if section.ends_with("dependencies]") && text.contains('=') && !text.starts_with('#') {
            let (name, value) = text.split_once('=').unwrap_or((text, ""));
            let shared = name.trim().ends_with(".workspace") || value.contains("workspace = true");
            if !shared || value.contains("features") {
                let name = name.trim().trim_end_matches(".workspace");
                breaches.push(file.breach(
                    line,
                    &format!("a spelling of `{name}` of its own"),
                    &format!("`{name}.workspace = true`, and its version and features in the root manifest"),
                ));
            }
        }
    }
    let expected =
        if OWN_LINTS.iter().any(|(path, _)| *path == file.path) { own_lints } else { shared_lints };
    if !expected {
        breaches.push(file.breach(1, "a crate without the lint table", "`[lints] workspace = true`"));
    }
    breaches
}

#[test]
fn every_crate_has_the_lint_table_and_the_shared_dependencies() {
    let packages: Vec<&File> = tree::files().iter().filter(|file| is_package(file)).collect();
    for (path, _) in OWN_LINTS {
        assert!(
            packages.iter().any(|file| file.path == *path),
            "`{path}` is not there: take it off the list"
        );
    }
    tree::none(packages.into_iter().flat_map(check));
}

#[test]
fn a_manifest_of_its_own_kind_is_reported() {
    let report = |path: &str, text: &str| check(&File::planted(path, text)).join("\n");
    let lints = "[package]\nname = \"a\"\n[lints]\nworkspace = true\n";
    assert_eq!(report("a/Cargo.toml", lints), "");
    let table = "a/Cargo.toml:1: a crate without the lint table is banned, use `[lints] workspace = true`";
    assert_eq!(report("a/Cargo.toml", "[package]\nname = \"a\"\n"), table);
    assert_eq!(report("a/Cargo.toml", "[package]\n[lints.clippy]\nall = \"warn\"\n"), table);
    assert_eq!(report("plugin-api/Cargo.toml", "[package]\n[lints.clippy]\nall = \"warn\"\n"), "");
    assert_ne!(report("plugin-api/Cargo.toml", "[package]\n"), "");
    for good in ["tokio.workspace = true", "tokio = { workspace = true }", "# tokio = 1"] {
        assert_eq!(report("a/Cargo.toml", &format!("{lints}[dependencies]\n{good}\n")), "");
    }
    for bad in [
        "tokio = \"1\"",
        "tokio = { version = \"1\" }",
        "tokio = { path = \"../tokio\" }",
        "tokio = { workspace = true, features = [\"net\"] }",
    ] {
        for section in [
            "[dependencies]",
            "[dev-dependencies]",
            "[build-dependencies]",
            "[target.'cfg(unix)'.dependencies]",
        ] {
            let breach = report("a/Cargo.toml", &format!("{lints}{section}\n{bad}\n"));
            assert!(
                breach.starts_with("a/Cargo.toml:6: a spelling of `tokio` of its own is banned, use "),
                "{breach}"
            );
        }
    }
}
