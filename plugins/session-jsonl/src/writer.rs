//! The one writer of a log: has its lock, knows its end, and writes whole lines.
use crate::{
    failure,
    line::{self, FORMAT, Header},
    name::now_ms,
    walk::{Found, Walk},
};
use plugin_sdk::{
    Result,
    contracts::session::{NewEvent, kind},
    lock,
};
use serde_json::Value;
use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

pub(crate) struct Writer {
    session: String,
    path: PathBuf,
    file: File,
    length: u64,
    next: u64,
    last_ms: u64,
    kept: HashMap<String, Value>,
    /// Whether the folder is known to have the file's name on disk.
    is_named: bool,
    /// What could not be undone: the file is to be opened anew.
    is_broken: bool,
    /// What the person should know of the opening.
    note: Option<String>,
}

/// Only the owner reads a log.
const MODE: u32 = 0o600;

impl Writer {
    /// A new log.
    pub(crate) fn create(session: &str, path: &Path, parent: Option<String>) -> Result<Self> {
        let file = OpenOptions::new().read(true).append(true).create_new(true).mode(MODE).open(path);
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => failure::exists(session),
            _ => failure::failed(session, "create", path, &error),
        })?;
        let mut writer = Writer::locked(session, path, file)?;
        if let Err(error) = writer.begin(parent) {
            // What was refused has left nothing; the disk may be full, and the name is still free.
            drop(fs::remove_file(path));
            return Err(error);
        }
        Ok(writer)
    }

    /// A log that is there, with what its writer needs to know of it. An end that was half written is taken away.
    pub(crate) fn open(session: &str, path: &Path) -> Result<Self> {
        let file = OpenOptions::new().read(true).append(true).open(path);
        let file = file.map_err(|error| failure::failed(session, "open", path, &error))?;
        let mut writer = Writer::locked(session, path, file)?;
        let again = writer.file.try_clone().map_err(|error| writer.failed("read", &error))?;
        let (mut walk, header) = Walk::begin(session, path, again)?;
        while let Some((at_ms, put)) = walk.next(glance)? {
            writer.last_ms = writer.last_ms.max(at_ms);
            writer.keep(put);
        }
        (writer.length, writer.next) = (walk.end(), walk.next_seq());
        let torn = walk.torn_bytes();
        if torn > 0 {
            writer.file.set_len(writer.length).map_err(|error| writer.failed("shorten", &error))?;
            let path = path.display();
            writer.note = Some(format!(
                "session `{session}`: {torn} byte{} at the end of `{path}` were half an event and have been dropped",
                if torn == 1 { "" } else { "s" }
            ));
        }
        if header.is_none() {
            writer.begin(None)?;
        }
        Ok(writer)
    }

    fn locked(session: &str, path: &Path, file: File) -> Result<Self> {
        lock::take(&file).map_err(|refused| failure::locked(session, path, refused))?;
        let writer = Writer {
            session: session.to_owned(),
            path: path.to_owned(),
            file,
            length: 0,
            next: 0,
            last_ms: 0,
            kept: HashMap::new(),
            is_named: false,
            is_broken: false,
            note: None,
        };
        let links = writer.file.metadata().map_err(|error| writer.failed("read", &error))?.nlink();
        // Whoever had the lock before has deleted the session.
        if links == 0 { Err(failure::not_found(session)) } else { Ok(writer) }
    }

    fn begin(&mut self, parent: Option<String>) -> Result<()> {
        let header = Header { format: FORMAT, session: self.session.clone(), parent, started_ms: now_ms() };
        let mut line = serde_json::to_vec(&header)?;
        line.push(b'\n');
        self.last_ms = header.started_ms;
        self.write(&line)
    }

    /// Appends all or nothing; the position of the first.
    pub(crate) fn append(&mut self, events: &[NewEvent]) -> Result<u64> {
        let first = self.next;
        if events.is_empty() {
            return Ok(first);
        }
        // The clock may have been set back; time in a log does not go back.
        let at_ms = now_ms().max(self.last_ms);
        let mut lines = Vec::new();
        line::write(&mut lines, first, at_ms, events)?;
        self.write(&lines)?;
        self.last_ms = at_ms;
        self.next += events.len() as u64;
        for event in events {
            self.keep(put(&event.kind, || Some(event.data.clone())));
        }
        Ok(first)
    }

    pub(crate) fn flush(&mut self) -> Result<()> {
        let mut synced = self.file.sync_data();
        if !self.is_named {
            synced = synced.and_then(|()| sync_folder(&self.path));
        }
        // After a failed sync the system may have forgotten what it had not written.
        self.is_broken |= synced.is_err();
        synced.map_err(|error| self.failed("flush", &error))?;
        self.is_named = true;
        Ok(())
    }

    pub(crate) fn kept(&self, key: &str) -> Value {
        self.kept.get(key).cloned().unwrap_or_default()
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }

    pub(crate) fn take_note(&mut self) -> Option<String> {
        self.note.take()
    }

    fn keep(&mut self, put: Option<kind::Put>) {
        if let Some(kind::Put { key, value }) = put {
            self.kept.insert(key, value);
        }
    }

    /// One call for all of it. What a full disk has taken of it is given back, so that the next append finds whole lines.
    fn write(&mut self, lines: &[u8]) -> Result<()> {
        if let Err(error) = self.file.write_all(lines) {
            self.is_broken = self.file.set_len(self.length).is_err();
            return Err(self.failed("write", &error));
        }
        self.length += lines.len() as u64;
        Ok(())
    }

    fn failed(&self, doing: &str, error: &io::Error) -> plugin_sdk::Error {
        failure::failed(&self.session, doing, &self.path, error)
    }
}

/// A file's name is safe once its folder is.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// What a writer takes note of in a line.
pub(crate) fn glance(text: &str) -> Option<Found<(u64, Option<kind::Put>)>> {
    let glance = line::glance(text)?;
    let put = put(&glance.kind, || glance.data.and_then(|data| serde_json::from_str(data.get()).ok()));
    Some(Found { seq: glance.seq, count: glance.count(), value: (glance.at_ms, put) })
}

fn put(kind: &str, data: impl FnOnce() -> Option<Value>) -> Option<kind::Put> {
    if kind == kind::SESSION_PUT { data().and_then(|data| serde_json::from_value(data).ok()) } else { None }
}
