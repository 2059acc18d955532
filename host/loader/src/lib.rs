//! Plugin libraries: found by name, read without being mapped, then checked and opened.
//!
//! Knows the ABI and files, and nothing of rows, slots or services. Three steps, each before the next can do harm: [`find`] reads
//! bytes only; [`Opened::open`] maps, compares every type that crosses, and starts the library; `create` is the caller's.
mod binary;
mod open;
mod trace;
mod verdict;

use plugin_api::manifest;
use semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};
use std::{
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fs, io,
    path::{Path, PathBuf},
};

pub use open::Opened;
pub use trace::sink;
pub use verdict::Verdicts;

/// What one crate says of itself in a library; the format is [`plugin_api::manifest`]'s.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    /// The symbol of its root module.
    pub entry: String,
    /// The ABI it was built against.
    pub api: Version,
    /// `unwind`, or `abort`: then its panics end the process.
    pub panic: String,
    /// The compiler that built it.
    pub rustc: String,
    /// Its plugins.
    pub plugins: Vec<Manifest>,
}

/// What a plugin says of itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: Version,
    /// The services that it has a role in.
    pub services: Vec<Provided>,
    /// The services that it calls.
    #[serde(default)]
    pub needs: Vec<Need>,
    /// The commands that it answers.
    #[serde(default)]
    pub commands: Vec<Verb>,
    /// JSON Schema of a row's config.
    #[serde(default)]
    pub config: serde_json::Value,
}

/// A role in a service.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Provided {
    /// The service.
    pub service: String,
    /// Its version.
    pub version: Version,
    /// The role.
    pub role: Role,
}

/// Where in a chain: in this order, innermost first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Is the service.
    Provide,
    /// Adds to what is below.
    Join,
    /// Stands before what is below.
    Wrap,
}

/// A service that a plugin calls.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Need {
    /// The service.
    pub service: String,
    /// Which versions will do.
    pub version: VersionReq,
    /// What whoever lacks it should do.
    #[serde(default)]
    pub hint: String,
    /// Used when there.
    #[serde(default)]
    pub optional: bool,
}

/// A command line word that a plugin answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Verb {
    /// Its name.
    pub name: String,
    /// The service.
    pub service: String,
    /// The method behind it.
    pub method: String,
    /// One line of help.
    #[serde(default)]
    pub about: String,
}

/// A plugin that a row may mount: read, not yet mapped.
#[derive(Debug, Clone)]
pub struct Library {
    /// The file.
    pub path: PathBuf,
    /// What its crate says of itself.
    pub record: Record,
    /// What it says of itself.
    pub manifest: Manifest,
}

/// Which plugin is wanted.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// Its name.
    pub name: &'a str,
    /// Which versions will do.
    pub version: Option<&'a VersionReq>,
    /// The library, or the folder it is in, where that is known.
    pub library: Option<&'a Path>,
}

/// Finds and reads a plugin: the library that is named, else the first that fits in the folders, single libraries before bundles.
///
/// # Errors
/// Nothing is there, or nothing of it fits; the first reason met.
pub fn find(wanted: &Wanted<'_>, folders: &[PathBuf], verdicts: &mut Verdicts) -> Result<Library, Refusal> {
    let candidates = match wanted.library {
        Some(path) if path.is_dir() => vec![path.join(file_name(wanted.name))],
        Some(path) => vec![path.to_owned()],
        None => search(wanted.name, folders),
    };
    let mut refused = None;
    for path in candidates.iter().filter(|path| path.exists()) {
        match read(path, verdicts).and_then(|records| choose(wanted, path, records)) {
            Ok(Some(library)) => return Ok(library),
            Ok(None) => {}
            Err(refusal) => refused = refused.or(Some(refusal)),
        }
    }
    Err(refused.unwrap_or_else(|| missing(wanted, &candidates)))
}

/// Why a library will not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// One sentence: the file and what is wrong with it.
    pub what: String,
    /// The one thing to do.
    pub hint: String,
}

fn refuse<T>(what: impl Into<String>, hint: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { what: what.into(), hint: hint.into() })
}

fn file_name(plugin: &str) -> String {
    let stem = Path::new(plugin).file_name().unwrap_or_default().to_string_lossy().replace('-', "_");
    format!("{DLL_PREFIX}{stem}{DLL_SUFFIX}")
}

/// Single libraries in every folder before bundles in any: a plugin put beside a bundle wins.
fn search(plugin: &str, folders: &[PathBuf]) -> Vec<PathBuf> {
    let bundles = |folder: &PathBuf| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|e| e.path());
        let bundle = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(DLL_PREFIX) && name.ends_with(&format!("bundle{DLL_SUFFIX}"))
        };
        let mut found: Vec<PathBuf> = entries.filter(bundle).collect();
        found.sort();
        found
    };
    let single = folders.iter().map(|folder| folder.join(file_name(plugin)));
    // Bundles are looked for only once no single library has been found.
    let single: Vec<PathBuf> = single.collect();
    if single.iter().any(|path| path.exists()) {
        single
    } else {
        [single, folders.iter().flat_map(bundles).collect()].concat()
    }
}

fn missing(wanted: &Wanted<'_>, candidates: &[PathBuf]) -> Refusal {
    let places: Vec<String> = candidates.iter().map(|path| format!("`{}`", path.display())).collect();
    let name = Path::new(wanted.name).file_name().unwrap_or_default().to_string_lossy();
    Refusal {
        what: format!("plugin `{}` is not there; looked for {}", wanted.name, places.join(", ")),
        hint: format!("build it (cargo build --package {name}), or name its folder with HARNESS_PLUGIN_PATH"),
    }
}

/// The records of a library, each good for this host as far as bytes can tell.
fn read(path: &Path, verdicts: &mut Verdicts) -> Result<Vec<Record>, Refusal> {
    if let Some(records) = verdicts.records(path) {
        return Ok(records);
    }
    let shown = path.display();
    let unreadable = |e: io::Error| Refusal {
        what: format!("{shown}: {e}"),
        hint: "make it a library that this user may read".to_owned(),
    };
    let bytes = fs::read(path).map_err(unreadable)?;
    binary::check(&bytes)
        .map_err(|refusal| Refusal { what: format!("{shown}: {}", refusal.what), ..refusal })?;
    let find = memchr::memmem::Finder::new(manifest::BEGIN);
    let records: Vec<Record> = manifest::records(&bytes, |rest| find.find(rest))
        .map(serde_json::from_slice)
        .collect::<Result<_, _>>()
        .map_err(|e| Refusal {
            what: format!("{shown}: its manifest cannot be read: {e}"),
            hint: rebuild("it"),
        })?;
    if records.is_empty() {
        return refuse(
            format!("{shown}: a library, but not a harness plugin: there is no manifest in it"),
            "name a library made with plugin_sdk::export_plugins!",
        );
    }
    verdicts.remember(path, &records);
    Ok(records)
}

pub(crate) fn rebuild(what: &str) -> String {
    format!("rebuild {what} against plugin-api {}", plugin_api::API_VERSION)
}

/// The plugin that is wanted, `None` when a bundle does not hold it.
fn choose(wanted: &Wanted<'_>, path: &Path, records: Vec<Record>) -> Result<Option<Library>, Refusal> {
    let shown = path.display();
    let plugins = || records.iter().flat_map(|record| record.plugins.iter().map(move |m| (record, m)));
    let stem = Path::new(wanted.name).file_stem().unwrap_or_default().to_string_lossy();
    let named = |m: &Manifest| m.name == wanted.name || (wanted.library.is_some() && m.name == stem);
    let all: Vec<&str> = plugins().map(|(_, m)| m.name.as_str()).collect();
    let found = match plugins().find(|(_, m)| named(m)) {
        Some(found) => found,
        // A path to a library with one plugin needs no name.
        None if wanted.library.is_some() && all.len() == 1 => match plugins().next() {
            Some(only) => only,
            None => return Ok(None),
        },
        None if wanted.library.is_some() => {
            let what = format!("{shown} holds several plugins: {}", all.join(", "));
            return refuse(what, "name the plugin, and put the library's folder into HARNESS_PLUGIN_PATH");
        }
        None => return Ok(None),
    };
    let (record, manifest) = found;
    let host: Version = match plugin_api::API_VERSION.parse() {
        Ok(version) => version,
        Err(e) => {
            return refuse(format!("this host's own version cannot be read: {e}"), "build the host anew");
        }
    };
    if record.api.major != host.major {
        let what = format!(
            "{shown}: plugin `{}` speaks plugin-api {}, this host speaks {host}",
            manifest.name, record.api
        );
        return refuse(
            what,
            if record.api > host { "update the host".to_owned() } else { rebuild(&manifest.name) },
        );
    }
    if let Some(want) = wanted.version.filter(|want| !want.matches(&manifest.version)) {
        let what = format!(
            "{shown}: plugin `{}` is version {}, the row asks for {want}",
            manifest.name, manifest.version
        );
        return refuse(what, "install a version that fits, or change what the row asks for");
    }
    Ok(Some(Library { path: path.to_owned(), record: record.clone(), manifest: manifest.clone() }))
}
