//! Watching plugin code while it runs on a host thread: slow polls are told, one that does not return marks its row.
use super::Live;
use crate::redact::Redactor;
use plugin_api::{
    FfiFuture, FfiStream, PollNext, RBatch, RError, RInstance, RPayload, RResultE,
    abi_stable::std_types::{RErr, ROk},
    run::PANIC,
};
use std::{
    cell::OnceCell,
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

const SLOW: Duration = Duration::from_millis(50);

/// Who is running on each thread, and since when.
#[derive(Debug)]
pub(crate) struct Watch {
    start: Instant,
    limit: Duration,
    threads: Mutex<Vec<Weak<Running>>>,
    rows: Mutex<Vec<Weak<Live>>>,
}

/// The innermost plugin code that runs on one thread; `row` is a position in `Watch::rows` plus one, 0 for none.
#[derive(Debug, Default)]
struct Running {
    row: AtomicUsize,
    since: AtomicU64,
}

thread_local!(static HERE: OnceCell<Arc<Running>> = const { OnceCell::new() });

impl Watch {
    /// Rows whose code runs longer than `limit` without returning are stuck.
    pub(crate) fn new(limit: Duration) -> Watch {
        Watch { start: Instant::now(), limit, threads: Mutex::default(), rows: Mutex::default() }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn number(&self, live: &Arc<Live>) -> usize {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let known = rows.iter().position(|row| std::ptr::eq(row.as_ptr(), Arc::as_ptr(live)));
        known.unwrap_or_else(|| {
            rows.push(Arc::downgrade(live));
            rows.len() - 1
        }) + 1
    }

    /// Runs plugin code of a row.
    pub(crate) fn around<R>(&self, live: &Arc<Live>, place: &str, code: impl FnOnce() -> R) -> R {
        self.timed(self.number(live), live, place, code)
    }

    fn timed<R>(&self, number: usize, live: &Live, place: &str, code: impl FnOnce() -> R) -> R {
        let running = HERE.with(|here| {
            let fresh = || {
                let running = Arc::new(Running::default());
                let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
                threads.retain(|thread| thread.strong_count() > 0);
                threads.push(Arc::downgrade(&running));
                running
            };
            Arc::clone(here.get_or_init(fresh))
        });
        let began = self.now();
        let outer = (running.row.swap(number, Relaxed), running.since.swap(began, Relaxed));
        let result = code();
        running.row.store(outer.0, Relaxed);
        running.since.store(outer.1, Relaxed);
        let took = Duration::from_nanos(self.now().saturating_sub(began));
        if took > SLOW {
            tracing::warn!(row = live.id, place, ms = took.as_millis(), "a plugin held up its thread");
        }
        result
    }

    /// A row that has just been found stuck; from now on its callers are told so.
    pub(crate) fn find_stuck(&self) -> Option<Arc<Live>> {
        let threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Duration::from_nanos(self.now());
        let late = threads.iter().filter_map(Weak::upgrade).find(|running| {
            running.row.load(Relaxed) > 0
                && now.saturating_sub(Duration::from_nanos(running.since.load(Relaxed))) > self.limit
        })?;
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let live = rows.get(late.row.load(Relaxed).checked_sub(1)?)?.upgrade()?;
        (!live.stuck.swap(true, Relaxed)).then_some(live)
    }
}

/// Plugin work under watch: each poll, and the drop.
pub(crate) struct Watched<W> {
    work: Option<W>,
    watch: Arc<Watch>,
    number: usize,
    live: Arc<Live>,
    place: String,
    redactor: Option<Arc<Redactor>>,
}

impl<W> Watched<W> {
    pub(crate) fn new(
        work: W,
        watch: &Arc<Watch>,
        live: &Arc<Live>,
        place: &str,
        redactor: Option<Arc<Redactor>>,
    ) -> Self {
        let number = watch.number(live);
        Watched {
            work: Some(work),
            watch: Arc::clone(watch),
            number,
            live: Arc::clone(live),
            place: place.to_owned(),
            redactor,
        }
    }

    fn poll_work<T>(&mut self, poll: impl FnOnce(&mut W) -> Poll<T>) -> Poll<T> {
        let Watched { work, watch, number, live, place, .. } = self;
        match work {
            Some(work) => watch.timed(*number, live, place, || poll(work)),
            None => Poll::Pending,
        }
    }
}

impl<W> Drop for Watched<W> {
    fn drop(&mut self) {
        let work = self.work.take();
        self.watch.timed(self.number, &self.live, &self.place, || drop(work));
    }
}

impl<W> Unpin for Watched<W> {}

/// A result on its way to the caller: secrets are masked, and a panic names its row.
pub(crate) trait Pass {
    fn pass(&mut self, live: &Live, redactor: Option<&Redactor>);
}

impl Pass for RPayload {
    fn pass(&mut self, _: &Live, redactor: Option<&Redactor>) {
        if let Some(redactor) = redactor {
            redactor.payload(self);
        }
    }
}

impl Pass for RBatch {
    fn pass(&mut self, _: &Live, redactor: Option<&Redactor>) {
        if let Some(redactor) = redactor {
            redactor.batch(self);
        }
    }
}

impl Pass for RError {
    fn pass(&mut self, live: &Live, redactor: Option<&Redactor>) {
        if self.code == PANIC && !self.message.starts_with("row `") {
            self.message = format!("row `{}`: {}", live.id, self.message).into();
        }
        if let Some(redactor) = redactor {
            redactor.error(self);
        }
    }
}

impl Pass for RInstance {
    fn pass(&mut self, _: &Live, _: Option<&Redactor>) {}
}

impl Pass for () {
    fn pass(&mut self, _: &Live, _: Option<&Redactor>) {}
}

impl<T: Pass> Pass for RResultE<T> {
    fn pass(&mut self, live: &Live, redactor: Option<&Redactor>) {
        match self {
            ROk(value) => value.pass(live, redactor),
            RErr(error) => error.pass(live, redactor),
        }
    }
}

impl<T: Pass> Future for Watched<FfiFuture<T>> {
    type Output = T;
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let poll = self.poll_work(|work| Pin::new(work).poll(cx));
        poll.map(|mut value| {
            value.pass(&self.live, self.redactor.as_deref());
            value
        })
    }
}

impl<T: Pass> PollNext for Watched<FfiStream<T>> {
    type Item = T;
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let poll = self.poll_work(|work| work.poll_next(cx));
        poll.map(|mut item| {
            if let Some(item) = &mut item {
                item.pass(&self.live, self.redactor.as_deref());
            }
            item
        })
    }
}
