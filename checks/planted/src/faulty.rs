//! A model adapter with one defect, chosen by its config.
use plugin_sdk::{
    contracts::llm::{BlockStart, Finish, Llm, LlmRequest, StreamChunk},
    *,
};
use serde::Deserialize;

pub(crate) struct Faulty {
    fault: String,
    _bomb: Option<Bomb>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    fault: String,
}

/// Something whose drop panics, or does not return.
enum Bomb {
    Panics,
    Hangs,
}

impl Drop for Bomb {
    #[expect(clippy::panic, reason = "that is the point")]
    fn drop(&mut self) {
        match self {
            Bomb::Panics => panic!("planted in a drop"),
            Bomb::Hangs => hang(),
        }
    }
}

fn hang() {
    loop {
        std::thread::park();
    }
}

impl Plugin for Faulty {
    type Config = Config;
    #[expect(clippy::panic, reason = "that is the point")]
    async fn create(_: Ctx, Config { fault }: Config) -> Result<Self> {
        match fault.as_str() {
            "create-panic" => panic!("planted in create"),
            "create-hang" => hang(),
            "create-wait" => {
                tracing::info!("waits in create");
                std::future::pending().await
            }
            "create-error" => {
                return Err(Error::new("NO_LUCK", "planted refusal").hint("take another plugin"));
            }
            _ => {}
        }
        let _bomb = match fault.as_str() {
            "value-panic" => Some(Bomb::Panics),
            "value-hang" => Some(Bomb::Hangs),
            _ => None,
        };
        Ok(Faulty { fault, _bomb })
    }

    #[expect(clippy::panic, reason = "that is the point")]
    fn session_closed(&self, _session: &str) {
        match self.fault.as_str() {
            "closed-panic" => panic!("planted in session_closed"),
            "closed-hang" => hang(),
            _ => {}
        }
    }

    #[expect(clippy::panic, reason = "that is the point")]
    async fn shutdown(&self) {
        match self.fault.as_str() {
            "shutdown-panic" => panic!("planted in shutdown"),
            "shutdown-wait" => std::future::pending().await,
            "shutdown-hang" => hang(),
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
            let _bomb = match fault.as_str() {
                "drop-panic" => Some(Bomb::Panics),
                "drop-hang" => Some(Bomb::Hangs),
                _ => None,
            };
            if fault == "stray-delta" {
                return out.send(text("stray")).await;
            }
            out.send(StreamChunk::BlockStart { index: 0, block: BlockStart::Text }).await;
            out.send(text("so far so good")).await;
            match fault.as_str() {
                "poll-panic" => panic!("planted in a poll"),
                "poll-hang" => hang(),
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
