//! The tools as a model meets them: a call in, an observation out, and what has become of the disk.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it stands")]

mod arguments;
mod cases;
mod contract;
mod files;
mod links;
mod schemas;
mod shell;

use std::{future::pending, path::Path};

use plugin_sdk::contracts::tools::ToolResult;
use tools_basic::{Basic, Config};

/// The row's config with its defaults, and this root.
fn config(root: &Path) -> Config {
    let schema: serde_json::Value = serde_json::from_str(include_str!("../../config.schema.json")).unwrap();
    let properties = schema["properties"].as_object().unwrap();
    let mut config: serde_json::Map<_, _> =
        properties.iter().map(|(key, property)| (key.clone(), property["default"].clone())).collect();
    config["root"] = root.to_str().unwrap().into();
    serde_json::from_value(config.into()).unwrap()
}

fn basic(root: &Path) -> Basic {
    Basic::new(config(root)).unwrap()
}

/// Runs one call to its end; nobody watches and nobody cancels.
async fn call(basic: &Basic, name: &str, arguments: impl ToString) -> ToolResult {
    basic.execute(name, &arguments.to_string(), pending(), |_| {}).await
}

/// A result as one text: its code, if it failed, and what the model reads.
fn told(result: &ToolResult) -> String {
    assert_eq!(result.is_error, result.code.is_some());
    match &result.code {
        Some(code) => format!("{code}: {}", result.text),
        None => result.text.clone(),
    }
}
