//! What the logs have to say when they cannot do what they were asked.
use plugin_sdk::{Error, contracts::session::code, lock::Refused};
use rusqlite::ErrorCode;
use std::{
    io::{self, ErrorKind},
    path::Path,
};

pub(crate) fn not_found(session: &str) -> Error {
    Error::new(code::SESSION_NOT_FOUND, format!("session `{session}` is not there"))
        .hint("look for its name with `harness call session list`")
}

pub(crate) fn exists(session: &str) -> Error {
    Error::new(code::SESSION_EXISTS, format!("session `{session}` is there already"))
        .hint("take another name, or append to the one that is there")
}

pub(crate) fn locked(session: &str, path: &Path, refused: Refused) -> Error {
    match refused {
        Refused::Held(holder) => {
            Error::new(code::SESSION_LOCKED, format!("session `{session}` is being written by {holder}"))
                .hint("wait until that has ended, or fork the session")
        }
        Refused::Failed(error) => refused_by_system(session, path, &error),
    }
}

pub(crate) fn newer(path: &Path, format: i64) -> Error {
    let message = format!(
        "the sessions were written by a newer harness: `{}` has the format {format}, and this one reads up to {}",
        path.display(),
        crate::database::FORMAT
    );
    Error::new(code::SESSION_UNSUPPORTED, message).hint("go on with the harness that wrote them")
}

pub(crate) fn foreign(path: &Path) -> Error {
    let message = format!("`{}` is a database of something else", path.display());
    Error::new(code::SESSION_CORRUPT, message).hint("set `root` of the session row to another folder")
}

/// An event that is not what was written.
pub(crate) fn damaged(session: &str, seq: u64, what: &str) -> Error {
    let message = format!("session `{session}` is damaged: event {seq} {what}");
    Error::new(code::SESSION_CORRUPT, message)
        .hint("fork the session before that event, or restore the database from a copy")
}

pub(crate) fn open_turn(session: &str, at_seq: u64, turn_seq: u64) -> Error {
    let message = match at_seq {
        u64::MAX => format!("session `{session}` ends inside the turn that began at event {turn_seq}"),
        _ => format!(
            "position {at_seq} of session `{session}` is inside the turn that began at event {turn_seq}"
        ),
    };
    Error::new(code::SESSION_OPEN_TURN, message).hint(format!("fork it at {turn_seq}, before that turn"))
}

const NOT_ALLOWED: (&str, &str) =
    ("writing there is not allowed", "set `root` of the session row to a folder of yours");
const FULL: (&str, &str) = ("the disk is full", "make room on the disk");

fn io(session: &str, path: &Path, (why, hint): (&str, &str)) -> Error {
    let message = format!("session `{session}`: cannot use `{}`: {why}", path.display());
    Error::new(code::SESSION_IO, message).hint(hint)
}

/// The file system refused.
pub(crate) fn refused_by_system(session: &str, path: &Path, error: &io::Error) -> Error {
    let text = error.to_string();
    let why = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => FULL,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => NOT_ALLOWED,
        _ => (text.as_str(), "set `root` of the session row to a folder that works"),
    };
    io(session, path, why)
}

/// The database refused; what it was doing is undone.
pub(crate) fn refused_by_database(session: &str, path: &Path, error: &rusqlite::Error) -> Error {
    let text = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            let message =
                format!("session `{session}` cannot be read: `{}` is damaged: {text}", path.display());
            Error::new(code::SESSION_CORRUPT, message).hint("restore the database from a copy")
        }
        Some(ErrorCode::DiskFull) => io(session, path, FULL),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            io(session, path, NOT_ALLOWED)
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            io(session, path, ("others are writing sessions all the time", "try again"))
        }
        _ => io(session, path, (&text, "set `root` of the session row to a folder that works")),
    }
}
