//! `dispatch`: how the calls of one step are run: one after the other, or side by side.
//!
//! `run` takes `{"calls": [{"id", "name", "key"?}]}` with one part per call, its arguments, and streams the events of all calls: an
//! item's index says which call it belongs to. Every call gets exactly one result; results may come in any order.
use crate::{
    Contract as _, Cx, Error, Item, Parts, Payload, Result, Serve, Shape,
    contract::{self, failed},
    cx::GRACE,
    cx::patience,
    tools::{self, CallHead, Execution, ToolCall, ToolEvent, ToolResult, code},
    wire::{self, Batch, BoxFuture, BoxStream, Items, client},
};
use futures_core::Stream;
use plugin_api::RChunk;
use serde::{Deserialize, Serialize};
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

/// What a dispatcher implements.
pub trait Dispatch: Send + Sync + 'static {
    /// Runs the calls; each item names its call by position. Once `cx` is cancelled no further call starts: those that have not get an
    /// `ABORTED_BEFORE_DISPATCH` result.
    fn run(&self, calls: Vec<ToolCall>, cx: Cx) -> impl Stream<Item = CallEvent> + Send + 'static;
}

/// An event of one of the calls.
#[derive(Clone, Debug, PartialEq)]
pub struct CallEvent {
    /// The call's position in the request.
    pub index: u32,
    /// What it says.
    pub event: ToolEvent,
}

impl Item for CallEvent {
    fn into_chunk(self) -> RChunk {
        RChunk { index: self.index, ..self.event.into_chunk() }
    }

    fn from_chunk(chunk: RChunk) -> Result<Self> {
        Ok(CallEvent { index: chunk.index, event: ToolEvent::from_chunk(chunk)? })
    }
}

/// The result of a call that never started.
pub fn not_started() -> ToolResult {
    ToolResult::synthetic(code::ABORTED_BEFORE_DISPATCH, "Error: tool call aborted before it started")
}

/// How long a dispatcher may take to end after a cancel: longer than its calls may, so that they have their word.
const PATIENCE: Duration = GRACE.saturating_add(Duration::from_millis(250));

#[derive(Serialize, Deserialize)]
struct Head {
    calls: Vec<CallHead>,
}

/// The contract.
#[derive(Debug)]
pub struct Contract;

impl contract::Contract for Contract {
    const NAME: &'static str = "dispatch";
    const VERSION: &'static str = "1.0.0";
    const METHODS: &'static [(&'static str, Shape)] = &[("run", Shape::Stream)];
    type Client = Client;
}

impl<T: Dispatch> Serve<T> for Contract {
    fn call(_: &Arc<T>, _: &str, _: Payload, _: Cx) -> Option<BoxFuture<Result<Payload>>> {
        None
    }

    fn open(plugin: &Arc<T>, method: &str, payload: Payload, cx: Cx) -> Option<BoxStream<Result<Batch>>> {
        (method == Self::METHODS[0].0).then(|| match wire::read::<Head>("dispatch.run", &payload.head) {
            Ok(head) => {
                let calls = head.calls.into_iter().enumerate();
                let calls = calls.map(|(i, call)| call.with(payload.parts.get(i))).collect();
                wire::batches(plugin.run(calls, cx))
            }
            Err(error) => failed(error),
        })
    }
}

client!(
    /// A client of `dispatch`.
);

impl Client {
    /// Runs the calls. Each gets exactly one result, and the stream ends with the last: what the dispatcher leaves out or
    /// repeats is mended, and one that has not ended 1.75 s after a cancel is dropped.
    pub fn run(&self, calls: &[ToolCall], cx: &Cx) -> Running {
        let head = Head { calls: calls.iter().map(CallHead::of).collect() };
        let arguments: Parts = calls.iter().map(|call| call.arguments.clone()).collect();
        Running(Mode::Dispatched(Dispatched {
            items: Some(self.0.items("run", Payload::new(wire::write(&head), arguments), cx)),
            open: calls.iter().map(|_| true).collect(),
            error: None,
            patience: patience(cx, PATIENCE),
            cx: cx.clone(),
        }))
    }
}

/// Runs the calls one after the other: what a loop does when no dispatcher is mounted.
pub fn serial(tools: &tools::Client, calls: &[ToolCall], cx: &Cx) -> Running {
    Running(Mode::Serial {
        tools: tools.clone(),
        calls: calls.to_vec(),
        cx: cx.clone(),
        at: 0,
        execution: None,
    })
}

/// The events of the calls of one step; every call gets exactly one result.
#[derive(Debug)]
pub struct Running(Mode);

#[derive(Debug)]
enum Mode {
    Dispatched(Dispatched),
    Serial {
        tools: tools::Client,
        calls: Vec<ToolCall>,
        cx: Cx,
        at: usize,
        execution: Option<Box<Execution>>,
    },
}

impl Stream for Running {
    type Item = CallEvent;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<CallEvent>> {
        match &mut self.0 {
            Mode::Dispatched(dispatched) => dispatched.poll_next(cx),
            Mode::Serial { tools, calls, cx: call_cx, at, execution } => {
                let Some(call) = calls.get(*at) else { return Poll::Ready(None) };
                let index = u32::try_from(*at).unwrap_or(u32::MAX);
                if execution.is_none() && call_cx.is_cancelled() {
                    *at += 1;
                    return Poll::Ready(Some(CallEvent { index, event: ToolEvent::Result(not_started()) }));
                }
                let running = execution.get_or_insert_with(|| Box::new(tools.execute(call, call_cx)));
                Pin::new(&mut **running).poll_next(cx).map(|event| {
                    // An execution always yields a result, after which it is not polled again.
                    let event = event.unwrap_or_else(|| ToolEvent::Result(not_started()));
                    if matches!(event, ToolEvent::Result(_)) {
                        (*execution, *at) = (None, *at + 1);
                    }
                    Some(CallEvent { index, event })
                })
            }
        }
    }
}

struct Dispatched {
    items: Option<Items<CallEvent>>,
    /// Which calls have no result yet.
    open: Vec<bool>,
    /// Why the dispatcher is gone, unless it just ended.
    error: Option<Error>,
    patience: BoxFuture<()>,
    cx: Cx,
}

impl std::fmt::Debug for Dispatched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dispatched").field("open", &self.open).finish_non_exhaustive()
    }
}

impl Dispatched {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<CallEvent>> {
        while let (Some(items), true) = (&mut self.items, self.open.contains(&true)) {
            let next = Pin::new(items).poll_next(cx);
            let waits = match &next {
                Poll::Pending => true,
                Poll::Ready(Some(Ok(_))) => self.cx.is_cancelled(),
                Poll::Ready(Some(Err(_)) | None) => false,
            };
            if waits && self.patience.as_mut().poll(cx).is_ready() {
                let text = "the call was aborted; whether it had an effect is unknown";
                (self.error, self.items) = (Some(Error::new(code::ABORTED, text)), None);
                break;
            }
            match next {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(item))) => {
                    let open = self.open.get_mut(item.index as usize);
                    let Some(open) = open.filter(|open| **open) else { continue };
                    *open = !matches!(item.event, ToolEvent::Result(_));
                    return Poll::Ready(Some(item));
                }
                Poll::Ready(Some(Err(error))) => (self.error, self.items) = (Some(error), None),
                Poll::Ready(None) => self.items = None,
            }
        }
        self.items = None;
        let Some(at) = self.open.iter().position(|open| *open) else { return Poll::Ready(None) };
        self.open[at] = false;
        let result = match &self.error {
            Some(error) => ToolResult { synthetic: true, ..error.clone().into() },
            None => ToolResult::synthetic(
                code::NO_RESULT,
                "Error: the dispatcher ended without a result of this call; whether it had an effect is unknown",
            ),
        };
        Poll::Ready(Some(CallEvent { index: at as u32, event: ToolEvent::Result(result) }))
    }
}
