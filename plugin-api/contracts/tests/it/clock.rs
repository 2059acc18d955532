//! A run whose clock moves only when a test moves it, and which remembers what it was told.
use contracts::Cx;
use plugin_api::{
    CallCx, FfiFuture, RCancel, RError, RPayload, RResultE, RRun, Run, Token, TraceCx,
    abi_stable::std_types::{RErr, ROk, ROption, RStr, RString},
};
use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

#[derive(Clone)]
pub(crate) struct Clock {
    session: String,
    parent: Option<String>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    now_ns: AtomicU64,
    sleeping: Mutex<Vec<(u64, Waker)>>,
    /// `kind head` of each event and `ask head` of each question, with the session in front.
    told: Mutex<Vec<String>>,
    answer: Mutex<Option<String>>,
}

impl Clock {
    /// A clock that stands at a time from its own start.
    pub(crate) fn at(now: Duration) -> Self {
        let clock = Clock { session: "s1".into(), parent: None, shared: Arc::default() };
        clock.shared.now_ns.store(now.as_nanos() as u64, SeqCst);
        clock
    }

    pub(crate) fn new() -> Self {
        Clock::at(Duration::from_secs(5))
    }

    /// Somebody is there, and this is what they answer.
    pub(crate) fn answering(self, answer: &str) -> Self {
        *self.shared.answer.lock().unwrap() = Some(answer.into());
        self
    }

    /// Moves the clock and wakes who has slept long enough.
    pub(crate) fn advance(&self, time: Duration) {
        let now = self.shared.now_ns.fetch_add(time.as_nanos() as u64, SeqCst) + time.as_nanos() as u64;
        let due: Vec<_> =
            self.shared.sleeping.lock().unwrap().extract_if(.., |(until, _)| *until <= now).collect();
        due.into_iter().for_each(|(_, waker)| waker.wake());
    }

    /// What was told since the last look.
    pub(crate) fn told(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.told.lock().unwrap())
    }

    /// The context of a call in this run, and its token.
    pub(crate) fn cx(&self) -> (Cx, RCancel) {
        let (cx, cancel) = self.abi();
        (cx.into(), cancel)
    }

    pub(crate) fn abi(&self) -> (CallCx, RCancel) {
        let cancel = Token::root();
        let run = RRun::new(self.clone());
        let trace = TraceCx::default();
        (CallCx { cancel: cancel.clone(), deadline_ns: 0, trace, run, ext: RString::new() }, cancel)
    }
}

/// A context in which nothing is fired and no time passes.
pub(crate) fn quiet() -> Cx {
    Clock::new().cx().0
}

impl Run for Clock {
    fn session(&self) -> RString {
        self.session.as_str().into()
    }
    fn parent(&self) -> ROption<RString> {
        self.parent.as_deref().map(RString::from).into()
    }
    fn child(&self, session: RStr<'_>) -> RRun {
        let (session, parent) = (session.into(), Some(self.session.clone()));
        RRun::new(Clock { session, parent, shared: Arc::clone(&self.shared) })
    }
    fn emit(&self, kind: RStr<'_>, payload: RPayload) {
        self.shared.told.lock().unwrap().push(format!("{} {kind} {}", self.session, payload.head));
    }
    fn ask(&self, question: RPayload) -> FfiFuture<RResultE<RPayload>> {
        self.shared.told.lock().unwrap().push(format!("{} ask {}", self.session, question.head));
        FfiFuture::ready(match self.shared.answer.lock().unwrap().clone() {
            Some(answer) => ROk(RPayload::new(answer, Default::default())),
            None => RErr(RError::new(plugin_api::run::NO_ONE_TO_ASK, "nobody is there")),
        })
    }
    fn now_ns(&self) -> u64 {
        self.shared.now_ns.load(SeqCst)
    }
    fn sleep(&self, ns: u64) -> FfiFuture<()> {
        FfiFuture::new(Sleep { until: self.now_ns().saturating_add(ns), shared: Arc::clone(&self.shared) })
    }
}

struct Sleep {
    until: u64,
    shared: Arc<Shared>,
}

impl Future for Sleep {
    type Output = ();
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.shared.now_ns.load(SeqCst) >= self.until {
            return Poll::Ready(());
        }
        self.shared.sleeping.lock().unwrap().push((self.until, cx.waker().clone()));
        Poll::Pending
    }
}
