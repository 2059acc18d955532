//! What is appended comes back: any data, any parts, in order, under any name.
use super::{code, cx, event, events, items, numbered, session, user};
use crate::open;
use plugin_sdk::{
    Part,
    contracts::session::{NewEvent, Session as _, Summary},
};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

#[tokio::test]
async fn what_is_appended_is_read_in_order_from_any_position() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    let delta = |text: &str| event("assistant/delta", json!({ "index": 0, "text": text }));
    let written = vec![
        event("turn/start", json!({ "turn": 1 })),
        user("hello"),
        delta("a"),
        delta("b"),
        delta(""),
        NewEvent { kind: "kind/of/tomorrow".into(), data: json!([1.5, { "x": null }]), parts: vec![] },
        NewEvent {
            kind: String::new(),
            data: Value::Null,
            parts: vec![Part::new("\n"), Part::new(vec![0xff, 0])],
        },
        event("session/unheard", json!({ "required": true })),
    ];
    let id = session(&log, written.clone()).await;
    assert_eq!(log.append(&id, vec![], &cx()).await.unwrap(), 8, "of nothing: the next position");
    assert_eq!(log.append(&id, vec![user("again")], &cx()).await.unwrap(), 8);
    let written = [written, vec![user("again")]].concat();
    log.flush(&id, &cx()).await.unwrap();
    assert_eq!(events(&log, &id).await, written);
    for from in 0..=10 {
        let read = items(&log, &id, from).await;
        let read: Vec<(u64, NewEvent)> =
            read.into_iter().map(|e| e.map(|e| (e.seq, e.event)).unwrap()).collect();
        let expected: Vec<_> = (0..).zip(written.clone()).skip(from as usize).collect();
        assert_eq!(read, expected, "from {from}");
    }
}

#[tokio::test]
async fn another_instance_goes_on_where_one_has_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path());
    let id = session(&first, numbered(0..5)).await;
    drop(first);
    let second = open(folder.path());
    assert_eq!(events(&second, &id).await, numbered(0..5));
    assert_eq!(second.append(&id, numbered(5..7), &cx()).await.unwrap(), 5);
    assert_eq!(events(&open(folder.path()), &id).await, numbered(0..7));
}

#[tokio::test]
async fn any_text_names_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    let long = "long ".repeat(200);
    let names = [
        "a",
        "A",
        "ä",
        "..",
        "../a",
        "a/b",
        "a%2fb",
        ".hidden",
        "with space",
        "\u{0}",
        "C:\\x",
        "'; --",
        &long,
        &long[1..],
    ];
    for name in names {
        assert_eq!(log.create(Some(name.to_owned()), None, &cx()).await.unwrap(), name);
        log.append(name, vec![user(name)], &cx()).await.unwrap();
    }
    for name in names {
        assert_eq!(events(&log, name).await, [user(name)], "{name}");
        assert_eq!(code(log.create(Some(name.to_owned()), None, &cx()).await), "SESSION_EXISTS", "{name}");
    }
    let mut listed: Vec<String> = log.list(&cx()).await.unwrap().into_iter().map(|s| s.session).collect();
    listed.sort_unstable();
    let mut expected = names.map(str::to_owned);
    expected.sort_unstable();
    assert_eq!(listed, expected);
    assert_eq!(
        std::fs::read_dir(folder.path().parent().unwrap())
            .unwrap()
            .filter(|e| e.as_ref().unwrap().file_name() == "a")
            .count(),
        0
    );
}

#[tokio::test]
async fn what_is_not_there_is_said_by_every_method() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(&folder.path().join("later"));
    assert_eq!(log.list(&cx()).await.unwrap(), []);
    for name in ["none", ""] {
        for (method, found) in [
            ("append", code(log.append(name, vec![user("x")], &cx()).await)),
            ("flush", code(log.flush(name, &cx()).await)),
            ("fork", code(log.fork(name, 0, &cx()).await)),
            ("put", code(log.put(name, "k", json!(1), &cx()).await)),
            ("get", code(log.get(name, "k", &cx()).await)),
            ("close", code(log.close(name, &cx()).await)),
            ("delete", code(log.delete(name, &cx()).await)),
            ("read", code(items(&log, name, 0).await.remove(0))),
        ] {
            assert_eq!(found, "SESSION_NOT_FOUND", "{method} of `{name}`");
        }
    }
    assert_eq!(log.list(&cx()).await.unwrap(), []);
}

#[tokio::test]
async fn a_list_says_what_each_session_is() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    log.create(Some("one".into()), None, &cx()).await.unwrap();
    log.create(Some("two".into()), Some("one".into()), &cx()).await.unwrap();
    log.append("two", vec![event("turn/start", json!({})), user("\n  Mend the roof  \nsoon")], &cx())
        .await
        .unwrap();
    // Time in a log may stand still, but it is not before that of what was there first.
    let listed = log.list(&cx()).await.unwrap();
    let of = |name: &str| listed.iter().find(|summary| summary.session == name).cloned().unwrap();
    let (one, two) = (of("one"), of("two"));
    assert!(
        one.started_ms > 1_700_000_000_000
            && one.started_ms <= two.started_ms
            && two.last_ms >= two.started_ms
    );
    let Summary { started_ms, last_ms, .. } = two;
    let title = Some("Mend the roof".to_owned());
    assert_eq!(
        two,
        Summary { session: "two".into(), parent: Some("one".into()), started_ms, last_ms, title }
    );
    assert_eq!((one.parent, one.title), (None, None));
    assert!(listed.is_sorted_by(|a, b| a.last_ms >= b.last_ms));
}

#[tokio::test]
async fn a_thousand_sessions_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    for n in 0..1000 {
        let name = format!("s{n}");
        log.create(Some(name.clone()), None, &cx()).await.unwrap();
        log.append(&name, vec![user(&name)], &cx()).await.unwrap();
        log.close(&name, &cx()).await.unwrap();
    }
    let listed = log.list(&cx()).await.unwrap();
    assert_eq!(listed.len(), 1000);
    assert!(listed.iter().all(|summary| summary.title.as_ref() == Some(&summary.session)));
}

#[tokio::test]
async fn a_deleted_session_is_gone_and_its_name_is_free() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    log.create(Some("s".into()), None, &cx()).await.unwrap();
    log.append("s", numbered(0..3), &cx()).await.unwrap();
    log.put("s", "k", json!(1), &cx()).await.unwrap();
    log.delete("s", &cx()).await.unwrap();
    assert_eq!(code(log.append("s", vec![], &cx()).await), "SESSION_NOT_FOUND");
    assert_eq!(log.list(&cx()).await.unwrap(), []);
    log.create(Some("s".into()), None, &cx()).await.unwrap();
    assert_eq!(events(&log, "s").await, []);
    assert_eq!(log.get("s", "k", &cx()).await.unwrap(), Value::Null);
}

#[tokio::test]
async fn appends_of_many_at_once_are_each_whole() {
    let folder = tempfile::tempdir().unwrap();
    let log = open(folder.path());
    let ids = [session(&log, vec![]).await, session(&log, vec![]).await];
    let appends = (0..64u64).map(|n| {
        let (log, id) = (&log, &ids[n as usize % 2]);
        async move { (n, log.append(id, numbered(n * 3..n * 3 + 3), &cx()).await.unwrap()) }
    });
    let placed = futures_util::future::join_all(appends).await;
    for (at, id) in ids.iter().enumerate() {
        let read = events(&log, id).await;
        assert_eq!(read.len(), 96);
        for (n, seq) in placed.iter().filter(|(n, _)| *n as usize % 2 == at) {
            assert_eq!(read[*seq as usize..][..3], numbered(n * 3..n * 3 + 3));
        }
    }
}

fn any_event() -> impl Strategy<Value = NewEvent> {
    let data = prop_oneof![
        Just(Value::Null),
        any::<f64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<String>().prop_map(|text| json!({ "text": text, "index": 0 })),
        any::<String>().prop_map(|text| json!([text, { "\n": [] }])),
    ];
    let part =
        prop_oneof![vec(any::<u8>(), 0..40), Just(br#"{"a": [1, 2.50] }"#.to_vec()), Just(b"\n{}".to_vec())];
    (select(vec!["assistant/delta", "user/message", "\n"]), data, vec(part.prop_map(Part::new), 0..3))
        .prop_map(|(kind, data, parts)| NewEvent { kind: kind.into(), data, parts })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_event_comes_back_as_it_was(batches in vec(vec(any_event(), 0..8), 1..5)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (found, again) = runtime.block_on(async {
            let log = open(folder.path());
            let id = session(&log, vec![]).await;
            for batch in &batches {
                log.append(&id, batch.clone(), &cx()).await.unwrap();
            }
            let found = events(&log, &id).await;
            drop(log);
            (found, events(&open(folder.path()), &id).await)
        });
        let written = batches.concat();
        prop_assert_eq!(&found, &written);
        prop_assert_eq!(again, written);
    }
}
