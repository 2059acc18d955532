//! A plugin that does what its config and the called method say, and the contract it serves: one of a third party.
use crate::host::{Lent, create, cx, object, wait};
use contracts::{BoxStream, Error, Part, Payload, Result, Serve, Shape, wire::Batch};
use futures_util::{StreamExt as _, stream};
use plugin_api::{FfiStream, RBatch, RChunk, RInstance, RResultE, RService};
use plugin_sdk::{
    Contract, Ctx, Cx, Plugin, Raw, contracts, contracts::wire::BoxFuture, glue::Provide, relay,
};
use serde::Deserialize;
use std::{future::poll_fn, panic::panic_any, sync::Arc, task::Poll};

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// Where in its life it panics, `""` for nowhere.
    panics: String,
    /// What it is refused with, `""` when it is not.
    refuses: String,
}

pub(crate) struct Probe {
    pub(crate) ctx: Ctx,
    panics: String,
}

fn boom(panics: &str, here: &str) {
    assert!(panics != here, "boom in {here}");
}

impl Plugin for Probe {
    type Config = Config;
    async fn create(ctx: Ctx, config: Config) -> Result<Self> {
        boom(&config.panics, "create");
        if config.refuses.is_empty() {
            Ok(Probe { ctx, panics: config.panics })
        } else {
            Err(Error::new("REFUSED", config.refuses).hint("ask nicely"))
        }
    }
    fn session_closed(&self, session: &str) {
        boom(&self.panics, "session_closed");
        tracing::info!("closed {session}");
    }
    fn handover(&self) -> Payload {
        boom(&self.panics, "handover");
        Payload::new(r#"{"kept":true}"#, Part::new("part").into())
    }
    async fn shutdown(&self) {
        boom(&self.panics, "shutdown");
        tracing::info!("shut down {}", self.ctx.row());
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        boom(&self.panics, "instance_drop");
    }
}

/// Panics when it is dropped.
pub(crate) struct Bomb(pub(crate) &'static str);

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            boom(self.0, self.0);
        }
    }
}

/// The contract: a method a way to fail.
pub(crate) struct Probing;

impl Contract for Probing {
    const NAME: &'static str = "probe";
    const VERSION: &'static str = "1.2.0";
    const METHODS: &'static [(&'static str, Shape)] = &[("echo", Shape::Call), ("count", Shape::Stream)];
    type Client = Raw;
}

fn chunks(range: std::ops::Range<u32>) -> impl Iterator<Item = Result<Batch>> {
    range.map(|n| Ok([RChunk::text(1, n, "")].into_iter().collect()))
}

impl Serve<Probe> for Probing {
    fn call(
        plugin: &Arc<Probe>,
        method: &str,
        payload: Payload,
        _: Cx,
    ) -> Option<BoxFuture<Result<Payload>>> {
        let plugin = Arc::clone(plugin);
        boom(method, "call");
        Some(match method {
            "echo" => Box::pin(async move { Ok(payload) }),
            "row" => Box::pin(async move {
                let seen = serde_json::json!([plugin.ctx.row(), plugin.ctx.handover().head.as_str()]);
                Ok(Payload::new(seen.to_string(), Default::default()))
            }),
            "fail" => Box::pin(async { Err(Error::new("NOPE", "it does not work").hint("try")) }),
            "spawn" => Box::pin(async {
                let name = tokio::spawn(async { std::thread::current().name().map(str::to_owned) }).await?;
                Ok(Payload::new(format!("on {}", name.unwrap_or_default()), Default::default()))
            }),
            "call_poll" => Box::pin(async {
                boom("call_poll", "call_poll");
                Ok(Payload::default())
            }),
            "call_later" => Box::pin(async {
                let mut again = true;
                poll_fn(|cx| {
                    cx.waker().wake_by_ref();
                    if std::mem::take(&mut again) { Poll::Pending } else { Poll::Ready(()) }
                })
                .await;
                boom("call_later", "call_later");
                Ok(Payload::default())
            }),
            "call_string" => Box::pin(async { panic_any(String::from("boom in call_string")) }),
            "call_number" => Box::pin(async { panic_any(7) }),
            "call_bomb" => Box::pin(async { panic_any(Bomb("call_bomb")) }),
            "call_done_drop" => {
                let bomb = Bomb("call_done_drop");
                let mut answer = Some(payload);
                Box::pin(poll_fn(move |_| {
                    let _ = &bomb;
                    Poll::Ready(answer.take().ok_or_else(|| Error::new("TWICE", "polled twice")))
                }))
            }
            "call_pending_drop" => {
                let bomb = Bomb("call_pending_drop");
                Box::pin(poll_fn(move |_| {
                    let _ = &bomb;
                    Poll::Pending
                }))
            }
            _ => return None,
        })
    }

    fn open(_: &Arc<Probe>, method: &str, _: Payload, _: Cx) -> Option<BoxStream<Result<Batch>>> {
        boom(method, "open");
        let error = Err(Error::new("NOPE", "it does not work"));
        Some(match method {
            "count" => Box::pin(stream::iter(chunks(0..3))),
            "error_and_on" => Box::pin(stream::iter(chunks(0..1).chain([error]).chain(chunks(1..3)))),
            "stream_poll" => Box::pin(stream::iter(chunks(0..3)).inspect(|batch| {
                let at = batch.as_ref().map_or(0, |batch| batch[0].index);
                boom(if at == 2 { "stream_poll" } else { "" }, "stream_poll");
            })),
            "relay_poll" => Box::pin(relay(|out| async move {
                for batch in chunks(0..2) {
                    out.send(batch).await;
                }
                boom("relay_poll", "relay_poll");
            })),
            "stream_drop" => {
                let bomb = Bomb("stream_drop");
                Box::pin(stream::iter(chunks(0..1)).inspect(move |_| {
                    let _ = &bomb;
                }))
            }
            _ => return None,
        })
    }
}

/// An instance that provides `probe`.
pub(crate) fn mount(config: &str) -> RInstance {
    create::<Probe, Provide<Probing>>(Lent::default(), config, false).into_result().unwrap()
}

/// One answer as text: its head, or its error.
pub(crate) fn call(service: &RService, method: &str) -> String {
    let answer = service.call(method.into(), Payload::new(r#"{"n":1}"#, Default::default()), cx());
    match wait(answer).into_result() {
        Ok(payload) => payload.head.into(),
        Err(error) => format!("{}: {}", error.code, error.message),
    }
}

pub(crate) fn next(stream: &mut FfiStream<RResultE<RBatch>>) -> Option<RResultE<RBatch>> {
    wait(poll_fn(|cx| stream.poll_next(cx)))
}

/// A stream as text, to the end and one poll beyond.
pub(crate) fn open(service: &RService, method: &str) -> String {
    let mut stream = service.open(method.into(), Payload::default(), cx());
    let mut items = Vec::new();
    while let Some(item) = next(&mut stream) {
        items.push(match item.into_result() {
            Ok(batch) => batch.iter().map(|chunk| chunk.index.to_string()).collect::<Vec<_>>().join(" "),
            Err(error) => format!("{}: {}", error.code, error.message),
        });
    }
    assert!(next(&mut stream).is_none(), "it has ended for good");
    items.join(" | ")
}

/// A call and a stream of an instance with nothing wrong.
pub(crate) fn exercise(instance: &RInstance) {
    let service = object(instance);
    assert_eq!(call(&service, "echo"), r#"{"n":1}"#);
    assert_eq!(open(&service, "count"), "0 | 1 | 2");
}
