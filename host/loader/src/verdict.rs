//! What was found out about libraries before, by path, device, inode, size, both times and the host's own build: an unchanged file is
//! neither read nor checked again.
//!
//! A change that keeps size and place still moves the time of change, which no program can set. Only within one tick of the file
//! system's clock can it hide, so what changed just now is remembered by this process and not written down.
use super::{Record, search::user_folder};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Longer than a tick of any file system's clock: FAT counts in steps of 2 s.
const SETTLED_AFTER: Duration = Duration::from_secs(3);

/// The bytes of a file, as far as the file system tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Identity {
    /// Whether every change from that time on shows in the time of change.
    fn is_settled(&self, at: SystemTime) -> bool {
        let at = at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let settled = at.checked_sub(SETTLED_AFTER).unwrap_or_default();
        u64::try_from(self.changed.0).is_ok_and(|changed| changed < settled.as_secs())
    }
}

pub(super) fn identity(path: &Path) -> Option<Identity> {
    let meta = fs::metadata(path).ok()?;
    Some(Identity {
        device: meta.dev(),
        inode: meta.ino(),
        size: meta.size(),
        modified: (meta.mtime(), meta.mtime_nsec()),
        changed: (meta.ctime(), meta.ctime_nsec()),
    })
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
    /// Before any library was looked at.
    began: SystemTime,
}

impl Verdicts {
    /// Reads what the user's cache folder remembers, given a way to read variables.
    pub fn load(get: impl Fn(&str) -> Option<String>) -> Verdicts {
        let file = user_folder(get, "XDG_CACHE_HOME", ".cache").map(|folder| folder.join("libraries.json"));
        let host = std::env::current_exe().ok().and_then(|exe| identity(&exe));
        let stored = file.as_ref().and_then(|file| fs::read(file).ok());
        let known: Known = stored.and_then(|json| serde_json::from_slice(&json).ok()).unwrap_or_default();
        let known = if known.host == host { known } else { Known { host, ..Known::default() } };
        Verdicts { file, known, changed: false, began: SystemTime::now() }
    }

    fn of(&self, path: &Path) -> Option<&Verdict> {
        self.known.libraries.get(path).filter(|verdict| Some(verdict.file) == identity(path))
    }

    /// Whether this very file was read before.
    pub(super) fn knows(&self, path: &Path) -> bool {
        self.of(path).is_some()
    }

    /// What was read at that path, whatever is there now.
    pub(super) fn records(&self, path: &Path) -> &[Record] {
        self.known.libraries.get(path).map_or(&[], |verdict| &verdict.records)
    }

    pub(super) fn layout_fits(&self, path: &Path) -> bool {
        self.of(path).is_some_and(|verdict| verdict.layout_fits)
    }

    /// `file` is what was there before the records were read: if the file changed since, they are of nothing that is known.
    pub(super) fn remember(&mut self, path: &Path, file: Identity, records: Vec<Record>) -> &[Record] {
        let verdict = Verdict { file, records, layout_fits: false };
        self.known.libraries.insert(path.to_owned(), verdict);
        self.changed = true;
        self.records(path)
    }

    /// `file` is what was there before it was mapped.
    pub(super) fn fits(&mut self, path: &Path, file: Identity) {
        if let Some(verdict) = self.known.libraries.get_mut(path).filter(|verdict| verdict.file == file) {
            (verdict.layout_fits, self.changed) = (true, true);
        }
    }

    /// Writes what is new. Failing is no harm: it is found out again.
    pub fn save(&mut self) {
        let (Some(file), true) = (&self.file, self.changed) else { return };
        self.known.libraries.retain(|_, verdict| verdict.file.is_settled(self.began));
        let fresh = file.with_extension(format!("{}.new", std::process::id()));
        let json = serde_json::to_vec(&self.known).unwrap_or_default();
        let written = file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&fresh, json));
        if written.and_then(|()| fs::rename(&fresh, file)).is_err() {
            drop(fs::remove_file(&fresh));
        }
    }
}
