//! What was found out about libraries before, by path, device, inode, size, time and the host's own build: an unchanged file is
//! neither read nor checked again.
use super::{Record, search::user_folder};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// The bytes of a file, as far as the file system tells them apart.
pub(super) type Identity = (u64, u64, u64, i64, i64);

pub(super) fn identity(path: &Path) -> Option<Identity> {
    let meta = fs::metadata(path).ok()?;
    Some((meta.dev(), meta.ino(), meta.size(), meta.mtime(), meta.mtime_nsec()))
}

#[derive(Debug, Serialize, Deserialize)]
struct Verdict {
    file: Identity,
    records: Vec<Record>,
    layout_fits: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Known {
    host: Option<Identity>,
    libraries: BTreeMap<PathBuf, Verdict>,
}

/// The memory, kept in the user's cache folder; without one, or when it cannot be read, nothing is known.
#[derive(Debug)]
pub struct Verdicts {
    file: Option<PathBuf>,
    known: Known,
    changed: bool,
}

impl Verdicts {
    /// Reads what the user's cache folder remembers, given a way to read variables.
    pub fn load(get: impl Fn(&str) -> Option<String>) -> Verdicts {
        let file = user_folder(get, "XDG_CACHE_HOME", ".cache").map(|folder| folder.join("libraries.json"));
        let host = std::env::current_exe().ok().and_then(|exe| identity(&exe));
        let stored = file.as_ref().and_then(|file| fs::read(file).ok());
        let known: Known = stored.and_then(|json| serde_json::from_slice(&json).ok()).unwrap_or_default();
        let known = if known.host == host { known } else { Known { host, ..Known::default() } };
        Verdicts { file, known, changed: false }
    }

    fn of(&self, path: &Path) -> Option<&Verdict> {
        self.known.libraries.get(path).filter(|verdict| Some(verdict.file) == identity(path))
    }

    pub(super) fn records(&self, path: &Path) -> Option<Vec<Record>> {
        self.of(path).map(|verdict| verdict.records.clone())
    }

    pub(super) fn layout_fits(&self, path: &Path) -> bool {
        self.of(path).is_some_and(|verdict| verdict.layout_fits)
    }

    pub(super) fn remember(&mut self, path: &Path, records: &[Record]) {
        if let Some(file) = identity(path) {
            let verdict = Verdict { file, records: records.to_vec(), layout_fits: false };
            self.known.libraries.insert(path.to_owned(), verdict);
            self.changed = true;
        }
    }

    pub(super) fn fits(&mut self, path: &Path) {
        if let Some(verdict) = self.known.libraries.get_mut(path) {
            (verdict.layout_fits, self.changed) = (true, true);
        }
    }

    /// Writes what is new. Failing is no harm: it is found out again.
    pub fn save(&self) {
        let (Some(file), true) = (&self.file, self.changed) else { return };
        let fresh = file.with_extension(format!("{}.new", std::process::id()));
        let json = serde_json::to_vec(&self.known).unwrap_or_default();
        let written = file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&fresh, json));
        if written.and_then(|()| fs::rename(&fresh, file)).is_err() {
            drop(fs::remove_file(&fresh));
        }
    }
}
