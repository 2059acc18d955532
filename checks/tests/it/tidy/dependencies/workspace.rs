//! The packages of the workspace and what they depend on, as cargo resolves it for this platform.

use std::collections::HashMap;

use serde_json::Value;

use super::Package;
use crate::tidy::tree::{self, output};

/// All that are reached from here, those of others too.
pub(crate) fn workspace() -> Vec<Package> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let args = ["metadata", "--format-version", "1", "--locked", "--filter-platform", "host-tuple"];
    let metadata: Value = serde_json::from_slice(&output(&cargo.to_string_lossy(), &args)).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let list = |value: &Value| value.as_array().unwrap().clone();
    let nodes = list(&metadata["resolve"]["nodes"]);
    let positions: HashMap<String, usize> =
        nodes.iter().enumerate().map(|(at, node)| (text(&node["id"]), at)).collect();
    let packages: HashMap<String, Value> =
        list(&metadata["packages"]).into_iter().map(|package| (text(&package["id"]), package)).collect();
    let members = list(&metadata["workspace_members"]);
    let root = format!("{}/", text(&metadata["workspace_root"]));
    let package = |node: &Value| {
        let package = &packages[&text(&node["id"])];
        let folder = || {
            let manifest = text(&package["manifest_path"]);
            manifest.strip_prefix(&root)?.strip_suffix("/Cargo.toml").map(str::to_owned)
        };
        let normal =
            |need: &&Value| need["dep_kinds"].as_array().unwrap().iter().any(|kind| kind["kind"].is_null());
        Package {
            name: text(&package["name"]),
            folder: if members.contains(&node["id"]) { folder() } else { None },
            needs: list(&node["deps"])
                .iter()
                .filter(normal)
                .map(|need| positions[&text(&need["pkg"])])
                .collect(),
        }
    };
    nodes.iter().map(package).collect()
}

/// The line of a manifest that names a package.
pub(crate) fn line_of(folder: &str, name: &str) -> usize {
    let manifest = tree::files().iter().find(|file| file.path == format!("{folder}/Cargo.toml"));
    let named = |(_, line): &(usize, &str)| {
        line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', ' ', '=']))
    };
    manifest.and_then(|file| file.lines().find(named)).map_or(1, |(line, _)| line)
}
