//! Watching plugin code while it runs on a host thread: slow polls are told, one that does not return marks its row.
use plugin_api::{FfiFuture, FfiStream, PollNext};
use std::{
    cell::OnceCell,
    future::Future,
    path::PathBuf,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

const SLOW: Duration = Duration::from_millis(50);

/// A row while it is mounted.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) id: String,
    pub(crate) plugin: String,
    pub(crate) path: PathBuf,
    /// A poll of it has not returned for too long: nobody calls it any more.
    pub(crate) stuck: AtomicBool,
    /// Its position among the rows of its watch, from 1.
    number: usize,
    watch: Arc<Watch>,
}

/// Who is running on each thread, and since when.
#[derive(Debug)]
pub(crate) struct Watch {
    start: Instant,
    limit: Duration,
    threads: Mutex<Vec<Weak<Running>>>,
    rows: Mutex<Vec<Weak<Live>>>,
}

/// The innermost plugin code that runs on one thread: its row's number, 0 for none.
#[derive(Debug, Default)]
struct Running {
    row: AtomicUsize,
    since: AtomicU64,
}

thread_local!(static HERE: OnceCell<Arc<Running>> = const { OnceCell::new() });

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch {
    /// Rows whose code runs longer than `limit` without returning are stuck.
    pub(crate) fn new(limit: Duration) -> Arc<Watch> {
        Arc::new(Watch { start: Instant::now(), limit, threads: Mutex::default(), rows: Mutex::default() })
    }

    /// A row to be watched.
    pub(crate) fn row(self: &Arc<Self>, id: &str, plugin: &str, path: PathBuf) -> Arc<Live> {
        let mut rows = lock(&self.rows);
        let (number, watch, stuck) = (rows.len() + 1, Arc::clone(self), AtomicBool::new(false));
        let live =
            Arc::new(Live { id: id.to_owned(), plugin: plugin.to_owned(), path, stuck, number, watch });
        rows.push(Arc::downgrade(&live));
        live
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn here(&self) -> Arc<Running> {
        let begin = || {
            let running = Arc::new(Running::default());
            let mut threads = lock(&self.threads);
            threads.retain(|thread| thread.strong_count() > 0);
            threads.push(Arc::downgrade(&running));
            running
        };
        HERE.with(|here| Arc::clone(here.get_or_init(begin)))
    }

    /// A row that has just been found stuck; from now on its callers are told so.
    pub(crate) fn find_stuck(&self) -> Option<Arc<Live>> {
        let limit = u64::try_from(self.limit.as_nanos()).unwrap_or(u64::MAX);
        let late = |running: &Arc<Running>| self.now().saturating_sub(running.since.load(Relaxed)) > limit;
        let running = lock(&self.threads)
            .iter()
            .filter_map(Weak::upgrade)
            .find(|r| r.row.load(Relaxed) > 0 && late(r))?;
        let live = lock(&self.rows).get(running.row.load(Relaxed).checked_sub(1)?)?.upgrade()?;
        (!live.stuck.swap(true, Relaxed)).then_some(live)
    }
}

impl Live {
    /// What to say of a row whose code does not return.
    pub(crate) fn stuck_words(&self) -> (String, String) {
        let (plugin, path) = (&self.plugin, self.path.display());
        let what = format!("row `{}`: plugin `{plugin}` ({path}) does not return from a call", self.id);
        (what, "disable or swap the row, and report this to the plugin's author".to_owned())
    }

    /// Runs plugin code of this row.
    pub(crate) fn run<R>(&self, place: &str, code: impl FnOnce() -> R) -> R {
        let (running, began) = (self.watch.here(), self.watch.now());
        let outer = (running.row.swap(self.number, Relaxed), running.since.swap(began, Relaxed));
        let result = code();
        running.row.store(outer.0, Relaxed);
        running.since.store(outer.1, Relaxed);
        let took = Duration::from_nanos(self.watch.now().saturating_sub(began));
        if took > SLOW {
            tracing::warn!(row = self.id, place, ms = took.as_millis(), "a plugin held up its thread");
        }
        result
    }
}

/// Plugin work under watch: each poll, and the drop. What it yields goes through `pass`.
pub(crate) struct Watched<W, P> {
    work: Option<W>,
    live: Arc<Live>,
    place: String,
    pass: P,
}

impl<W, P> Watched<W, P> {
    pub(crate) fn new(work: W, live: &Arc<Live>, place: &str, pass: P) -> Self {
        Watched { work: Some(work), live: Arc::clone(live), place: place.to_owned(), pass }
    }
}

impl<W, P> Drop for Watched<W, P> {
    fn drop(&mut self) {
        let work = self.work.take();
        self.live.run(&self.place, || drop(work));
    }
}

impl<W, P> Unpin for Watched<W, P> {}

impl<T, P: FnMut(T) -> T> Future for Watched<FfiFuture<T>, P> {
    type Output = T;
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let Watched { work: Some(work), live, place, pass } = &mut *self else { return Poll::Pending };
        live.run(place, || Pin::new(work).poll(cx)).map(pass)
    }
}

impl<T, P: FnMut(T) -> T + Send> PollNext for Watched<FfiStream<T>, P> {
    type Item = T;
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let Watched { work: Some(work), live, place, pass } = self else { return Poll::Ready(None) };
        live.run(place, || work.poll_next(cx)).map(|item| item.map(pass))
    }
}
