//! What stands between code that sends items and the stream that yields them.
use std::{
    collections::VecDeque,
    future::poll_fn,
    mem::take,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
};

/// Where the code puts its items.
#[derive(Debug)]
pub struct Out<T>(Arc<Mutex<Shared<T>>>);

#[derive(Debug)]
struct Shared<T> {
    unread: VecDeque<T>,
    /// How many items may wait for the reader.
    ahead: usize,
    /// The reader, while it waits.
    reader: Option<Waker>,
    /// Those who wait for room. A set of futures polls only those of its own that were woken.
    senders: Vec<Waker>,
    /// The stream is gone or has ended: nobody waits for room any more.
    closed: bool,
    /// Who wakes the reader, where that is not whoever sends.
    pacer: Option<Pacer>,
}

#[derive(Debug)]
struct Pacer {
    waker: Waker,
    /// It is polling the code, and looks at what was sent afterwards.
    polling: bool,
}

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        Out(Arc::clone(&self.0))
    }
}

impl<T> Out<T> {
    pub(crate) fn new(ahead: usize) -> Self {
        let (unread, senders) = (VecDeque::new(), Vec::new());
        Out(Arc::new(Mutex::new(Shared { unread, ahead, reader: None, senders, closed: false, pacer: None })))
    }

    fn shared(&self) -> MutexGuard<'_, Shared<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next item; the end once the code has ended and all is read. Until there is one, `reader` waits.
    pub(crate) fn next(&self, reader: Option<&Waker>) -> Poll<Option<T>> {
        let mut shared = self.shared();
        let item = shared.unread.pop_front();
        shared.reader = reader.filter(|_| item.is_none()).cloned();
        // Not one wake for each item that is read.
        let room = shared.unread.len() <= shared.ahead / 2;
        let woken = if room { take(&mut shared.senders) } else { Vec::new() };
        let closed = shared.closed;
        drop(shared);
        woken.into_iter().for_each(Waker::wake);
        match item {
            Some(item) => Poll::Ready(Some(item)),
            None if closed => Poll::Ready(None),
            None => Poll::Pending,
        }
    }

    /// Nothing more is sent, or nobody reads any more.
    pub(crate) fn close(&self) {
        let mut shared = self.shared();
        shared.closed = true;
        let (reader, senders) = (shared.reader.take(), take(&mut shared.senders));
        drop(shared);
        senders.into_iter().chain(reader).for_each(Waker::wake);
    }

    /// The code is about to be polled by a task that wakes the reader itself.
    pub(crate) fn begin_poll(&self, waker: &Waker) {
        let mut shared = self.shared();
        match &mut shared.pacer {
            Some(pacer) => {
                pacer.waker.clone_from(waker);
                pacer.polling = true;
            }
            None => shared.pacer = Some(Pacer { waker: waker.clone(), polling: true }),
        }
    }

    /// The code has been polled: whether a reader waits for what is there.
    pub(crate) fn end_poll(&self) -> bool {
        let mut shared = self.shared();
        if let Some(pacer) = &mut shared.pacer {
            pacer.polling = false;
        }
        shared.reader.is_some() && !shared.unread.is_empty()
    }

    pub(crate) fn wake_reader(&self) {
        let reader = self.shared().reader.take();
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    fn push(&self, item: T) {
        let mut shared = self.shared();
        shared.unread.push_back(item);
        let full = shared.unread.len() >= shared.ahead;
        let woken = match &shared.pacer {
            Some(pacer) if !full => (!pacer.polling).then(|| pacer.waker.clone()),
            _ => shared.reader.take(),
        };
        drop(shared);
        if let Some(woken) = woken {
            woken.wake();
        }
    }

    /// Hands an item to the reader; waits while too many are unread.
    pub async fn send(&self, item: T) {
        self.push(item);
        poll_fn(|cx| {
            let mut shared = self.shared();
            if shared.closed || shared.unread.len() < shared.ahead {
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
