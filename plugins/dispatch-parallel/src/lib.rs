//! `dispatch-parallel`: the calls of one step side by side, at most so many at a time.
use futures_util::{StreamExt, stream};
use plugin_sdk::contracts::{
    dispatch::{self, CallEvent, Dispatch, not_started},
    tools::{self, ToolCall, ToolEvent},
};
use plugin_sdk::*;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    calls_max: usize,
}

struct Parallel {
    tools: tools::Client,
    config: Config,
}

impl Plugin for Parallel {
    type Config = Config;
    async fn create(ctx: Ctx, config: Config) -> Result<Self> {
        Ok(Parallel { tools: ctx.need::<tools::Contract>()?, config })
    }
}

impl Dispatch for Parallel {
    fn run(&self, calls: Vec<ToolCall>, cx: Cx) -> impl Stream<Item = CallEvent> + Send + 'static {
        let (tools, most) = (self.tools.clone(), self.config.calls_max);
        let running = calls.into_iter().zip(0..).map(move |(call, index)| {
            // Asked when the call's turn comes, not when the step began.
            let (tools, cx) = (tools.clone(), cx.clone());
            let events = stream::once(async move {
                if cx.is_cancelled() {
                    stream::iter([ToolEvent::Result(not_started())]).left_stream()
                } else {
                    tools.execute(&call, &cx).right_stream()
                }
            });
            Box::pin(events.flatten().map(move |event| CallEvent { index, event }))
        });
        stream::iter(running).flatten_unordered(most)
    }
}

export_plugins! {
    plugin "dispatch-parallel": Parallel {
        services: [provide dispatch],
        needs: [tools "^1" "add the tools row from checks/01-foundations/rows.yml"],
        config: include_str!("../config.schema.json"),
        runtime: none,
    }
}
