//! The sources that a plugin is built with: all that an author's one dependency needs, as a workspace of its own.
use crate::{
    contents::{File, folder, read},
    problem::Problem,
    workspace::Workspace,
};
use toml_edit::{Array, DocumentMut, Item, TableLike};

/// Where they are in the repository.
const SOURCES: &str = "plugin-api";
/// Where they are in the archive, with the same paths below it.
const SDK: &str = "sdk";
/// The root manifest, of the repository and of the archive.
const ROOT: &str = "Cargo.toml";

/// Adds them: of each crate its manifest, its build script and its source, and above all the root manifest, cut down to them.
///
/// # Errors
/// One cannot be read; `MANIFEST_UNREADABLE`.
pub(crate) fn sources(workspace: &Workspace, files: &mut Vec<File>) -> Result<(), Problem> {
    let root = &workspace.workspace_root;
    let members: Vec<String> = workspace.members().filter(|member| is_source(member)).collect();
    for member in &members {
        for name in [ROOT, "build.rs"] {
            let path = format!("{member}/{name}");
            if root.join(&path).is_file() {
                files.push(read(&root.join(&path), format!("{SDK}/{path}"))?);
            }
        }
        let path = format!("{member}/src");
        folder(&root.join(&path), &format!("{SDK}/{path}"), files)?;
    }
    let manifest = read(&root.join(ROOT), format!("{SDK}/{ROOT}"))?;
    let text = cut_down(&String::from_utf8_lossy(&manifest.bytes), &members)?;
    files.push(File::text(manifest.path, text.into_bytes()));
    Ok(())
}

fn is_source(path: &str) -> bool {
    path == SOURCES || path.strip_prefix(SOURCES).is_some_and(|rest| rest.starts_with('/'))
}

/// The root manifest with these members alone, and without what is about the whole repository.
fn cut_down(text: &str, members: &[String]) -> Result<String, Problem> {
    let mut manifest: DocumentMut = text.parse().map_err(|error| {
        Problem::new("MANIFEST_UNREADABLE", format!("{ROOT}: {error}"), "mend the root manifest")
    })?;
    manifest.remove("profile");
    let workspace = manifest.get_mut("workspace").and_then(Item::as_table_like_mut);
    if let Some(workspace) = workspace {
        workspace.insert("members", toml_edit::value(members.iter().collect::<Array>()));
        if let Some(all) = workspace.get_mut("dependencies").and_then(Item::as_table_like_mut) {
            for name in elsewhere(all) {
                all.remove(&name);
            }
        }
    }
    Ok(manifest.to_string())
}

/// The dependencies that are crates of the repository and not shipped as sources.
fn elsewhere(all: &dyn TableLike) -> Vec<String> {
    let is_elsewhere =
        |item: &Item| item.get("path").and_then(Item::as_str).is_some_and(|path| !is_source(path));
    all.iter().filter(|(_, item)| is_elsewhere(item)).map(|(name, _)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::cut_down;

    #[test]
    fn the_root_manifest_keeps_what_the_sources_inherit() {
        let text = r#"[workspace]
resolver = "3"
members = ["host", "plugin-api"]

[workspace.package]
edition = "2024"

[workspace.dependencies]
plugin-api = { path = "plugin-api" }
rows = { path = "host/rows" }
plugin-apis = { path = "plugin-apis" }
serde = "1"

[profile.dev]
debug = false
"#;
        let expected = r#"[workspace]
resolver = "3"
members = ["plugin-api"]

[workspace.package]
edition = "2024"

[workspace.dependencies]
plugin-api = { path = "plugin-api" }
serde = "1"
"#;
        assert_eq!(cut_down(text, &["plugin-api".to_owned()]).unwrap(), expected);
    }
}
