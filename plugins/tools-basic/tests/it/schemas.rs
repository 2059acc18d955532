//! What the model is told of the tools.

use std::path::Path;

use expect_test::expect_file;
use plugin_sdk::contracts::tools::ToolSchema;
use serde_json::Value;
use tempfile::tempdir;

use crate::{basic, config};

fn schemas() -> Vec<ToolSchema> {
    let root = tempdir().unwrap();
    let parts = basic(root.path()).schemas().unwrap();
    parts.iter().map(|part| serde_json::from_str(part.text().unwrap()).unwrap()).collect()
}

#[test]
fn the_tools_are_described_in_a_fixed_order_with_fixed_words() {
    let described = schemas()
        .iter()
        .map(|tool| format!("{}\n{}\n{}\n", tool.name, tool.description, tool.parameters.get()))
        .collect::<Vec<_>>()
        .join("\n");
    expect_file!["schemas.txt"].assert_eq(&described);
}

#[test]
fn every_schema_describes_each_argument_and_takes_no_other() {
    for tool in schemas() {
        let schema: Value = serde_json::from_str(tool.parameters.get()).unwrap();
        assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property["description"].as_str().is_some_and(|text| text.ends_with('.')), "{name}");
        }
    }
}

#[test]
fn the_readme_lists_every_key_of_the_config() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let schema: Value = serde_json::from_str(include_str!("../../config.schema.json")).unwrap();
    for (key, property) in schema["properties"].as_object().unwrap() {
        let row = readme.lines().find(|line| line.starts_with(&format!("| `{key}` |")));
        let row = row.unwrap_or_else(|| panic!("no row for {key}"));
        assert!(row.contains(&format!("| `{}` |", property["default"])), "default of {key}: {row}");
    }
    // The struct takes all of them and nothing else.
    let _ = config(Path::new("."));
}
