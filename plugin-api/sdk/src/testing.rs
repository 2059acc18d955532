//! A call's context without a host, for tests of plugins.
mod clock;

pub use clock::Clock;

use contracts::Cx;
use plugin_api::{
    CallCx, FfiFuture, RCancel, RError, RPayload, RResultE, RRun, Run, Token, TraceCx,
    abi_stable::std_types::{RErr, RNone, ROption, RSome, RStr, RString},
    run::NO_ONE_TO_ASK,
};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// A context, its cancel token, and the events that were emitted through it: kind and JSON, in order.
///
/// Its clock is real and its timer is tokio's, so waiting needs a tokio runtime. Nobody answers its questions.
pub fn cx() -> (Cx, RCancel, Events) {
    alone(Time::Real(Instant::now()))
}

/// The same, with a clock that stands still until the test moves it. Needs no runtime.
pub fn cx_at(clock: &Clock) -> (Cx, RCancel, Events) {
    alone(Time::Moved(clock.clone()))
}

fn alone(time: Time) -> (Cx, RCancel, Events) {
    let (cancel, events) = (Token::root(), Events::default());
    let run = RRun::new(Alone { session: "test".into(), parent: None, time, events: events.clone() });
    let cx =
        CallCx { cancel: cancel.clone(), deadline_ns: 0, trace: TraceCx::default(), run, ext: "".into() };
    (Cx::from(cx), cancel, events)
}

/// What was emitted.
#[derive(Clone, Debug, Default)]
pub struct Events(Arc<Mutex<Vec<(String, String)>>>);

impl Events {
    /// Takes what has been emitted so far.
    pub fn take(&self) -> Vec<(String, String)> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

struct Alone {
    session: String,
    parent: Option<String>,
    time: Time,
    events: Events,
}

#[derive(Clone)]
enum Time {
    Real(Instant),
    Moved(Clock),
}

impl Run for Alone {
    fn session(&self) -> RString {
        self.session.as_str().into()
    }

    fn parent(&self) -> ROption<RString> {
        self.parent.as_deref().map_or(RNone, |parent| RSome(parent.into()))
    }

    fn child(&self, session: RStr<'_>) -> RRun {
        let (parent, events) = (Some(self.session.clone()), self.events.clone());
        RRun::new(Alone { session: session.into(), parent, time: self.time.clone(), events })
    }

    fn emit(&self, kind: RStr<'_>, payload: RPayload) {
        let event = (kind.as_str().to_owned(), payload.head.into_string());
        self.events.0.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }

    fn ask(&self, _: RPayload) -> FfiFuture<RResultE<RPayload>> {
        FfiFuture::ready(RErr(RError::new(NO_ONE_TO_ASK, "there is no one to ask")))
    }

    fn now_ns(&self) -> u64 {
        let now = match &self.time {
            Time::Real(start) => start.elapsed(),
            Time::Moved(clock) => clock.now(),
        };
        u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
    }

    fn sleep(&self, ns: u64) -> FfiFuture<()> {
        let time = Duration::from_nanos(ns);
        match &self.time {
            Time::Real(_) => FfiFuture::new(async move { tokio::time::sleep(time).await }),
            Time::Moved(clock) => FfiFuture::new(clock.sleep(time)),
        }
    }
}
