//! One request: attempts, until one is not followed by another.
use crate::{
    Config,
    attempt::{Attempt, Ended, Left},
    budget::Budget,
    decision::{Failed, Seen, Why, decide},
    limits::{End, Limits, Passed},
    wording,
};
use plugin_sdk::{
    Cx, Item as _, Out, Result, Stream,
    contracts::{
        Batch,
        llm::{Failure, Finish, StreamChunk},
    },
    emit,
};
use serde_json::Value;
use std::{future::poll_fn, mem::replace, sync::Arc, task::Poll, time::Duration};

/// What the requests of a row share.
#[derive(Debug)]
pub struct Row {
    config: Config,
    budget: Budget,
}

impl Row {
    /// A row of this config.
    ///
    /// # Errors
    /// `CONFIG_INVALID` for a code that fails again in the same way.
    pub fn new(config: Config) -> Result<Self> {
        Ok(Row { config: config.checked()?, budget: Budget::default() })
    }

    /// A session has ended: what its runs have spent is forgotten.
    pub fn forget(&self, session: &str) {
        self.budget.forget(session);
    }
}

/// The answer to one request: `open` makes an attempt at it, and is called again for each further one.
pub fn retried<S>(
    open: impl Fn(&Cx) -> S + Send + Sync + 'static,
    row: Arc<Row>,
    cx: Cx,
) -> impl Stream<Item = Result<Batch>> + Send + 'static
where
    S: Stream<Item = Result<Batch>> + Unpin + Send + 'static,
{
    emit(move |out| async move { answer(&open, &row, cx, &out).await })
}

async fn answer<S>(open: &(impl Fn(&Cx) -> S + Sync), row: &Row, cx: Cx, out: &Out<Result<Batch>>)
where
    S: Stream<Item = Result<Batch>> + Unpin,
{
    let config = &row.config;
    let end = end(config, &cx);
    let cx = config.total_timeout().map_or(cx.clone(), |time| cx.within(time));
    let mut seen = Seen::Nothing;
    let mut n = 1;
    loop {
        let mut attempt = Attempt::new(out, &mut seen);
        let limits = Limits::new(&cx, config.idle_timeout(), end);
        let (failure, left, over) = match attempt.run(open, &cx, limits).await {
            Ended::Done => return,
            Ended::Failed(failure, left) => (failure, left, false),
            Ended::Over(failure) => (failure, Left::Nothing, true),
        };
        let failed = Failed { failure: &failure, attempt: n, seen: attempt.seen(), left: cx.remaining() };
        let next = match over || cx.is_cancelled() {
            true => Err(Why::Permanent),
            false => decide(config, &failed, fastrand::f64()),
        };
        let next = next.and_then(|wait| row.budget.take(config, wait, &cx).map(|()| wait));
        let wait = match next {
            Ok(wait) => wait,
            Err(why) => {
                attempt.release().await;
                let added = wording::given_up(config, why, n).filter(|_| !cx.is_cancelled());
                return out.send(last_word(failure, left, added.as_deref())).await;
            }
        };
        read().await;
        cx.note("warn", &wording::waiting(config, &failure, n, wait, seen));
        if let Err(aborted) = cx.until_cancelled(cx.sleep(wait)).await {
            return out
                .send(Ok(batch(StreamChunk::Finish(Finish::Aborted { failure: aborted.into() }))))
                .await;
        }
        n += 1;
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        let attempt = StreamChunk::Attempt { n, discard: seen > Seen::Nothing, code: failure.code, wait_ms };
        out.send(Ok(batch(attempt))).await;
        read().await;
    }
}

/// Ready once all that was sent has been read, so that a note comes after the text it is about: the code of an `emit` is polled again only
/// then.
async fn read() {
    let mut asked = false;
    poll_fn(|cx| {
        if replace(&mut asked, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// When the request is over, whatever has come of it by then.
fn end(config: &Config, cx: &Cx) -> Option<End> {
    let after = |time: Duration, passed| (cx.now().saturating_add(time), passed);
    let total = config.total_timeout().map(|time| after(time, Passed::Total(time)));
    let deadline = cx.remaining().map(|time| after(time, Passed::Deadline));
    total.into_iter().chain(deadline).min_by_key(|(end, _)| *end)
}

fn batch(chunk: StreamChunk) -> Batch {
    [chunk.into_chunk()].into_iter().collect()
}

/// The end of a request that is given up: the failure as it came, and what there is to say of our own.
fn last_word(failure: Failure, left: Left, added: Option<&str>) -> Result<Batch> {
    let worded = |message: &str| match added {
        Some(added) => format!("{message} ({added})"),
        None => message.to_owned(),
    };
    match left {
        Left::Nothing => {
            let failure = Failure { message: worded(&failure.message), ..failure };
            Ok(batch(StreamChunk::Finish(Finish::Error { failure })))
        }
        Left::Error(mut error) => {
            error.message = worded(&error.message);
            Err(error)
        }
        Left::Finish(mut finish) => {
            if added.is_some()
                && let Some(chunk) = finish.last_mut()
                // Read as any JSON, so that what is not known here stays in it.
                && let Ok(mut value) = serde_json::from_str::<Value>(&chunk.data)
            {
                value["failure"]["message"] = worded(&failure.message).into();
                chunk.data = value.to_string().into();
            }
            Ok(finish)
        }
    }
}
