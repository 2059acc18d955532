//! A wrap of `llm` that speaks louder.
use plugin_sdk::contracts::llm::{Client, Contract, Llm, LlmRequest, StreamChunk};
use plugin_sdk::*;

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
    ) -> impl Stream<Item = StreamChunk> + 'static {
        let mut below = self.0.stream(&request, &history, &cx);
        emit(|out| async move {
            while let Some(mut chunk) = next(&mut below).await {
                if let StreamChunk::TextDelta { text, .. } = &mut chunk {
                    *text = text.to_uppercase();
                }
                out.send(chunk).await;
            }
        })
    }
}
