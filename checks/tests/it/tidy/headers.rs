//! Every Rust file begins by saying what it is for.

use super::tree::{self, File};

fn check(file: &File) -> Vec<String> {
    let sentence = file.text.strip_prefix("//! ").and_then(|text| text.lines().next()).unwrap_or_default();
    let says = !sentence.trim().is_empty();
    let missing =
        (!says).then(|| file.breach(1, "a file without a word on what it is for", "a first line of `//!`"));
    missing.into_iter().collect()
}

#[test]
fn every_file_says_what_it_is_for() {
    tree::none(tree::files().iter().filter(|file| file.is_rust()).flat_map(check));
}

#[test]
fn a_file_without_a_header_is_reported() {
    let report = |text: &str| check(&File::planted("a/src/b.rs", text)).join("\n");
    assert_eq!(report("//! Turns rows into plans.\nuse a::b;\n"), "");
    let expected =
        "a/src/b.rs:1: a file without a word on what it is for is banned, use a first line of `//!`";
    for text in [
        "",
        "use a::b;\n",
        "\n//! Late.\n",
        "// Not it.\n",
        "/// Not it.\nstruct A;\n",
        "//!\n//! Late.\n",
        "#![allow(x)]\n//! Late.\n",
    ] {
        assert_eq!(report(text), expected, "{text:?}");
    }
}
