//! Kept values survive a swap, a fork and an end, and are events like any other.
use super::{cx, events, numbered, session};
use crate::open;
use plugin_sdk::contracts::session::Session as _;
use serde_json::{Value, json};

#[tokio::test]
async fn any_value_is_kept_and_the_last_one_counts() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    let id = session(&log, vec![]).await;
    assert_eq!(log.get(&id, "k", &cx()).await.unwrap(), Value::Null);
    for value in
        [json!(true), json!({ "a": [1, null] }), json!("text"), json!(0.1), json!(""), Value::Null, json!(7)]
    {
        log.put(&id, "k", value.clone(), &cx()).await.unwrap();
        assert_eq!(log.get(&id, "k", &cx()).await.unwrap(), value);
        log.close(&id, &cx()).await.unwrap();
        assert_eq!(log.get(&id, "k", &cx()).await.unwrap(), value, "after its writer has gone");
    }
    assert_eq!(log.get(&id, "", &cx()).await.unwrap(), Value::Null);
    let first = events(&log, &id).await.remove(0);
    assert_eq!((first.kind.as_str(), first.data), ("session/put", json!({ "key": "k", "value": true })));
}

#[tokio::test]
async fn a_fork_has_the_values_from_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    let id = session(&log, numbered(0..1)).await;
    log.put(&id, "k", json!(1), &cx()).await.unwrap();
    log.put(&id, "k", json!(2), &cx()).await.unwrap();
    log.put(&id, "other", json!(3), &cx()).await.unwrap();
    for (at, k, other) in [(1, Value::Null, Value::Null), (2, json!(1), Value::Null), (4, json!(2), json!(3))]
    {
        let fork = log.fork(&id, at, &cx()).await.unwrap();
        assert_eq!(log.get(&fork, "k", &cx()).await.unwrap(), k, "at {at}");
        assert_eq!(log.get(&fork, "other", &cx()).await.unwrap(), other, "at {at}");
        log.put(&fork, "k", json!("own"), &cx()).await.unwrap();
        assert_eq!(log.get(&fork, "k", &cx()).await.unwrap(), json!("own"));
    }
    assert_eq!(log.get(&id, "k", &cx()).await.unwrap(), json!(2));
}
