//! The tokio runtime of this library: made when first needed, one worker, and stopped once the library is retired and idle.
//!
//! A cdylib has its own copy of tokio, so the host's runtime means nothing to it: around each poll of author code this one is entered.
use contracts::{Error, Result};
use std::sync::{
    Mutex, OnceLock, PoisonError,
    atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
};
use tokio::runtime::{Builder, EnterGuard, Handle, Runtime};

static NAME: OnceLock<String> = OnceLock::new();
static HANDLE: OnceLock<Option<Handle>> = OnceLock::new();
static OWNED: Mutex<Option<Runtime>> = Mutex::new(None);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static RETIRED: AtomicBool = AtomicBool::new(false);

pub(crate) fn set_name(name: &str) {
    drop(NAME.set(name.to_owned()));
}

/// `None` when the system gives no thread; author code then fails where it uses tokio, with tokio's own words.
pub(crate) fn handle() -> Option<&'static Handle> {
    HANDLE
        .get_or_init(|| {
            let runtime = Builder::new_multi_thread()
                .worker_threads(1)
                .max_blocking_threads(16)
                .thread_name(NAME.get().map_or("plugin", String::as_str))
                .enable_all()
                .build()
                .ok()?;
            let handle = runtime.handle().clone();
            *OWNED.lock().unwrap_or_else(PoisonError::into_inner) = Some(runtime);
            Some(handle)
        })
        .as_ref()
}

/// Enters the runtime, if this plugin wants one.
pub(crate) fn enter(wanted: bool) -> Option<EnterGuard<'static>> {
    if wanted { handle().map(Handle::enter) } else { None }
}

/// Runs code that blocks on a thread of its own, so that the host's thread goes on.
///
/// # Errors
/// `PANIC` when the code panics.
pub async fn blocking<T: Send + 'static>(code: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let Some(handle) = handle() else {
        return Err(Error::new("INTERNAL", "no thread is to be had for blocking work"));
    };
    handle.spawn_blocking(code).await.map_err(|e| Error::new("PANIC", e.to_string()))
}

/// Counts what may still run code of this mapping.
pub(crate) struct Live(());

impl Live {
    pub(crate) fn new() -> Self {
        LIVE.fetch_add(1, SeqCst);
        Live(())
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if LIVE.fetch_sub(1, SeqCst) == 1 && RETIRED.load(SeqCst) {
            stop();
        }
    }
}

/// A newer mapping took over: the threads stop once nothing of this one is in use.
pub(crate) fn retire() {
    RETIRED.store(true, SeqCst);
    if LIVE.load(SeqCst) == 0 {
        stop();
    }
}

fn stop() {
    if let Some(runtime) = OWNED.lock().unwrap_or_else(PoisonError::into_inner).take() {
        runtime.shutdown_background();
    }
}
