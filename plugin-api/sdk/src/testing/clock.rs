//! A clock that moves only when a test moves it, and knows who waits for it.
use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::Duration,
};

/// A clock for [`super::cx_at`]; its clones are the same clock. It starts at one hour, so that subtracting from its time is safe.
#[derive(Clone, Debug)]
pub struct Clock(Arc<Mutex<Hands>>);

#[derive(Debug)]
struct Hands {
    now: Duration,
    next: u64,
    waiting: Vec<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    key: u64,
    due: Duration,
    waker: Waker,
}

impl Default for Clock {
    fn default() -> Self {
        Clock(Arc::new(Mutex::new(Hands { now: Duration::from_secs(3600), next: 0, waiting: Vec::new() })))
    }
}

impl Clock {
    fn hands(&self) -> MutexGuard<'_, Hands> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its time.
    pub fn now(&self) -> Duration {
        self.hands().now
    }

    /// Moves it, and wakes whoever has waited long enough.
    pub fn advance(&self, time: Duration) {
        let mut hands = self.hands();
        hands.now += time;
        let now = hands.now;
        let woken: Vec<Waker> =
            hands.waiting.iter().filter(|w| w.due <= now).map(|w| w.waker.clone()).collect();
        drop(hands);
        woken.into_iter().for_each(Waker::wake);
    }

    /// How long until the next one who waits is due; `None` when nobody waits.
    pub fn next_due(&self) -> Option<Duration> {
        let hands = self.hands();
        hands.waiting.iter().map(|w| w.due.saturating_sub(hands.now)).min()
    }

    /// Ready once the clock has been moved by that time.
    pub fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send + Unpin + 'static {
        let mut hands = self.hands();
        hands.next += 1;
        Sleep { clock: self.clone(), key: hands.next, due: hands.now.saturating_add(time) }
    }
}

struct Sleep {
    clock: Clock,
    key: u64,
    due: Duration,
}

impl Future for Sleep {
    type Output = ();
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut hands = self.clock.hands();
        hands.waiting.retain(|w| w.key != self.key);
        if hands.now >= self.due {
            return Poll::Ready(());
        }
        hands.waiting.push(Waiting { key: self.key, due: self.due, waker: cx.waker().clone() });
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.clock.hands().waiting.retain(|w| w.key != self.key);
    }
}
