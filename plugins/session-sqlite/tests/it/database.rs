//! Databases as other times, other harnesses and other programs leave them.
use crate::{
    open,
    suite::{code, cx, event, events, items, numbered, session},
};
use plugin_sdk::contracts::session::Session as _;
use rusqlite::Connection;
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

/// A folder with one session of three events, nobody's any more.
async fn folder() -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    let id = session(&log, numbered(0..3)).await;
    log.flush(&id, &cx()).await.unwrap();
    plugin_sdk::Plugin::shutdown(&log).await;
    let names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["sessions.sqlite"], "a log that is not open is one file");
    (folder, id)
}

fn change(folder: &TempDir, sql: &str) {
    let database = Connection::open(folder.path().join("sessions.sqlite")).unwrap();
    database.execute_batch(sql).unwrap();
}

#[tokio::test]
async fn a_newer_format_is_refused_as_newer() {
    let (folder, id) = folder().await;
    change(&folder, "PRAGMA user_version = 2");
    let refused = open(folder.path()).append(&id, numbered(3..4), &cx()).await.unwrap_err();
    let path = folder.path().join("sessions.sqlite");
    let expected = format!(
        "the sessions were written by a newer harness: `{}` has the format 2, and this one reads up to 1",
        path.display()
    );
    assert_eq!((&*refused.code, refused.message), ("SESSION_UNSUPPORTED", expected));
    assert_eq!(code(items(&open(folder.path()), &id, 0).await.remove(0)), "SESSION_UNSUPPORTED");
}

#[tokio::test]
async fn what_is_no_database_of_ours_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    fs::write(&path, "all my poems ".repeat(100)).unwrap();
    let refused = open(folder.path()).create(None, None, &cx()).await.unwrap_err();
    assert_eq!(refused.code, "SESSION_CORRUPT", "{}", refused.message);
    assert_eq!(fs::read_to_string(&path).unwrap(), "all my poems ".repeat(100));
    fs::remove_file(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE poems (text)").unwrap();
    let refused = open(folder.path()).create(None, None, &cx()).await.unwrap_err();
    assert_eq!(refused.message, format!("`{}` is a database of something else", path.display()));
}

#[tokio::test]
async fn damage_is_said_behind_what_can_be_read() {
    for (sql, expected) in [
        ("DELETE FROM events WHERE seq = 1", "event 1 is missing"),
        ("UPDATE events SET seq = 9 WHERE seq = 1", "event 1 is missing"),
        ("UPDATE events SET data = '{' WHERE seq = 1", "event 1 cannot be read"),
        ("UPDATE events SET lengths = '[5]' WHERE seq = 1", "event 1 cannot be read"),
    ] {
        let (folder, id) = folder().await;
        change(&folder, sql);
        let read = items(&open(folder.path()), &id, 0).await;
        let [Ok(first), Err(error)] = &read[..] else { panic!("{read:?}") };
        assert_eq!((first.seq, &*error.code), (0, "SESSION_CORRUPT"));
        assert_eq!(error.message, format!("session `{id}` is damaged: {expected}"));
    }
}

#[tokio::test]
async fn a_clock_that_was_set_back_does_not_turn_time_back() {
    let (folder, id) = folder().await;
    let late = 32_503_680_000_000_u64;
    change(&folder, &format!("UPDATE events SET at_ms = {late} WHERE seq = 1"));
    let log = open(folder.path());
    log.append(&id, vec![event("on", Value::Null)], &cx()).await.unwrap();
    let times: Vec<u64> = items(&log, &id, 1).await.into_iter().map(|event| event.unwrap().at_ms).collect();
    assert_eq!(times, [late, late, late]);
    let database = Connection::open(folder.path().join("sessions.sqlite")).unwrap();
    let latest = database.query_row("SELECT at_ms FROM events WHERE seq = 3", (), |row| row.get::<_, i64>(0));
    assert_eq!(latest.unwrap().cast_unsigned(), late);
    assert_eq!(events(&log, &id).await.len(), 4);
}
