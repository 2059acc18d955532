//! Builds the packages that are shipped, without a path of this machine in them.
use crate::{
    problem::Problem,
    program::tool,
    workspace::{SHIPPED, Workspace},
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
    let mut cargo = Command::new(tool("CARGO", "cargo"));
    cargo.args(["build", "--locked", "--profile", PROFILE]);
    cargo.args(SHIPPED.iter().flat_map(|package| ["--package", package]));
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

/// The flags that cargo would take from the environment; ours take their place.
fn given() -> Vec<OsString> {
    let words = |name: &str, separator: &str| -> Option<Vec<OsString>> {
        let text = std::env::var_os(name)?.into_string().ok()?;
        Some(text.split(separator).filter(|word| !word.is_empty()).map(OsString::from).collect())
    };
    words("CARGO_ENCODED_RUSTFLAGS", SEPARATOR).or_else(|| words("RUSTFLAGS", " ")).unwrap_or_default()
}

/// Each place of this machine that a file of source may be in, and what a panic calls it instead: a crate of others is
/// `name-version/src/…`, ours are as in the repository, the standard library is as the Rust project itself ships it.
fn flags(workspace: &Workspace, mut flags: Vec<OsString>) -> OsString {
    let others = workspace.packages.iter().filter(|package| package.source.is_some());
    let registries: BTreeSet<&Path> = others.filter_map(|package| package.folder().parent()).collect();
    let compiler = &workspace.compiler;
    let sources = compiler.sysroot.join("lib/rustlib/src/rust");
    let standard = format!("/rustc/{}", compiler.commit);
    let renamed = registries.into_iter().map(|folder| (folder, "")).chain([
        (sources.as_path(), standard.as_str()),
        (workspace.workspace_root.as_path(), ""),
        (workspace.target_directory.as_path(), "target"),
    ]);
    // Of several that fit, rustc takes the last.
    flags.extend(renamed.map(|(from, to)| {
        let mut flag = OsString::from("--remap-path-prefix=");
        flag.push(from);
        flag.push("=");
        flag.push(to);
        flag
    }));
    flags.join(OsStr::new(SEPARATOR))
}
