//! Plugin libraries: found by name, read without being mapped, then checked and opened.
//!
//! Knows the ABI and files, and nothing of rows, slots or services. Three steps, each before the next can do harm: [`find`] reads
//! bytes only; [`Opened::open`] maps, compares every type that crosses, and starts the library; `create` is the caller's.
mod binary;
mod fit;
mod open;
mod search;
mod trace;
mod verdict;

use fit::{choose, fits};
use plugin_api::manifest;
use search::{file_name, missing, named_in, search};
use semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};
use std::{
    borrow::Cow,
    fs, io,
    path::{Path, PathBuf},
};

pub use open::Opened;
pub use search::folders;
pub use trace::sink;
pub use verdict::Verdicts;
use verdict::identity;

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
    /// The symbol of its root module.
    pub entry: String,
    /// The ABI it was built against.
    pub api: Version,
    /// The compiler that built it.
    pub rustc: String,
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
    let (candidates, plugin) = match wanted.library {
        Some(path) if path.is_dir() => (vec![path.join(file_name(wanted.name))], None),
        Some(path) => {
            let (file, plugin) = named_in(path);
            (vec![file], plugin)
        }
        None => (search(wanted.name, folders), Some(wanted.name.to_owned())),
    };
    let (mut refused, mut passed) = (None, Vec::new());
    for path in candidates.iter().filter(|path| path.exists()) {
        let records = read(path, verdicts);
        let found = records.as_ref().map_err(Clone::clone).and_then(|records| {
            choose(records, plugin.as_deref(), wanted.library.is_some())?
                .map(|(record, manifest)| fits(record, manifest, wanted.version).map(|()| (record, manifest)))
                .transpose()
        });
        match found {
            Ok(Some((record, manifest))) => {
                let Record { entry, api, rustc, .. } = record;
                let (entry, api, rustc) = (entry.clone(), api.clone(), rustc.clone());
                return Ok(Library { path: path.clone(), entry, api, rustc, manifest: manifest.clone() });
            }
            Ok(None) => {
                let plugins =
                    records.iter().flat_map(|records| records.iter()).flat_map(|record| &record.plugins);
                passed.extend(plugins.map(|manifest| manifest.name.clone()));
            }
            Err(refusal) => {
                refused = refused
                    .or(Some(Refusal { what: format!("{}: {}", path.display(), refusal.what), ..refusal }))
            }
        }
    }
    Err(refused.unwrap_or_else(|| missing(wanted, &candidates, folders, passed)))
}

/// Every plugin of the folders that a row could name, each as [`find`] would find it.
pub fn installed(folders: &[PathBuf], verdicts: &mut Verdicts) -> Vec<Library> {
    let mut found: Vec<Library> = Vec::new();
    for path in search::libraries(folders) {
        let records = read(&path, verdicts).map(Cow::into_owned).unwrap_or_default();
        for Record { entry, api, rustc, plugins, .. } in records {
            for manifest in plugins {
                if !found.iter().any(|library| library.manifest.name == manifest.name) {
                    let (path, entry, api, rustc) = (path.clone(), entry.clone(), api.clone(), rustc.clone());
                    found.push(Library { path, entry, api, rustc, manifest });
                }
            }
        }
    }
    found
}

/// Why a library will not do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refusal {
    /// One sentence: the file and what is wrong with it.
    pub what: String,
    /// The one thing to do.
    pub hint: String,
    /// The plugins that are there, where there is none of that name.
    pub known: Vec<String>,
}

fn refusal(what: impl Into<String>, hint: impl Into<String>) -> Refusal {
    Refusal { what: what.into(), hint: hint.into(), known: Vec::new() }
}

fn refuse<T>(what: impl Into<String>, hint: impl Into<String>) -> Result<T, Refusal> {
    Err(refusal(what, hint))
}

/// The records of a library, each good for this host as far as bytes can tell.
fn read<'a>(path: &Path, verdicts: &'a mut Verdicts) -> Result<Cow<'a, [Record]>, Refusal> {
    if verdicts.knows(path) {
        return Ok(Cow::Borrowed(verdicts.records(path)));
    }
    let unreadable = |what: String| refusal(what, "make it a library that this user may read");
    // Looked at before it is opened: to open a pipe that nobody writes to waits for ever.
    if !path.is_file() {
        return Err(unreadable("this is a folder, a pipe or a device, not a file".to_owned()));
    }
    let before = identity(path);
    let bytes = fs::read(path).map_err(|e| unreadable(words(&e)))?;
    binary::check(&bytes)?;
    let find = memchr::memmem::Finder::new(manifest::BEGIN);
    let records: Vec<Record> = manifest::records(&bytes, |rest| find.find(rest))
        .map(serde_json::from_slice)
        .collect::<Result<_, _>>()
        .map_err(|e| refusal(format!("its manifest cannot be read: {e}"), rebuild("it")))?;
    if records.is_empty() {
        return refuse(
            "a library, but not a harness plugin: there is no manifest in it",
            "name a library made with plugin_sdk::export_plugins!",
        );
    }
    Ok(match before {
        Some(before) => Cow::Borrowed(verdicts.remember(path, before, records)),
        None => Cow::Owned(records),
    })
}

/// What the system says, for people.
fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "this user may not read it".to_owned(),
        _ => error.to_string(),
    }
}

pub(crate) fn rebuild(what: &str) -> String {
    format!("rebuild {what} against plugin-api {}", plugin_api::API_VERSION)
}
