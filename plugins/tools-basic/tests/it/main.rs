//! The tools as a model meets them: a call in, an observation out, and what has become of the disk.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it stands")]

mod arguments;
mod cases;
mod contract;
mod files;
mod links;
mod memory;
mod schemas;
mod shell;

use std::{future::pending, path::Path, sync::Arc};

use plugin_sdk::{
    Cx, Item as _, Part, Parts, Payload,
    contracts::{
        Serve as _,
        tools::{Contract, ToolEvent, ToolResult},
        wire::next,
    },
};
use tools_basic::{Basic, Config, ToolsBasic};

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

/// Opens one call of the service and collects what it says, calling `seen` after each item.
async fn events(
    service: &Arc<ToolsBasic>,
    cx: Cx,
    name: &str,
    arguments: &str,
    seen: impl Fn(),
) -> Vec<ToolEvent> {
    let parts: Parts = [Part::new(arguments)].into_iter().collect();
    let payload = Payload::new(serde_json::json!({"id": "c1", "name": name}).to_string(), parts);
    let mut batches = Contract::open(service, "execute", payload, cx).unwrap();
    let mut events = Vec::new();
    while let Some(batch) = next(&mut batches).await {
        for chunk in batch.unwrap() {
            events.push(ToolEvent::from_chunk(chunk).unwrap());
            seen();
        }
    }
    events
}

/// A result as one text: its code, if it failed, and what the model reads.
fn told(result: &ToolResult) -> String {
    assert_eq!(result.is_error, result.code.is_some());
    match &result.code {
        Some(code) => format!("{code}: {}", result.text),
        None => result.text.clone(),
    }
}
