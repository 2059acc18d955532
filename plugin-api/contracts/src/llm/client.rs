//! The consumer's side: one terminal finish, whatever the adapter does.
use super::{Failure, Finish, Invariant, LlmRequest, StreamChunk, code};
use crate::{
    Cx, Error, Parts,
    cx::{GRACE, patience},
    wire::{AT_FAULT, BoxFuture, Items, client},
};
use futures_core::Stream;
use std::{
    pin::Pin,
    task::{Context, Poll},
};

client!(
    /// A client of `llm`.
);

impl Client {
    /// Streams a response. The stream keeps every rule of [`Invariant`] and ends with exactly one finish: a broken rule, an error
    /// and a missing finish become `Finish::Error`; an adapter that does not end within [`GRACE`] of a cancel is dropped, and
    /// the finish is `Finish::Aborted`.
    pub fn stream(&self, request: &LlmRequest, history: &Parts, cx: &Cx) -> Reply {
        Reply {
            items: Some(self.0.items("stream", request.payload(history), cx)),
            rules: Invariant::default(),
            patience: patience(cx, GRACE),
            cx: cx.clone(),
        }
    }
}

/// A response that keeps the rules.
pub struct Reply {
    items: Option<Items<StreamChunk>>,
    rules: Invariant,
    patience: BoxFuture<()>,
    cx: Cx,
}

impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reply").field("rules", &self.rules).finish_non_exhaustive()
    }
}

impl Reply {
    /// Ends the stream with a failure.
    fn fail(&mut self, error: Error) -> StreamChunk {
        self.items = None;
        let aborted = self.cx.is_cancelled() || error.is(code::ABORTED);
        let mut failure = Failure::from(error);
        if failure.message.is_empty() {
            failure.message = "the adapter failed without a word".into();
        }
        if failure.code.is_empty() {
            failure.code = "UNKNOWN".into();
        }
        if aborted {
            failure.code = code::ABORTED.into();
            StreamChunk::Finish(Finish::Aborted { failure })
        } else {
            StreamChunk::Finish(Finish::Error { failure })
        }
    }

    fn broken(&mut self, rule: &str) -> StreamChunk {
        self.fail(Error::new(code::INVARIANT, format!("llm: {rule}")).hint(AT_FAULT))
    }
}

impl Stream for Reply {
    type Item = StreamChunk;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<StreamChunk>> {
        let this = &mut *self;
        let Some(items) = &mut this.items else { return Poll::Ready(None) };
        let next = Pin::new(items).poll_next(cx);
        // An adapter that talks on after a cancel has no more time than one that is silent.
        let waits = match &next {
            Poll::Pending => true,
            Poll::Ready(Some(Ok(StreamChunk::Finish(_)) | Err(_)) | None) => false,
            Poll::Ready(Some(Ok(_))) => this.cx.is_cancelled(),
        };
        if waits && this.patience.as_mut().poll(cx).is_ready() {
            let reason = this.cx.cancel_reason();
            return Poll::Ready(Some(this.fail(Error::aborted(&reason))));
        }
        let Poll::Ready(next) = next else { return Poll::Pending };
        Poll::Ready(Some(match next {
            Some(Ok(chunk)) => match this.rules.check(&chunk) {
                Err(rule) => this.broken(&rule),
                Ok(()) => match chunk {
                    StreamChunk::Finish(Finish::Error { failure }) if this.cx.is_cancelled() => {
                        this.items = None;
                        StreamChunk::Finish(Finish::Aborted { failure })
                    }
                    StreamChunk::Finish(_) => {
                        this.items = None;
                        chunk
                    }
                    chunk => chunk,
                },
            },
            Some(Err(error)) => this.fail(error),
            None => {
                let error = Error::new(code::STREAM_CLOSED, "llm: the stream ended without a finish");
                this.fail(error.hint(AT_FAULT))
            }
        }))
    }
}
