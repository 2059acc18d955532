//! `relay`: a stream of what code sends from the library's own thread.
use crate::host::wait;
use futures_util::{Stream, StreamExt as _};
use plugin_sdk::{Out, next, relay};
use std::{
    future::pending,
    pin::pin,
    sync::{Arc, mpsc},
    task::{Context, Poll, Wake, Waker},
};

fn now<S: Stream + Unpin>(stream: &mut S, waker: &Waker) -> Poll<Option<S::Item>> {
    pin!(stream).poll_next(&mut Context::from_waker(waker))
}

/// Tells of each wake.
struct Bell(mpsc::Sender<()>);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        // The test may have seen enough.
        let _ = self.0.send(());
    }
}

fn bell() -> (Waker, mpsc::Receiver<()>) {
    let (ring, rung) = mpsc::channel();
    (Waker::from(Arc::new(Bell(ring))), rung)
}

#[test]
fn items_come_in_the_order_in_which_they_are_sent_and_the_last_is_not_lost() {
    for n in [0, 1, 63, 64, 65, 1023, 1024, 1025, 5000] {
        let stream = relay(move |out| async move {
            for i in 0..n {
                out.send(i).await;
                if i % 7 == 0 {
                    tokio::task::yield_now().await;
                }
            }
        });
        assert_eq!(wait(stream.collect::<Vec<_>>()), (0..n).collect::<Vec<_>>());
    }
}

#[test]
fn what_is_sent_at_once_crosses_with_one_wake() {
    let (go, gone) = tokio::sync::oneshot::channel::<()>();
    let mut stream = Box::pin(relay(|out| async move {
        drop(gone.await);
        for n in 0..100 {
            out.send(n).await;
        }
        pending::<()>().await;
    }));
    let (waker, rung) = bell();
    assert_eq!(now(&mut stream, &waker), Poll::Pending);
    drop(go);
    assert_eq!(rung.recv(), Ok(()));
    for n in 0..100 {
        assert_eq!(now(&mut stream, &waker), Poll::Ready(Some(n)), "all of it is there");
    }
    assert_eq!(now(&mut stream, &waker), Poll::Pending);
    assert_eq!(rung.try_recv(), Err(mpsc::TryRecvError::Empty));
}

#[test]
fn a_piece_that_comes_right_after_another_is_not_forgotten() {
    let mut stream = Box::pin(relay(|out| async move {
        for n in 0..50 {
            out.send(n).await;
            tokio::task::yield_now().await;
        }
        pending::<()>().await;
    }));
    for n in 0..50 {
        assert_eq!(wait(next(&mut stream)), Some(n));
    }
}

#[test]
fn the_code_goes_on_without_its_reader_for_1024_items_and_no_further() {
    let (tell, told) = mpsc::channel();
    let (go, gone) = tokio::sync::oneshot::channel::<()>();
    let mut stream = Box::pin(relay(|out| async move {
        drop(gone.await);
        for n in 0..3000 {
            tell.send(n).unwrap();
            out.send(n).await;
        }
    }));
    let (waker, rung) = bell();
    assert_eq!(now(&mut stream, &waker), Poll::Pending);
    drop(go);
    assert_eq!(rung.recv(), Ok(()), "a reader is woken when there is no more room");
    assert_eq!(told.try_iter().count(), 1024);
    assert_eq!(wait(stream.collect::<Vec<_>>()), (0..3000).collect::<Vec<_>>());
}

#[test]
fn nothing_runs_before_the_first_poll() {
    let (tell, told) = mpsc::channel();
    let stream = relay(|out| async move {
        tell.send(()).unwrap();
        out.send(()).await;
    });
    drop(stream);
    assert_eq!(told.recv(), Err(mpsc::RecvError), "it is gone without having run");
}

#[test]
fn dropping_the_stream_drops_the_code_where_it_stands() {
    let (held, gone) = mpsc::channel::<()>();
    let mut stream = Box::pin(relay(|out| async move {
        let _held = held;
        out.send(1).await;
        pending::<()>().await;
    }));
    assert_eq!(wait(next(&mut stream)), Some(1));
    assert_eq!(gone.try_recv(), Err(mpsc::TryRecvError::Empty));
    drop(stream);
    assert_eq!(gone.recv(), Err(mpsc::RecvError));
}

#[test]
fn an_item_from_another_thread_wakes_the_reader() {
    let mut stream = Box::pin(relay(|out: Out<u32>| async move {
        std::thread::spawn(move || {
            for n in 0..300 {
                wait(out.send(n));
            }
        });
        // Nothing but the items themselves wakes anybody.
        pending::<()>().await;
    }));
    for n in 0..300 {
        assert_eq!(wait(next(&mut stream)), Some(n));
    }
}
