//! `emit`: a stream of what straight-line code sends.
use crate::host::wait;
use futures_util::{Stream, StreamExt as _, stream::FuturesUnordered};
use plugin_sdk::{Out, emit, next};
use std::{
    future::{pending, poll_fn},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::SeqCst},
        mpsc,
    },
    task::{Context, Poll, Waker},
};

fn now<S: Stream + Unpin>(stream: &mut S) -> Poll<Option<S::Item>> {
    pin!(stream).poll_next(&mut Context::from_waker(Waker::noop()))
}

async fn once_pending() {
    let mut again = true;
    poll_fn(|cx| {
        cx.waker().wake_by_ref();
        if std::mem::take(&mut again) { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
}

fn collected<T: Send + 'static>(stream: impl Stream<Item = T>) -> Vec<T> {
    wait(stream.collect())
}

#[test]
fn items_come_in_the_order_in_which_they_are_sent() {
    let stream = emit(|out| async move {
        for n in 0..5 {
            out.send(n).await;
            if n % 2 == 0 {
                once_pending().await;
            }
        }
    });
    assert_eq!(collected(stream), [0, 1, 2, 3, 4]);
}

#[test]
fn what_is_sent_right_before_the_end_is_not_lost() {
    for n in [0, 1, 63, 64, 65, 200] {
        let stream = emit(move |out| async move {
            once_pending().await;
            for i in 0..n {
                out.send(i).await;
            }
        });
        assert_eq!(collected(stream), (0..n).collect::<Vec<_>>());
    }
}

#[test]
fn the_end_stays_the_end() {
    let mut stream = Box::pin(emit(|out| async move { out.send(1).await }));
    assert_eq!(now(&mut stream), Poll::Ready(Some(1)));
    assert_eq!(now(&mut stream), Poll::Ready(None));
    assert_eq!(now(&mut stream), Poll::Ready(None));
}

#[test]
fn nothing_runs_before_the_first_poll() {
    let started = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&started);
    let mut stream = Box::pin(emit(move |out| async move {
        seen.fetch_add(1, SeqCst);
        out.send(()).await;
    }));
    assert_eq!(started.load(SeqCst), 0);
    assert_eq!(now(&mut stream), Poll::Ready(Some(())));
    assert_eq!(started.load(SeqCst), 1);
}

#[test]
fn the_code_runs_at_most_64_items_ahead_of_its_reader() {
    let begun = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&begun);
    let mut stream = Box::pin(emit(move |out| async move {
        for n in 0..1000 {
            counter.fetch_add(1, SeqCst);
            out.send(n).await;
        }
    }));
    for read in 1..=1000u32 {
        assert_eq!(now(&mut stream), Poll::Ready(Some(read - 1)));
        let ahead = begun.load(SeqCst) - (read - 1);
        assert!(ahead <= 64, "{ahead} items begun and not read after {read}");
    }
    assert_eq!(now(&mut stream), Poll::Ready(None));
}

#[test]
fn dropping_the_stream_drops_the_code_where_it_stands() {
    let alive = Arc::new(());
    let stream = |waits: bool| {
        let alive = Arc::clone(&alive);
        Box::pin(emit(move |out| async move {
            let _held = alive;
            for n in 0..1000 {
                out.send(n).await;
            }
            if waits {
                pending::<()>().await;
            }
        }))
    };
    // Before its first poll, while it waits for its reader, and after its end.
    drop(stream(true));
    assert_eq!(Arc::strong_count(&alive), 1);
    let mut waiting = stream(true);
    assert_eq!(now(&mut waiting), Poll::Ready(Some(0)));
    assert_eq!(Arc::strong_count(&alive), 2);
    drop(waiting);
    assert_eq!(Arc::strong_count(&alive), 1);
    let mut ended = stream(false);
    while now(&mut ended) != Poll::Ready(None) {}
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[test]
fn several_places_of_the_code_may_send_side_by_side() {
    // A set polls only those of its futures that were woken.
    let stream = emit(|out: Out<(u32, u32)>| async move {
        let senders = (0..3).map(|who| {
            let out = out.clone();
            async move {
                for n in 0..200 {
                    out.send((who, n)).await;
                }
            }
        });
        let mut all: FuturesUnordered<_> = senders.collect();
        while all.next().await.is_some() {}
    });
    let mut stream = Box::pin(stream);
    let mut seen = [0; 3];
    // Bounded: each poll either yields, or says that it will be woken without anything to wait for.
    for _ in 0..10_000 {
        match now(&mut stream) {
            Poll::Ready(Some((who, n))) => {
                assert_eq!(n, seen[who as usize], "each in its own order");
                seen[who as usize] += 1;
            }
            Poll::Ready(None) => break,
            Poll::Pending => {}
        }
    }
    assert_eq!(seen, [200; 3]);
}

#[test]
fn an_item_from_another_thread_wakes_the_reader() {
    let (done, wait_for_done) = mpsc::channel::<()>();
    let mut stream = Box::pin(emit(move |out: Out<u32>| async move {
        let sender = std::thread::spawn(move || {
            for n in 0..300 {
                wait(out.send(n));
            }
            drop(done);
        });
        // Nothing but the items themselves wakes the reader.
        pending::<()>().await;
        drop(sender);
    }));
    for n in 0..300 {
        assert_eq!(wait(next(&mut stream)), Some(n));
    }
    assert!(wait_for_done.recv().is_err(), "the thread has ended");
    assert!(now(&mut stream).is_pending());
}

#[test]
fn who_sends_into_a_stream_that_is_gone_does_not_wait() {
    let (tell, told) = mpsc::channel();
    let mut stream = Box::pin(emit(move |out: Out<u32>| async move {
        std::thread::spawn(move || {
            for n in 0..300 {
                wait(out.send(n));
            }
            tell.send("all sent").unwrap();
        });
        pending::<()>().await;
    }));
    assert_eq!(wait(next(&mut stream)), Some(0));
    drop(stream);
    assert_eq!(told.recv(), Ok("all sent"));
}
