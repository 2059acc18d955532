//! Events as rows of the database.
use plugin_sdk::{
    Part,
    contracts::session::{Event, NewEvent},
};
use rusqlite::{Connection, Row, params};

/// What stands for an event's parts: how long each is, and all of them.
fn parts(event: &NewEvent) -> (Option<String>, Option<Vec<u8>>) {
    if event.parts.is_empty() {
        return (None, None);
    }
    let lengths: Vec<usize> = event.parts.iter().map(|part| part.bytes().len()).collect();
    let bytes = event.parts.iter().flat_map(|part| part.bytes()).copied().collect();
    (serde_json::to_string(&lengths).ok(), Some(bytes))
}

pub(crate) fn insert(
    connection: &Connection,
    session_id: i64,
    seq: u64,
    at_ms: u64,
    event: &NewEvent,
) -> rusqlite::Result<()> {
    let (lengths, parts) = parts(event);
    let data = event.data.to_string();
    let mut statement = connection.prepare_cached("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)")?;
    let (seq, at_ms) = (seq.cast_signed(), at_ms.cast_signed());
    statement.execute(params![session_id, seq, at_ms, event.kind, data, lengths, parts]).map(drop)
}

/// The columns that [`read`] takes.
pub(crate) const COLUMNS: &str = "seq, at_ms, kind, data, lengths, parts";

/// A row's event, `None` in its place when it is not what [`insert`] writes.
pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<(u64, Option<Event>)> {
    let seq = row.get::<_, i64>(0)?.cast_unsigned();
    let at_ms = row.get::<_, i64>(1)?.cast_unsigned();
    let (kind, data): (String, String) = (row.get(2)?, row.get(3)?);
    let (lengths, bytes): (Option<String>, Option<Vec<u8>>) = (row.get(4)?, row.get(5)?);
    let parts = cut(lengths.as_deref().unwrap_or("[]"), &bytes.unwrap_or_default());
    let event = parts.zip(serde_json::from_str(&data).ok());
    Ok((seq, event.map(|(parts, data)| Event { seq, at_ms, event: NewEvent { kind, data, parts } })))
}

fn cut(lengths: &str, mut bytes: &[u8]) -> Option<Vec<Part>> {
    let lengths: Vec<usize> = serde_json::from_str(lengths).ok()?;
    let parts = lengths.into_iter().map(|length| {
        let (part, rest) = bytes.split_at_checked(length)?;
        bytes = rest;
        Some(Part::new(part))
    });
    let parts = parts.collect::<Option<Vec<_>>>()?;
    bytes.is_empty().then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::{cut, parts};
    use plugin_sdk::{Part, contracts::session::NewEvent};
    use proptest::prelude::*;

    #[test]
    fn parts_that_do_not_fit_their_lengths_are_none() {
        for (lengths, bytes) in [
            ("[2]", "a"),
            ("[1]", "ab"),
            ("[-1]", "a"),
            ("{}", ""),
            ("", ""),
            ("[18446744073709551615]", "a"),
        ] {
            assert!(cut(lengths, bytes.as_bytes()).is_none(), "{lengths} {bytes}");
        }
    }

    proptest! {
        #[test]
        fn parts_come_back(all in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..5), 0..5)) {
            let all: Vec<Part> = all.into_iter().map(Part::new).collect();
            let (lengths, bytes) = parts(&NewEvent { parts: all.clone(), ..NewEvent::default() });
            let back = cut(lengths.as_deref().unwrap_or("[]"), &bytes.unwrap_or_default());
            prop_assert_eq!(back, Some(all));
        }

        #[test]
        fn any_lengths_cut_or_are_refused(lengths in ".{0,12}|\\[[0-9,]{0,8}\\]", bytes in prop::collection::vec(any::<u8>(), 0..9)) {
            if let Some(parts) = cut(&lengths, &bytes) {
                prop_assert_eq!(parts.iter().flat_map(|part| part.bytes()).copied().collect::<Vec<u8>>(), bytes);
            }
        }
    }
}
