//! Signals that end the suite in good order: what it has started is ended, and its folders are gone.
use checks::failure::Failure;
use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};
use tokio::{
    select,
    signal::unix::{SignalKind, signal},
    sync::Notify,
};

static CAME: AtomicBool = AtomicBool::new(false);
static TOLD: Notify = Notify::const_new();

/// Begins to listen, from now to the end of the process.
///
/// # Errors
/// `NO_SIGNALS` when the system has no thread or no event queue left.
pub(crate) fn listen() -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::new("NO_SIGNALS", format!("signals: {error}"), "raise the limits on threads and open files")
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let entered = runtime.enter();
    let [mut interrupt, mut terminate, mut hangup] = match kinds.map(signal) {
        [Ok(one), Ok(two), Ok(three)] => [one, two, three],
        [one, two, three] => {
            let error = [one, two, three].into_iter().find_map(Result::err);
            return Err(failed(error.unwrap_or_else(|| std::io::ErrorKind::Other.into())));
        }
    };
    drop(entered);
    let wait = move || {
        runtime.block_on(async {
            select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
        });
        CAME.store(true, Ordering::SeqCst);
        TOLD.notify_waiters();
    };
    thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop).map_err(failed)
}

/// Whether one has come.
pub(crate) fn came() -> bool {
    CAME.load(Ordering::SeqCst)
}

/// Ready once one has come.
pub(crate) async fn interrupted() {
    let told = TOLD.notified();
    if !came() {
        told.await;
    }
}
