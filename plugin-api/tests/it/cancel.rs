//! Cancel tokens: fired once, downwards only, and nobody sleeps through it.
use plugin_api::Token;
use std::{
    future::Future as _,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    task::{Context, Wake},
};

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

#[test]
fn first_reason_stays_and_reaches_children() {
    let root = Token::root();
    let (child, grandchild) = (root.child(), root.child().child());
    root.cancel("person".into());
    root.cancel("later".into());
    // The grandchild's parent is gone by now, and a late child is born cancelled.
    for token in [&root, &child, &grandchild, &root.child()] {
        assert!(token.is_cancelled());
        assert_eq!(token.reason(), "person");
    }
}

#[test]
fn child_does_not_reach_its_parent() {
    let root = Token::root();
    let child = root.child();
    child.cancel("timeout".into());
    assert!(child.is_cancelled() && !root.is_cancelled());
}

#[test]
fn every_waiter_is_woken_once_and_a_dropped_one_is_forgotten() {
    let (root, count) = (Token::root(), Arc::new(Count::default()));
    let waker = Arc::clone(&count).into();
    let mut cx = Context::from_waker(&waker);
    let (mut first, second) = (pin!(root.cancelled()), root.cancelled());
    let mut second = Box::pin(second);
    assert!(first.as_mut().poll(&mut cx).is_pending());
    assert!(first.as_mut().poll(&mut cx).is_pending());
    assert!(second.as_mut().poll(&mut cx).is_pending());
    drop(second);
    root.cancel("now".into());
    assert_eq!(count.0.load(SeqCst), 1);
    assert!(first.as_mut().poll(&mut cx).is_ready());
}

#[test]
fn cancel_from_another_thread_is_never_missed() {
    for _ in 0..500 {
        let root = Token::root();
        let other = root.clone();
        let thread = std::thread::spawn(move || other.cancel("raced".into()));
        let waiting = root.cancelled();
        // Parks until woken: a missed wake-up would hang here.
        block_on(waiting);
        thread.join().unwrap();
    }
}

fn block_on(mut future: impl Future<Output = ()> + Unpin) {
    struct Unpark(std::thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut cx = Context::from_waker(&waker);
    while pin!(&mut future).poll(&mut cx).is_pending() {
        std::thread::park();
    }
}
