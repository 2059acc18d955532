//! A fork begins with what came before a boundary, and goes its own way.
use super::{code, cx, event, events, numbered, session, user};
use crate::open;
use plugin_sdk::contracts::session::Session as _;
use serde_json::json;

#[tokio::test]
async fn a_fork_begins_with_the_events_before_its_position() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    let deltas = (0..6).map(|n| event("assistant/delta", json!({ "index": 0, "text": n.to_string() })));
    let written: Vec<_> = numbered(0..2).into_iter().chain(deltas).chain([user("last")]).collect();
    let id = session(&log, written.clone()).await;
    for at in 0..=10 {
        let fork = log.fork(&id, at, &cx()).await.unwrap();
        let expected = &written[..written.len().min(at as usize)];
        assert_eq!(events(&log, &fork).await, expected, "at {at}");
        let more = log.append(&fork, numbered(9..10), &cx()).await.unwrap();
        assert_eq!(more, expected.len() as u64);
        let listed = log.list(&cx()).await.unwrap();
        assert_eq!(listed.iter().find(|s| s.session == fork).unwrap().parent.as_ref(), Some(&id));
    }
    let whole = log.fork(&id, u64::MAX, &cx()).await.unwrap();
    assert_eq!(events(&log, &whole).await, written);
    assert_eq!(events(&log, &id).await, written, "the first is as it was");
}

#[tokio::test]
async fn a_fork_is_not_made_inside_a_turn() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    let turn = |n: u32| {
        [event("turn/start", json!({ "turn": n })), user("go"), event("turn/end", json!({ "turn": n }))]
    };
    let id = session(&log, [turn(1).to_vec(), turn(2)[..2].to_vec()].concat()).await;
    for (at, expected) in [
        (0, ""),
        (1, "SESSION_OPEN_TURN"),
        (2, "SESSION_OPEN_TURN"),
        (3, ""),
        (4, "SESSION_OPEN_TURN"),
        (5, "SESSION_OPEN_TURN"),
        (u64::MAX, "SESSION_OPEN_TURN"),
    ] {
        assert_eq!(code(log.fork(&id, at, &cx()).await), expected, "at {at}");
    }
    let refused = log.fork(&id, 5, &cx()).await.unwrap_err();
    assert_eq!(
        refused.message,
        format!("position 5 of session `{id}` is inside the turn that began at event 3")
    );
    assert_eq!(refused.hint, "fork it at 3, before that turn");
    assert_eq!(log.list(&cx()).await.unwrap().len(), 3, "what was refused has left nothing");
}

#[tokio::test]
async fn a_fork_of_what_somebody_writes_needs_no_lock() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, other) = (open(folder.path()), open(folder.path()));
    let id = session(&writer, numbered(0..3)).await;
    let fork = other.fork(&id, u64::MAX, &cx()).await.unwrap();
    other.append(&fork, numbered(3..4), &cx()).await.unwrap();
    writer.append(&id, numbered(7..8), &cx()).await.unwrap();
    assert_eq!(events(&writer, &fork).await, numbered(0..4));
}
