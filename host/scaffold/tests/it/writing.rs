//! A template in a folder: names, manifests, and files that are there already.

use scaffold::{Place, Template};
use std::{
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

const TEMPLATE: Template = Template {
    name: "template-some",
    files: &[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", "//! `template-some`: use template_some::Some;\n"),
        ("try.patch.yml", "- id: tools\n  name: ./target/debug/libtemplate_some.so\n"),
        (".gitignore", "/target\n"),
    ],
};

const MANIFEST: &str = r#"[package]
name = "template-some"
version.workspace = true
edition.workspace = true
rust-version.workspace = true
license.workspace = true

[lib]
crate-type = ["cdylib", "rlib"]

[lints]
workspace = true

[dependencies]
plugin-sdk.workspace = true
reqwest = { workspace = true }
serde.workspace = true

[dev-dependencies]
serde_yaml.workspace = true
"#;

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().canonicalize().unwrap()
}

fn alone() -> Place {
    Place::Alone { sdk: checkout() }
}

fn read(folder: &Path, path: &str) -> String {
    fs::read_to_string(folder.join(path)).unwrap()
}

#[test]
fn a_crate_that_stands_alone_says_all_itself() {
    let place = TempDir::new().unwrap();
    let folder = place.path().join("my-some");
    let written = TEMPLATE.write(&folder, "my-some", &alone()).unwrap();
    let paths: Vec<&Path> = written.iter().map(|file| file.path.strip_prefix(&folder).unwrap()).collect();
    let names = ["Cargo.toml", "src/lib.rs", "try.patch.yml", ".gitignore", "clippy.toml", "rustfmt.toml"];
    assert_eq!(paths, names.map(Path::new));
    assert!(written.iter().all(|file| !file.existed));

    let manifest = read(&folder, "Cargo.toml");
    let expected = [
        "[package]\nname = \"my-some\"\nversion = \"0.1.0\"\nedition = \"2024\"\nrust-version = \"1.95\"\n\n[lib]\n",
        "[lints.rust]\nunsafe_code = \"deny\"\n",
        "[lints.clippy]\nall = { level = \"warn\", priority = -1 }\n",
        &format!(
            "[dependencies]\nplugin-sdk = {{ path = \"{}\", version = \"1.0.0\" }}\nreqwest = {{ version = \"0.13\", ",
            checkout().join("plugin-api/sdk").display()
        ),
        "\nserde = { version = \"1\", features = [\"derive\"] }\n\n[dev-dependencies]\n",
        "[dev-dependencies]\nserde_yaml = { package = \"yaml_serde\", version = \"0.10\" }\n",
    ];
    for piece in expected {
        assert!(manifest.contains(piece), "{piece}\nin\n{manifest}");
    }
    assert!(!manifest.contains("workspace"), "{manifest}");
    assert_eq!(read(&folder, "src/lib.rs"), "//! `my-some`: use my_some::Some;\n");
    let library = format!("{DLL_PREFIX}my_some{DLL_SUFFIX}");
    assert_eq!(read(&folder, "try.patch.yml"), format!("- id: tools\n  name: ./target/debug/{library}\n"));
}

#[test]
fn a_name_may_hold_that_of_the_template() {
    let place = TempDir::new().unwrap();
    for name in ["my-template-some", "template-some-more"] {
        let folder = place.path().join(name);
        TEMPLATE.write(&folder, name, &alone()).unwrap();
        let snake = name.replace('-', "_");
        assert_eq!(read(&folder, "src/lib.rs"), format!("//! `{name}`: use {snake}::Some;\n"));
        let library = format!("{DLL_PREFIX}{snake}{DLL_SUFFIX}");
        assert_eq!(
            read(&folder, "try.patch.yml"),
            format!("- id: tools\n  name: ./target/debug/{library}\n")
        );
    }
}

#[test]
fn a_member_of_the_workspace_goes_on_inheriting() {
    let place = TempDir::new().unwrap();
    let folder = place.path().join("my-some");
    let written = TEMPLATE.write(&folder, "my-some", &Place::Workspace).unwrap();
    assert_eq!(written.len(), 3, "what is of the workspace serves all members: {written:?}");
    assert_eq!(read(&folder, "Cargo.toml"), MANIFEST.replace("template-some", "my-some"));
    assert_eq!(read(&folder, "try.patch.yml"), "- id: tools\n  name: my-some\n");
}

#[test]
fn what_is_there_is_never_written_over() {
    let place = TempDir::new().unwrap();
    let folder = place.path().join("my-some");
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("src/lib.rs"), "mine").unwrap();
    // A link to nowhere is something, too.
    std::os::unix::fs::symlink("nowhere", folder.join(".gitignore")).unwrap();
    let kept = |written: Vec<scaffold::Written>| -> Vec<PathBuf> {
        written.into_iter().filter(|file| file.existed).map(|file| file.path).collect()
    };
    let first = kept(TEMPLATE.write(&folder, "my-some", &alone()).unwrap());
    assert_eq!(first, [folder.join("src/lib.rs"), folder.join(".gitignore")]);
    assert_eq!(read(&folder, "src/lib.rs"), "mine");
    assert!(!place.path().join("nowhere").exists() && !folder.join("nowhere").exists());

    let before = read(&folder, "Cargo.toml");
    assert_eq!(kept(TEMPLATE.write(&folder, "my-some", &alone()).unwrap()).len(), 6);
    assert_eq!(read(&folder, "Cargo.toml"), before);
}

#[test]
fn a_workspace_around_it_is_left_unless_it_lists_the_crate() {
    for (members, is_member) in [
        ("[\"plugins/*\"]", true),
        ("[\"plugins/my-some\", \"other\"]", true),
        ("[\"./plugins/*/\"]", true),
        ("[\"plugins\"]", false),
        ("[\"others/*\"]", false),
        ("[\"plugins/*/*\"]", false),
        ("[]", false),
    ] {
        let place = TempDir::new().unwrap();
        fs::write(place.path().join("Cargo.toml"), format!("[workspace]\nmembers = {members}\n")).unwrap();
        let folder = place.path().join("plugins/my-some");
        TEMPLATE.write(&folder, "my-some", &alone()).unwrap();
        let manifest = read(&folder, "Cargo.toml");
        assert_eq!(manifest.contains("\n[workspace]\n"), !is_member, "{members}: {manifest}");
    }
}

#[test]
fn nothing_is_written_under_a_name_that_may_not_be_or_without_an_sdk() {
    let place = TempDir::new().unwrap();
    let folder = place.path().join("x");
    let code = |name: &str, at: &Place| TEMPLATE.write(&folder, name, at).unwrap_err().code;
    assert_eq!(code("loop", &alone()), "INVALID_NAME");
    assert_eq!(code("tools-basic", &Place::Workspace), "NAME_TAKEN");
    assert_eq!(code("my-some", &Place::Alone { sdk: place.path().to_owned() }), "NOT_IN_SDK");
    assert!(!folder.exists());
}
