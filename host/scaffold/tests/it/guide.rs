//! What `harness new` says: commands and rows that are right where they are pasted.

use crate::made::{checkout, harness, stdout};
use checks::workspace::built;
use std::{
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fs,
    os::unix::fs::symlink,
};
use tempfile::TempDir;

#[test]
fn commands_are_quoted_and_a_row_names_the_library_from_anywhere() {
    let place = TempDir::new().unwrap();
    let here = place.path().canonicalize().unwrap();
    let said =
        stdout(harness(&here, &["new", "my-guard", "--service", "tools", "--wrap", "--dir", "a folder"]));
    let library = format!("target/debug/{DLL_PREFIX}my_guard{DLL_SUFFIX}");
    let program = built().join("harness");
    for expected in [
        "made my-guard, which wraps tools:\n  a folder/my-guard/Cargo.toml\n".to_owned(),
        "\n  cargo test --manifest-path 'a folder/my-guard/Cargo.toml'\n".to_owned(),
        format!("\n  {} check 01 --patch 'a folder/my-guard/try.patch.yml'\n", program.display()),
        format!(
            "\nto keep it, add this row to harness.yml:\n- id: my-guard\n  name: {}/a folder/my-guard/{library}\n  config:\n    refused: []\n",
            here.display()
        ),
    ] {
        assert!(said.contains(&expected), "{expected}\nin\n{said}");
    }

    // Beside a harness.yml a relative path will do.
    fs::write(here.join("harness.yml"), "[]\n").unwrap();
    let said = stdout(harness(&here, &["new", "my-limit", "--service", "turn-policy"]));
    let library = format!("target/debug/{DLL_PREFIX}my_limit{DLL_SUFFIX}");
    let row = format!(
        "\nto keep it, add this row to harness.yml:\n- id: turn-policy\n  name: ./my-limit/{library}\n"
    );
    assert!(said.contains(&row), "{row}\nin\n{said}");
}

#[test]
fn in_the_folder_of_a_checkouts_plugins_it_is_one_of_them() {
    let place = TempDir::new().unwrap();
    let root = place.path().canonicalize().unwrap();
    for folder in ["plugin-api", "host"] {
        symlink(checkout().join(folder), root.join(folder)).unwrap();
    }
    fs::create_dir(root.join("plugins")).unwrap();
    let args = ["new", "llm-mine", "--service", "llm", "--dir", "plugins", "--sdk", "."];
    let said = stdout(harness(&root, &args));
    for expected in [
        "\n  cargo test --package llm-mine\n",
        "\n  cargo harness check 01 --patch plugins/llm-mine/try.patch.yml\n",
        "\n- id: llm-adapter\n  name: llm-mine\n  config:\n",
    ] {
        assert!(said.contains(expected), "{expected}\nin\n{said}");
    }
    let manifest = fs::read_to_string(root.join("plugins/llm-mine/Cargo.toml")).unwrap();
    assert!(manifest.contains("plugin-sdk.workspace = true"), "{manifest}");
}
