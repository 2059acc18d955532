//! A stream from code that runs beside its reader, on the library's own runtime: for what comes over a network in many small pieces.
//!
//! Waking another thread costs more than handing it a hundred items. So the reader is woken at once for what comes after a pause, and for
//! the end; pieces that come closer together than [`INTERVAL`] cross together.
use crate::{guard::Guard, out::Out, rt};
use contracts::{Error, Result, wire::BoxFuture};
use futures_core::Stream;
use std::{
    future::Future,
    panic::resume_unwind,
    pin::Pin,
    sync::{Arc, OnceLock},
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    task::AbortHandle,
    time::{Instant, Sleep, sleep_until},
};

/// How long a piece may wait for the next ones: below what a person sees, above what waking a thread costs.
const INTERVAL: Duration = Duration::from_millis(1);
/// How many items may wait for the reader: more than usually come within the interval.
const AHEAD: usize = 1024;

/// The task: polls the code, and wakes the reader in time.
struct Pacer<T> {
    out: Out<T>,
    code: Guard<BoxFuture<Result<()>>>,
    woken: Option<Instant>,
    /// There while something waits for the interval to pass.
    alarm: Option<Pin<Box<Sleep>>>,
}

impl<T> Future for Pacer<T> {
    type Output = Result<()>;
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let this = &mut *self;
        this.out.begin_poll(cx.waker());
        if let Poll::Ready(result) = Pin::new(&mut this.code).poll(cx) {
            return Poll::Ready(result);
        }
        if !this.out.end_poll() {
            return Poll::Pending;
        }
        let due = this.woken.map(|woken| woken + INTERVAL).filter(|due| Instant::now() < *due);
        if let Some(due) = due {
            let alarm = this.alarm.get_or_insert_with(|| Box::pin(sleep_until(due)));
            if alarm.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
        }
        (this.alarm, this.woken) = (None, Some(Instant::now()));
        this.out.wake_reader();
        Poll::Pending
    }
}

struct Relay<T> {
    out: Out<T>,
    code: Option<BoxFuture<Result<()>>>,
    running: Option<AbortHandle>,
    failed: Arc<OnceLock<Error>>,
}

impl<T: Send + 'static> Relay<T> {
    fn start(&mut self, code: BoxFuture<Result<()>>) {
        let (out, failed) = (self.out.clone(), Arc::clone(&self.failed));
        let Some(runtime) = rt::handle() else {
            drop(failed.set(Error::new("NO_THREAD", "the system gives no thread for a stream")));
            return out.close();
        };
        // Inside its own runtime there is nothing to enter.
        let pacer = Pacer { out: out.clone(), code: Guard::new(false, code), woken: None, alarm: None };
        let task = runtime.spawn(async move {
            if let Err(error) = pacer.await {
                drop(failed.set(error));
            }
            out.close();
        });
        self.running = Some(task.abort_handle());
    }
}

impl<T> Drop for Relay<T> {
    fn drop(&mut self) {
        self.out.close();
        if let Some(running) = &self.running {
            running.abort();
        }
    }
}

impl<T: Send + 'static> Stream for Relay<T> {
    type Item = T;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        if let Some(code) = self.code.take() {
            self.start(code);
        }
        match (self.out.next(Some(cx.waker())), self.failed.get()) {
            // A panic goes on here, where whoever polls turns it into the error of the stream.
            (Poll::Ready(None), Some(error)) => resume_unwind(Box::new(error.clone())),
            (next, _) => next,
        }
    }
}

/// Makes a stream of the items that the code sends, as [`crate::emit()`] does, but runs the code as a task of the library's runtime, up to
/// 1024 items ahead of its reader. Dropping the stream aborts the task.
///
/// For a stream that waits for a socket. What computes, or asks other services, is better polled in place.
pub fn relay<T, F, Fut>(code: F) -> impl Stream<Item = T> + Send + 'static
where
    T: Send + 'static,
    F: FnOnce(Out<T>) -> Fut,
    Fut: Future<Output = ()> + Send + 'static,
{
    let out = Out::new(AHEAD);
    let code = code(out.clone());
    let code = Box::pin(async move {
        code.await;
        Ok(())
    });
    Relay { out, code: Some(code), running: None, failed: Arc::default() }
}
