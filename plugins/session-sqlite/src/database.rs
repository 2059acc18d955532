//! The database: its file, its tables, and the version of their format.
use crate::failure;
use plugin_sdk::Result;
use rusqlite::{Connection, OpenFlags};
use std::{
    fs::{DirBuilder, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    time::Duration,
};

/// The format that is written, and the latest that is read: the database's `user_version`.
pub(crate) const FORMAT: i64 = 1;
/// What marks the file as ours: the database's `application_id`, "hses".
const OURS: i64 = 0x6873_6573;
/// How long one process waits for another's transaction.
const BUSY: Duration = Duration::from_secs(5);

/// `lengths` is a JSON list: how the bytes in `parts` are cut. A kept value is found without reading the log.
const TABLES: &str = "
    CREATE TABLE sessions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL UNIQUE,
        parent TEXT,
        started_ms INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE events (
        session_id INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        kind TEXT NOT NULL,
        data TEXT NOT NULL,
        lengths TEXT,
        parts BLOB,
        PRIMARY KEY (session_id, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX puts ON events (session_id, seq) WHERE kind = 'session/put';
    CREATE INDEX turns ON events (session_id, seq) WHERE kind IN ('turn/start', 'turn/end');
    CREATE TABLE flushed (times INTEGER NOT NULL) STRICT;
    INSERT INTO flushed VALUES (0);
";

/// The file in a folder.
pub(crate) fn path(folder: &Path) -> PathBuf {
    folder.join("sessions.sqlite")
}

/// Makes folder and file, for their owner alone: what the database adds beside the file has the file's mode.
///
/// # Errors
/// Whatever the system says.
pub(crate) fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path(folder)).map(drop)
}

/// Opens the file that is there. Commits are in the system's hands at once and on disk with [`flush`].
pub(crate) fn open(path: &Path) -> Result<Connection> {
    let failed = |error: rusqlite::Error| failure::refused_by_database("", path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(BUSY).map_err(failed)?;
    prepare(&mut connection).map_err(failed)?;
    check(&connection, path)?;
    Ok(connection)
}

fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}

/// Makes the tables of a database that has none.
fn prepare(connection: &mut Connection) -> rusqlite::Result<()> {
    if pragma(connection, "user_version")? == 0 && pragma(connection, "schema_version")? == 0 {
        connection.pragma_update(None, "journal_mode", "WAL")?;
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        // Another process may have been first.
        if pragma(&transaction, "user_version")? == 0 {
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "application_id", OURS)?;
            transaction.pragma_update(None, "user_version", FORMAT)?;
        }
        transaction.commit()?;
    }
    connection.pragma_update(None, "synchronous", "NORMAL")
}

fn check(connection: &Connection, path: &Path) -> Result<()> {
    let failed = |error: rusqlite::Error| failure::refused_by_database("", path, &error);
    let format = pragma(connection, "user_version").map_err(failed)?;
    if pragma(connection, "application_id").map_err(failed)? != OURS {
        return Err(failure::foreign(path));
    }
    if format > FORMAT { Err(failure::newer(path, format)) } else { Ok(()) }
}

/// Everything that was committed is on disk: the log of a database is one file, so that to sync one commit is to sync all before it.
pub(crate) fn flush(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "synchronous", "FULL")?;
    let committed = connection.execute("UPDATE flushed SET times = times + 1", ());
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    committed.map(drop)
}
