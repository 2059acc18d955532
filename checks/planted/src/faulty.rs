//! A model adapter with one defect, chosen by its config.
use plugin_sdk::{
    contracts::llm::{BlockStart, Finish, Llm, LlmRequest, StreamChunk},
    *,
};
use serde::Deserialize;

pub(crate) struct Faulty {
    fault: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    fault: String,
}

/// Something whose drop panics.
struct Bomb;

impl Drop for Bomb {
    #[expect(clippy::panic, reason = "that is the point")]
    fn drop(&mut self) {
        panic!("planted in a drop");
    }
}

impl Plugin for Faulty {
    type Config = Config;
    #[expect(clippy::panic, reason = "that is the point")]
    async fn create(_: Ctx, Config { fault }: Config) -> Result<Self> {
        match fault.as_str() {
            "create-panic" => panic!("planted in create"),
            "create-hang" => loop {
                std::thread::park();
            },
            "create-wait" => {
                tracing::info!("waits in create");
                std::future::pending().await
            }
            "create-error" => Err(Error::new("NO_LUCK", "planted refusal").hint("take another plugin")),
            _ => Ok(Faulty { fault }),
        }
    }

    async fn shutdown(&self) {
        match self.fault.as_str() {
            "shutdown-wait" => std::future::pending().await,
            "shutdown-hang" => loop {
                std::thread::park();
            },
            _ => {}
        }
    }
}

impl Llm for Faulty {
    #[expect(clippy::panic, reason = "that is the point")]
    fn stream(
        &self,
        _request: LlmRequest,
        _history: Parts,
        _cx: Cx,
    ) -> impl Stream<Item = StreamChunk> + Send + 'static {
        let fault = self.fault.clone();
        if fault == "call-panic" {
            panic!("planted in a call");
        }
        emit(|out| async move {
            let text = |text: &str| StreamChunk::TextDelta { index: 0, text: text.into() };
            let finish = || StreamChunk::Finish(Finish::Stop);
            let _bomb = (fault == "drop-panic").then(|| Bomb);
            if fault == "stray-delta" {
                return out.send(text("stray")).await;
            }
            out.send(StreamChunk::BlockStart { index: 0, block: BlockStart::Text }).await;
            out.send(text("so far so good")).await;
            match fault.as_str() {
                "poll-panic" => panic!("planted in a poll"),
                "poll-hang" => loop {
                    std::thread::park();
                },
                "silent" => std::future::pending().await,
                "no-finish" => return,
                _ => {}
            }
            out.send(StreamChunk::BlockEnd { index: 0, block: None }).await;
            out.send(finish()).await;
            if fault == "two-finishes" {
                out.send(finish()).await;
            }
        })
    }
}
