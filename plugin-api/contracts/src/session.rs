//! `session`: the append-only log that a model's history is derived from.
//!
//! | method | takes | answers |
//! |---|---|---|
//! | `create` | `{"session"?, "parent"?}` | `{"session"}` |
//! | `append` | `{"session", "events": [{"kind", "data", "parts"?: n}]}` and the events' parts in order | `{"seq"}` of the first |
//! | `flush` | `{"session"}` | `{}` once everything appended is on disk |
//! | `read` (stream) | `{"session", "from_seq"?}` | events in order, one item each |
//! | `fork` | `{"session", "at_seq"}` | `{"session"}`, a new one that begins with the events before `at_seq` |
//! | `list` | `{}` | `{"sessions": [{"session", "parent"?, "started_ms", "title"?}]}` |
//! | `put` / `get` | `{"session", "key", "value"}` / `{"session", "key"}` | `{}` / `{"value"}`, `null` when unset |
//! | `close` | `{"session"}` | `{}` |
//!
//! One writer per session (`SESSION_LOCKED`). A kind that is not known is kept. Codes: `SESSION_NOT_FOUND`, `SESSION_LOCKED`, `SESSION_CORRUPT`.
use crate::{
    Contract as _, Cx, Error, Item, Part, Parts, Payload, Result, Serve, Shape,
    contract::{self, failed},
    wire::{self, Batch, BoxFuture, BoxStream, Items, client},
};
use futures_core::Stream;
use plugin_api::RChunk;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{future::Future, sync::Arc};

/// One event to append.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewEvent {
    /// What happened: `turn/start`, `user/message`, `assistant/message`, `tool/call`, `tool/result`, …
    pub kind: String,
    /// Its data.
    pub data: Value,
    /// Messages and other parts that belong to it.
    pub parts: Vec<Part>,
}

/// One event of a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    /// Position in the log, from 0, without gaps.
    pub seq: u64,
    /// When it was appended, milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// The event.
    pub event: NewEvent,
}

/// A line of the list of sessions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// The session.
    pub session: String,
    /// The one it was forked from or started by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// When it began, milliseconds since the Unix epoch.
    pub started_ms: u64,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

const EVENT: u16 = 1;

#[derive(Serialize, Deserialize)]
struct EventHead {
    seq: u64,
    at_ms: u64,
    kind: String,
    #[serde(default)]
    data: Value,
}

impl Item for Event {
    fn into_chunk(self) -> RChunk {
        let NewEvent { kind, data, parts } = self.event;
        let head = EventHead { seq: self.seq, at_ms: self.at_ms, kind, data };
        let mut chunk = RChunk::data(EVENT, 0, wire::write(&head));
        chunk.parts = parts.into();
        chunk
    }

    fn from_chunk(chunk: RChunk) -> Result<Self> {
        let EventHead { seq, at_ms, kind, data } = wire::read("session event", &chunk.data)?;
        Ok(Event { seq, at_ms, event: NewEvent { kind, data, parts: chunk.parts.into() } })
    }
}

/// What a log implements.
pub trait Session: Send + Sync + 'static {
    /// A new session, under the given name or one of its own making.
    fn create(
        &self,
        session: Option<String>,
        parent: Option<String>,
        cx: &Cx,
    ) -> impl Future<Output = Result<String>> + Send;
    /// Appends events as one; the position of the first.
    fn append(
        &self,
        session: &str,
        events: Vec<NewEvent>,
        cx: &Cx,
    ) -> impl Future<Output = Result<u64>> + Send;
    /// Ready once everything appended is on disk.
    fn flush(&self, session: &str, cx: &Cx) -> impl Future<Output = Result<()>> + Send;
    /// The events from a position on.
    fn read(
        &self,
        session: String,
        from_seq: u64,
        cx: Cx,
    ) -> impl Stream<Item = Result<Event>> + Send + 'static;
    /// A new session that begins with the events before a position, which must be a boundary.
    fn fork(&self, session: &str, at_seq: u64, cx: &Cx) -> impl Future<Output = Result<String>> + Send;
    /// All sessions, latest first.
    fn list(&self, cx: &Cx) -> impl Future<Output = Result<Vec<Summary>>> + Send;
    /// Keeps a value that must survive a swap, a fork or a crash.
    fn put(&self, session: &str, key: &str, value: Value, cx: &Cx)
    -> impl Future<Output = Result<()>> + Send;
    /// A kept value, `Null` when unset.
    fn get(&self, session: &str, key: &str, cx: &Cx) -> impl Future<Output = Result<Value>> + Send;
    /// Ends writing: the lock is given back.
    fn close(&self, session: &str, cx: &Cx) -> impl Future<Output = Result<()>> + Send;
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct Args {
    session: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    events: Vec<NewEventHead>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Value::is_null")]
    value: Value,
}

#[derive(Serialize, Deserialize)]
struct NewEventHead {
    kind: String,
    #[serde(default)]
    data: Value,
    #[serde(default)]
    parts: usize,
}

/// The contract.
#[derive(Debug)]
pub struct Contract;

impl contract::Contract for Contract {
    const NAME: &'static str = "session";
    const VERSION: &'static str = "1.0.0";
    const METHODS: &'static [(&'static str, Shape)] = &[
        ("create", Shape::Call),
        ("append", Shape::Call),
        ("flush", Shape::Call),
        ("read", Shape::Stream),
        ("fork", Shape::Call),
        ("list", Shape::Call),
        ("put", Shape::Call),
        ("get", Shape::Call),
        ("close", Shape::Call),
    ];
    type Client = Client;
}

impl<T: Session> Serve<T> for Contract {
    fn call(plugin: &Arc<T>, method: &str, payload: Payload, cx: Cx) -> Option<BoxFuture<Result<Payload>>> {
        Self::METHODS.iter().find(|(name, shape)| *name == method && *shape == Shape::Call)?;
        let (plugin, method) = (Arc::clone(plugin), method.to_owned());
        Some(Box::pin(async move {
            let args: Args = wire::read(&method, &payload.head)?;
            let session = args.session.as_str();
            let answer = match method.as_str() {
                "create" => {
                    let name = (!session.is_empty()).then(|| session.to_owned());
                    json!({ "session": plugin.create(name, args.parent, &cx).await? })
                }
                "append" => {
                    let events = with_parts(args.events, &payload.parts);
                    json!({ "seq": plugin.append(session, events, &cx).await? })
                }
                "flush" => plugin.flush(session, &cx).await.map(|()| json!({}))?,
                "fork" => {
                    let at = args.at_seq.unwrap_or(u64::MAX);
                    json!({ "session": plugin.fork(session, at, &cx).await? })
                }
                "list" => json!({ "sessions": plugin.list(&cx).await? }),
                "put" => {
                    let key = args.key.unwrap_or_default();
                    plugin.put(session, &key, args.value, &cx).await.map(|()| json!({}))?
                }
                "get" => {
                    json!({ "value": plugin.get(session, &args.key.unwrap_or_default(), &cx).await? })
                }
                _ => plugin.close(session, &cx).await.map(|()| json!({}))?,
            };
            Ok(Payload::new(answer.to_string(), Parts::new()))
        }))
    }

    fn open(plugin: &Arc<T>, method: &str, payload: Payload, cx: Cx) -> Option<BoxStream<Result<Batch>>> {
        (method == "read").then(|| match wire::read::<Args>("session.read", &payload.head) {
            Ok(args) => wire::fallible(plugin.read(args.session, args.from_seq.unwrap_or(0), cx)),
            Err(error) => failed(error),
        })
    }
}

fn with_parts(heads: Vec<NewEventHead>, parts: &Parts) -> Vec<NewEvent> {
    let mut parts = parts.iter().cloned();
    let event = |h: NewEventHead| NewEvent {
        kind: h.kind,
        data: h.data,
        parts: parts.by_ref().take(h.parts).collect(),
    };
    heads.into_iter().map(event).collect()
}

client!(
    /// A client of `session`.
);

impl Client {
    async fn ask<T: DeserializeOwned>(
        &self,
        method: &str,
        args: Args,
        parts: Parts,
        field: &str,
        cx: &Cx,
    ) -> Result<T> {
        let (mut answer, _) = self.0.json::<Value>(method, &args, parts, cx).await?;
        let value = answer.get_mut(field).map(Value::take).unwrap_or_default();
        serde_json::from_value(value)
            .map_err(|e| Error::new("BAD_PAYLOAD", format!("session.{method}: `{field}`: {e}")))
    }

    /// See [`Session::create`].
    ///
    /// # Errors
    /// Those of the service, as for every method here.
    pub async fn create(&self, session: Option<&str>, parent: Option<&str>, cx: &Cx) -> Result<String> {
        let session = session.unwrap_or_default().to_owned();
        let args = Args { session, parent: parent.map(str::to_owned), ..Args::default() };
        self.ask("create", args, Parts::new(), "session", cx).await
    }

    /// See [`Session::append`].
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, `SESSION_LOCKED`.
    pub async fn append(&self, session: &str, events: Vec<NewEvent>, cx: &Cx) -> Result<u64> {
        let mut parts = Parts::new();
        let mut heads = Vec::with_capacity(events.len());
        for event in events {
            heads.push(NewEventHead { kind: event.kind, data: event.data, parts: event.parts.len() });
            event.parts.into_iter().for_each(|part| parts.push(part));
        }
        let args = Args { session: session.to_owned(), events: heads, ..Args::default() };
        self.ask("append", args, parts, "seq", cx).await
    }

    /// See [`Session::flush`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn flush(&self, session: &str, cx: &Cx) -> Result<()> {
        let args = Args { session: session.to_owned(), ..Args::default() };
        self.raw().json::<Value>("flush", &args, Parts::new(), cx).await.map(drop)
    }

    /// See [`Session::read`].
    pub fn read(&self, session: &str, from_seq: u64, cx: &Cx) -> Items<Event> {
        let args = Args { session: session.to_owned(), from_seq: Some(from_seq), ..Args::default() };
        self.0.items("read", Payload::new(wire::write(&args), Parts::new()), cx)
    }

    /// See [`Session::fork`].
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub async fn fork(&self, session: &str, at_seq: u64, cx: &Cx) -> Result<String> {
        let args = Args { session: session.to_owned(), at_seq: Some(at_seq), ..Args::default() };
        self.ask("fork", args, Parts::new(), "session", cx).await
    }

    /// See [`Session::list`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn list(&self, cx: &Cx) -> Result<Vec<Summary>> {
        self.ask("list", Args::default(), Parts::new(), "sessions", cx).await
    }

    /// See [`Session::put`].
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, `SESSION_LOCKED`.
    pub async fn put(&self, session: &str, key: &str, value: Value, cx: &Cx) -> Result<()> {
        let args = Args { session: session.to_owned(), key: Some(key.to_owned()), value, ..Args::default() };
        self.raw().json::<Value>("put", &args, Parts::new(), cx).await.map(drop)
    }

    /// See [`Session::get`].
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub async fn get(&self, session: &str, key: &str, cx: &Cx) -> Result<Value> {
        let args = Args { session: session.to_owned(), key: Some(key.to_owned()), ..Args::default() };
        self.ask("get", args, Parts::new(), "value", cx).await
    }

    /// See [`Session::close`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn close(&self, session: &str, cx: &Cx) -> Result<()> {
        let args = Args { session: session.to_owned(), ..Args::default() };
        self.raw().json::<Value>("close", &args, Parts::new(), cx).await.map(drop)
    }
}
