//! What every log of sessions does, whoever keeps it. A plugin's tests take this file in as their module `suite`, and have a function
//! `open(folder)` that gives the log under test.

mod appending;
pub(crate) mod child;
mod forks;
mod kept;
mod processes;

use futures_util::StreamExt as _;
use plugin_sdk::{
    Cx, Message, Result,
    contracts::session::{Event, NewEvent, Session},
    testing,
};
use serde_json::{Value, json};

pub(crate) fn cx() -> Cx {
    testing::cx().0
}

pub(crate) fn event(kind: &str, data: Value) -> NewEvent {
    NewEvent::new(kind, data)
}

pub(crate) fn user(text: &str) -> NewEvent {
    NewEvent::new("user/message", json!({})).part(Message::user(text).part())
}

/// Events of which each says its number.
pub(crate) fn numbered(numbers: std::ops::Range<u64>) -> Vec<NewEvent> {
    numbers.map(|n| event("test/number", json!({ "n": n }))).collect()
}

/// Everything that `read` yields.
pub(crate) async fn items(log: &impl Session, session: &str, from_seq: u64) -> Vec<Result<Event>> {
    log.read(session.to_owned(), from_seq, cx()).collect().await
}

/// The events of a log that can be read; their positions have no gaps, and time does not go back.
pub(crate) async fn events(log: &impl Session, session: &str) -> Vec<NewEvent> {
    let read: Vec<Event> = items(log, session, 0).await.into_iter().map(Result::unwrap).collect();
    assert!(read.iter().map(|event| event.seq).eq(0..read.len() as u64), "{session} has gaps");
    assert!(read.is_sorted_by_key(|event| event.at_ms), "time goes back in {session}");
    read.into_iter().map(|event| event.event).collect()
}

/// A new session with these events.
pub(crate) async fn session(log: &impl Session, events: Vec<NewEvent>) -> String {
    let session = log.create(None, None, &cx()).await.unwrap();
    log.append(&session, events, &cx()).await.unwrap();
    session
}

/// The code of a failure, `""` for none.
pub(crate) fn code<T>(answer: Result<T>) -> String {
    answer.err().map(|error| error.code.into_owned()).unwrap_or_default()
}
