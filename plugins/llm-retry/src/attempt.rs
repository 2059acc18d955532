//! One attempt: hands on what comes until it ends, and keeps back what a further attempt would make void.
use crate::{
    decision::Seen,
    limits::{Limits, Passed},
};
use plugin_sdk::{
    Cx, Error, Item as _, Out, Result, Stream,
    contracts::{
        Batch,
        llm::{Failure, Finish, StreamChunk, code, kind},
    },
    next,
};
use std::{
    future::{Future as _, poll_fn},
    mem::take,
    pin::{Pin, pin},
    task::Poll,
    time::Duration,
};

/// How many batches are kept back: more than any answer opens with, and a bound for one that never says anything.
const HELD_MAX: usize = 256;

type Chunk = <Batch as IntoIterator>::Item;

/// How long an attempt that has passed a limit may take to end by itself before it is dropped.
const PATIENCE: Duration = Duration::from_millis(500);

/// How an attempt ended.
pub(crate) enum Ended {
    /// All is handed on: there is nothing to decide.
    Done,
    /// It failed.
    Failed(Failure, Left),
    /// The request with all its attempts has passed its limit.
    Over(Failure),
}

/// What of a failed attempt has not been handed on, and is its last word if there is no other attempt.
pub(crate) enum Left {
    /// Its last batch, which ends with the finish.
    Finish(Batch),
    /// The error that it ended with.
    Error(Error),
    /// It ended without a word.
    Nothing,
}

/// The attempt that runs, and what has been handed on since its request began.
pub(crate) struct Attempt<'a> {
    out: &'a Out<Result<Batch>>,
    seen: &'a mut Seen,
    /// Batches in which there is nothing to read yet.
    held: Vec<Batch>,
}

impl<'a> Attempt<'a> {
    pub(crate) fn new(out: &'a Out<Result<Batch>>, seen: &'a mut Seen) -> Self {
        Attempt { out, seen, held: Vec::new() }
    }

    pub(crate) fn seen(&self) -> Seen {
        *self.seen
    }

    /// Runs to the end of what `open` opens. Batches that were kept back are handed on with the last word, or not at all.
    pub(crate) async fn run<S>(&mut self, open: &impl Fn(&Cx) -> S, cx: &Cx, mut limits: Limits) -> Ended
    where
        S: Stream<Item = Result<Batch>> + Unpin,
    {
        let (child, cancel) = cx.child();
        let mut below = open(&child);
        loop {
            let batch = match limits.next(&mut below).await {
                Ok(Some(Ok(batch))) => batch,
                Ok(Some(Err(error))) => {
                    return Ended::Failed(error.clone().into(), Left::Error(error));
                }
                Ok(None) => {
                    let text = "llm: the stream ended without a finish";
                    return Ended::Failed(Failure::new(code::STREAM_CLOSED, text), Left::Nothing);
                }
                Err(passed) => {
                    let failure = passed.failure();
                    cancel.cancel(failure.message.as_str().into());
                    drain(below, cx).await;
                    return match passed {
                        Passed::Idle(_) => Ended::Failed(failure, Left::Nothing),
                        Passed::Total(_) | Passed::Deadline => Ended::Over(failure),
                    };
                }
            };
            match finish_of(&batch) {
                None => self.pass(batch).await,
                Some(Finish::Error { failure }) => {
                    let (before, finish) = split(batch);
                    if !before.is_empty() {
                        self.pass(before).await;
                    }
                    return Ended::Failed(failure, Left::Finish(finish));
                }
                Some(_) => {
                    self.release().await;
                    self.out.send(Ok(batch)).await;
                    return Ended::Done;
                }
            }
        }
    }

    /// Hands a batch on, or keeps it back for as long as nothing in it is worth reading.
    async fn pass(&mut self, batch: Batch) {
        // Once text is out, nothing that follows changes what may be done.
        if *self.seen < Seen::Text {
            let aside = self.held.is_empty() && batch.iter().all(|chunk| show(chunk) == Show::Aside);
            match batch.iter().map(show).max().unwrap_or(Show::Held) {
                Show::Held if *self.seen == Seen::Nothing && self.held.len() < HELD_MAX => {
                    return self.held.push(batch);
                }
                Show::Aside if aside => {}
                Show::Text => *self.seen = Seen::Text,
                Show::Held | Show::Aside | Show::Unread => *self.seen = Seen::Unread,
            }
            self.release().await;
        }
        self.out.send(Ok(batch)).await;
    }

    /// Hands on what was kept back.
    pub(crate) async fn release(&mut self) {
        for batch in take(&mut self.held) {
            self.out.send(Ok(batch)).await;
        }
    }
}

/// What a chunk shows, the more the later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Show {
    /// Nothing yet: a block that opens, an empty delta, token counts.
    Held,
    /// Nothing of the answer: an attempt of a row below, a kind that is not known here. It is not kept waiting.
    Aside,
    Unread,
    Text,
}

fn show(chunk: &Chunk) -> Show {
    let has_text = !chunk.text.is_empty();
    match chunk.kind {
        kind::TEXT_DELTA if has_text => Show::Text,
        kind::REASONING_DELTA | kind::TOOL_CALL_DELTA if has_text => Show::Unread,
        kind::BLOCK_END if !chunk.data.is_empty() => Show::Unread,
        kind::BLOCK_START
        | kind::TEXT_DELTA
        | kind::REASONING_DELTA
        | kind::TOOL_CALL_DELTA
        | kind::BLOCK_END
        | kind::USAGE => Show::Held,
        _ => Show::Aside,
    }
}

/// How a stream ends, if this is its last batch. One that cannot be read is passed on, and is the reader's to refuse.
fn finish_of(batch: &Batch) -> Option<Finish> {
    let last = batch.last().filter(|chunk| chunk.kind == kind::FINISH)?;
    match StreamChunk::from_chunk(last.clone()) {
        Ok(StreamChunk::Finish(finish)) => Some(finish),
        _ => None,
    }
}

/// What comes before the finish, and the finish.
fn split(mut batch: Batch) -> (Batch, Batch) {
    let finish = batch.pop().into_iter().collect();
    (batch, finish)
}

/// Gives a stream whose token is fired the time to end by itself, and drops it.
async fn drain<S: Stream + Unpin>(mut below: S, cx: &Cx) {
    let (mut ending, mut alarm) =
        (pin!(async { while next(&mut below).await.is_some() {} }), cx.sleep(PATIENCE));
    poll_fn(|cx| {
        let ended = ending.as_mut().poll(cx).is_ready() || Pin::new(&mut alarm).poll(cx).is_ready();
        if ended { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
