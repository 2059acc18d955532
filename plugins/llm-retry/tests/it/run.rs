//! A request that is run to its end: nothing waits for real.
use crate::notation::{attempt, config, line};
use llm_retry::{Row, retried};
use plugin_sdk::{
    Cx, Item as _, Stream,
    contracts::llm::{Invariant, StreamChunk},
    testing::{Clock, Events, cx_at},
};
use serde_json::Value;
use std::{
    pin::{Pin, pin},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    task::{Context, Poll, Wake, Waker},
};

/// A clock, and the one run on it.
pub(crate) struct Scene {
    pub(crate) clock: Clock,
    pub(crate) cx: Cx,
    pub(crate) events: Events,
    pub(crate) row: Arc<Row>,
    cancel: Box<dyn Fn() + Send + Sync>,
    woken: Arc<Woken>,
}

/// Whether the stream wants to be polled again by itself.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, SeqCst);
    }
}

/// What came of a request.
pub(crate) struct Answer {
    pub(crate) chunks: Vec<StreamChunk>,
    /// Requests, notes and chunks in their order, one a line, each request with its time in milliseconds.
    pub(crate) text: String,
    pub(crate) requests: usize,
}

impl Scene {
    pub(crate) fn new(says: Value) -> Scene {
        let clock = Clock::default();
        let (cx, cancel, events) = cx_at(&clock);
        let row = Arc::new(Row::new(config(says)).unwrap());
        Scene {
            clock,
            cx,
            events,
            row,
            cancel: Box::new(move || cancel.cancel("enough".into())),
            woken: Arc::default(),
        }
    }

    /// Runs a request whose attempts are these; the last one repeats.
    pub(crate) fn request(&self, attempts: &[&str]) -> Answer {
        self.request_until(attempts, "\n")
    }

    /// The same; the token is fired once the text holds `until`.
    pub(crate) fn request_until(&self, attempts: &[&str], until: &str) -> Answer {
        let (count, lines) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
        let (script, began) =
            (attempts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>(), self.clock.now());
        let (clock, opened, log) = (self.clock.clone(), Arc::clone(&count), Arc::clone(&lines));
        let open = move |cx: &Cx| {
            let n = opened.fetch_add(1, SeqCst);
            log.lock().unwrap().push(format!("request at {}", (clock.now() - began).as_millis()));
            attempt(&script[n.min(script.len() - 1)], cx)
        };
        let mut stream = pin!(retried(open, Arc::clone(&self.row), self.cx.clone()));
        let mut chunks = Vec::new();
        loop {
            let polled = self.poll(stream.as_mut());
            let notes = self.events.take().into_iter().map(|(kind, data)| {
                let data: Value = serde_json::from_str(&data).unwrap();
                format!("{kind} {}: {}", data["level"].as_str().unwrap(), data["text"].as_str().unwrap())
            });
            lines.lock().unwrap().extend(notes);
            match polled {
                Poll::Ready(None) => break,
                Poll::Ready(Some(Ok(batch))) => {
                    for chunk in batch.into_iter().map(|chunk| StreamChunk::from_chunk(chunk).unwrap()) {
                        lines.lock().unwrap().push(line(&chunk));
                        chunks.push(chunk);
                    }
                }
                Poll::Ready(Some(Err(error))) => {
                    lines.lock().unwrap().push(format!("failed {}: {}", error.code, error.message));
                }
                Poll::Pending if self.woken.0.swap(false, SeqCst) => {}
                Poll::Pending
                    if lines.lock().unwrap().iter().any(|line| line.contains(until))
                        && !self.cx.is_cancelled() =>
                {
                    (self.cancel)();
                }
                Poll::Pending => {
                    let Some(time) = self.clock.next_due() else { panic!("it waits for nothing: {lines:?}") };
                    self.clock.advance(time);
                }
            }
        }
        let text = lines.lock().unwrap().iter().map(|line| line.clone() + "\n").collect();
        Answer { chunks, text, requests: count.load(SeqCst) }
    }

    fn poll<S: Stream>(&self, stream: Pin<&mut S>) -> Poll<Option<S::Item>> {
        stream.poll_next(&mut Context::from_waker(&Waker::from(Arc::clone(&self.woken))))
    }
}

impl Answer {
    /// That the chunks keep the rules of a stream.
    #[track_caller]
    pub(crate) fn checked(self) -> Answer {
        let mut rules = Invariant::default();
        for chunk in &self.chunks {
            rules.check(chunk).unwrap_or_else(|rule| panic!("{rule}:\n{}", self.text));
        }
        rules.ended().unwrap_or_else(|rule| panic!("{rule}:\n{}", self.text));
        self
    }
}
