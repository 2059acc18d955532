//! `llm`: one model request in, a stream of chunks out.
//!
//! A wire payload is the head of [`LlmRequest`] and, in this order, one part per tool schema, the system prompt (plain
//! text) when there is one, and one part per message. The consumer's client applies the rules once, so whatever an
//! adapter does arrives as chunks that keep them and exactly one terminal finish.
mod assemble;
mod chunk;
mod client;
mod invariant;

pub use assemble::Assembler;
pub use chunk::{BlockStart, Failure, Finish, StreamChunk, kind};
pub use client::{Client, Reply};
pub use invariant::Invariant;

use crate::{
    Contract as _, Cx, Error, Part, Parts, Payload, Result, Serve, Shape,
    contract::{self, failed},
    wire::{self, Batch, BoxFuture, BoxStream},
};
use futures_core::Stream;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Failure codes that adapters use; any other word is allowed.
pub mod code {
    /// The provider refused the key (401, 403).
    pub const AUTH: &str = "AUTH";
    /// The key can not ride an HTTP header.
    pub const INVALID_CREDENTIAL: &str = "INVALID_CREDENTIAL";
    /// There is no key.
    pub const MISSING_CREDENTIAL: &str = "MISSING_CREDENTIAL";
    /// Too many requests (429).
    pub const RATE_LIMIT: &str = "RATE_LIMIT";
    /// The account is out of credit.
    pub const QUOTA: &str = "QUOTA";
    /// The provider failed (5xx).
    pub const SERVER: &str = "SERVER";
    /// Nothing came for too long.
    pub const TIMEOUT: &str = "TIMEOUT";
    /// The connection failed.
    pub const TRANSPORT: &str = "TRANSPORT";
    /// The provider refused the request (400, 413, 422).
    pub const INVALID_REQUEST: &str = "INVALID_REQUEST";
    /// The conversation does not fit the model.
    pub const CONTEXT_WINDOW_EXCEEDED: &str = "CONTEXT_WINDOW_EXCEEDED";
    /// The provider sent what its protocol does not allow.
    pub const MALFORMED_RESPONSE: &str = "MALFORMED_RESPONSE";
    /// The stream ended before its end was said.
    pub const STREAM_CLOSED: &str = "STREAM_CLOSED";
    /// A completed response without any content.
    pub const EMPTY_RESPONSE: &str = "EMPTY_RESPONSE";
    /// The caller's token was fired.
    pub const ABORTED: &str = "ABORTED";
    /// The adapter broke a rule of the stream.
    pub const INVARIANT: &str = "INVARIANT";
}

/// One model request, without its messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LlmRequest {
    /// The settings.
    pub settings: Settings,
    /// Tool schemas, one part each: `{"name", "description", "parameters": JSON Schema}`.
    pub tools: Parts,
    /// The system prompt, plain text.
    pub system: Option<Part>,
}

/// What may be set for a request; everything unset is the adapter's default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The model, `""` for the adapter's default.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// The most output tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Stop sequences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// How hard to think: a word of the provider's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<String>,
    /// `auto`, `none`, `required`, or a tool's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<String>,
    /// What the request is for when it is not a step: `compaction`, `title`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    #[serde(flatten)]
    settings: Settings,
    #[serde(default)]
    tools: usize,
    #[serde(default)]
    system: bool,
}

impl LlmRequest {
    /// Onto the wire: shares the lists, copies no message.
    pub fn payload(&self, history: &Parts) -> Payload {
        let head =
            Head { settings: self.settings.clone(), tools: self.tools.len(), system: self.system.is_some() };
        let mut parts = self.tools.clone();
        if let Some(system) = &self.system {
            parts.append(&system.clone().into());
        }
        parts.append(history);
        Payload::new(wire::write(&head), parts)
    }

    /// From the wire: the request and its history.
    ///
    /// # Errors
    /// `BAD_PAYLOAD`, also when fewer parts came than the head speaks of.
    pub fn read(payload: &Payload) -> Result<(Self, Parts)> {
        let head: Head = wire::read("llm request", &payload.head)?;
        let (before, came) = (head.tools.saturating_add(usize::from(head.system)), payload.parts.len());
        if came < before {
            let text =
                format!("llm request: the head speaks of {before} parts before the history and {came} came");
            return Err(Error::new("BAD_PAYLOAD", text));
        }
        let tools = payload.parts.iter().take(head.tools).cloned().collect();
        let system = head.system.then(|| payload.parts.get(head.tools).cloned()).flatten();
        let history = payload.parts.tail(before);
        Ok((LlmRequest { settings: head.settings, tools, system }, history))
    }
}

/// What an adapter implements.
pub trait Llm: Send + Sync + 'static {
    /// Streams the response. The rules are in [`Invariant`]: blocks open, get their deltas and close; usage comes before the one
    /// finish, which is last. A failure is a finish, not an end. Once `cx` is cancelled the stream ends with
    /// `Finish::Aborted` within 2 s; dropping it closes the connection.
    fn stream(
        &self,
        request: LlmRequest,
        history: Parts,
        cx: Cx,
    ) -> impl Stream<Item = StreamChunk> + Send + 'static;
}

/// The contract.
#[derive(Debug)]
pub struct Contract;

impl contract::Contract for Contract {
    const NAME: &'static str = "llm";
    const VERSION: &'static str = "1.0.0";
    const METHODS: &'static [(&'static str, Shape)] = &[("stream", Shape::Stream)];
    type Client = Client;
}

impl<T: Llm> Serve<T> for Contract {
    fn call(_: &Arc<T>, _: &str, _: Payload, _: Cx) -> Option<BoxFuture<Result<Payload>>> {
        None
    }

    fn open(plugin: &Arc<T>, method: &str, payload: Payload, cx: Cx) -> Option<BoxStream<Result<Batch>>> {
        (method == Self::METHODS[0].0).then(|| match LlmRequest::read(&payload) {
            Ok((request, history)) => wire::batches(plugin.stream(request, history, cx)),
            Err(error) => failed(error),
        })
    }
}
