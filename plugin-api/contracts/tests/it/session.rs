//! `session`: a small log in memory, driven through its client.
mod derived;
mod logs;

use crate::{
    clock::quiet,
    stage::{all, empty, now, serve},
};
use contracts::{
    Cx, Error, Part, Parts, Payload, Result,
    session::{self, Client, Event, NewEvent, Session, Summary},
};
use futures_util::{Stream, StreamExt as _, stream};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard},
};

#[derive(Clone, Default)]
struct Log {
    parent: Option<String>,
    events: Vec<Event>,
    kept: HashMap<String, Value>,
    flushed: usize,
    closed: bool,
}

#[derive(Default)]
struct Memory(Mutex<Vec<(String, Log)>>);

fn not_found(session: &str) -> Error {
    Error::new("SESSION_NOT_FOUND", format!("session `{session}` is not there"))
        .hint("see `harness sessions`")
}

impl Memory {
    fn sessions(&self) -> MutexGuard<'_, Vec<(String, Log)>> {
        self.0.lock().unwrap()
    }
    fn with<T>(&self, session: &str, work: impl FnOnce(&mut Log) -> T) -> Result<T> {
        let mut sessions = self.sessions();
        let log = sessions.iter_mut().find(|(name, _)| name == session);
        log.map(|(_, log)| work(log)).ok_or_else(|| not_found(session))
    }
    fn add(&self, session: Option<String>, log: Log) -> String {
        let mut sessions = self.sessions();
        let name = session.unwrap_or_else(|| format!("made-{}", sessions.len()));
        sessions.push((name.clone(), log));
        name
    }
}

impl Session for Memory {
    async fn create(&self, session: Option<String>, parent: Option<String>, _: &Cx) -> Result<String> {
        Ok(self.add(session, Log { parent, ..Log::default() }))
    }
    async fn append(&self, session: &str, events: Vec<NewEvent>, _: &Cx) -> Result<u64> {
        self.with(session, |log| {
            let first = log.events.len() as u64;
            log.events.extend((first..).zip(events).map(|(seq, event)| Event {
                seq,
                at_ms: 1000 + seq,
                event,
            }));
            first
        })
    }
    async fn flush(&self, session: &str, _: &Cx) -> Result<()> {
        self.with(session, |log| log.flushed = log.events.len())
    }
    fn read(
        &self,
        session: String,
        from_seq: u64,
        _: Cx,
    ) -> impl Stream<Item = Result<Event>> + Send + 'static {
        let events = self.with(&session, |log| log.events.clone());
        stream::iter(match events {
            Ok(events) => events.into_iter().filter(|e| e.seq >= from_seq).map(Ok).collect(),
            Err(error) => vec![Err(error)],
        })
    }
    async fn fork(&self, session: &str, at_seq: u64, _: &Cx) -> Result<String> {
        let mut log = self.with(session, |log| log.clone())?;
        log.events.retain(|e| e.seq < at_seq);
        log.parent = Some(session.into());
        Ok(self.add(None, log))
    }
    async fn list(&self, _: &Cx) -> Result<Vec<Summary>> {
        let summary = |(name, log): &(String, Log)| Summary {
            session: name.clone(),
            parent: log.parent.clone(),
            started_ms: 7,
            ..Summary::default()
        };
        Ok(self.sessions().iter().rev().map(summary).collect())
    }
    async fn put(&self, session: &str, key: &str, value: Value, _: &Cx) -> Result<()> {
        self.with(session, |log| drop(log.kept.insert(key.into(), value)))
    }
    async fn get(&self, session: &str, key: &str, _: &Cx) -> Result<Value> {
        self.with(session, |log| log.kept.get(key).cloned().unwrap_or_default())
    }
    async fn close(&self, session: &str, _: &Cx) -> Result<()> {
        self.with(session, |log| log.closed = true)
    }
    async fn delete(&self, session: &str, _: &Cx) -> Result<()> {
        self.with(session, |_| ())?;
        self.sessions().retain(|(name, _)| name != session);
        Ok(())
    }
}

fn client() -> Client {
    serve::<session::Contract, _>(Memory::default()).into()
}

fn event(kind: &str, data: Value, parts: &[&str]) -> NewEvent {
    NewEvent { kind: kind.into(), data, parts: parts.iter().map(|text| Part::new(*text)).collect() }
}

#[test]
fn what_is_appended_is_read_back_in_order() {
    let (client, cx) = (client(), quiet());
    let id = now(client.create(Some("s1"), None, &cx)).unwrap();
    assert_eq!(id, "s1");
    let events = vec![
        event("turn/start", json!({ "turn": 1 }), &[]),
        event("user/message", Value::Null, &["hello"]),
        event("kind/of/tomorrow", json!([1, { "x": null }]), &["a", "b", ""]),
        event("", json!("text"), &["last"]),
    ];
    assert_eq!(now(client.append("s1", events.clone(), &cx)).unwrap(), 0);
    assert_eq!(now(client.append("s1", vec![events[1].clone()], &cx)).unwrap(), 4);
    assert_eq!(now(client.append("s1", vec![], &cx)).unwrap(), 5);
    let read = |from| all(client.read("s1", from, &cx)).into_iter().map(Result::unwrap).collect::<Vec<_>>();
    let expected: Vec<Event> = (0..)
        .zip(events.iter().chain([&events[1]]).cloned())
        .map(|(seq, event)| Event { seq, at_ms: 1000 + seq, event })
        .collect();
    assert_eq!(read(0), expected);
    assert_eq!(read(3), expected[3..]);
    assert_eq!(read(5), []);
    now(client.flush("s1", &cx)).unwrap();
    now(client.close("s1", &cx)).unwrap();
}

#[test]
fn a_session_may_name_itself_or_be_named() {
    let (client, cx) = (client(), quiet());
    assert_eq!(now(client.create(None, None, &cx)).unwrap(), "made-0");
    assert_eq!(now(client.create(Some("child"), Some("made-0"), &cx)).unwrap(), "child");
    let summary = |session: &str, parent: Option<&str>| Summary {
        session: session.into(),
        parent: parent.map(Into::into),
        started_ms: 7,
        ..Summary::default()
    };
    assert_eq!(now(client.list(&cx)).unwrap(), [summary("child", Some("made-0")), summary("made-0", None)]);
}

#[test]
fn a_fork_begins_with_what_came_before() {
    let (client, cx) = (client(), quiet());
    now(client.create(Some("s1"), None, &cx)).unwrap();
    now(client.append("s1", vec![event("a", Value::Null, &[]), event("b", Value::Null, &["p"])], &cx))
        .unwrap();
    let fork = now(client.fork("s1", 1, &cx)).unwrap();
    let kinds = |session: &str| -> Vec<String> {
        all(client.read(session, 0, &cx)).into_iter().map(|e| e.unwrap().event.kind).collect()
    };
    assert_eq!(kinds(&fork), ["a"]);
    assert_eq!(kinds("s1"), ["a", "b"]);
    now(client.put(&fork, "k", json!(1), &cx)).unwrap();
    assert_eq!(now(client.get("s1", "k", &cx)).unwrap(), Value::Null, "the two have gone their ways");
}

#[test]
fn a_deleted_session_is_gone() {
    let (client, cx) = (client(), quiet());
    now(client.create(Some("s1"), None, &cx)).unwrap();
    now(client.delete("s1", &cx)).unwrap();
    assert_eq!(now(client.list(&cx)).unwrap(), []);
    assert_eq!(now(client.delete("s1", &cx)), Err(not_found("s1")));
}

#[test]
fn an_item_of_a_kind_that_is_not_known_is_passed_over() {
    let chunks =
        [(1, r#"{"seq":0,"at_ms":1,"kind":"a"}"#), (7, "{"), (1, r#"{"seq":1,"at_ms":1,"kind":"b"}"#)];
    let batch = chunks.map(|(kind, data)| plugin_api::RChunk::data(kind, 0, data)).into_iter().collect();
    let client = Client::from(crate::stage::Canned::streaming(vec![Ok(batch)]).raw());
    let read: Vec<String> =
        all(client.read("s1", 0, &quiet())).into_iter().map(|e| e.unwrap().event.kind).collect();
    assert_eq!(read, ["a", "b"]);
}

#[test]
fn any_value_is_kept() {
    let (client, cx) = (client(), quiet());
    now(client.create(Some("s1"), None, &cx)).unwrap();
    assert_eq!(now(client.get("s1", "k", &cx)).unwrap(), Value::Null);
    for value in [json!(true), json!({ "a": [1, null] }), json!("text"), json!(0), json!(""), Value::Null] {
        now(client.put("s1", "k", value.clone(), &cx)).unwrap();
        assert_eq!(now(client.get("s1", "k", &cx)).unwrap(), value);
    }
    assert_eq!(now(client.get("s1", "", &cx)).unwrap(), Value::Null);
}

#[test]
fn an_error_of_the_log_reaches_its_caller_from_every_method() {
    let (client, cx) = (client(), quiet());
    let expected = not_found("none");
    let error = |result: Result<()>| assert_eq!(result.unwrap_err(), expected);
    error(now(client.append("none", vec![], &cx)).map(drop));
    error(now(client.flush("none", &cx)));
    error(now(client.fork("none", 0, &cx)).map(drop));
    error(now(client.put("none", "k", json!(1), &cx)));
    error(now(client.get("none", "k", &cx)).map(drop));
    error(now(client.close("none", &cx)));
    error(now(client.delete("none", &cx)));
    assert_eq!(all(client.read("none", 0, &cx)), [Err(expected.clone())]);
    let nowhere = Client::from(empty());
    assert!(client.is_mounted() && !nowhere.is_mounted());
    assert_eq!(&*now(nowhere.list(&cx)).unwrap_err().code, "NOT_MOUNTED");
}

#[test]
fn an_answer_without_its_field_is_refused() {
    let cx = quiet();
    let client = |head: &str| Client::from(crate::stage::Canned::head(head).raw());
    let words = |error: Error| format!("{}: {}", error.code, error.message);
    let error = now(client("{}").create(None, None, &cx)).unwrap_err();
    assert_eq!(words(error), "BAD_PAYLOAD: session.create: `session`: invalid type: null, expected a string");
    let error = now(client(r#"{"seq":-1}"#).append("s1", vec![], &cx)).unwrap_err();
    assert_eq!(words(error), "BAD_PAYLOAD: session.append: `seq`: invalid value: integer `-1`, expected u64");
    let error = now(client(r#"[{"seq":1}]"#).append("s1", vec![], &cx)).unwrap_err();
    assert_eq!(&*error.code, "BAD_PAYLOAD", "an answer that is no object");
    assert_eq!(now(client(r#"{"later":1}"#).get("s1", "k", &cx)).unwrap(), Value::Null);
    assert_eq!(now(client(r#"{"sessions":[{}]}"#).list(&cx)).unwrap(), [Summary::default()]);
}

#[test]
fn a_request_says_no_more_than_it_must() {
    let (canned, cx) = (crate::stage::Canned::head(r#"{"session":"x","seq":0,"value":1}"#), quiet());
    let asked = std::sync::Arc::clone(&canned.asked);
    let client = Client::from(canned.raw());
    now(client.create(None, None, &cx)).unwrap();
    now(client.append("s1", vec![event("a", Value::Null, &["p", "q"])], &cx)).unwrap();
    now(client.fork("s1", 3, &cx)).unwrap();
    now(client.get("s1", "k", &cx)).unwrap();
    let asked = asked.lock().unwrap();
    let heads: Vec<String> =
        asked.iter().map(|(method, p)| format!("{method} {} {}", p.head, p.parts.len())).collect();
    assert_eq!(
        heads,
        [
            r#"create {"session":""} 0"#,
            r#"append {"session":"s1","events":[{"kind":"a","data":null,"parts":2}]} 2"#,
            r#"fork {"session":"s1","at_seq":3} 0"#,
            r#"get {"session":"s1","key":"k"} 0"#,
        ]
    );
}

#[test]
fn a_request_by_hand_may_leave_out_what_has_a_default() {
    let (client, cx) = (client(), quiet());
    now(client.create(Some("s1"), None, &cx)).unwrap();
    now(client.append("s1", vec![event("a", Value::Null, &[]), event("b", Value::Null, &[])], &cx)).unwrap();
    let call = |method: &str, head: &str| {
        let answer = now(client.raw().call(method, Payload::new(head, Parts::new()), &cx));
        answer.map_or_else(|error| error.code.into_owned(), |payload| payload.head.into())
    };
    for (method, head, expected) in [
        ("create", "{}", r#"{"session":"made-1"}"#),
        ("append", r#"{"session":"s1","events":[{"kind":"c","later":1}]}"#, r#"{"seq":2}"#),
        ("fork", r#"{"session":"s1"}"#, r#"{"session":"made-2"}"#),
        ("get", r#"{"session":"s1"}"#, r#"{"value":null}"#),
        ("close", r#"{"session":"s1","later":{}}"#, "{}"),
        ("flush", "{}", "SESSION_NOT_FOUND"),
        ("append", r#"{"session":"s1","events":[{}]}"#, "BAD_PAYLOAD"),
        ("create", "nonsense", "BAD_PAYLOAD"),
        ("read", "{}", "NO_METHOD"),
        ("erase", "{}", "NO_METHOD"),
    ] {
        assert_eq!(call(method, head), expected, "{method} {head}");
    }
    let read = |head: &str| {
        let items = client.raw().items::<Event>("read", Payload::new(head, Parts::new()), &cx);
        now(items.map(|e| e.map_or_else(|e| e.code.into_owned(), |e| e.event.kind)).collect::<Vec<_>>())
            .join(" ")
    };
    assert_eq!(read(r#"{"session":"s1"}"#), "a b c");
    assert_eq!(read("{"), "BAD_PAYLOAD");
}
