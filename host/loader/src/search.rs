//! Where a plugin's library may be.
use crate::{Refusal, Wanted, refusal};
use std::{
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fs,
    path::{Path, PathBuf},
};

/// Where plugins are looked for: beside this program, where HARNESS_PLUGIN_PATH says, in the user's data folder.
pub fn folders(get: impl Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let own = std::env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_owned));
    let named = get("HARNESS_PLUGIN_PATH").unwrap_or_default();
    let user = user_folder(get, "XDG_DATA_HOME", ".local/share").map(|folder| folder.join("plugins"));
    let named = std::env::split_paths(&named).filter(|path| !path.as_os_str().is_empty());
    own.into_iter().chain(named).chain(user).collect()
}

/// This program's part of a user folder. A path that is not absolute is ignored (XDG Base Directory Specification).
pub(crate) fn user_folder(
    get: impl Fn(&str) -> Option<String>,
    xdg: &str,
    below_home: &str,
) -> Option<PathBuf> {
    let folder = get(xdg).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let folder = folder.or_else(|| get("HOME").map(|home| Path::new(&home).join(below_home)));
    folder.map(|folder| folder.join("harness"))
}

/// `path/to/library.so#plugin`: a plugin of a library that holds several.
pub(crate) fn named_in(path: &Path) -> (PathBuf, Option<String>) {
    match path.to_str().and_then(|text| text.rsplit_once('#')).filter(|_| !path.exists()) {
        Some((file, plugin)) => (PathBuf::from(file), Some(plugin.to_owned())),
        None => (path.to_owned(), None),
    }
}

pub(crate) fn file_name(plugin: &str) -> String {
    let stem = Path::new(plugin).file_name().unwrap_or_default().to_string_lossy().replace('-', "_");
    format!("{DLL_PREFIX}{stem}{DLL_SUFFIX}")
}

/// Every library of the folders: single ones before bundles, each kind in the order of the folders.
pub(crate) fn libraries(folders: &[PathBuf]) -> Vec<PathBuf> {
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(DLL_PREFIX) && name.ends_with(DLL_SUFFIX)
    };
    let mut found: Vec<PathBuf> =
        folders.iter().flat_map(|folder| entries(folder).filter(is_library)).collect();
    found.sort_by_key(|path| is_bundle(path));
    found
}

/// What a folder holds, sorted.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.into_iter()
}

fn is_bundle(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(DLL_PREFIX) && name.ends_with(&format!("bundle{DLL_SUFFIX}"))
}

/// Single libraries in every folder before bundles in any: a plugin put beside a bundle wins.
pub(crate) fn search(plugin: &str, folders: &[PathBuf]) -> Vec<PathBuf> {
    let single: Vec<PathBuf> = folders.iter().map(|folder| folder.join(file_name(plugin))).collect();
    // Bundles are looked for only once no single library has been found.
    if single.iter().any(|path| path.exists()) {
        single
    } else {
        let bundles = folders.iter().flat_map(|folder| entries(folder).filter(|path| is_bundle(path)));
        single.into_iter().chain(bundles).collect()
    }
}

/// The plugins that have a library of their own in these folders, by the file's name.
fn installed(folders: &[PathBuf]) -> Vec<String> {
    let files =
        folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().filter_map(Result::ok);
    let stem = |file: fs::DirEntry| {
        let name = file.file_name().to_string_lossy().into_owned();
        Some(name.strip_prefix(DLL_PREFIX)?.strip_suffix(DLL_SUFFIX)?.replace('_', "-"))
    };
    files.filter_map(stem).filter(|name| !name.ends_with("bundle")).collect()
}

/// `passed`: the plugins of the bundles that were looked into.
pub(crate) fn missing(
    wanted: &Wanted<'_>,
    candidates: &[PathBuf],
    folders: &[PathBuf],
    passed: Vec<String>,
) -> Refusal {
    let quoted =
        |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let places: Vec<String> = candidates.iter().map(|path| path.display().to_string()).collect();
    let what = format!("plugin `{}` is not there; looked for {}", wanted.name, quoted(&places));
    if wanted.library.is_some() {
        return refusal(what, "build it, or correct the path, which is relative to the file that names it");
    }
    let mut known = [installed(folders), passed].concat();
    known.sort();
    known.dedup();
    let hint = if known.is_empty() {
        "name the folder of its library with HARNESS_PLUGIN_PATH".to_owned()
    } else {
        format!("name one of {}, or its folder with HARNESS_PLUGIN_PATH", quoted(&known))
    };
    Refusal { what, hint, known }
}
