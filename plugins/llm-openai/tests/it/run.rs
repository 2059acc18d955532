//! What the tests stand on in place of a host: a run, its token, and one exchange from a config to a transcript.
use crate::{server::Server, transcript::Transcript};
use contracts::{
    Cx, Message, Parts,
    llm::{Llm as _, LlmRequest, StreamChunk},
};
use llm_openai::OpenAi;
use plugin_api::{
    CallCx, FfiFuture, RCancel, RError, RPayload, RResultE, RRun, Run, Token, TraceCx,
    abi_stable::std_types::{RErr, ROption, RStr, RString},
};
use plugin_sdk::{Stream, contracts, next};
use serde_json::{Value, json};
use std::{
    pin::Pin,
    time::{Duration, Instant},
};

/// The key of every test.
pub(crate) const KEY: &str = "dummy-key-0000";
/// A response of one word.
pub(crate) const OK: &[u8] = b"data: {\"choices\":[{\"delta\":{\"content\":\"ok\"}}]}\n\ndata: [DONE]\n\n";

/// A run that nobody listens to, on tokio's timer.
#[derive(Clone, Copy)]
struct Nobody(Instant);

impl Run for Nobody {
    fn session(&self) -> RString {
        "test".into()
    }
    fn parent(&self) -> ROption<RString> {
        ROption::RNone
    }
    fn child(&self, _: RStr<'_>) -> RRun {
        RRun::new(*self)
    }
    fn emit(&self, _: RStr<'_>, _: RPayload) {}
    fn ask(&self, _: RPayload) -> FfiFuture<RResultE<RPayload>> {
        FfiFuture::ready(RErr(RError::new(plugin_api::run::NO_ONE_TO_ASK, "nobody is there")))
    }
    fn now_ns(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap()
    }
    fn sleep(&self, ns: u64) -> FfiFuture<()> {
        FfiFuture::new(async move { tokio::time::sleep(Duration::from_nanos(ns)).await })
    }
}

/// The context of a call, and its token.
pub(crate) fn cx() -> (Cx, RCancel) {
    cx_traced(TraceCx::default())
}

pub(crate) fn cx_traced(trace: TraceCx) -> (Cx, RCancel) {
    let (cancel, run) = (Token::root(), RRun::new(Nobody(Instant::now())));
    (CallCx { cancel: cancel.clone(), deadline_ns: 0, trace, run, ext: "".into() }.into(), cancel)
}

/// An adapter of that config; the base URL is the server's where the config names none.
pub(crate) fn adapter(server: &Server, config: Value) -> OpenAi {
    let mut all = json!({ "base_url": server.base_url(), "model": "m", "api_key": KEY });
    all.as_object_mut().unwrap().extend(config.as_object().unwrap().clone());
    mounted(all).unwrap()
}

/// An adapter of exactly that config.
pub(crate) fn mounted(config: Value) -> contracts::Result<OpenAi> {
    OpenAi::new(serde_json::from_value(config).unwrap())
}

/// A response, chunk by chunk.
pub(crate) struct Chunks(Pin<Box<dyn Stream<Item = StreamChunk> + Send>>);

impl Chunks {
    pub(crate) fn open(adapter: &OpenAi, request: LlmRequest, history: Parts, cx: Cx) -> Self {
        Chunks(Box::pin(adapter.stream(request, history, cx)))
    }

    pub(crate) async fn next(&mut self) -> Option<StreamChunk> {
        tokio::time::timeout(Duration::from_secs(30), next(&mut self.0)).await.expect("a chunk within 30 s")
    }

    /// The rest of it.
    pub(crate) async fn transcript(mut self) -> Transcript {
        let mut transcript = Transcript::default();
        while let Some(chunk) = self.next().await {
            transcript.push(chunk);
        }
        transcript.ended()
    }
}

/// One whole exchange: "go" is all that is said.
pub(crate) async fn ask(adapter: &OpenAi) -> Transcript {
    ask_with(adapter, LlmRequest::default(), Message::user("go").part().into()).await
}

pub(crate) async fn ask_with(adapter: &OpenAi, request: LlmRequest, history: Parts) -> Transcript {
    Chunks::open(adapter, request, history, cx().0).transcript().await
}
