//! From the manifest of a member of this workspace to that of a crate which stands alone.
use crate::{Problem, inherited};
use std::path::Path;
use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value, value};

/// Where a manifest lists what its crate depends on.
const DEPENDENCIES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// Writes out whatever the manifest inherits. Crates of this repository become paths into `sdk`; the version begins anew, and the
/// licence is left to the author.
///
/// # Errors
/// `INVALID_TEMPLATE` for what is no manifest, `NOT_INHERITED`, and a crate that the SDK does not have.
pub(crate) fn alone(text: &str, sdk: &Path) -> Result<String, Problem> {
    let mut manifest: DocumentMut = text.parse().map_err(|error| {
        let what = format!("the template's Cargo.toml: {error}");
        Problem::new("INVALID_TEMPLATE", what, "mend the template")
    })?;
    if let Some(package) = manifest.get_mut("package").and_then(Item::as_table_mut) {
        package.remove("license");
        let keys = inheriting(package);
        for key in keys {
            let given = if key == "version" { value("0.1.0") } else { inherited::package(&key)? };
            replace(package, &key, given);
        }
    }
    for section in DEPENDENCIES {
        if let Some(list) = manifest.get_mut(section).and_then(Item::as_table_like_mut) {
            dependencies(list, sdk)?;
        }
    }
    for (_, target) in
        manifest.get_mut("target").and_then(Item::as_table_like_mut).into_iter().flat_map(|t| t.iter_mut())
    {
        for section in DEPENDENCIES {
            if let Some(list) = target.get_mut(section).and_then(Item::as_table_like_mut) {
                dependencies(list, sdk)?;
            }
        }
    }
    let lints = manifest.get("lints").and_then(|lints| lints.get("workspace")).and_then(Item::as_bool);
    if lints == Some(true) {
        manifest.insert("lints", Item::Table(lint_tables()));
    }
    Ok(manifest.to_string())
}

/// The manifest as the root of a workspace of its own: below another one, cargo would take it for a member that is not listed.
pub(crate) fn as_root(text: &str) -> String {
    format!(
        "{}\n# A workspace of its own, and no part of the one around it.\n[workspace]\n",
        text.trim_end_matches('\n').to_owned() + "\n"
    )
}

fn inheriting(table: &dyn TableLike) -> Vec<String> {
    let inherits = |item: &Item| item.get("workspace").and_then(Item::as_bool) == Some(true);
    table.iter().filter(|(_, item)| inherits(item)).map(|(key, _)| key.to_owned()).collect()
}

/// In the place of the old one, without the comments that stood around it elsewhere.
fn replace(table: &mut dyn TableLike, key: &str, mut given: Item) {
    if let Some(value) = given.as_value_mut() {
        value.decor_mut().clear();
    }
    table.insert(key, given);
}

fn dependencies(list: &mut dyn TableLike, sdk: &Path) -> Result<(), Problem> {
    for name in inheriting(list) {
        let given = inherited::dependency(&name)?;
        let path = given.get("path").and_then(Item::as_str).map(|path| sdk.join(path));
        let given = match path {
            Some(folder) => local(&name, &folder)?,
            None => given,
        };
        replace(list, &name, given);
    }
    Ok(())
}

/// A crate of this repository, where it is.
fn local(name: &str, folder: &Path) -> Result<Item, Problem> {
    let file = folder.join("Cargo.toml");
    let text = std::fs::read_to_string(&file).map_err(|error| {
        let what = format!("the SDK has no `{name}`: {}: {error}", file.display());
        Problem::new("NOT_IN_SDK", what, "take the SDK of this release of the harness")
    })?;
    let version = text
        .parse::<DocumentMut>()
        .ok()
        .and_then(|manifest| Some(manifest.get("package")?.get("version")?.as_str()?.to_owned()));
    let mut table = InlineTable::new();
    table.insert("path", Value::from(folder.display().to_string()));
    table.extend(version.map(|version| ("version", Value::from(version))));
    Ok(value(table))
}

fn lint_tables() -> Table {
    let mut all = Table::new();
    all.set_implicit(true);
    for (tool, lints) in inherited::lints() {
        let mut table = Table::new();
        for (name, level) in lints {
            replace(&mut table, name, level.clone());
        }
        all.insert(tool, Item::Table(table));
    }
    all
}
