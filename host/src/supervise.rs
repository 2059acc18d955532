//! Two threads: this one waits for signals and for code that does not return, the other one polls plugins.
use crate::{
    call,
    mount::{self, Means},
    plan::Planned,
    run::{self, Begun, Settings},
    show,
};
use plugin_api::{
    RCancel, RError,
    run::{ABORTED, STUCK},
};
use rows::{Problem, Row};
use std::{
    process::ExitCode,
    sync::{Arc, OnceLock, TryLockError},
    time::Duration,
};
use tokio::{
    runtime::{Builder, Runtime},
    select,
    signal::unix::{Signal, SignalKind, signal},
    sync::{Notify, oneshot},
    time::{Instant, MissedTickBehavior, interval, sleep, sleep_until},
};

/// How long a cancelled run may take to end by itself.
const CANCEL_TIME: Duration = Duration::from_secs(2);
/// How long the other thread may take to drop it then.
const DROP_TIME: Duration = Duration::from_secs(1);
/// How long the report may be in use by somebody else when the end is to be written.
const REPORT_TIME: Duration = Duration::from_millis(500);
const TICK: Duration = Duration::from_millis(250);

/// What to do with the mounted rows.
#[derive(Debug)]
pub(crate) enum Job {
    /// Print them.
    Rows { rows: Vec<Row>, json: bool },
    /// Call a service.
    Call { slot: String, method: String, head: String, part: Vec<String> },
    /// Run a task.
    Task { slot: String, method: String, task: String },
}

fn runtime() -> Result<Runtime, Problem> {
    let failed = |e| {
        Problem::new("NO_RUNTIME", format!("the system gives no event loop: {e}"), "free some file handles")
    };
    Builder::new_current_thread().enable_all().build().map_err(failed)
}

/// Mounts, does the job, unmounts.
pub(crate) fn supervise(
    planned: Vec<Planned>,
    means: Means,
    job: Job,
    settings: Settings,
) -> Result<ExitCode, Problem> {
    let (watch, cancel) = (Arc::clone(&means.watch), settings.cancel.clone());
    let (drop, begun) = (Arc::clone(&settings.drop), Arc::clone(&settings.begun));
    let (done, outcome) = oneshot::channel();
    let here = runtime()?;
    // Signals are caught before there is anything to interrupt.
    let signals = {
        let _here = here.enter();
        Signals::catch()?
    };
    let polling = move || {
        let result = runtime().and_then(|there| there.block_on(work(&planned, means, job, settings)));
        // Nobody is there to be told once the supervisor has given up.
        std::mem::drop(done.send(result));
    };
    std::thread::Builder::new().name("run".into()).spawn(polling).map_err(|e| {
        Problem::new("NO_THREAD", format!("the system gives no thread: {e}"), "free some processes")
    })?;
    here.block_on(wait(outcome, signals, &watch, &cancel, &drop, &begun))
}

async fn work(
    planned: &[Planned],
    mut means: Means,
    job: Job,
    settings: Settings,
) -> Result<ExitCode, Problem> {
    let mounted = select! {
        biased;
        () = settings.drop.notified() => return Ok(ExitCode::from(130)),
        mounted = mount::all(planned, &mut means) => mounted?,
    };
    let code = match job {
        Job::Rows { rows, json } => Ok(show::rows(&rows, planned, &mounted, json)),
        Job::Call { slot, method, head, part } => {
            call::call(&mounted, &slot, &method, head, part, &settings).await
        }
        Job::Task { slot, method, task } => Ok(run::task(&mounted, &slot, &method, &task, &settings).await),
    };
    mounted.unmount().await;
    code
}

/// Interrupt, terminate, hang up; those that were ignored when this process began (`nohup`) stay so.
struct Signals([Option<Signal>; 3]);

impl Signals {
    fn catch() -> Result<Signals, Problem> {
        let failed = |e| {
            Problem::new("NO_SIGNALS", format!("signals cannot be caught: {e}"), "free some file handles")
        };
        let ignored = watch::ignored_signals();
        let catch = |kind: SignalKind| {
            let wanted = ignored >> (kind.as_raw_value() - 1) & 1 == 0;
            wanted.then(|| signal(kind)).transpose().map_err(failed)
        };
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [interrupt, terminate, hangup] = kinds.map(catch);
        Ok(Signals([interrupt?, terminate?, hangup?]))
    }

    async fn next(&mut self) -> &'static str {
        async fn one(signal: &mut Option<Signal>) {
            match signal {
                Some(signal) => drop(signal.recv().await),
                None => std::future::pending().await,
            }
        }
        let [interrupt, terminate, hangup] = &mut self.0;
        select! {
            () = one(interrupt) => "interrupted",
            () = one(terminate) => "terminated",
            () = one(hangup) => "hung up",
        }
    }
}

/// The first signal fires the token; the second, or its time running out, drops the run; after that the process ends regardless.
async fn wait(
    mut outcome: oneshot::Receiver<Result<ExitCode, Problem>>,
    mut signals: Signals,
    watch: &watch::Watch,
    cancel: &RCancel,
    drop: &Notify,
    begun: &OnceLock<Begun>,
) -> Result<ExitCode, Problem> {
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut dropped = false;
    let mut deadline: Option<Instant> = None;
    loop {
        let late = async move {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        select! {
            biased;
            result = &mut outcome => {
                let lost = Problem::new("PANIC", "the host's own thread ended without a result", "report this as a bug of the host");
                return result.unwrap_or(Err(lost));
            }
            reason = signals.next() => {
                if cancel.is_cancelled() && !dropped {
                    drop.notify_one();
                    (dropped, deadline) = (true, Some(Instant::now() + DROP_TIME));
                }
                cancel.cancel(reason.into());
            }
            () = late => {
                if dropped {
                    let error = RError::new(ABORTED, "the run was dropped while a plugin held its thread");
                    return Ok(end(begun, "aborted", error, 130).await.unwrap_or(ExitCode::from(130)));
                }
                drop.notify_one();
                (dropped, deadline) = (true, Some(Instant::now() + DROP_TIME));
            }
            _ = ticks.tick() => {
                if let Some(live) = watch.find_stuck() {
                    let (what, hint) = live.stuck_words();
                    let error = RError::new(STUCK, what.as_str()).hint(hint.as_str());
                    return end(begun, "error", error, 1).await.ok_or_else(|| Problem::new(STUCK, what, hint));
                }
            }
        }
        // However it was fired: by a signal, or by the run itself.
        if cancel.is_cancelled() && deadline.is_none() {
            deadline = Some(Instant::now() + CANCEL_TIME);
        }
    }
}

/// Code that does not return holds the run's thread: this one writes the end in its place. Unless a reader that does not read holds
/// up whoever is writing: then there is nobody to tell, and `code` has to say it all.
async fn end(begun: &OnceLock<Begun>, status: &str, error: RError, code: u8) -> Option<ExitCode> {
    let (report, session) = begun.get()?;
    let deadline = Instant::now() + REPORT_TIME;
    while Instant::now() < deadline {
        let report = match report.try_lock() {
            Ok(report) => Some(report),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        if let Some(mut report) = report {
            return Some(report.finish(Some((status, error)), session));
        }
        sleep(REPORT_TIME / 50).await;
    }
    Some(ExitCode::from(code))
}
