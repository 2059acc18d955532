//! The two ends of a call: streams of batches, typed items on them, and the raw client.
mod words;

use crate::{Cx, Error, Parts, Payload, Result, error};
use futures_core::Stream;
use plugin_api::{FfiStream, RBatch, RChunk, RResultE, RService, run::NOT_MOUNTED};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    collections::VecDeque,
    future::{Future, poll_fn},
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll},
};

use words::in_words;

/// What to do about an implementation that breaks its contract; a client does not know which row of the slot it is.
pub(crate) const AT_FAULT: &str =
    "`harness rows` shows the rows of the slot: report this to the author of the one at fault";

/// The items that one poll yields, never empty.
pub type Batch = RBatch;
/// A boxed future.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;
/// A boxed stream.
pub type BoxStream<T> = Pin<Box<dyn Stream<Item = T> + Send>>;

/// How many items are gathered before a batch is handed on although more are ready.
const BATCH_MAX: usize = 64;

/// A typed stream item and its form on the wire.
pub trait Item: Sized + Send + 'static {
    /// Onto the wire.
    fn into_chunk(self) -> RChunk;
    /// From the wire; a kind that is not known is kept, not refused.
    ///
    /// # Errors
    /// `BAD_PAYLOAD` when a known kind carries data of another shape.
    fn from_chunk(chunk: RChunk) -> Result<Self>;
}

/// Reads JSON of the wire.
///
/// # Errors
/// `BAD_PAYLOAD` naming what was being read.
pub fn read<T: DeserializeOwned>(what: &str, json: &str) -> Result<T> {
    serde_json::from_str(json)
        .map_err(|e| Error::new("BAD_PAYLOAD", format!("{what}: {}", in_words(&e, json))))
}

/// Writes JSON for the wire.
pub fn write(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Turns an author's stream of items into one of batches: what is ready together crosses together.
pub fn batches<S>(stream: S) -> BoxStream<Result<Batch>>
where
    S: Stream<Item: Item> + Send + 'static,
{
    fallible(Infallible(Box::pin(stream)))
}

/// The same for a stream whose items may be an error, which is then the last one.
pub fn fallible<S, T>(stream: S) -> BoxStream<Result<Batch>>
where
    S: Stream<Item = Result<T>> + Send + 'static,
    T: Item,
{
    Box::pin(Batches { stream: Some(Box::pin(stream)), error: None })
}

struct Infallible<S>(Pin<Box<S>>);

impl<S: Stream> Stream for Infallible<S> {
    type Item = Result<S::Item>;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(cx).map(|item| item.map(Ok))
    }
}

struct Batches<S> {
    stream: Option<Pin<Box<S>>>,
    error: Option<Error>,
}

impl<S> Unpin for Batches<S> {}

impl<S: Stream<Item = Result<T>> + Send, T: Item> Stream for Batches<S> {
    type Item = Result<Batch>;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut batch = Batch::new();
        while let Some(stream) = &mut self.stream {
            match stream.as_mut().poll_next(cx) {
                Poll::Ready(Some(Ok(item))) => {
                    batch.push(item.into_chunk());
                    if batch.len() == BATCH_MAX {
                        break;
                    }
                }
                Poll::Ready(Some(Err(error))) => (self.stream, self.error) = (None, Some(error)),
                Poll::Ready(None) => self.stream = None,
                Poll::Pending if batch.is_empty() => return Poll::Pending,
                Poll::Pending => break,
            }
        }
        if batch.is_empty() {
            return Poll::Ready(self.error.take().map(Err));
        }
        Poll::Ready(Some(Ok(batch)))
    }
}

/// A stream of the other side, batch by batch, unopened.
#[derive(Debug)]
pub struct BatchStream(FfiStream<RResultE<RBatch>>);

impl Stream for BatchStream {
    type Item = Result<Batch>;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next(cx).map(|item| item.map(|r| r.into_result().map_err(error::from_abi)))
    }
}

/// A stream of the other side, item by item. An item that cannot be read is an error.
#[derive(Debug)]
pub struct Items<T> {
    stream: Option<BatchStream>,
    ready: VecDeque<RChunk>,
    item: PhantomData<fn() -> T>,
}

impl<T> Unpin for Items<T> {}

impl<T: Item> Stream for Items<T> {
    type Item = Result<T>;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(chunk) = this.ready.pop_front() {
                let item = T::from_chunk(chunk);
                return Poll::Ready(Some(item.map_err(|e| Error { hint: AT_FAULT.to_owned(), ..e })));
            }
            let Some(stream) = &mut this.stream else { return Poll::Ready(None) };
            match Pin::new(stream).poll_next(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(batch))) => this.ready.extend(batch),
                Poll::Ready(Some(Err(error))) => {
                    this.stream = None;
                    return Poll::Ready(Some(Err(error)));
                }
                Poll::Ready(None) => this.stream = None,
            }
        }
    }
}

/// Declares the typed client of a contract: a raw client with a name of its own.
macro_rules! client {
    ($(#[$doc:meta])*) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct Client($crate::Raw);

        impl From<$crate::Raw> for Client {
            fn from(raw: $crate::Raw) -> Self {
                Client(raw)
            }
        }

        impl Client {
            /// The untyped client of the same service.
            pub fn raw(&self) -> &$crate::Raw {
                &self.0
            }

            /// Whether anything is mounted there.
            pub fn is_mounted(&self) -> bool {
                self.0.describe().is_some()
            }
        }
    };
}
pub(crate) use client;

/// A stream that a future has yet to open.
pub fn flatten<F>(opening: F) -> BoxStream<Result<Batch>>
where
    F: Future<Output = BoxStream<Result<Batch>>> + Send + 'static,
{
    enum Flatten<F> {
        Opening(Pin<Box<F>>),
        Open(BoxStream<Result<Batch>>),
    }
    impl<F: Future<Output = BoxStream<Result<Batch>>> + Send> Stream for Flatten<F> {
        type Item = Result<Batch>;
        fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            loop {
                match &mut *self {
                    Flatten::Open(stream) => return stream.as_mut().poll_next(cx),
                    Flatten::Opening(opening) => match opening.as_mut().poll(cx) {
                        Poll::Ready(stream) => *self = Flatten::Open(stream),
                        Poll::Pending => return Poll::Pending,
                    },
                }
            }
        }
    }
    Box::pin(Flatten::Opening(Box::pin(opening)))
}

/// The next item of a stream.
pub async fn next<S: Stream + Unpin + ?Sized>(stream: &mut S) -> Option<S::Item> {
    poll_fn(|cx| Pin::new(&mut *stream).poll_next(cx)).await
}

/// A client of any service: what a wrapper uses to forward what it does not understand.
#[derive(Clone, Debug)]
pub struct Raw(RService);

impl From<RService> for Raw {
    fn from(service: RService) -> Self {
        Raw(service)
    }
}

impl Raw {
    /// What is mounted there; `None` when nothing is.
    pub fn describe(&self) -> Option<String> {
        let text: String = self.0.describe().into();
        (!text.is_empty()).then_some(text)
    }

    /// Takes an empty slot for the contract's identity: `Ok(None)` in place of `NOT_MOUNTED`. The same error of a service
    /// further away stays an error.
    ///
    /// # Errors
    /// Every other error.
    pub fn if_mounted<T>(&self, answer: Result<T>) -> Result<Option<T>> {
        match answer {
            Err(e) if e.is(NOT_MOUNTED) && self.describe().is_none() => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// One answer.
    ///
    /// # Errors
    /// Whatever the service answers; `NOT_MOUNTED`, `NO_METHOD`, `STUCK`, `PANIC`.
    pub async fn call(&self, method: &str, payload: Payload, cx: &Cx) -> Result<Payload> {
        let answer = self.0.call(method.into(), payload, cx.abi().clone());
        answer.await.into_result().map_err(error::from_abi)
    }

    /// One answer, as JSON in and out.
    ///
    /// # Errors
    /// As [`Raw::call`], and `BAD_PAYLOAD` when the answer has another shape.
    pub async fn json<T: DeserializeOwned>(
        &self,
        method: &str,
        head: &impl Serialize,
        parts: Parts,
        cx: &Cx,
    ) -> Result<(T, Parts)> {
        let answer = self.call(method, Payload::new(write(head), parts), cx).await?;
        match serde_json::from_str(&answer.head) {
            Ok(value) => Ok((value, answer.parts)),
            Err(e) => {
                let text = format!("the answer of `{method}`: {}", in_words(&e, &answer.head));
                Err(Error::new("BAD_PAYLOAD", text).hint(AT_FAULT))
            }
        }
    }

    /// A stream of batches.
    pub fn open(&self, method: &str, payload: Payload, cx: &Cx) -> BatchStream {
        BatchStream(self.0.open(method.into(), payload, cx.abi().clone()))
    }

    /// A stream of typed items.
    pub fn items<T: Item>(&self, method: &str, payload: Payload, cx: &Cx) -> Items<T> {
        let stream = Some(self.open(method, payload, cx));
        Items { stream, ready: VecDeque::new(), item: PhantomData }
    }
}
