//! A stream from straight-line code: `emit(|out| async move { out.send(item).await })`.
//!
//! No task and no channel: the code is polled in place. It runs ahead of its reader by at most [`AHEAD`] items, and one more for each
//! place that sends beside it.
use futures_core::Stream;
use std::{
    collections::VecDeque,
    future::{Future, poll_fn},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

/// How many items may wait for the reader.
const AHEAD: usize = 64;

/// Where the code puts its items.
#[derive(Debug)]
pub struct Out<T>(Arc<Mutex<Shared<T>>>);

#[derive(Debug)]
struct Shared<T> {
    unread: VecDeque<T>,
    /// The reader, while it waits: whoever sends from outside its poll wakes it.
    reader: Option<Waker>,
    /// Those who wait for room. A set of futures polls only those of its own that were woken.
    senders: Vec<Waker>,
    /// The stream is gone or has ended: nobody waits for room any more.
    closed: bool,
}

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        Out(Arc::clone(&self.0))
    }
}

impl<T> Out<T> {
    fn shared(&self) -> MutexGuard<'_, Shared<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next item. While there is none, `reader` waits for it.
    fn next(&self, reader: Option<&Waker>) -> Option<T> {
        let mut shared = self.shared();
        let item = shared.unread.pop_front();
        shared.reader = reader.filter(|_| item.is_none()).cloned();
        let room = shared.unread.len() < AHEAD;
        let woken = if room { std::mem::take(&mut shared.senders) } else { Vec::new() };
        drop(shared);
        woken.into_iter().for_each(Waker::wake);
        item
    }

    fn close(&self) {
        let mut shared = self.shared();
        shared.closed = true;
        let woken = std::mem::take(&mut shared.senders);
        drop(shared);
        woken.into_iter().for_each(Waker::wake);
    }

    fn push(&self, item: T) {
        let mut shared = self.shared();
        shared.unread.push_back(item);
        let reader = shared.reader.take();
        drop(shared);
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    /// Hands an item to the reader; waits while too many are unread.
    pub async fn send(&self, item: T) {
        self.push(item);
        poll_fn(|cx| {
            let mut shared = self.shared();
            if shared.closed || shared.unread.len() < AHEAD {
                return Poll::Ready(());
            }
            if !shared.senders.iter().any(|waker| waker.will_wake(cx.waker())) {
                shared.senders.push(cx.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }
}

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
        if let Some(item) = self.out.next(None) {
            return Poll::Ready(Some(item));
        }
        let done = match &mut self.code {
            None => return Poll::Ready(None),
            Some(code) => code.as_mut().poll(cx).is_ready(),
        };
        if done {
            self.code = None;
            self.out.close();
        }
        match self.out.next(Some(cx.waker())) {
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
    let shared = Shared { unread: VecDeque::new(), reader: None, senders: Vec::new(), closed: false };
    let out = Out(Arc::new(Mutex::new(shared)));
    Emit { code: Some(Box::pin(code(out.clone()))), out }
}
