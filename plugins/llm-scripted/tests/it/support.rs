//! A run for the tests, requests made by hand, and responses as text.
use contracts::{
    Block, Cx, Message, Part, Parts,
    llm::{Assembler, BlockStart, Finish, Invariant, Llm as _, LlmRequest, Settings, StreamChunk},
    tools::{ToolResult, ToolSchema},
};
use llm_scripted::{Config, Scripted};
use plugin_api::{
    CallCx, FfiFuture, RCancel, RError, RPayload, RResultE, RRun, Run, Token, TraceCx,
    abi_stable::std_types::{RErr, ROption, RStr, RString},
};
use plugin_sdk::{Stream, contracts};
use serde_json::{Value, json};
use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst},
    },
    task::{Context, Poll, Wake, Waker},
};

/// A run whose clock stands still until somebody sleeps, which then takes no time; or for ever, when it is `frozen`.
#[derive(Clone, Default)]
pub(crate) struct TestRun {
    pub(crate) slept_ns: Arc<AtomicU64>,
    pub(crate) frozen: bool,
}

impl Run for TestRun {
    fn session(&self) -> RString {
        "test".into()
    }
    fn parent(&self) -> ROption<RString> {
        ROption::RNone
    }
    fn child(&self, _: RStr<'_>) -> RRun {
        RRun::new(self.clone())
    }
    fn emit(&self, _: RStr<'_>, _: RPayload) {}
    fn ask(&self, _: RPayload) -> FfiFuture<RResultE<RPayload>> {
        FfiFuture::ready(RErr(RError::new(plugin_api::run::NO_ONE_TO_ASK, "nobody is there")))
    }
    fn now_ns(&self) -> u64 {
        self.slept_ns.load(SeqCst)
    }
    fn sleep(&self, ns: u64) -> FfiFuture<()> {
        if self.frozen {
            return FfiFuture::new(std::future::pending());
        }
        self.slept_ns.fetch_add(ns, SeqCst);
        FfiFuture::ready(())
    }
}

/// The context of a call in that run, and its token.
pub(crate) fn cx(run: &TestRun) -> (Cx, RCancel) {
    let cancel = Token::root();
    let run = RRun::new(run.clone());
    let call =
        CallCx { cancel: cancel.clone(), deadline_ns: 0, trace: TraceCx::default(), run, ext: "".into() };
    (call.into(), cancel)
}

/// Counts how often it was woken.
#[derive(Default)]
pub(crate) struct Woken(pub(crate) AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

/// A stream, polled by hand.
pub(crate) struct Polled {
    stream: Pin<Box<dyn Stream<Item = StreamChunk> + Send>>,
    rules: Invariant,
    pub(crate) woken: Arc<Woken>,
}

impl Polled {
    pub(crate) fn open(model: &Scripted, request: LlmRequest, history: &Parts, cx: Cx) -> Self {
        let stream = Box::pin(model.stream(request, history.clone(), cx));
        Polled { stream, rules: Invariant::default(), woken: Arc::default() }
    }

    /// The next chunk, when it is there.
    pub(crate) fn one(&mut self) -> Option<StreamChunk> {
        let waker = Waker::from(Arc::clone(&self.woken));
        match self.stream.as_mut().poll_next(&mut Context::from_waker(&waker)) {
            Poll::Ready(Some(chunk)) => {
                self.rules.check(&chunk).unwrap();
                Some(chunk)
            }
            Poll::Ready(None) | Poll::Pending => None,
        }
    }

    /// The chunks that are there now, each checked against the rules.
    pub(crate) fn ready(&mut self) -> Vec<StreamChunk> {
        let waker = Waker::from(Arc::clone(&self.woken));
        let mut chunks = Vec::new();
        while let Poll::Ready(chunk) = self.stream.as_mut().poll_next(&mut Context::from_waker(&waker)) {
            let Some(chunk) = chunk else {
                self.rules.ended().unwrap();
                break;
            };
            self.rules.check(&chunk).unwrap();
            chunks.push(chunk);
        }
        chunks
    }
}

/// A model of a script as YAML text.
pub(crate) fn model(script: &str) -> Scripted {
    Scripted::new(config(&json!({ "script": script }))).unwrap()
}

pub(crate) fn config(config: &Value) -> Config {
    serde_json::from_value(config.clone()).unwrap()
}

/// A request that offers tools of these names.
pub(crate) fn request(tools: &[&str]) -> LlmRequest {
    let tool = |name: &&str| ToolSchema::new(name, "", r#"{"type":"object"}"#).unwrap().part();
    LlmRequest { settings: Settings::default(), tools: tools.iter().map(tool).collect(), system: None }
}

pub(crate) fn user(text: &str) -> Part {
    Message::user(text).part()
}

pub(crate) fn result(call_id: &str, result: ToolResult) -> Part {
    result.message(call_id).part()
}

/// The whole response to a request, in a run that is never cancelled.
pub(crate) fn respond(model: &Scripted, request: &LlmRequest, history: &Parts) -> Assembler {
    let mut response = Assembler::default();
    let mut polled = Polled::open(model, request.clone(), history, cx(&TestRun::default()).0);
    for chunk in polled.ready() {
        response.push(chunk);
    }
    assert!(response.finish().is_some(), "the response does not end");
    response
}

/// A response as text, a line a block and one for the end.
pub(crate) fn shown(response: Assembler) -> String {
    let (usage, finish) = (response.usage(), response.finish().cloned());
    let mut lines: Vec<String> = response.into_blocks().iter().map(shown_block).collect();
    if let Some(usage) = usage {
        lines.push(format!("usage {}", serde_json::to_string(&usage).unwrap()));
    }
    lines.push(finish.as_ref().map_or("no end".into(), shown_finish));
    lines.join("\n") + "\n"
}

fn shown_block(block: &Block) -> String {
    match block {
        Block::Text { text } => format!("text {text:?}"),
        Block::Reasoning { text, adapter, .. } => format!("reasoning of {adapter} {text:?}"),
        Block::ToolCall { id, name, arguments } => format!("call {id} {name} {arguments}"),
        other => format!("{other:?}"),
    }
}

fn shown_finish(finish: &Finish) -> String {
    match finish {
        Finish::Aborted { failure } => format!("aborted {}: {}", failure.code, failure.message),
        Finish::Error { failure } => {
            let mut known = serde_json::to_value(failure).unwrap();
            let rest = known.as_object_mut().unwrap();
            rest.retain(|key, _| !["code", "message"].contains(&key.as_str()));
            let rest = if rest.is_empty() { String::new() } else { format!(" {known}") };
            format!("error {}: {}{rest}", failure.code, failure.message)
        }
        finish => serde_json::to_value(finish).unwrap()["reason"].as_str().unwrap().to_owned(),
    }
}

/// A chunk as a line of text.
pub(crate) fn shown_chunk(chunk: &StreamChunk) -> String {
    match chunk {
        StreamChunk::BlockStart { index, block } => match block {
            BlockStart::Text => format!("{index} text"),
            BlockStart::Reasoning { adapter } => format!("{index} reasoning of {adapter}"),
            BlockStart::ToolCall { id, name } => format!("{index} call {id} {name}"),
        },
        StreamChunk::TextDelta { index, text }
        | StreamChunk::ReasoningDelta { index, text }
        | StreamChunk::ToolCallDelta { index, arguments: text } => format!("{index} + {text:?}"),
        StreamChunk::BlockEnd { index, .. } => format!("{index} end"),
        StreamChunk::Usage(usage) => format!("usage {}", serde_json::to_string(usage).unwrap()),
        StreamChunk::Finish(finish) => shown_finish(finish),
        other => format!("{other:?}"),
    }
}
