//! What stands between an author's value and a client in these tests: service objects, made as the SDK makes them.
use contracts::{Batch, BoxStream, Cx, Error, Join, Payload, Raw, Result, Serve, error::into_abi};
use futures_util::{FutureExt as _, Stream, StreamExt as _};
use plugin_api::{
    CallCx, FfiFuture, FfiStream, PollNext, RBatch, RError, RPayload, RResultE, RService, Service,
    abi_stable::std_types::{RErr, ROk, RStr, RString},
    run::{NO_METHOD, NOT_MOUNTED},
};
use std::{
    future::Future,
    marker::PhantomData,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    task::{Context, Poll, Wake, Waker},
};

fn to_abi<T>(result: Result<T>) -> RResultE<T> {
    match result {
        Ok(value) => ROk(value),
        Err(error) => RErr(into_abi(error)),
    }
}

fn no_method<T>(method: &str) -> RResultE<T> {
    RErr(RError::new(NO_METHOD, format!("no method `{method}`")))
}

struct Batches(BoxStream<Result<Batch>>);

impl PollNext for Batches {
    type Item = RResultE<RBatch>;
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(cx).map(|item| item.map(to_abi))
    }
}

fn stream(stream: Option<BoxStream<Result<Batch>>>, method: &str) -> FfiStream<RResultE<RBatch>> {
    match stream {
        Some(stream) => FfiStream::new(Batches(stream)),
        None => FfiStream::once(no_method(method)),
    }
}

struct Serving<C, T>(Arc<T>, PhantomData<fn() -> C>);

impl<T: Send + Sync + 'static, C: Serve<T>> Service for Serving<C, T> {
    fn describe(&self) -> RString {
        C::NAME.into()
    }
    fn call(&self, method: RStr<'_>, payload: RPayload, cx: CallCx) -> FfiFuture<RResultE<RPayload>> {
        match C::call(&self.0, method.as_str(), payload, cx.into()) {
            Some(answer) => FfiFuture::new(async move { to_abi(answer.await) }),
            None => FfiFuture::ready(no_method(method.as_str())),
        }
    }
    fn open(&self, method: RStr<'_>, payload: RPayload, cx: CallCx) -> FfiStream<RResultE<RBatch>> {
        stream(C::open(&self.0, method.as_str(), payload, cx.into()), method.as_str())
    }
}

/// An author's value as the service.
pub(crate) fn serve<C: Serve<T>, T: Send + Sync + 'static>(value: T) -> Raw {
    share::<C, T>(Arc::new(value))
}

/// The same, of a value that the test keeps a handle on.
pub(crate) fn share<C: Serve<T>, T: Send + Sync + 'static>(value: Arc<T>) -> Raw {
    RService::new(Serving::<C, T>(value, PhantomData)).into()
}

struct Joining<C, T>(Arc<T>, Raw, PhantomData<fn() -> C>);

impl<T: Send + Sync + 'static, C: Join<T>> Service for Joining<C, T> {
    fn describe(&self) -> RString {
        C::NAME.into()
    }
    fn call(&self, method: RStr<'_>, payload: RPayload, cx: CallCx) -> FfiFuture<RResultE<RPayload>> {
        match C::join_call(&self.0, &self.1, method.as_str(), payload, cx.into()) {
            Some(answer) => FfiFuture::new(async move { to_abi(answer.await) }),
            None => FfiFuture::ready(no_method(method.as_str())),
        }
    }
    fn open(&self, method: RStr<'_>, payload: RPayload, cx: CallCx) -> FfiStream<RResultE<RBatch>> {
        stream(C::join_open(&self.0, &self.1, method.as_str(), payload, cx.into()), method.as_str())
    }
}

/// An author's value that adds to what is below.
pub(crate) fn join<C: Join<T>, T: Send + Sync + 'static>(value: Arc<T>, below: Raw) -> Raw {
    RService::new(Joining::<C, T>(value, below, PhantomData)).into()
}

struct Empty;

impl Service for Empty {
    fn describe(&self) -> RString {
        RString::new()
    }
    fn call(&self, _: RStr<'_>, _: RPayload, _: CallCx) -> FfiFuture<RResultE<RPayload>> {
        FfiFuture::ready(RErr(RError::new(NOT_MOUNTED, "nothing is mounted there")))
    }
    fn open(&self, _: RStr<'_>, _: RPayload, _: CallCx) -> FfiStream<RResultE<RBatch>> {
        FfiStream::once(RErr(RError::new(NOT_MOUNTED, "nothing is mounted there")))
    }
}

/// The handle of a slot that holds nothing.
pub(crate) fn empty() -> Raw {
    RService::new(Empty).into()
}

/// A service that keeps no contract: it answers what the test says, whatever it is asked.
#[derive(Clone, Default)]
pub(crate) struct Canned {
    pub(crate) answer: Option<Result<Payload>>,
    pub(crate) batches: Vec<Result<Batch>>,
    /// Whether its streams stay open behind the last batch.
    pub(crate) hangs: bool,
    pub(crate) asked: Arc<Mutex<Vec<(String, Payload)>>>,
}

impl Canned {
    /// Every call gets this head and no part.
    pub(crate) fn head(head: &str) -> Self {
        Canned { answer: Some(Ok(Payload::new(head, Default::default()))), ..Canned::default() }
    }

    /// Every call fails.
    pub(crate) fn failing(error: Error) -> Self {
        Canned { answer: Some(Err(error)), ..Canned::default() }
    }

    /// Every stream brings these.
    pub(crate) fn streaming(batches: Vec<Result<Batch>>) -> Self {
        Canned { batches, ..Canned::default() }
    }

    pub(crate) fn raw(self) -> Raw {
        RService::new(self).into()
    }
}

impl Service for Canned {
    fn describe(&self) -> RString {
        "canned".into()
    }
    fn call(&self, method: RStr<'_>, payload: RPayload, _: CallCx) -> FfiFuture<RResultE<RPayload>> {
        self.asked.lock().unwrap().push((method.into(), payload));
        FfiFuture::ready(self.answer.clone().map_or_else(|| no_method(method.as_str()), to_abi))
    }
    fn open(&self, method: RStr<'_>, payload: RPayload, _: CallCx) -> FfiStream<RResultE<RBatch>> {
        self.asked.lock().unwrap().push((method.into(), payload));
        let batches = futures_util::stream::iter(self.batches.clone());
        let rest = futures_util::stream::pending();
        stream(
            Some(if self.hangs { Box::pin(batches.chain(rest)) } else { Box::pin(batches) }),
            method.as_str(),
        )
    }
}

/// The value of a future that needs to wait for nothing.
#[track_caller]
pub(crate) fn now<F: Future>(future: F) -> F::Output {
    future.now_or_never().expect("nothing in this test waits")
}

/// The items of a stream that needs to wait for nothing.
#[track_caller]
pub(crate) fn all<S: Stream>(stream: S) -> Vec<S::Item> {
    now(stream.collect())
}

/// A stream or future polled by hand, and how often its waker was called.
pub(crate) struct ByHand<S> {
    pub(crate) work: Pin<Box<S>>,
    woken: Arc<Woken>,
}

#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

impl<S> ByHand<S> {
    pub(crate) fn new(work: S) -> Self {
        ByHand { work: Box::pin(work), woken: Arc::default() }
    }

    /// Whether the waker was called since the last look.
    pub(crate) fn woken(&self) -> bool {
        self.woken.0.swap(0, SeqCst) > 0
    }
}

impl<S: Stream> ByHand<S> {
    pub(crate) fn next(&mut self) -> Poll<Option<S::Item>> {
        self.work.as_mut().poll_next(&mut Context::from_waker(&Waker::from(Arc::clone(&self.woken))))
    }
}

impl<F: Future> ByHand<F> {
    pub(crate) fn poll(&mut self) -> Poll<F::Output> {
        self.work.as_mut().poll(&mut Context::from_waker(&Waker::from(Arc::clone(&self.woken))))
    }
}

/// Counts how many of its clones are gone.
#[derive(Clone, Default)]
pub(crate) struct Alive(Arc<()>);

impl Alive {
    /// How many clones there are beside this one.
    pub(crate) fn others(&self) -> usize {
        Arc::strong_count(&self.0) - 1
    }
}

/// The context's own form for a contract's methods.
pub(crate) fn cancelled(reason: &str) -> Cx {
    let (cx, cancel) = crate::clock::Clock::new().cx();
    cancel.cancel(reason.into());
    cx
}
