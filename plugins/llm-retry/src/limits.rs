//! How long an answer may be silent, and a request may take: both in one alarm.
use crate::wording::span;
use plugin_sdk::{
    Cx, Result, Stream,
    contracts::{
        Batch, BoxFuture,
        llm::{Failure, code},
    },
};
use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

/// The limits of one attempt.
pub(crate) struct Limits {
    cx: Cx,
    idle: Option<Duration>,
    /// When the request with all its attempts is over, on the clock of `cx`.
    end: Option<End>,
    /// Since when nothing has come although we were ready for it.
    silent: Option<Duration>,
    alarm: Option<BoxFuture<()>>,
}

/// A time, and the limit that is passed then.
pub(crate) type End = (Duration, Passed);

/// Which limit was passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Passed {
    Idle(Duration),
    Total(Duration),
    /// The caller does not wait any longer.
    Deadline,
}

impl Passed {
    pub(crate) fn failure(self) -> Failure {
        let (text, hint) = match self {
            Passed::Idle(time) => (
                format!("llm-retry: the model was silent for {}", span(time)),
                "raise `idle_timeout_ms` of the row, if the model may think for longer",
            ),
            Passed::Total(time) => (
                format!("llm-retry: the model request took longer than {}", span(time)),
                "raise `total_timeout_ms` of the row, if an answer may take longer",
            ),
            Passed::Deadline => {
                ("llm-retry: the model request took longer than its caller waits".to_owned(), "try again")
            }
        };
        Failure { hint: hint.to_owned(), ..Failure::new(code::TIMEOUT, text) }
    }
}

impl Limits {
    pub(crate) fn new(cx: &Cx, idle: Option<Duration>, end: Option<End>) -> Self {
        Limits { cx: cx.clone(), idle, end, silent: None, alarm: None }
    }

    /// The next batch, in time.
    pub(crate) async fn next<S>(&mut self, below: &mut S) -> Result<Option<Result<Batch>>, Passed>
    where
        S: Stream<Item = Result<Batch>> + Unpin,
    {
        poll_fn(|cx| match Pin::new(&mut *below).poll_next(cx) {
            Poll::Ready(batch) => {
                self.silent = None;
                Poll::Ready(Ok(batch))
            }
            Poll::Pending => {
                let silent = *self.silent.get_or_insert_with(|| self.cx.now());
                self.poll_passed(silent, cx).map(Err)
            }
        })
        .await
    }

    /// The alarm is set once for a whole answer: what is heard meanwhile only moves the time that it is set to when it has rung.
    fn poll_passed(&mut self, silent: Duration, cx: &mut Context<'_>) -> Poll<Passed> {
        loop {
            if self.alarm.is_none() {
                let now = self.cx.now();
                let idle = self.idle.map(|idle| (silent.saturating_add(idle), Passed::Idle(idle)));
                let first = idle.into_iter().chain(self.end).min_by_key(|(due, _)| *due);
                let Some((due, passed)) = first else { return Poll::Pending };
                if due <= now {
                    return Poll::Ready(passed);
                }
                self.alarm = Some(Box::pin(self.cx.sleep(due - now)));
            }
            if let Some(alarm) = &mut self.alarm
                && alarm.as_mut().poll(cx).is_pending()
            {
                return Poll::Pending;
            }
            self.alarm = None;
        }
    }
}
