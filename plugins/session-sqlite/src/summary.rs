//! The list of sessions.
use crate::row;
use plugin_sdk::{Message, contracts::session::Summary};
use rusqlite::Connection;

/// How far into a log its title is looked for.
const TITLE_EVENTS: u32 = 64;
/// How long a title is.
const TITLE_CHARS: usize = 80;

/// Latest first.
pub(crate) fn list(connection: &Connection) -> rusqlite::Result<Vec<Summary>> {
    let sessions = "SELECT id, session, parent, started_ms, \
        (SELECT at_ms FROM events WHERE session_id = id ORDER BY seq DESC LIMIT 1) FROM sessions";
    let first = format!(
        "SELECT {} FROM events WHERE session_id = ? AND seq < {TITLE_EVENTS} AND kind = 'user/message' ORDER BY seq LIMIT 1",
        row::COLUMNS
    );
    let mut first = connection.prepare(&first)?;
    let mut statement = connection.prepare(sessions)?;
    let mut rows = statement.query(())?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let (id, started_ms, last_ms): (i64, i64, Option<i64>) = (row.get(0)?, row.get(3)?, row.get(4)?);
        let mut messages = first.query_map([id], row::read)?;
        let title = messages.next().transpose()?.and_then(|(_, event)| title(event?.event.parts.first()?));
        found.push(Summary {
            session: row.get(1)?,
            parent: row.get(2)?,
            started_ms: started_ms.cast_unsigned(),
            last_ms: last_ms.unwrap_or(started_ms).max(started_ms).cast_unsigned(),
            title,
        });
    }
    found.sort_by(|a, b| b.last_ms.cmp(&a.last_ms).then_with(|| b.session.cmp(&a.session)));
    Ok(found)
}

/// The first words of a message.
fn title(part: &plugin_sdk::Part) -> Option<String> {
    let text = Message::from_part(part).ok()?.text();
    let first = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(first.chars().take(TITLE_CHARS).collect())
}
