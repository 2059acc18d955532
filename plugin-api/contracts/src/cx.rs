//! The context of a call, in author terms.
use crate::{Error, Payload, Result, error, wire::BoxFuture};
use plugin_api::{CallCx, RCancel, run};
use serde::{Deserialize, Serialize};
use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
    time::Duration,
};

/// How long work may take to end by itself once its token is fired, before whoever waits gives up on it.
pub const GRACE: Duration = Duration::from_millis(1500);

/// Cancellation, deadline, trace and run of a call. Pass it on to every call made on behalf of this one.
#[derive(Clone, Debug)]
pub struct Cx(CallCx);

impl From<CallCx> for Cx {
    fn from(cx: CallCx) -> Self {
        Cx(cx)
    }
}

impl Cx {
    /// The ABI's form.
    pub fn abi(&self) -> &CallCx {
        &self.0
    }

    /// Whether the caller wants an end.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancel.is_cancelled()
    }

    /// Ready once the caller wants an end.
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + Unpin + 'static {
        self.0.cancel.cancelled()
    }

    /// Why the caller wants an end, `""` while it does not.
    pub fn cancel_reason(&self) -> String {
        self.0.cancel.reason().into()
    }

    /// The same context under a token of its own: fired with the parent, or alone through the handle.
    pub fn child(&self) -> (Cx, RCancel) {
        let cancel = self.0.cancel.child();
        (Cx(CallCx { cancel: cancel.clone(), ..self.0.clone() }), cancel)
    }

    /// The context of a run below this one, with a session of its own.
    pub fn child_session(&self, session: &str) -> Cx {
        let run = self.0.run.child(session.into());
        Cx(CallCx { run, cancel: self.0.cancel.child(), ..self.0.clone() })
    }

    /// The session this call belongs to.
    pub fn session(&self) -> String {
        self.0.run.session().into()
    }

    /// The session that started this one, for a child run.
    pub fn parent(&self) -> Option<String> {
        self.0.run.parent().into_option().map(Into::into)
    }

    /// How long the caller will still wait, `None` for ever.
    pub fn remaining(&self) -> Option<Duration> {
        let deadline = self.0.deadline_ns;
        (deadline > 0).then(|| Duration::from_nanos(deadline.saturating_sub(self.0.run.now_ns())))
    }

    /// The same context with an earlier deadline, if that is earlier.
    pub fn within(mut self, time: Duration) -> Cx {
        let end = self.now().saturating_add(time);
        // Nought would mean never.
        let end = u64::try_from(end.as_nanos()).unwrap_or(u64::MAX).max(1);
        if self.0.deadline_ns == 0 || end < self.0.deadline_ns {
            self.0.deadline_ns = end;
        }
        self
    }

    /// The host's monotonic clock, from an arbitrary start.
    pub fn now(&self) -> Duration {
        Duration::from_nanos(self.0.run.now_ns())
    }

    /// Ready after that time, on the host's timer.
    pub fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send + Unpin + 'static {
        self.0.run.sleep(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }

    /// Runs a future until it is done or the token is fired, whichever is first; then it is dropped.
    ///
    /// # Errors
    /// `ABORTED` when the token was first.
    pub async fn until_cancelled<T>(&self, work: impl Future<Output = T>) -> Result<T> {
        let (mut work, mut stop) = (pin!(work), self.cancelled());
        poll_fn(|cx| {
            if let Poll::Ready(value) = work.as_mut().poll(cx) {
                return Poll::Ready(Ok(value));
            }
            pin!(&mut stop).poll(cx).map(|()| Err(Error::aborted(&self.cancel_reason())))
        })
        .await
    }

    /// An event of this run, for logs and JSON outputs.
    pub fn emit(&self, kind: &str, data: &impl Serialize) {
        let head = serde_json::to_string(data).unwrap_or_default();
        self.0.run.emit(kind.into(), Payload::new(head, Default::default()));
    }

    /// A note for the person.
    pub fn note(&self, level: &str, text: &str) {
        self.emit("note", &serde_json::json!({ "level": level, "text": text }));
    }

    /// Asks whoever is behind this run.
    ///
    /// # Errors
    /// `NO_ONE_TO_ASK`, `ABORTED`.
    pub async fn ask(&self, question: &Question) -> Result<Answer> {
        let head = serde_json::to_string(question)?;
        let answer = self.0.run.ask(Payload::new(head, Default::default())).await.into_result();
        Ok(serde_json::from_str(&answer.map_err(error::from_abi)?.head)?)
    }

    /// The `traceparent` header of W3C Trace Context, `None` when the caller is not traced.
    pub fn traceparent(&self) -> Option<String> {
        let trace = &self.0.trace;
        let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
        (trace.trace_id != [0; 16])
            .then(|| format!("00-{}-{}-{:02x}", hex(&trace.trace_id), hex(&trace.span_id), trace.flags))
    }
}

/// Ready once whoever was asked to stop has had that time to.
pub(crate) fn patience(cx: &Cx, time: Duration) -> BoxFuture<()> {
    let cx = cx.clone();
    Box::pin(async move {
        cx.cancelled().await;
        cx.sleep(time).await;
    })
}

/// A question to the person or client behind a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
#[serde(default)]
pub struct Question {
    /// Names the question; the answer comes back under it.
    pub id: String,
    /// One line.
    pub title: String,
    /// What to decide on, as text.
    pub body: String,
    /// What may be answered, not empty.
    pub choices: Vec<Choice>,
    /// The choice that a timeout takes; none: a timeout is `NO_ONE_TO_ASK`.
    pub default: Option<String>,
    /// How long to wait, 0 for ever.
    pub timeout_ms: u64,
}

/// One possible answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct Choice {
    /// What comes back.
    pub id: String,
    /// What the person reads.
    pub label: String,
}

/// What was answered.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct Answer {
    /// The id of the choice.
    pub choice: String,
    /// Whether the same question need not be asked again in this session.
    #[serde(default)]
    pub remember: bool,
}

/// The code of a question that nobody is there to answer.
pub const NO_ONE_TO_ASK: &str = run::NO_ONE_TO_ASK;
