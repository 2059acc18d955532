//! A run: its context, its events, its end.
use crate::{
    ask::{Asked, Asker},
    mount::Mounted,
    report::{Output, Report},
};
use plugin_api::{
    CallCx, FfiFuture, RCancel, RError, RPayload, RResultE, RRun, Run, TraceCx,
    abi_stable::std_types::{RErr, RNone, ROk, ROption, RResult, RSome, RStr, RString},
    run::ABORTED,
};
use secrets::Redactor;
use serde_json::json;
use std::{
    collections::hash_map::RandomState,
    future::{Future as _, poll_fn},
    hash::{BuildHasher as _, Hasher as _},
    process::ExitCode,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};
use tokio::{
    runtime::Handle,
    select,
    sync::{
        Notify,
        mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
        oneshot,
    },
};

/// What all runs below one root share.
struct Root {
    report: Arc<Mutex<Report>>,
    asker: Asker,
    redactor: Arc<Redactor>,
    cancel: RCancel,
    clock: Instant,
    timer: Handle,
    asking: UnboundedSender<Told>,
}

/// One run.
struct Running {
    root: Arc<Root>,
    session: String,
    parent: Option<String>,
}

impl Running {
    fn report(&self) -> MutexGuard<'_, Report> {
        self.root.report.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Run for Running {
    fn session(&self) -> RString {
        self.session.as_str().into()
    }

    fn parent(&self) -> ROption<RString> {
        self.parent.as_deref().map_or(RNone, |parent| RSome(parent.into()))
    }

    fn child(&self, session: RStr<'_>) -> RRun {
        let (root, parent) = (Arc::clone(&self.root), Some(self.session.clone()));
        RRun::new(Running { root, session: session.into(), parent })
    }

    fn emit(&self, kind: RStr<'_>, mut payload: RPayload) {
        self.root.redactor.payload(&mut payload);
        watch::outside(|| self.report().emitted(&kind, &payload.head));
    }

    fn ask(&self, question: RPayload) -> FfiFuture<RResultE<RPayload>> {
        let (root, timer) = (Arc::clone(&self.root), self.root.timer.clone());
        let mut asking = Box::pin(async move {
            let aborted = |reason: RString| RError::new(ABORTED, format!("aborted while asking: {reason}"));
            let head = root.redactor.text(&question.head);
            // What led to the question may have been yielded and not yet told. An error means that nobody tells anything.
            let (tell, told) = oneshot::channel();
            drop(root.asking.send(tell));
            let answer = async {
                drop(told.await);
                root.asker.ask(&head).await
            };
            select! {
                biased;
                () = root.cancel.cancelled() => RErr(aborted(root.cancel.reason())),
                answer = answer => answer.map_or_else(RErr, ROk),
            }
        });
        // A plugin may ask from a thread of its own, which has no timer.
        FfiFuture::new(poll_fn(move |cx| {
            let _timer = timer.enter();
            asking.as_mut().poll(cx)
        }))
    }

    fn now_ns(&self) -> u64 {
        u64::try_from(self.root.clock.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn sleep(&self, ns: u64) -> FfiFuture<()> {
        let _timer = self.root.timer.enter();
        FfiFuture::new(tokio::time::sleep(Duration::from_nanos(ns)))
    }
}

/// What a person set for a run.
pub(crate) struct Settings {
    pub(crate) output: Output,
    pub(crate) asked: Asked,
    pub(crate) session: Option<String>,
    pub(crate) colour: bool,
    pub(crate) cancel: RCancel,
    /// Told to stop waiting and drop.
    pub(crate) drop: Arc<Notify>,
    /// The run that has begun, if one has.
    pub(crate) begun: Arc<OnceLock<Begun>>,
}

/// A run's report and session: whoever ends it writes its end.
pub(crate) type Begun = (Arc<Mutex<Report>>, String);

/// Answered once all that a run has yielded so far has been told.
type Told = oneshot::Sender<()>;

/// A context whose events go to a report. Before a question is put, it comes out of the receiver, if that is there.
pub(crate) fn context(
    settings: &Settings,
    redactor: &Arc<Redactor>,
) -> (CallCx, Arc<Mutex<Report>>, UnboundedReceiver<Told>) {
    let (asking, questions) = unbounded_channel();
    let report = Arc::new(Mutex::new(Report::new(settings.output, redactor, settings.colour)));
    let asker = Asker::new(settings.asked, settings.output, &report, settings.colour);
    let root = Root {
        report: Arc::clone(&report),
        asker,
        redactor: Arc::clone(redactor),
        cancel: settings.cancel.clone(),
        clock: Instant::now(),
        timer: Handle::current(),
        asking,
    };
    let session = settings.session.clone().unwrap_or_else(new_session);
    let run = RRun::new(Running { root: Arc::new(root), session, parent: None });
    let cancel = settings.cancel.clone();
    (CallCx { cancel, deadline_ns: 0, trace: TraceCx::default(), run, ext: "".into() }, report, questions)
}

/// A name that sorts by time and does not come twice.
fn new_session() -> String {
    let ms = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    format!("{ms:012x}-{:016x}", RandomState::new().build_hasher().finish())
}

/// Runs a command of the run protocol to its end.
pub(crate) async fn task(
    mounted: &Mounted,
    slot: &str,
    method: &str,
    task: &str,
    settings: &Settings,
) -> ExitCode {
    let redactor = mounted.slots.redactor();
    let (cx, report, mut questions) = context(settings, redactor);
    let session: String = cx.run.session().into();
    // A process runs one task.
    drop(settings.begun.set((Arc::clone(&report), session.clone())));
    let head = json!({ "task": redactor.text(task) }).to_string();
    let mut events =
        Some(mounted.slots.handle(slot).open(method.into(), RPayload::new(head, Default::default()), cx));
    let locked = || report.lock().unwrap_or_else(PoisonError::into_inner);
    let error = loop {
        let Some(stream) = &mut events else { break None };
        let batch = select! {
            biased;
            () = settings.drop.notified() => {
                let reason = settings.cancel.reason();
                break Some(("aborted", RError::new(ABORTED, format!("{reason}; the run did not end by itself"))));
            }
            batch = poll_fn(|cx| stream.poll_next(cx)) => batch,
            // Nothing more is ready to be told.
            Some(told) = questions.recv() => {
                // The question may have been given up.
                let _ = told.send(());
                continue;
            }
        };
        match batch.map(RResult::into_result) {
            Some(Ok(batch)) => {
                let mut report = locked();
                report.batch(batch);
                if report.is_closed() {
                    settings.cancel.cancel("nobody reads the output".into());
                }
            }
            Some(Err(error)) if settings.cancel.is_cancelled() => break Some(("aborted", error)),
            Some(Err(error)) => break Some(("error", error)),
            None => events = None,
        }
    };
    // What the run still holds goes before its end is told: no child process is left by then.
    drop(events);
    mounted.session_closed(&session);
    locked().finish(error, &session)
}
