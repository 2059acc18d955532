//! A stream from straight-line code: `emit(|out| async move { out.send(item).await })`.
//!
//! No task and no channel between threads: the code is polled in place. It runs ahead of its reader by at most [`AHEAD`] items.
use futures_core::Stream;
use std::{
    collections::VecDeque,
    future::{Future, poll_fn},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

/// How many items may wait for the reader.
const AHEAD: usize = 64;

/// Where the code puts its items.
#[derive(Debug)]
pub struct Out<T>(Arc<Mutex<VecDeque<T>>>);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        Out(Arc::clone(&self.0))
    }
}

impl<T> Out<T> {
    fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn pop(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Hands an item to the reader; waits while too many are unread.
    pub async fn send(&self, item: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(item);
        // No waker: a reader that finds items always polls again, and that is when there is room.
        poll_fn(|_| if self.len() < AHEAD { Poll::Ready(()) } else { Poll::Pending }).await;
    }
}

struct Emit<T, F> {
    out: Out<T>,
    code: Option<Pin<Box<F>>>,
}

impl<T, F: Future<Output = ()>> Stream for Emit<T, F> {
    type Item = T;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        if let Some(item) = self.out.pop() {
            return Poll::Ready(Some(item));
        }
        let done = match &mut self.code {
            None => return Poll::Ready(None),
            Some(code) => code.as_mut().poll(cx).is_ready(),
        };
        if done {
            self.code = None;
        }
        match self.out.pop() {
            Some(item) => Poll::Ready(Some(item)),
            None if done => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

/// Makes a stream of the items that the code sends; it ends when the code does, and dropping it drops the code.
pub fn emit<T, F, Fut>(code: F) -> impl Stream<Item = T> + Send + 'static
where
    T: Send + 'static,
    F: FnOnce(Out<T>) -> Fut,
    Fut: Future<Output = ()> + Send + 'static,
{
    let out = Out(Arc::new(Mutex::new(VecDeque::new())));
    Emit { code: Some(Box::pin(code(out.clone()))), out }
}
