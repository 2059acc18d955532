//! What a log has to say when it cannot do what it was asked.
use plugin_sdk::{Error, contracts::session::code, lock::Refused};
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
        Refused::Failed(error) => failed(session, "lock", path, &error),
    }
}

/// Damage in the middle: `line` counts from 1, as editors do.
pub(crate) fn corrupt(session: &str, path: &Path, line: u64, what: &str) -> Error {
    let message = format!("session `{session}` is damaged: line {line} of `{}` {what}", path.display());
    Error::new(code::SESSION_CORRUPT, message)
        .hint("fork the session before that line, or restore the file from a copy")
}

pub(crate) fn newer(session: &str, path: &Path, format: u64) -> Error {
    let message = format!(
        "session `{session}` was written by a newer harness: `{}` has the format {format}, and this one reads up to {}",
        path.display(),
        crate::line::FORMAT
    );
    Error::new(code::SESSION_UNSUPPORTED, message).hint("go on with the harness that wrote it")
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

/// The system refused.
pub(crate) fn failed(session: &str, doing: &str, path: &Path, error: &io::Error) -> Error {
    if error.kind() == ErrorKind::NotFound && doing == "open" {
        return not_found(session);
    }
    let (why, hint) = match error.kind() {
        ErrorKind::StorageFull => ("the disk is full".to_owned(), "make room on the disk"),
        ErrorKind::QuotaExceeded => {
            ("the user's share of the disk is full".to_owned(), "make room on the disk")
        }
        ErrorKind::FileTooLarge => {
            ("files may not become longer".to_owned(), "raise the limit on the length of files")
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            ("writing there is not allowed".to_owned(), "set `root` of the session row to a folder of yours")
        }
        _ => (error.to_string(), "set `root` of the session row to a folder that works"),
    };
    let message = format!("session `{session}`: cannot {doing} `{}`: {why}", path.display());
    Error::new(code::SESSION_IO, message).hint(hint)
}
