//! Scripts of the fake model, and waiting for a contender's requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Result, bail};
use checks::fake_model::{FakeModel, Observer, Script};
use serde_json::{Value, json};

use crate::child::{Running, process_status};

/// How often a look is taken at what cannot be waited for.
const LOOK: Duration = Duration::from_micros(200);

/// A reply of a step: some words and one call, in the pieces in which providers send them.
fn step() -> Value {
    json!({
        "text": "I will look at the notes once more before I go on.", "split": 6,
        "calls": [{ "name": "read_file", "arguments": { "path": "notes.txt" }, "fragments": 5 }],
    })
}

/// A model that asks for a tool `steps` times and then stops. It waits at the requests of `stops`, counted from 1.
pub(crate) fn stepping(steps: usize, stops: &[usize], threads: Option<&Threads>) -> Result<FakeModel> {
    let mut replies: Vec<Value> = (0..steps).map(|_| step()).collect();
    replies.push(json!({ "text": "I know them.", "split": 6 }));
    for stop in stops {
        replies[stop - 1]["wait_for"] = gate(*stop).into();
    }
    serve(&json!({ "replies": replies }), threads.map(Threads::observer))
}

/// How the events of a long answer are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// Each is a write of its own; a client that is slower finds several at once.
    Alone,
    /// The server writes what its socket takes.
    Free,
    /// One a millisecond, so that each finds the client waiting.
    Ticking,
}

/// A model that says one thing in `count` deltas; the first byte waits.
pub(crate) fn streaming(count: usize, pace: Pace) -> Result<FakeModel> {
    if pace != Pace::Alone {
        let tick_ms = u64::from(pace == Pace::Ticking);
        let text = "word ".repeat(count);
        let reply = json!({ "text": text, "split": 5, "tick_ms": tick_ms, "wait_for": gate(1) });
        return serve(&json!({ "replies": [reply] }), None);
    }
    let event = |delta: Value, finish: Value| {
        let choice = json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish });
        let chunk = json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": "fake-model",
                            "choices": [choice] });
        format!("data: {chunk}\n\n")
    };
    let first = event(json!({ "role": "assistant", "content": "" }), Value::Null);
    let deltas = std::iter::repeat_n(event(json!({ "content": "word " }), Value::Null), count);
    let last = [event(json!({}), "stop".into()), "data: [DONE]\n\n".to_owned()];
    let (mut raw, mut split_at) = (String::new(), Vec::new());
    for event in [first].into_iter().chain(deltas).chain(last) {
        split_at.extend((!raw.is_empty()).then_some(raw.len()));
        raw.push_str(&event);
    }
    serve(&json!({ "replies": [{ "raw": raw, "split_at": split_at, "wait_for": gate(1) }] }), None)
}

fn serve(script: &Value, observer: Option<Observer>) -> Result<FakeModel> {
    let script = Script::parse(&script.to_string())?;
    Ok(FakeModel::serve(script, 0, observer)?)
}

fn gate(request: usize) -> String {
    format!("request-{request}")
}

/// Lets the model answer a request that it stops at.
pub(crate) fn go_on(model: &FakeModel, request: usize) {
    model.release(&gate(request));
}

/// Waits until so many requests have come.
///
/// # Errors
/// The contender ended before, with what it said.
pub(crate) fn wait_for(model: &FakeModel, requests: usize, running: &mut Running) -> Result<()> {
    while model.progress().0 < requests {
        if let Some(violation) = model.violations().first() {
            bail!("a request broke a rule: {violation}");
        }
        if running.has_ended()? {
            bail!("{} ended before its request {requests}", running.name());
        }
        std::thread::park_timeout(LOOK);
    }
    Ok(())
}

/// The most threads that a process was seen to have, looked at after each of its requests.
#[derive(Clone, Default)]
pub(crate) struct Threads {
    pid: Arc<AtomicI32>,
    most: Arc<AtomicU64>,
}

impl Threads {
    pub(crate) fn watch(&self, pid: i32) {
        self.pid.store(pid, Ordering::Relaxed);
    }

    pub(crate) fn most(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }

    fn observer(&self) -> Observer {
        let this = self.clone();
        Box::new(move |_, _| {
            let threads = process_status(this.pid.load(Ordering::Relaxed), "Threads").unwrap_or_default();
            this.most.fetch_max(threads, Ordering::Relaxed);
        })
    }
}
