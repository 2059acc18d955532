//! A fork: a new log that begins with the events of another one.
use crate::{
    failure,
    line::{self, FORMAT, Header},
    name::now_ms,
    reader,
    walk::{Found, Walk},
    writer::sync_folder,
};
use plugin_sdk::{Result, contracts::session::kind};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

/// A log, by name and file.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) session: &'a str,
    pub(crate) path: &'a Path,
}

/// Makes the fork. Its file gets its name once it is whole and on disk.
pub(crate) fn fork(from: Place<'_>, to: Place<'_>, at_seq: u64) -> Result<()> {
    let (walk, _) = Walk::begin(from.session, from.path, reader::open(from.session, from.path)?)?;
    let half = to.path.with_extension("half");
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&half);
    let made = file.map_err(|error| failure::failed(to.session, "create", &half, &error)).and_then(|file| {
        let failed = |error: io::Error| failure::failed(to.session, "write", &half, &error);
        let file = copy(walk, from, to, at_seq, file, &failed)?;
        file.sync_data()
            .and_then(|()| fs::rename(&half, to.path))
            .and_then(|()| sync_folder(to.path))
            .map_err(failed)
    });
    if made.is_err() {
        drop(fs::remove_file(&half));
    }
    made
}

fn copy(
    mut walk: Walk,
    from: Place<'_>,
    to: Place<'_>,
    at_seq: u64,
    file: File,
    failed: &dyn Fn(io::Error) -> plugin_sdk::Error,
) -> Result<File> {
    let mut out = BufWriter::new(file);
    let (session, parent) = (to.session.to_owned(), Some(from.session.to_owned()));
    let header = Header { format: FORMAT, session, parent, started_ms: now_ms() };
    serde_json::to_writer(&mut out, &header)?;
    out.write_all(b"\n").map_err(failed)?;
    let mut open_turn = None;
    while walk.next_seq() < at_seq {
        let Some(seen) = walk.next(look)? else { break };
        match seen.turn {
            Some(true) => open_turn = Some(seen.seq),
            Some(false) => open_turn = None,
            None => {}
        }
        if seen.seq.saturating_add(seen.count) <= at_seq {
            out.write_all(walk.bytes()).and_then(|()| out.write_all(b"\n")).map_err(failed)?;
            continue;
        }
        // The position is inside a run.
        let text = std::str::from_utf8(walk.bytes()).unwrap_or_default();
        let events: Vec<_> = line::read(text).unwrap_or_default();
        let kept: Vec<_> =
            events.into_iter().filter(|event| event.seq < at_seq).map(|event| event.event).collect();
        let mut lines = Vec::new();
        line::write(&mut lines, seen.seq, seen.at_ms, &kept)?;
        out.write_all(&lines).map_err(failed)?;
    }
    if let Some(turn_seq) = open_turn {
        return Err(failure::open_turn(from.session, at_seq, turn_seq));
    }
    out.into_inner().map_err(|error| failed(error.into_error()))
}

struct Seen {
    seq: u64,
    count: u64,
    at_ms: u64,
    /// Whether a turn begins, or ends.
    turn: Option<bool>,
}

fn look(text: &str) -> Option<Found<Seen>> {
    let glance = line::glance(text)?;
    let turn = match &*glance.kind {
        kind::TURN_START => Some(true),
        kind::TURN_END => Some(false),
        _ => None,
    };
    let (seq, count) = (glance.seq, glance.count());
    Some(Found { seq, count, value: Seen { seq, count, at_ms: glance.at_ms, turn } })
}
