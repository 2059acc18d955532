//! The census as text and as JSON.
use crate::census::{Plugin, Service};
use serde_json::{Map, Value, json};

type Listed<'a> = [(&'a String, &'a Service)];

/// One object: services by name.
pub(crate) fn json(services: &Listed<'_>) -> String {
    let all: Map<String, Value> =
        services.iter().map(|(name, service)| ((*name).clone(), json!(service))).collect();
    format!("{}\n", json!({ "services": all }))
}

/// A few lines for each.
pub(crate) fn text(services: &Listed<'_>) -> String {
    services.iter().map(|(name, service)| one(name, service)).collect::<Vec<_>>().join("\n")
}

fn one(name: &str, service: &Service) -> String {
    let version = if service.version.is_empty() { String::new() } else { format!(" {}", service.version) };
    let about = if service.about.is_empty() { String::new() } else { format!(": {}", service.about) };
    let methods: Vec<String> =
        service.methods.iter().map(|(method, shape)| format!("{method} ({shape})")).collect();
    let lines = [
        ("defined in", service.definition.clone()),
        ("methods", methods.join(", ")),
        ("providers", plugins(&service.providers)),
        ("joins", plugins(&service.joins)),
        ("wraps", plugins(&service.wraps)),
        ("consumers", plugins(&service.consumers)),
        ("checks", service.checks.join(", ")),
    ];
    let line = |(word, what): &(&str, String)| {
        let what = if what.is_empty() { "none" } else { what };
        format!("  {word:10}  {what}\n")
    };
    format!("{name}{version}{about}\n{}", lines.iter().map(line).collect::<String>())
}

/// What rows mount first, and by their ids.
fn plugins(plugins: &[Plugin]) -> String {
    let (mounted, others): (Vec<&Plugin>, Vec<&Plugin>) =
        plugins.iter().partition(|plugin| !plugin.rows.is_empty());
    let mounted = mounted.iter().map(|plugin| {
        let word = if plugin.rows.len() == 1 { "row" } else { "rows" };
        format!("{} ({word} {})", plugin.name, plugin.rows.join(", "))
    });
    mounted.chain(others.iter().map(|plugin| plugin.name.clone())).collect::<Vec<_>>().join(", ")
}
