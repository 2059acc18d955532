//! A join of `tools` whose tools do what tools should not, and one that asks.
use contract::{ToolCall, ToolEvent, ToolList, ToolResult, ToolSchema, Tools};
pub(crate) use plugin_sdk::contracts::tools as contract;
use plugin_sdk::*;
use serde::Deserialize;
use serde_json::json;
use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

pub(crate) struct Odd;

impl Plugin for Odd {
    type Config = NoConfig;
    async fn create(_: Ctx, _: NoConfig) -> Result<Self> {
        Ok(Odd)
    }
}

const NAMES: [&str; 9] =
    ["ask", "ask_elsewhere", "panic", "hang", "deaf", "wait", "no_result", "two_results", "tell"];

impl Tools for Odd {
    async fn list(&self, _known: Option<String>, _cx: &Cx) -> Result<ToolList> {
        let schema =
            |name: &&str| ToolSchema::new(name, "Misbehaves.", r#"{"type":"object"}"#).map(|s| s.part());
        let tools = NAMES.iter().map(schema).collect::<Result<Parts>>()?;
        Ok(ToolList::Tools { generation: "1".into(), tools })
    }

    #[expect(clippy::panic, reason = "that is the point")]
    fn execute(&self, call: ToolCall, cx: Cx) -> impl Stream<Item = ToolEvent> + Send + 'static {
        emit(|out| async move {
            // A test that waits for the tool to have started watches for this.
            out.send(ToolEvent::Progress(format!("{} started", call.name))).await;
            match call.name.as_str() {
                "ask" => out.send(ToolEvent::Result(ask(&cx, 0).await)).await,
                "ask_elsewhere" => {
                    let asked = blocking(move || block_on(ask(&cx, 1))).await;
                    out.send(ToolEvent::Result(asked.unwrap_or_else(Into::into))).await;
                }
                "panic" => panic!("planted in a tool"),
                "hang" => loop {
                    std::thread::park();
                },
                "deaf" => std::future::pending().await,
                "wait" => {
                    cx.cancelled().await;
                    out.send(ToolEvent::Result(ToolResult::error("ABORTED", "Error: stopped waiting"))).await;
                }
                "two_results" => {
                    out.send(ToolEvent::Result(ToolResult::ok("first"))).await;
                    out.send(ToolEvent::Result(ToolResult::ok("second"))).await;
                }
                "tell" => {
                    let bursts: Vec<String> = serde_json::from_str(call.arguments_text())
                        .map(|Tell { bursts }| bursts)
                        .unwrap_or_default();
                    let text = bursts.concat();
                    for burst in bursts {
                        out.send(ToolEvent::Progress(burst)).await;
                    }
                    out.send(ToolEvent::Result(ToolResult::ok(text))).await;
                }
                _ => {}
            }
        })
    }
}

/// The arguments of `tell`: what it reports bit by bit, and answers in one piece.
#[derive(Deserialize)]
struct Tell {
    bursts: Vec<String>,
}

/// Waits on this thread, which no runtime knows.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let (mut future, waker) = (pin!(future), Waker::from(Arc::new(Unpark(thread::current()))));
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

async fn ask(cx: &Cx, timeout_ms: u64) -> ToolResult {
    let choice = |id: &str| Choice { id: id.into(), label: id.into() };
    let question = Question {
        id: "q1".into(),
        title: "May I?".into(),
        body: "The tool wants to go on.".into(),
        choices: vec![choice("yes"), choice("no")],
        timeout_ms,
        ..Question::default()
    };
    match cx.ask(&question).await {
        Ok(answer) => ToolResult::ok(json!(answer).to_string()),
        Err(error) => error.into(),
    }
}
