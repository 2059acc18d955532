//! How an author's log answers the contract's methods.
use super::{NewEvent, Session};
use crate::{
    Contract as _, Cx, Parts, Payload, Result, Serve, Shape,
    contract::{self, failed},
    wire::{self, Batch, BoxFuture, BoxStream},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// The head of every method's payload; each takes what it needs of it.
#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
pub(super) struct Args {
    pub(super) session: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parent: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) events: Vec<NewEventHead>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) from_seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) at_seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<String>,
    #[serde(skip_serializing_if = "Value::is_null")]
    pub(super) value: Value,
}

#[derive(Serialize, Deserialize)]
pub(super) struct NewEventHead {
    pub(super) kind: String,
    #[serde(default)]
    pub(super) data: Value,
    #[serde(default)]
    pub(super) parts: usize,
}

/// The contract.
#[derive(Debug)]
pub struct Contract;

impl contract::Contract for Contract {
    const NAME: &'static str = "session";
    const VERSION: &'static str = "1.1.0";
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
        ("delete", Shape::Call),
    ];
    type Client = super::Client;
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
                "delete" => plugin.delete(session, &cx).await.map(|()| json!({}))?,
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
