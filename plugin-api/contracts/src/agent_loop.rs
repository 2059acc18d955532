//! `loop`: one task in, the events of a run out.
//!
//! `run` takes `{"task": "…"}` and streams the run protocol ([`plugin_api::run`]): text for the person, notes, opaque events, and one
//! end, last.
use crate::{
    Contract as _, Cx, Item, Payload, Result, Serve, Shape, Usage,
    contract::{self, failed},
    wire::{self, Batch, BoxFuture, BoxStream, Items, client},
};
use futures_core::Stream;
use plugin_api::{RChunk, run};
use serde::{Deserialize, Serialize, de::IgnoredAny};
use std::sync::Arc;

/// What a loop is asked to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunRequest {
    /// The task, as the person put it.
    pub task: String,
}

/// Why a turn ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TurnEnd {
    /// The model had said all.
    Completed,
    /// A response was cut; this stays, whatever follows in the turn.
    MaxTokens,
    /// Cancelled.
    Aborted,
    /// A policy or a limit said no.
    Blocked,
    /// Something failed.
    #[default]
    Error,
    /// The process ended before the turn did; said by recovery.
    Interrupted,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct End {
    /// The turn end.
    pub status: TurnEnd,
    /// The word behind it: `LIMIT_STEPS`, `AUTH`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// One sentence, `""` for a plain success.
    pub message: String,
    /// The one thing to do about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hint: String,
    /// Model requests made.
    pub steps: u32,
    /// Tokens over all steps.
    pub usage: Usage,
    /// Money, where somebody knows; in US dollars.
    pub cost: Option<f64>,
    /// The session.
    pub session: String,
}

/// An event of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum LoopEvent {
    /// Text for the person.
    Out(String),
    /// A note beside it.
    Note {
        /// `info`, `warn`, `error`
        level: String,
        /// One line.
        text: String,
    },
    /// Anything else: passed to JSON outputs.
    Event {
        /// What it is.
        kind: String,
        /// Its value, as JSON.
        data: String,
    },
    /// The end; the last item.
    End(End),
    /// A kind that this build does not know: passed on.
    Other(RChunk),
}

impl LoopEvent {
    /// An opaque event.
    pub fn event(kind: &str, data: &(impl Serialize + ?Sized)) -> Self {
        LoopEvent::Event { kind: kind.to_owned(), data: wire::write(data) }
    }
}

#[derive(Serialize, Deserialize)]
struct Note {
    level: String,
    text: String,
}

impl Item for LoopEvent {
    fn into_chunk(self) -> RChunk {
        match self {
            LoopEvent::Out(text) => RChunk::text(run::OUT, 0, text),
            LoopEvent::Note { level, text } => RChunk::data(run::NOTE, 0, wire::write(&Note { level, text })),
            LoopEvent::Event { kind, data } => {
                RChunk { data: data.into(), ..RChunk::text(run::EVENT, 0, kind) }
            }
            LoopEvent::End(end) => RChunk::data(run::END, 0, wire::write(&end)),
            LoopEvent::Other(chunk) => chunk,
        }
    }

    fn from_chunk(chunk: RChunk) -> Result<Self> {
        Ok(match chunk.kind {
            run::OUT => LoopEvent::Out(chunk.text.into()),
            run::NOTE => {
                let Note { level, text } = wire::read("note", &chunk.data)?;
                LoopEvent::Note { level, text }
            }
            run::EVENT => {
                let data = if chunk.data.is_empty() { "null".into() } else { chunk.data };
                wire::read::<IgnoredAny>("event", &data)?;
                LoopEvent::Event { kind: chunk.text.into(), data: data.into() }
            }
            run::END => LoopEvent::End(wire::read("end", &chunk.data)?),
            _ => LoopEvent::Other(chunk),
        })
    }
}

/// What a loop implements.
pub trait AgentLoop: Send + Sync + 'static {
    /// Runs a task. Exactly one `LoopEvent::End` comes, last. Once `cx` is cancelled every call is answered and the run ends
    /// `Aborted`, within 2 s.
    fn run(&self, request: RunRequest, cx: Cx) -> impl Stream<Item = LoopEvent> + Send + 'static;
}

/// The contract.
#[derive(Debug)]
pub struct Contract;

impl contract::Contract for Contract {
    const NAME: &'static str = "loop";
    const VERSION: &'static str = "1.0.0";
    const METHODS: &'static [(&'static str, Shape)] = &[("run", Shape::Stream)];
    type Client = Client;
}

impl<T: AgentLoop> Serve<T> for Contract {
    fn call(_: &Arc<T>, _: &str, _: Payload, _: Cx) -> Option<BoxFuture<Result<Payload>>> {
        None
    }

    fn open(plugin: &Arc<T>, method: &str, payload: Payload, cx: Cx) -> Option<BoxStream<Result<Batch>>> {
        (method == Self::METHODS[0].0).then(|| match wire::read("loop.run", &payload.head) {
            Ok(request) => wire::batches(plugin.run(request, cx)),
            Err(error) => failed(error),
        })
    }
}

client!(
    /// A client of `loop`.
);

impl Client {
    /// Runs a task.
    pub fn run(&self, request: &RunRequest, cx: &Cx) -> Items<LoopEvent> {
        self.0.items("run", Payload::new(wire::write(request), Default::default()), cx)
    }
}
