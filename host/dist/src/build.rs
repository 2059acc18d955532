//! Builds the packages that are shipped, without a path of this machine in them.
use crate::{
    contents::File,
    problem::Problem,
    program::program_in,
    workspace::{Workspace, shipped},
};
use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::Command,
};

/// The profile of the root manifest; cargo names a folder after it.
const PROFILE: &str = "dist";
/// What separates cargo's encoded flags.
const SEPARATOR: &str = "\x1f";

/// Builds with the profile `dist`; the folder that the programs and the library are in.
///
/// # Errors
/// It does not build; cargo has said why.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf, Problem> {
    let mut cargo = Command::new(program_in("CARGO", "cargo"));
    cargo.args(["build", "--locked", "--profile", PROFILE]);
    cargo.args(shipped().flat_map(|package| ["--package", package]));
    cargo.arg("--target-dir").arg(&workspace.target_directory).current_dir(&workspace.workspace_root);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags(workspace, given()));
    let failed =
        |why: String| Problem::new("BUILD_FAILED", format!("cargo: {why}"), "mend what cargo says above");
    let status = cargo.status().map_err(|error| failed(error.to_string()))?;
    if !status.success() {
        return Err(failed(status.to_string()));
    }
    Ok(workspace.target_directory.join(PROFILE))
}

/// Looks for paths of this machine in what was built: a macro may have put one there that no flag renames.
///
/// # Errors
/// The first that is found.
pub(crate) fn nameless(workspace: &Workspace, files: &[File]) -> Result<(), Problem> {
    for file in files.iter().filter(|file| file.is_code) {
        let places = renamed(workspace).into_iter().map(|(from, _)| from.to_string_lossy().into_owned());
        // A short one, as in a container, is part of other words.
        for place in places.filter(|place| place.matches('/').count() > 1) {
            if memchr::memmem::find(&file.bytes, place.as_bytes()).is_some() {
                let what = format!("{}: the path {place} is in it", file.path);
                let hint =
                    "take what puts it there, such as env!(\"CARGO_MANIFEST_DIR\"), out of shipped code";
                return Err(Problem::new("PATH_SHIPPED", what, hint));
            }
        }
    }
    Ok(())
}

/// The flags that cargo would take from the environment; ours take their place.
fn given() -> Vec<OsString> {
    let words = |name: &str, separator: &str| -> Option<Vec<OsString>> {
        let text = std::env::var_os(name)?.into_string().ok()?;
        Some(text.split(separator).filter(|word| !word.is_empty()).map(OsString::from).collect())
    };
    words("CARGO_ENCODED_RUSTFLAGS", SEPARATOR).or_else(|| words("RUSTFLAGS", " ")).unwrap_or_default()
}

fn flags(workspace: &Workspace, mut flags: Vec<OsString>) -> OsString {
    flags.extend(renamed(workspace).into_iter().map(|(from, to)| {
        let mut flag = OsString::from("--remap-path-prefix=");
        flag.push(from);
        flag.push("=");
        flag.push(to);
        flag
    }));
    flags.join(OsStr::new(SEPARATOR))
}

/// Each place of this machine that a file of source may be in, and what a panic calls it instead: a crate of others is
/// `name-version/src/…`, ours are as in the repository, the standard library is as the Rust project itself ships it.
/// Of several that fit, rustc takes the last.
fn renamed(workspace: &Workspace) -> Vec<(PathBuf, String)> {
    let others = workspace.packages.iter().filter(|package| package.source.is_some());
    let registries: BTreeSet<&Path> = others.filter_map(|package| package.folder().parent()).collect();
    let compiler = &workspace.compiler;
    let mut renamed: Vec<(PathBuf, String)> =
        registries.into_iter().map(|folder| (folder.to_owned(), String::new())).collect();
    renamed.extend([
        (compiler.sysroot.join("lib/rustlib/src/rust"), format!("/rustc/{}", compiler.commit)),
        (workspace.workspace_root.clone(), String::new()),
        (workspace.target_directory.clone(), "target".to_owned()),
    ]);
    renamed
}
