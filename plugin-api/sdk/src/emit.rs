//! A stream from straight-line code: `emit(|out| async move { out.send(item).await })`.
//!
//! No task and no channel: the code is polled in place. It runs ahead of its reader by at most [`AHEAD`] items, and one more for each
//! place that sends beside it.
use crate::out::Out;
use futures_core::Stream;
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

/// How many items may wait for the reader.
const AHEAD: usize = 64;

struct Emit<T, F> {
    out: Out<T>,
    code: Option<Pin<Box<F>>>,
}

impl<T, F> Drop for Emit<T, F> {
    fn drop(&mut self) {
        self.out.close();
    }
}

impl<T, F: Future<Output = ()>> Stream for Emit<T, F> {
    type Item = T;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        if let Poll::Ready(item) = self.out.next(None) {
            return Poll::Ready(item);
        }
        if let Some(code) = &mut self.code
            && code.as_mut().poll(cx).is_ready()
        {
            self.code = None;
            self.out.close();
        }
        self.out.next(Some(cx.waker()))
    }
}

/// Makes a stream of the items that the code sends; it ends when the code does, and dropping it drops the code.
pub fn emit<T, F, Fut>(code: F) -> impl Stream<Item = T> + Send + 'static
where
    T: Send + 'static,
    F: FnOnce(Out<T>) -> Fut,
    Fut: Future<Output = ()> + Send + 'static,
{
    let out = Out::new(AHEAD);
    Emit { code: Some(Box::pin(code(out.clone()))), out }
}
