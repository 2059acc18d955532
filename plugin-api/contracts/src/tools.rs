//! `tools`: what the model may call, and how a call is answered.
//!
//! `list` takes `{"known": "<generation>" | null}` and answers `{"unchanged": true}` or `{"generation": "…"}` with one part per
//! schema. `execute` takes `{"id", "name", "key"?}` with one part, the raw text of the arguments, and streams progress, notes and
//! exactly one result, last. A failure is a result, never a missing one.
mod client;
mod event;
mod join;

pub use client::{Client, Execution};
pub use event::{ToolEvent, ToolResult};

use crate::{
    Contract as _, Cx, Error, Part, Parts, Payload, Result, Serve, Shape,
    contract::{self, failed},
    wire::{self, Batch, BoxFuture, BoxStream},
};
use futures_core::Stream;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::{future::Future, sync::Arc};

/// Codes of failed results that loops and wraps use; tools add their own.
pub mod code {
    /// No tool of that name.
    pub const UNKNOWN_TOOL: &str = "UNKNOWN_TOOL";
    /// The arguments are not JSON, or do not fit the schema.
    pub const INVALID_ARGS: &str = "INVALID_ARGS";
    /// Ended because the token was fired; the body had started.
    pub const ABORTED: &str = "ABORTED";
    /// The token was fired before the body started.
    pub const ABORTED_BEFORE_DISPATCH: &str = "ABORTED_BEFORE_DISPATCH";
    /// Did not end in its time.
    pub const TOOL_TIMEOUT: &str = "TOOL_TIMEOUT";
    /// The tool's stream ended without a result.
    pub const NO_RESULT: &str = "NO_RESULT";
}

/// A tool as the model sees it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ToolSchema {
    /// What a call names.
    pub name: String,
    /// What it does, when to use it, its limits.
    pub description: String,
    /// JSON Schema of the arguments, kept as it was written.
    pub parameters: Box<RawValue>,
}

impl ToolSchema {
    /// A schema whose parameters are JSON text.
    ///
    /// # Errors
    /// `BAD_PAYLOAD` when they are not JSON.
    pub fn new(name: &str, description: &str, parameters: &str) -> Result<Self> {
        let parameters = RawValue::from_string(parameters.to_owned())
            .map_err(|e| Error::new("BAD_PAYLOAD", format!("parameters of `{name}`: {e}")))?;
        Ok(ToolSchema { name: name.to_owned(), description: description.to_owned(), parameters })
    }

    /// Serialises it, once.
    pub fn part(&self) -> Part {
        Part::new(wire::write(self))
    }

    /// The name in a schema part.
    pub fn name_of(part: &Part) -> String {
        #[derive(Deserialize)]
        struct Name {
            name: String,
        }
        part.text().and_then(|t| serde_json::from_str::<Name>(t).ok()).map(|n| n.name).unwrap_or_default()
    }
}

/// The tools that there are.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolList {
    /// As in the generation that the caller knows.
    Unchanged,
    /// All of them.
    Tools {
        /// Names this list; another list has another name.
        generation: String,
        /// One [`ToolSchema`] each, in the order the model sees them.
        tools: Parts,
    },
}

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The call id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments: the raw text the model wrote, `""` meaning `{}`.
    pub arguments: Part,
    /// Idempotency key: the same key asks for the same effect once.
    pub key: Option<String>,
}

impl ToolCall {
    /// A call without a key.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: &str) -> Self {
        ToolCall { id: id.into(), name: name.into(), arguments: Part::new(arguments), key: None }
    }

    /// The arguments as text.
    pub fn arguments_text(&self) -> &str {
        match self.arguments.text().map(str::trim) {
            None | Some("") => "{}",
            Some(text) => text,
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct CallHead {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
}

impl CallHead {
    pub(crate) fn of(call: &ToolCall) -> Self {
        CallHead { id: call.id.clone(), name: call.name.clone(), key: call.key.clone() }
    }

    pub(crate) fn with(self, arguments: Option<&Part>) -> ToolCall {
        let arguments = arguments.cloned().unwrap_or_else(|| Part::new(""));
        ToolCall { id: self.id, name: self.name, arguments, key: self.key }
    }
}

#[derive(Serialize, Deserialize)]
struct ListHead {
    #[serde(default)]
    known: Option<String>,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct ListAnswer {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unchanged: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    generation: String,
}

impl ToolList {
    fn payload(self) -> Payload {
        match self {
            ToolList::Unchanged => Payload::new(r#"{"unchanged":true}"#, Parts::new()),
            ToolList::Tools { generation, tools } => {
                Payload::new(wire::write(&ListAnswer { unchanged: false, generation }), tools)
            }
        }
    }
}

/// What a provider or a join of tools implements.
pub trait Tools: Send + Sync + 'static {
    /// The tools that there are now, or that they have not changed since `known`.
    fn list(&self, known: Option<String>, cx: &Cx) -> impl Future<Output = Result<ToolList>> + Send;

    /// Runs one call. Exactly one `ToolEvent::Result` comes, last. A failure is a result that says what went wrong and what a
    /// correct call looks like. Once `cx` is cancelled the stream ends with an `ABORTED` result within 2 s; dropping it kills
    /// what it started.
    fn execute(&self, call: ToolCall, cx: Cx) -> impl Stream<Item = ToolEvent> + Send + 'static;
}

/// The contract.
#[derive(Debug)]
pub struct Contract;

impl contract::Contract for Contract {
    const NAME: &'static str = "tools";
    const VERSION: &'static str = "1.0.0";
    const METHODS: &'static [(&'static str, Shape)] = &[("list", Shape::Call), ("execute", Shape::Stream)];
    type Client = Client;
}

fn read_call(payload: &Payload) -> Result<ToolCall> {
    let head: CallHead = wire::read("tool call", &payload.head)?;
    Ok(head.with(payload.parts.get(0)))
}

impl<T: Tools> Serve<T> for Contract {
    fn call(plugin: &Arc<T>, method: &str, payload: Payload, cx: Cx) -> Option<BoxFuture<Result<Payload>>> {
        if method != Self::METHODS[0].0 {
            return None;
        }
        let plugin = Arc::clone(plugin);
        Some(Box::pin(async move {
            let head: ListHead = wire::read("tools.list", &payload.head)?;
            Ok(plugin.list(head.known, &cx).await?.payload())
        }))
    }

    fn open(plugin: &Arc<T>, method: &str, payload: Payload, cx: Cx) -> Option<BoxStream<Result<Batch>>> {
        (method == Self::METHODS[1].0).then(|| match read_call(&payload) {
            Ok(call) => wire::batches(plugin.execute(call, cx)),
            Err(error) => failed(error),
        })
    }
}
