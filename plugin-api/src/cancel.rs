//! Cancellation: a token that is fired once, with a reason, and reaches everything below it.
use crate::{FfiFuture, handle};
use abi_stable::{
    sabi_trait,
    std_types::{RStr, RString},
};
use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak},
    task::{Context, Poll, Waker},
};

/// A cancel token. Firing asks for an end; the work answers within 2 s with its own terminal item. Dropping the
/// future or stream is the second step and takes effect at once.
#[sabi_trait]
pub trait Cancel: Send + Sync {
    /// Whether it has been fired.
    fn is_cancelled(&self) -> bool;
    /// Fires it and every child. The first reason stays.
    fn cancel(&self, reason: RStr<'_>);
    /// Why it was fired, `""` while it has not been.
    fn reason(&self) -> RString;
    /// A token that is fired with this one, and can be fired alone.
    fn child(&self) -> RCancel;
    /// Ready once it has been fired.
    #[sabi(last_prefix_field)]
    fn cancelled(&self) -> FfiFuture<()>;
}

handle!(
    /// A shared cancel token.
    RCancel,
    Cancel_TO,
    Cancel
);

#[derive(Default)]
struct State {
    reason: OnceLock<String>,
    waiting: Mutex<Waiting>,
    /// Keeps every token above alive: what fires the root must get here, whoever in between is gone.
    _parent: Option<Arc<State>>,
}

#[derive(Default)]
struct Waiting {
    next: u64,
    wakers: Vec<(u64, Waker)>,
    children: Vec<Weak<State>>,
}

impl State {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fire(&self, reason: &str) {
        let mut waiting = self.waiting();
        if self.reason.set(reason.to_owned()).is_err() {
            return;
        }
        let (wakers, children) = (std::mem::take(&mut waiting.wakers), std::mem::take(&mut waiting.children));
        drop(waiting);
        for (_, waker) in wakers {
            waker.wake();
        }
        for child in children.iter().filter_map(Weak::upgrade) {
            child.fire(reason);
        }
    }
}

/// The one implementation of [`Cancel`]: the standard library alone, no runtime.
#[derive(Clone, Default)]
pub struct Token(Arc<State>);

impl Token {
    /// A token that has not been fired.
    pub fn root() -> RCancel {
        RCancel::new(Token::default())
    }
}

impl Cancel for Token {
    fn is_cancelled(&self) -> bool {
        self.0.reason.get().is_some()
    }

    fn cancel(&self, reason: RStr<'_>) {
        self.0.fire(reason.as_str());
    }

    fn reason(&self) -> RString {
        self.0.reason.get().map(String::as_str).unwrap_or_default().into()
    }

    fn child(&self) -> RCancel {
        let state = State { _parent: Some(Arc::clone(&self.0)), ..State::default() };
        let child = Token(Arc::new(state));
        let mut waiting = self.0.waiting();
        match self.0.reason.get() {
            Some(reason) => child.0.fire(reason),
            None => {
                waiting.children.retain(|c| c.strong_count() > 0);
                waiting.children.push(Arc::downgrade(&child.0));
            }
        }
        drop(waiting);
        RCancel::new(child)
    }

    fn cancelled(&self) -> FfiFuture<()> {
        FfiFuture::new(Cancelled { state: Arc::clone(&self.0), key: None })
    }
}

struct Cancelled {
    state: Arc<State>,
    key: Option<u64>,
}

impl Future for Cancelled {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.state.reason.get().is_some() {
            return Poll::Ready(());
        }
        let state = Arc::clone(&self.state);
        let mut waiting = state.waiting();
        // Fired between the look above and the lock: its wakers are already gone.
        if state.reason.get().is_some() {
            return Poll::Ready(());
        }
        match self.key.and_then(|key| waiting.wakers.iter_mut().find(|(k, _)| *k == key)) {
            Some((_, waker)) => waker.clone_from(cx.waker()),
            None => {
                let key = waiting.next;
                waiting.next += 1;
                waiting.wakers.push((key, cx.waker().clone()));
                self.key = Some(key);
            }
        }
        Poll::Pending
    }
}

impl Drop for Cancelled {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.state.waiting().wakers.retain(|(k, _)| *k != key);
        }
    }
}
