//! What the root manifest of this workspace gives its members: the text that a crate of its own has to have itself.
use crate::Problem;
use std::sync::OnceLock;
use toml_edit::{DocumentMut, Item, Table};

/// The root manifest, as it was when this was compiled.
const ROOT: &str = include_str!("../../../Cargo.toml");
/// The one official plugin that no crate depends on: it holds the others.
const BUNDLE: &str = "bundle";

fn root() -> Option<&'static DocumentMut> {
    static READ: OnceLock<Option<DocumentMut>> = OnceLock::new();
    READ.get_or_init(|| ROOT.parse().ok()).as_ref()
}

/// A table below `[workspace]`.
fn table(name: &str) -> Option<&'static Table> {
    root()?.get("workspace")?.get(name)?.as_table()
}

/// A key of `[workspace.package]`.
///
/// # Errors
/// `NOT_INHERITED` when there is none.
pub(crate) fn package(key: &str) -> Result<Item, Problem> {
    given("package", key)
}

/// How a dependency is spelled in `[workspace.dependencies]`.
///
/// # Errors
/// `NOT_INHERITED` when it is not.
pub(crate) fn dependency(name: &str) -> Result<Item, Problem> {
    given("dependencies", name)
}

fn given(of: &str, key: &str) -> Result<Item, Problem> {
    let item = table(of).and_then(|table| table.get(key)).cloned();
    item.ok_or_else(|| {
        let what = format!("the template's `{key}.workspace = true` has nothing behind it");
        Problem::new("NOT_INHERITED", what, format!("add `{key}` to [workspace.{of}] of the root manifest"))
    })
}

/// The tools that have lints, each with its table.
pub(crate) fn lints() -> impl Iterator<Item = (&'static str, &'static Table)> {
    let tools = table("lints").into_iter().flat_map(Table::iter);
    tools.filter_map(|(tool, lints)| Some((tool, lints.as_table()?)))
}

/// Whose name it is: a plugin's of this repository, or a crate's that plugins depend on.
pub(crate) fn owner(name: &str) -> Option<&'static str> {
    const PLUGIN: &str = "an official plugin";
    if name == BUNDLE {
        return Some(PLUGIN);
    }
    let dependency = table("dependencies")?.get(name)?;
    let path = dependency.get("path").and_then(Item::as_str).unwrap_or_default();
    Some(if path.starts_with("plugins/") { PLUGIN } else { "a crate that it may depend on" })
}
