//! The logs of a folder, and those among them that are open for writing.
use crate::{
    copy::{self, Place},
    failure,
    name::{file_name, new_session},
    reader,
    writer::{Writer, sync_folder},
};
use plugin_sdk::{Result, lock};
use serde_json::Value;
use std::{
    collections::HashMap,
    fs::{self, DirBuilder, File},
    os::unix::fs::DirBuilderExt as _,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The writer of a session while it is open. The lock is held for the time of one operation.
type Slot = Arc<Mutex<Option<Writer>>>;

pub(crate) struct Sessions {
    folder: PathBuf,
    open: Mutex<HashMap<String, Slot>>,
}

/// What came of an operation, and what the person should know beside it.
pub(crate) type Told<T> = (Result<T>, Option<String>);

impl Sessions {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Sessions { folder, open: Mutex::default() }
    }

    pub(crate) fn folder(&self) -> &PathBuf {
        &self.folder
    }

    pub(crate) fn path(&self, session: &str) -> PathBuf {
        self.folder.join(file_name(session))
    }

    pub(crate) fn create(&self, session: Option<String>, parent: Option<String>) -> Result<String> {
        let session = session.unwrap_or_else(new_session);
        let failed = |error| failure::failed(&session, "create", &self.folder, &error);
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder).map_err(failed)?;
        let slot = self.slot(&session);
        let mut writer = held(&slot);
        if writer.is_some() {
            return Err(failure::exists(&session));
        }
        let made = Writer::create(&session, &self.path(&session), parent);
        let made = made.map(|made| *writer = Some(made));
        drop(writer);
        self.forget(&session, slot);
        made.map(|()| session)
    }

    /// Does something as the session's writer, which is opened if it is not.
    pub(crate) fn write<T>(&self, session: &str, work: impl FnOnce(&mut Writer) -> Result<T>) -> Told<T> {
        let slot = self.slot(session);
        let mut place = held(&slot);
        let mut note = None;
        let opened = match place.take() {
            Some(writer) => Ok(writer),
            None => Writer::open(session, &self.path(session)),
        };
        let answer = opened.and_then(|mut writer| {
            note = writer.take_note();
            let answer = work(&mut writer);
            *place = Some(writer).filter(|writer| !writer.is_broken());
            answer
        });
        drop(place);
        self.forget(session, slot);
        (answer, note)
    }

    /// Whoever has written it.
    pub(crate) fn flush(&self, session: &str) -> Told<()> {
        if self.is_open(session) {
            return self.write(session, Writer::flush);
        }
        let path = self.path(session);
        let synced = reader::open(session, &path).and_then(|file| {
            let synced = file.sync_data().and_then(|()| sync_folder(&path));
            synced.map_err(|error| failure::failed(session, "flush", &path, &error))
        });
        (synced, None)
    }

    pub(crate) fn get(&self, session: &str, key: &str) -> Result<Value> {
        if self.is_open(session) {
            return self.write(session, |writer| Ok(writer.kept(key))).0;
        }
        reader::kept(session, &self.path(session), key)
    }

    pub(crate) fn fork(&self, session: &str, at_seq: u64) -> Result<String> {
        let (name, path) = (new_session(), self.path(session));
        let to = self.path(&name);
        copy::fork(Place { session, path: &path }, Place { session: &name, path: &to }, at_seq)?;
        Ok(name)
    }

    pub(crate) fn close(&self, session: &str) -> Result<()> {
        self.must_be_there(session)?;
        if let Some(slot) = self.release(session) {
            // Not before whoever writes has ended.
            *held(&slot) = None;
        }
        Ok(())
    }

    pub(crate) fn delete(&self, session: &str) -> Result<()> {
        let path = self.path(session);
        self.close(session)?;
        let file = File::open(&path).map_err(|error| failure::failed(session, "open", &path, &error))?;
        lock::take(&file).map_err(|refused| failure::locked(session, &path, refused))?;
        let removed = fs::remove_file(&path).and_then(|()| sync_folder(&path));
        removed.map_err(|error| failure::failed(session, "delete", &path, &error))
    }

    /// Takes the session out of those that are open; its lock goes once nobody uses it.
    pub(crate) fn release(&self, session: &str) -> Option<Slot> {
        self.slots().remove(session)
    }

    pub(crate) fn release_all(&self) {
        self.slots().clear();
    }

    fn must_be_there(&self, session: &str) -> Result<()> {
        let path = self.path(session);
        let found = fs::metadata(&path).map(drop);
        found.map_err(|error| failure::failed(session, "open", &path, &error))
    }

    fn is_open(&self, session: &str) -> bool {
        self.slots().contains_key(session)
    }

    fn slot(&self, session: &str) -> Slot {
        Arc::clone(self.slots().entry(session.to_owned()).or_default())
    }

    /// A slot that is empty and that nobody else has is of no use.
    fn forget(&self, session: &str, slot: Slot) {
        let mut slots = self.slots();
        // Never waits for a slot with all of them locked.
        let alone = Arc::strong_count(&slot) == 2 && slot.try_lock().is_ok_and(|place| place.is_none());
        if alone && slots.get(session).is_some_and(|there| Arc::ptr_eq(there, &slot)) {
            slots.remove(session);
        }
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<String, Slot>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn held(slot: &Slot) -> MutexGuard<'_, Option<Writer>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
