//! `context`: what a request carries beside the conversation: system prompt, added messages, a replaced stretch.
//!
//! `prepare` takes [`Facts`] with one part per message of the history and answers `{"system": true, "append": n, "replace": {"from_seq",
//! "to_seq"} | null}`; its parts are the system prompt (plain text) when there is one, the n appended messages, and the message that stands for the
//! replaced stretch. The loop logs and applies the plan. An empty slot plans nothing.
use crate::{
    Contract as _, Cx, Error, Part, Parts, Payload, Result, Serve, Shape, Usage, contract,
    wire::{self, Batch, BoxFuture, BoxStream, client},
};
use serde::{Deserialize, Serialize};
use std::{future::Future, sync::Arc};

/// What is known before a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// The session.
    pub session: String,
    /// The turn, from 1.
    pub turn: u32,
    /// The step, from 1 within the turn.
    pub step: u32,
    /// The model asked for, `""` for the adapter's default.
    pub model: String,
    /// The request before this one did not fit the model's window.
    pub overflow: bool,
    /// Tokens of the request before this one.
    pub usage: Option<Usage>,
}

/// What to change for the request and all that follow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The system prompt, plain text; `None` leaves the loop's own.
    pub system: Option<Part>,
    /// Messages to append to the history.
    pub append: Vec<Part>,
    /// A stretch of the history to stand in for.
    pub replace: Option<Replace>,
}

/// A stretch of the history, and the one message that replaces it.
#[derive(Clone, Debug, PartialEq)]
pub struct Replace {
    /// Position of the first message replaced.
    pub from_seq: u64,
    /// Position behind the last one.
    pub to_seq: u64,
    /// The message in their place.
    pub with: Part,
}

#[derive(Serialize, Deserialize)]
struct Span {
    from_seq: u64,
    to_seq: u64,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct Head {
    system: bool,
    append: usize,
    replace: Option<Span>,
}

impl Plan {
    fn payload(self) -> Payload {
        let head = Head {
            system: self.system.is_some(),
            append: self.append.len(),
            replace: self.replace.as_ref().map(|r| Span { from_seq: r.from_seq, to_seq: r.to_seq }),
        };
        let with = self.replace.map(|r| r.with);
        Payload::new(wire::write(&head), self.system.into_iter().chain(self.append).chain(with).collect())
    }

    fn read(head: Head, parts: &Parts) -> Result<Self> {
        let one_each = usize::from(head.system) + usize::from(head.replace.is_some());
        let wanted = head.append.saturating_add(one_each);
        if parts.len() < wanted {
            let text = format!("context: the plan speaks of {wanted} parts and brings {}", parts.len());
            return Err(Error::new("BAD_PAYLOAD", text));
        }
        let mut parts = parts.iter().cloned();
        Ok(Plan {
            system: if head.system { parts.next() } else { None },
            append: parts.by_ref().take(head.append).collect(),
            replace: match (head.replace, parts.next()) {
                (Some(Span { from_seq, to_seq }), Some(with)) => Some(Replace { from_seq, to_seq, with }),
                _ => None,
            },
        })
    }
}

/// What a provider or a wrap implements.
pub trait Context: Send + Sync + 'static {
    /// Before each request, and once more after one that did not fit.
    fn prepare(&self, facts: Facts, history: Parts, cx: &Cx) -> impl Future<Output = Result<Plan>> + Send;
}

/// The contract.
#[derive(Debug)]
pub struct Contract;

impl contract::Contract for Contract {
    const NAME: &'static str = "context";
    const VERSION: &'static str = "1.0.0";
    const METHODS: &'static [(&'static str, Shape)] = &[("prepare", Shape::Call)];
    type Client = Client;
}

impl<T: Context> Serve<T> for Contract {
    fn call(plugin: &Arc<T>, method: &str, payload: Payload, cx: Cx) -> Option<BoxFuture<Result<Payload>>> {
        if method != Self::METHODS[0].0 {
            return None;
        }
        let plugin = Arc::clone(plugin);
        Some(Box::pin(async move {
            let facts = wire::read("context.prepare", &payload.head)?;
            Ok(plugin.prepare(facts, payload.parts, &cx).await?.payload())
        }))
    }

    fn open(_: &Arc<T>, _: &str, _: Payload, _: Cx) -> Option<BoxStream<Result<Batch>>> {
        None
    }
}

client!(
    /// A client of `context`.
);

impl Client {
    /// The plan for the next request; an empty slot plans nothing.
    ///
    /// # Errors
    /// Those of the service, and `BAD_PAYLOAD`.
    pub async fn prepare(&self, facts: &Facts, history: &Parts, cx: &Cx) -> Result<Plan> {
        match self.0.if_mounted(self.0.json::<Head>("prepare", facts, history.clone(), cx).await)? {
            None => Ok(Plan::default()),
            Some((head, parts)) => Plan::read(head, &parts),
        }
    }
}
