//! The licences of everything in the archive that others have written, in one text.
use crate::{
    problem::Problem,
    workspace::{Package, Workspace},
};
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// How the names of files with a licence or a notice begin.
const NAMES: [&str; 6] = ["license", "licence", "copying", "copyright", "notice", "unlicense"];

/// A list of packages, then each text once with the packages that it is of.
///
/// # Errors
/// The source of a package cannot be read.
pub(crate) fn third_parties(workspace: &Workspace) -> Result<String, Problem> {
    let mut list = String::from(
        "Parts of the harness were written by others. Each is listed with its licence; the texts follow.\n\n",
    );
    let release = &workspace.compiler.release;
    // Writing into a string does not fail.
    writeln!(list, "Rust's standard library {release}: MIT OR Apache-2.0, https://github.com/rust-lang/rust")
        .ok();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in workspace.third_parties() {
        let name = format!("{} {}", package.name, package.version);
        let licence = package.license.as_deref().unwrap_or("in its text");
        write!(list, "{name}: {licence}").ok();
        if let Some(place) = &package.repository {
            write!(list, ", {place}").ok();
        }
        let found = texts_of(package)?;
        if found.is_empty() {
            list.push_str(" (its package has no text of it)");
        }
        list.push('\n');
        for text in found {
            let packages = texts.entry(text).or_default();
            if !packages.contains(&name) {
                packages.push(name.clone());
            }
        }
    }
    let mut texts: Vec<(String, Vec<String>)> = texts.into_iter().collect();
    texts.sort_by(|a, b| a.1.cmp(&b.1));
    for (text, packages) in texts {
        write!(list, "\n{}\n{}\n\n{text}\n", "-".repeat(80), packages.join(", ")).ok();
    }
    Ok(list)
}

/// The texts in a package, with line ends as here.
fn texts_of(package: &Package) -> Result<Vec<String>, Problem> {
    let mut files = Vec::new();
    find(package.folder(), &mut files)?;
    files.sort();
    let text = |path: PathBuf| {
        let bytes = fs::read(&path).map_err(|error| Problem::file(&path, &error))?;
        Ok(String::from_utf8_lossy(&bytes).replace("\r\n", "\n").trim_matches('\n').to_owned())
    };
    files.into_iter().map(text).collect()
}

/// Also below: a package may hold sources of yet others.
fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Problem> {
    let failed = |error| Problem::file(folder, &error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
        if kind.is_dir() {
            find(&path, files)?;
        } else if kind.is_file() && is_licence(&entry.file_name().to_string_lossy()) {
            files.push(path);
        }
    }
    Ok(())
}

fn is_licence(name: &str) -> bool {
    let name = name.to_lowercase();
    let source = [".rs", ".py", ".c", ".h", ".json", ".toml"].iter().any(|end| name.ends_with(end));
    !source && NAMES.iter().any(|start| name.starts_with(start))
}
