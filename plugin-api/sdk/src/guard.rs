//! Around all author code: the runtime is entered, and a panic becomes an error that names its place.
use crate::rt::{self, Live};
use contracts::{
    Error, Result,
    wire::{BoxFuture, BoxStream},
};
use plugin_api::{PollNext, run::PANIC};
use std::{
    any::Any,
    cell::RefCell,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Once,
    task::{Context, Poll},
};

thread_local!(static LAST: RefCell<Option<(String, String)>> = const { RefCell::new(None) });

/// Keeps message and place of a panic for the error it becomes. A library has its own copy of std, so this touches nobody else's hook.
pub(crate) fn install_panic_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let message = words(info.payload());
            let place = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
            tracing::error!(target: "harness::panic", place, "{message}");
            // A thread that is being torn down has no place to keep it.
            let _ = LAST.try_with(|last| *last.borrow_mut() = Some((message, place)));
        }));
    });
}

fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without words".to_owned())
}

/// The error of a caught panic.
fn panicked(payload: Box<dyn Any + Send>) -> Error {
    // Caught on another thread, and already an error.
    let payload = match payload.downcast::<Error>() {
        Ok(error) => return *error,
        Err(payload) => payload,
    };
    let last = LAST.try_with(|last| last.borrow_mut().take()).ok().flatten();
    let (message, place) = last.unwrap_or_else(|| (words(&*payload), String::new()));
    // The payload's own drop may panic as well.
    drop(catch_unwind(AssertUnwindSafe(|| drop(payload))));
    let place = if place.is_empty() { place } else { format!(" at {place}") };
    Error::new(PANIC, format!("panicked{place}: {message}"))
        .hint("this is a bug in the plugin: report it to its author with the place above")
}

/// Runs author code that answers at once.
pub(crate) fn sync<T>(runtime: bool, code: impl FnOnce() -> Result<T>) -> Result<T> {
    // Entering is under guard as well: a system that gives no more threads makes it panic.
    let entered = || {
        let _entered = rt::enter(runtime);
        code()
    };
    catch_unwind(AssertUnwindSafe(entered)).unwrap_or_else(|payload| Err(panicked(payload)))
}

/// Drops an author's value.
pub(crate) fn discard<T>(runtime: bool, value: T) {
    if let Err(error) = sync(runtime, || {
        drop(value);
        Ok(())
    }) {
        tracing::error!(target: "harness::panic", "in a drop: {}", error.message);
    }
}

/// A guarded future or stream.
pub(crate) struct Guard<F> {
    work: Option<F>,
    runtime: bool,
    _live: Live,
}

impl<F> Guard<F> {
    pub(crate) fn new(runtime: bool, work: F) -> Self {
        Guard { work: Some(work), runtime, _live: Live::new() }
    }

    fn finish(&mut self) {
        if let Some(work) = self.work.take() {
            discard(self.runtime, work);
        }
    }
}

impl<F> Drop for Guard<F> {
    fn drop(&mut self) {
        self.finish();
    }
}

impl<T> Future for Guard<BoxFuture<Result<T>>> {
    type Output = Result<T>;
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T>> {
        let this = &mut *self;
        let Some(work) = &mut this.work else {
            return Poll::Ready(Err(Error::new("INTERNAL", "a future was polled after its end")));
        };
        let runtime = this.runtime;
        let poll = || {
            let _entered = rt::enter(runtime);
            work.as_mut().poll(cx)
        };
        let result = match catch_unwind(AssertUnwindSafe(poll)) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(result)) => result,
            Err(payload) => Err(panicked(payload)),
        };
        this.finish();
        Poll::Ready(result)
    }
}

impl<T> PollNext for Guard<BoxStream<Result<T>>> {
    type Item = Result<T>;
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        let Some(work) = &mut self.work else { return Poll::Ready(None) };
        let runtime = self.runtime;
        let poll = || {
            let _entered = rt::enter(runtime);
            work.as_mut().poll_next(cx)
        };
        match catch_unwind(AssertUnwindSafe(poll)) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(Some(item))) => {
                // An error is the last item of a stream.
                if item.is_err() {
                    self.finish();
                }
                Poll::Ready(Some(item))
            }
            Ok(Poll::Ready(None)) => {
                self.finish();
                Poll::Ready(None)
            }
            Err(payload) => {
                let error = panicked(payload);
                self.finish();
                Poll::Ready(Some(Err(error)))
            }
        }
    }
}
