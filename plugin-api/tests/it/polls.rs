//! Futures and streams keep their meaning on the way over: values, wake-ups, and drops.
use plugin_api::{FfiFuture, FfiStream, PollNext};
use std::{
    collections::VecDeque,
    future::{Future, poll_fn},
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    task::{Context, Poll, Wake, Waker},
};

struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<T>(mut future: impl Future<Output = T> + Unpin) -> T {
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut cx = Context::from_waker(&waker);
    loop {
        match Pin::new(&mut future).poll(&mut cx) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Pending once; its waker is cloned, sent to another thread, cloned there again, and woken by value and by reference.
struct Relay(Option<mpsc::Sender<Waker>>);

impl Future for Relay {
    type Output = u32;
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<u32> {
        match self.0.take() {
            Some(send) => {
                send.send(cx.waker().clone()).unwrap();
                Poll::Pending
            }
            None => Poll::Ready(7),
        }
    }
}

#[test]
fn wakers_cross_twice_and_outlive_the_poll() {
    let (send, receive) = mpsc::channel::<Waker>();
    let thread = std::thread::spawn(move || {
        let waker = receive.recv().unwrap();
        let copy = waker.clone();
        drop(waker);
        copy.wake_by_ref();
        copy.wake();
    });
    // A future of the other side inside a future of the other side: the waker is lent over two borders.
    let inner = FfiFuture::new(Relay(Some(send)));
    assert_eq!(block_on(FfiFuture::new(inner)), 7);
    thread.join().unwrap();
}

struct Counted(Arc<AtomicUsize>, VecDeque<u32>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

impl PollNext for Counted {
    type Item = u32;
    fn poll_next(&mut self, _: &mut Context<'_>) -> Poll<Option<u32>> {
        Poll::Ready(self.1.pop_front())
    }
}

#[test]
fn streams_yield_in_order_and_drop_reaches_the_other_side_at_once() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let mut stream = FfiStream::new(Counted(Arc::clone(&dropped), [1, 2, 3].into()));
    let mut take = || block_on(Box::pin(poll_fn(|cx| stream.poll_next(cx))));
    assert_eq!([take(), take()], [Some(1), Some(2)]);
    assert_eq!(dropped.load(SeqCst), 0);
    drop(stream);
    assert_eq!(dropped.load(SeqCst), 1);
    let mut once = FfiStream::once(Mutex::new(4));
    let first = block_on(Box::pin(poll_fn(|cx| once.poll_next(cx)))).map(|m| m.into_inner().unwrap());
    assert_eq!(first, Some(4));
    assert!(block_on(Box::pin(poll_fn(|cx| once.poll_next(cx)))).is_none());
}
