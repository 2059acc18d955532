//! A model that asks for the clock so many times and reads nothing of what it is told.
use plugin_sdk::{
    contracts::llm::{BlockStart, Finish, Llm, LlmRequest, StreamChunk},
    *,
};
use serde::Deserialize;

/// What a step adds to a history: what the model said, and what the tool answered.
const MESSAGES_A_STEP: usize = 2;

pub(crate) struct Asking(Config);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    steps: usize,
}

impl Plugin for Asking {
    type Config = Config;
    async fn create(_: Ctx, config: Config) -> Result<Self> {
        Ok(Asking(config))
    }
}

impl Llm for Asking {
    fn stream(
        &self,
        _: LlmRequest,
        history: Parts,
        _: Cx,
    ) -> impl Stream<Item = StreamChunk> + Send + 'static {
        let steps = history.len() / MESSAGES_A_STEP;
        let asks = steps < self.0.steps;
        emit(move |out| async move {
            let (block, finish) = if asks {
                let (id, name) = (format!("call-{steps}"), "clock".to_owned());
                (BlockStart::ToolCall { id, name }, Finish::ToolCalls)
            } else {
                (BlockStart::Text, Finish::Stop)
            };
            out.send(StreamChunk::BlockStart { index: 0, block }).await;
            let text = |text: &str| text.to_owned();
            out.send(if asks {
                StreamChunk::ToolCallDelta { index: 0, arguments: text("{}") }
            } else {
                StreamChunk::TextDelta { index: 0, text: text("late") }
            })
            .await;
            out.send(StreamChunk::BlockEnd { index: 0, block: None }).await;
            out.send(StreamChunk::Finish(finish)).await;
        })
    }
}
