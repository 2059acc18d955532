//! Two roles in one plugin: it wraps `llm` without changing a thing, and provides a `turn-policy` that says yes.
use plugin_sdk::{
    contracts::{
        llm::{self, Llm, LlmRequest, StreamChunk},
        turn_policy::{Enter, StepFacts, Stop, TurnFacts, TurnPolicy},
    },
    *,
};

pub(crate) struct Both(llm::Client);

impl Plugin for Both {
    type Config = NoConfig;
    async fn create(ctx: Ctx, _: NoConfig) -> Result<Self> {
        Ok(Both(ctx.below::<llm::Contract>()?))
    }
}

impl Llm for Both {
    fn stream(
        &self,
        request: LlmRequest,
        history: Parts,
        cx: Cx,
    ) -> impl Stream<Item = StreamChunk> + 'static {
        self.0.stream(&request, &history, &cx)
    }
}

impl TurnPolicy for Both {
    async fn before_step(&self, _: StepFacts, _: &Cx) -> Result<Enter> {
        Ok(Enter::Enter { inject: Vec::new() })
    }

    async fn before_stop(&self, _: TurnFacts, _: &Cx) -> Result<Stop> {
        Ok(Stop::Stop)
    }
}
