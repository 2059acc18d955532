//! Watches plugin code while it runs on a host thread: slow polls are told, one that does not return marks its row.
//!
//! Knows threads and rows, and nothing of slots or services. [`Live`] is a row's handle, [`Watched`] its futures and streams,
//! [`outside`] the host's own code amid a plugin's.
mod process;

pub use process::{adopt_orphans, close_memory, end_orphans, ignored_signals};

use plugin_api::{FfiFuture, FfiStream, PollNext};
use std::{
    cell::OnceCell,
    future::Future,
    path::PathBuf,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

const SLOW: Duration = Duration::from_millis(50);
/// How many bits of [`Running`] the time takes.
const TIME_BITS: u32 = 48;

/// A row while it is mounted.
#[derive(Debug)]
pub struct Live {
    /// The row's id.
    pub id: String,
    /// The plugin's name.
    pub plugin: String,
    /// The library.
    pub path: PathBuf,
    /// A poll of it has not returned for too long: nobody calls it any more.
    pub stuck: AtomicBool,
    /// Its position among the rows of its watch, from 1.
    number: u64,
    watch: Arc<Watch>,
}

/// Who is running on each thread, and since when.
#[derive(Debug)]
pub struct Watch {
    start: Instant,
    limit: Duration,
    threads: Mutex<Vec<Weak<Running>>>,
    rows: Mutex<Vec<Weak<Live>>>,
}

/// The innermost plugin code that runs on one thread: its row's number and the microsecond it began in, 0 for none. They are one
/// word because the other thread must never see the one without the other.
#[derive(Debug)]
struct Running {
    code: AtomicU64,
    start: Instant,
}

impl Running {
    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX) & ((1 << TIME_BITS) - 1)
    }

    /// Notes that code of that row begins here, 0 for the host's own.
    fn enter(&self, row: u64) -> u64 {
        let code = if row == 0 { 0 } else { (row << TIME_BITS) | self.now() };
        self.code.swap(code, SeqCst)
    }

    /// The row that runs, and since when.
    fn running(&self) -> Option<(usize, u64)> {
        let code = self.code.load(SeqCst);
        let row = usize::try_from(code >> TIME_BITS).ok()?.checked_sub(1)?;
        Some((row, code & ((1 << TIME_BITS) - 1)))
    }
}

thread_local!(static HERE: OnceCell<Arc<Running>> = const { OnceCell::new() });

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch {
    /// Rows whose code runs longer than `limit` without returning are stuck.
    pub fn new(limit: Duration) -> Arc<Watch> {
        Arc::new(Watch { start: Instant::now(), limit, threads: Mutex::default(), rows: Mutex::default() })
    }

    /// A row to be watched.
    pub fn row(self: &Arc<Self>, id: &str, plugin: &str, path: PathBuf) -> Arc<Live> {
        let mut rows = lock(&self.rows);
        let (number, watch, stuck) = (rows.len() as u64 + 1, Arc::clone(self), AtomicBool::new(false));
        let live =
            Arc::new(Live { id: id.to_owned(), plugin: plugin.to_owned(), path, stuck, number, watch });
        rows.push(Arc::downgrade(&live));
        live
    }

    fn here(&self) -> Arc<Running> {
        let begin = || {
            let running = Arc::new(Running { code: AtomicU64::new(0), start: self.start });
            let mut threads = lock(&self.threads);
            threads.retain(|thread| thread.strong_count() > 0);
            threads.push(Arc::downgrade(&running));
            running
        };
        HERE.with(|here| Arc::clone(here.get_or_init(begin)))
    }

    /// A row that has just been found stuck; from now on its callers are told so.
    pub fn find_stuck(&self) -> Option<Arc<Live>> {
        let limit = u64::try_from(self.limit.as_micros()).unwrap_or(u64::MAX);
        let late = |running: Arc<Running>| {
            let (row, since) = running.running()?;
            (running.now().saturating_sub(since) > limit).then_some(row)
        };
        let row = lock(&self.threads).iter().filter_map(Weak::upgrade).find_map(late)?;
        let live = lock(&self.rows).get(row)?.upgrade()?;
        (!live.stuck.swap(true, SeqCst)).then_some(live)
    }
}

impl Live {
    /// What to say of a row whose code does not return.
    pub fn stuck_words(&self) -> (String, String) {
        let (plugin, path) = (&self.plugin, self.path.display());
        let what = format!("row `{}`: plugin `{plugin}` ({path}) does not return from a call", self.id);
        (what, "disable or swap the row, and report this to the plugin's author".to_owned())
    }

    /// Runs plugin code of this row.
    pub fn run<R>(&self, place: &str, code: impl FnOnce() -> R) -> R {
        let (running, began) = (self.watch.here(), Instant::now());
        let outer = running.enter(self.number);
        let result = code();
        running.code.store(outer, SeqCst);
        let took = began.elapsed();
        if took > SLOW {
            tracing::warn!(row = self.id, place, ms = took.as_millis(), "a plugin held up its thread");
        }
        result
    }
}

/// Runs the host's own code amid a plugin's. What it waits for, such as a reader of its output, is not the plugin's fault.
pub fn outside<R>(code: impl FnOnce() -> R) -> R {
    let Ok(Some(running)) = HERE.try_with(|here| here.get().cloned()) else { return code() };
    let outer = running.enter(0);
    let result = code();
    // Its time begins anew.
    running.enter(outer >> TIME_BITS);
    result
}

/// Plugin work under watch: each poll, and the drop.
#[derive(Debug)]
pub struct Watched<W> {
    work: Option<W>,
    live: Arc<Live>,
    place: String,
}

impl<W> Watched<W> {
    /// Watches work of a row; `place` is what it does, such as the method's name.
    pub fn new(work: W, live: &Arc<Live>, place: &str) -> Self {
        Watched { work: Some(work), live: Arc::clone(live), place: place.to_owned() }
    }
}

impl<W> Drop for Watched<W> {
    fn drop(&mut self) {
        let work = self.work.take();
        self.live.run(&self.place, || drop(work));
    }
}

impl<W> Unpin for Watched<W> {}

impl<T> Future for Watched<FfiFuture<T>> {
    type Output = T;
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let Watched { work: Some(work), live, place } = &mut *self else { return Poll::Pending };
        live.run(place, || Pin::new(work).poll(cx))
    }
}

impl<T> PollNext for Watched<FfiStream<T>> {
    type Item = T;
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let Watched { work: Some(work), live, place } = self else { return Poll::Ready(None) };
        live.run(place, || work.poll_next(cx))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_time_of_the_plugins_own_code_counts() {
        let watch = Watch::new(Duration::ZERO);
        let (outer, inner) = (watch.row("outer", "o", "o.so".into()), watch.row("inner", "i", "i.so".into()));
        let found = || loop {
            if let Some(live) = watch.find_stuck() {
                break live.id.clone();
            }
        };
        outer.run("poll", || {
            outside(|| assert!(watch.find_stuck().is_none()));
            assert_eq!(inner.run("poll", found), "inner");
            outside(|| assert!(watch.find_stuck().is_none()));
            assert_eq!(found(), "outer");
        });
        assert!(watch.find_stuck().is_none());
    }
}
