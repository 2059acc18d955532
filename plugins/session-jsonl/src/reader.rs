//! A log read by whoever wants to: its events in batches, and its kept values. Needs no lock.
use crate::{
    failure, line,
    walk::{Found, Walk},
    writer::glance,
};
use plugin_sdk::{
    Out, Result, blocking,
    contracts::session::{Event, kind},
};
use serde_json::Value;
use std::{
    fs::File,
    path::{Path, PathBuf},
};

/// How many events of a log are in memory at once, give or take a line.
const BATCH_EVENTS: usize = 256;
/// How many bytes of lines are.
const BATCH_BYTES: usize = 1 << 20;

struct Reader {
    walk: Walk,
    from: u64,
    /// The latest time so far: a log that somebody else has written may go back.
    last_ms: u64,
}

impl Reader {
    fn open(session: &str, path: &Path, from: u64) -> Result<Self> {
        Walk::begin(session, path, open(session, path)?).map(|(walk, _)| Reader { walk, from, last_ms: 0 })
    }

    /// The next events, and whether there may be more; with an error come the events before it.
    fn batch(&mut self) -> (Vec<Event>, Result<bool>) {
        let (mut events, mut bytes) = (Vec::new(), 0);
        while events.len() < BATCH_EVENTS && bytes < BATCH_BYTES {
            let from = self.from;
            match self.walk.next(|text| read(text, from)) {
                Ok(Some((at_ms, more))) => {
                    self.last_ms = self.last_ms.max(at_ms);
                    events.extend(more.into_iter().map(|event| Event { at_ms: self.last_ms, ..event }));
                }
                Ok(None) => return (events, Ok(false)),
                Err(error) => return (events, Err(error)),
            }
            bytes += self.walk.bytes().len();
        }
        (events, Ok(true))
    }
}

/// Sends the events of a log from a position on, a batch at a time.
pub(crate) async fn send(out: &Out<Result<Event>>, session: String, path: PathBuf, from: u64) -> Result<()> {
    let mut reader = blocking(move || Reader::open(&session, &path, from)).await??;
    loop {
        let read = blocking(move || {
            let batch = reader.batch();
            (reader, batch)
        });
        let (again, (events, more)) = read.await?;
        for event in events {
            out.send(Ok(event)).await;
        }
        if !more? {
            return Ok(());
        }
        reader = again;
    }
}

pub(crate) fn open(session: &str, path: &Path) -> Result<File> {
    File::open(path).map_err(|error| failure::failed(session, "open", path, &error))
}

/// The time of a line, and what it has from that position on. Only the place of a line before it is looked at.
fn read(text: &str, from: u64) -> Option<Found<(u64, Vec<Event>)>> {
    if from > 0 {
        let glance = line::glance(text)?;
        let (seq, count) = (glance.seq, glance.count());
        if seq.saturating_add(count) <= from {
            return Some(Found { seq, count, value: (glance.at_ms, Vec::new()) });
        }
    }
    let mut events = line::read(text)?;
    let (Event { seq, at_ms, .. }, count) = (events.first()?, events.len() as u64);
    let (seq, at_ms) = (*seq, *at_ms);
    events.retain(|event| event.seq >= from);
    Some(Found { seq, count, value: (at_ms, events) })
}

/// A kept value of a log that is not open for writing.
pub(crate) fn kept(session: &str, path: &Path, key: &str) -> Result<Value> {
    let (mut walk, _) = Walk::begin(session, path, open(session, path)?)?;
    let mut value = Value::Null;
    while let Some((_, put)) = walk.next(glance)? {
        if let Some(put) = put.filter(|put: &kind::Put| put.key == key) {
            value = put.value;
        }
    }
    Ok(value)
}
