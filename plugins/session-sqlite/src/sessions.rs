//! The logs of a database, and who among us writes them.
use crate::{claim::Claim, database, failure, row};
use plugin_sdk::{
    Result,
    contracts::session::{Event, NewEvent, Summary, kind},
};
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior::Immediate, params};
use serde_json::Value;
use std::{
    collections::HashMap,
    fs,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

pub(crate) struct Sessions {
    folder: PathBuf,
    path: PathBuf,
    connection: Option<Connection>,
    open: HashMap<String, Writer>,
}

/// A session that is written here.
struct Writer {
    id: i64,
    next: u64,
    last_ms: u64,
    _claim: Claim,
}

/// How many events are read at once.
pub(crate) const BATCH_EVENTS: u64 = 256;

impl Sessions {
    /// Opens nothing yet.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Sessions { path: database::path(&folder), folder, connection: None, open: HashMap::new() }
    }

    pub(crate) fn create(&mut self, session: Option<String>, parent: Option<String>) -> Result<String> {
        let session = session.unwrap_or_else(new_session);
        let made = database::make(&self.folder);
        made.map_err(|error| failure::refused_by_system(&session, &self.folder, &error))?;
        if self.id(&session)?.is_some() {
            return Err(failure::exists(&session));
        }
        let claim = Claim::take(&self.folder, &session)?;
        let started_ms = now_ms();
        let insert = "INSERT OR IGNORE INTO sessions (session, parent, started_ms) VALUES (?, ?, ?)";
        let added =
            self.ask(&session, |db| db.execute(insert, params![session, parent, started_ms.cast_signed()]))?;
        if added == 0 {
            return Err(failure::exists(&session));
        }
        let id = self.ask(&session, |db| Ok(db.last_insert_rowid()))?;
        self.open.insert(session.clone(), Writer { id, next: 0, last_ms: started_ms, _claim: claim });
        Ok(session)
    }

    pub(crate) fn append(&mut self, session: &str, events: &[NewEvent]) -> Result<u64> {
        let (id, first, last_ms) = self.writer(session)?;
        if events.is_empty() {
            return Ok(first);
        }
        // The clock may have been set back; time in a log does not go back.
        let at_ms = now_ms().max(last_ms);
        self.ask(session, |db| {
            let transaction = db.transaction_with_behavior(Immediate)?;
            for (seq, event) in (first..).zip(events) {
                row::insert(&transaction, id, seq, at_ms, event)?;
            }
            transaction.commit()
        })?;
        if let Some(writer) = self.open.get_mut(session) {
            (writer.next, writer.last_ms) = (first + events.len() as u64, at_ms);
        }
        Ok(first)
    }

    /// Whoever has written it.
    pub(crate) fn flush(&mut self, session: &str) -> Result<()> {
        self.must_be_there(session)?;
        self.ask(session, |db| database::flush(db))
    }

    /// The session's number, and behind its last event now.
    pub(crate) fn extent(&mut self, session: &str) -> Result<(i64, u64)> {
        let id = self.must_be_there(session)?;
        let next = "SELECT coalesce(max(seq) + 1, 0) FROM events WHERE session_id = ?";
        let next = self.ask(session, |db| db.query_row(next, [id], |row| row.get::<_, i64>(0)))?;
        Ok((id, next.cast_unsigned()))
    }

    /// Events from a position on; with an error come those before it.
    pub(crate) fn batch(&mut self, session: &str, id: i64, from: u64, end: u64) -> (Vec<Event>, Result<()>) {
        let to = end.min(from.saturating_add(BATCH_EVENTS));
        let read = format!(
            "SELECT {} FROM events WHERE session_id = ? AND seq >= ? AND seq < ? ORDER BY seq",
            row::COLUMNS
        );
        let rows = self.ask(session, |db| {
            let mut statement = db.prepare_cached(&read)?;
            let rows = statement.query_map(params![id, from.cast_signed(), to.cast_signed()], row::read)?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        });
        let rows = match rows {
            Ok(rows) => rows,
            Err(error) => return (Vec::new(), Err(error)),
        };
        let mut events = Vec::with_capacity(rows.len());
        for (expected, (seq, event)) in (from..).zip(rows) {
            match event {
                _ if seq != expected => {
                    return (events, Err(failure::damaged(session, expected, "is missing")));
                }
                None => return (events, Err(failure::damaged(session, seq, "cannot be read"))),
                Some(event) => events.push(event),
            }
        }
        let next = from + events.len() as u64;
        let whole = if next < to { Err(failure::damaged(session, next, "is missing")) } else { Ok(()) };
        (events, whole)
    }

    pub(crate) fn fork(&mut self, session: &str, at_seq: u64) -> Result<String> {
        let id = self.must_be_there(session)?;
        let at = at_seq.min(i64::MAX.cast_unsigned()).cast_signed();
        let latest = "SELECT kind, seq FROM events WHERE session_id = ? AND seq < ? AND kind IN ('turn/start', 'turn/end') ORDER BY seq DESC";
        let latest = self.ask(session, |db| {
            db.query_row(latest, [id, at], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))
                .optional()
        })?;
        if let Some((_, turn_seq)) = latest.filter(|(kind, _)| kind == kind::TURN_START) {
            return Err(failure::open_turn(session, at_seq, turn_seq.cast_unsigned()));
        }
        let name = new_session();
        self.ask(session, |db| {
            let transaction = db.transaction_with_behavior(Immediate)?;
            let insert = "INSERT INTO sessions (session, parent, started_ms) VALUES (?, ?, ?)";
            transaction.execute(insert, params![name, session, now_ms().cast_signed()])?;
            let copy = format!(
                "INSERT INTO events SELECT ?, {} FROM events WHERE session_id = ? AND seq < ?",
                row::COLUMNS
            );
            transaction.execute(&copy, [transaction.last_insert_rowid(), id, at])?;
            transaction.commit()
        })?;
        Ok(name)
    }

    pub(crate) fn list(&mut self) -> Result<Vec<Summary>> {
        if !self.is_there()? {
            return Ok(Vec::new());
        }
        self.ask("", |db| crate::summary::list(db))
    }

    pub(crate) fn get(&mut self, session: &str, key: &str) -> Result<Value> {
        let id = self.must_be_there(session)?;
        let puts = "SELECT data FROM events WHERE session_id = ? AND kind = 'session/put' ORDER BY seq DESC";
        self.ask(session, |db| {
            let mut statement = db.prepare_cached(puts)?;
            let mut rows = statement.query([id])?;
            while let Some(row) = rows.next()? {
                let put = serde_json::from_str::<kind::Put>(row.get_ref(0)?.as_str()?);
                if let Some(put) = put.ok().filter(|put| put.key == key) {
                    return Ok(put.value);
                }
            }
            Ok(Value::Null)
        })
    }

    pub(crate) fn close(&mut self, session: &str) -> Result<()> {
        self.must_be_there(session)?;
        self.release(session);
        Ok(())
    }

    pub(crate) fn delete(&mut self, session: &str) -> Result<()> {
        let (id, ..) = self.writer(session)?;
        let gone = self.ask(session, |db| {
            let transaction = db.transaction_with_behavior(Immediate)?;
            transaction.execute("DELETE FROM events WHERE session_id = ?", [id])?;
            transaction.execute("DELETE FROM sessions WHERE id = ?", [id])?;
            transaction.commit()
        });
        self.release(session);
        gone
    }

    pub(crate) fn release(&mut self, session: &str) {
        self.open.remove(session);
    }

    pub(crate) fn release_all(&mut self) {
        self.open.clear();
        self.connection = None;
    }

    /// The session's number, next position and latest time, once it is ours to write.
    fn writer(&mut self, session: &str) -> Result<(i64, u64, u64)> {
        if let Some(Writer { id, next, last_ms, .. }) = self.open.get(session) {
            return Ok((*id, *next, *last_ms));
        }
        // Before anything is looked up: what somebody else writes is not touched.
        let claim = Claim::take(&self.folder, session)?;
        let (id, next) = self.extent(session)?;
        let latest = "SELECT max(started_ms, coalesce((SELECT max(at_ms) FROM events WHERE session_id = id), 0)) FROM sessions WHERE id = ?";
        let last_ms =
            self.ask(session, |db| db.query_row(latest, [id], |row| row.get::<_, i64>(0)))?.cast_unsigned();
        self.open.insert(session.to_owned(), Writer { id, next, last_ms, _claim: claim });
        Ok((id, next, last_ms))
    }

    fn must_be_there(&mut self, session: &str) -> Result<i64> {
        if !self.is_there()? {
            return Err(failure::not_found(session));
        }
        self.id(session)?.ok_or_else(|| failure::not_found(session))
    }

    fn is_there(&self) -> Result<bool> {
        match fs::metadata(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(failure::refused_by_system("", &self.path, &error)),
            Ok(_) => Ok(true),
        }
    }

    fn id(&mut self, session: &str) -> Result<Option<i64>> {
        let id = "SELECT id FROM sessions WHERE session = ?";
        self.ask(session, |db| db.prepare_cached(id)?.query_row([session], |row| row.get(0)).optional())
    }

    fn ask<T>(
        &mut self,
        session: &str,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => database::open(&self.path)?,
        };
        let answer = work(&mut connection);
        self.connection = Some(connection);
        answer.map_err(|error| failure::refused_by_database(session, &self.path, &error))
    }
}

/// A name that sorts by time and does not come twice.
fn new_session() -> String {
    format!("{:012x}-{:016x}", now_ms(), RandomState::new().build_hasher().finish())
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
