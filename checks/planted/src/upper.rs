//! A wrap of `llm` that speaks louder.
use plugin_sdk::{
    contracts::llm::{Client, Contract, Llm, LlmRequest, StreamChunk},
    *,
};

pub(crate) struct Upper(Client);

impl Plugin for Upper {
    type Config = NoConfig;
    async fn create(ctx: Ctx, _: NoConfig) -> Result<Self> {
        Ok(Upper(ctx.below::<Contract>()?))
    }
}

impl Llm for Upper {
    fn stream(
        &self,
        request: LlmRequest,
        history: Parts,
        cx: Cx,
    ) -> impl Stream<Item = StreamChunk> + Send + 'static {
        let mut below = self.0.stream(&request, &history, &cx);
        emit(|out| async move {
            while let Some(chunk) = next(&mut below).await {
                let chunk = match chunk {
                    StreamChunk::TextDelta { index, text } => {
                        StreamChunk::TextDelta { index, text: text.to_uppercase() }
                    }
                    other => other,
                };
                out.send(chunk).await;
            }
        })
    }
}
