//! `loop-basic`: asks the model, runs the tools it asks for, and goes on until it has said all.
mod calls;
mod step;
mod turn;

use plugin_sdk::contracts::{
    agent_loop::{self, AgentLoop, LoopEvent, RunRequest},
    context, dispatch, llm, tools, turn_policy,
};
use plugin_sdk::*;
use serde::Deserialize;
use std::sync::Arc;
use turn::Turn;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    model: String,
    system: String,
    max_steps: u32,
    observation_bytes_max: usize,
    max_tokens: Option<u32>,
    temperature: Option<f64>,
}

/// The services a turn uses, and how.
struct Services {
    llm: llm::Client,
    tools: tools::Client,
    dispatch: dispatch::Client,
    policy: turn_policy::Client,
    context: context::Client,
    config: Config,
}

struct Basic(Arc<Services>);

impl Plugin for Basic {
    type Config = Config;
    async fn create(ctx: Ctx, config: Config) -> Result<Self> {
        Ok(Basic(Arc::new(Services {
            llm: ctx.need::<llm::Contract>()?,
            tools: ctx.need::<tools::Contract>()?,
            dispatch: ctx.need::<dispatch::Contract>()?,
            policy: ctx.need::<turn_policy::Contract>()?,
            context: ctx.need::<context::Contract>()?,
            config,
        })))
    }
}

impl AgentLoop for Basic {
    fn run(&self, request: RunRequest, cx: Cx) -> impl Stream<Item = LoopEvent> + Send + 'static {
        let services = Arc::clone(&self.0);
        emit(|out| async move {
            let end = Turn::new(services, cx, out.clone()).run(&request.task).await;
            out.send(LoopEvent::End(end)).await;
        })
    }
}

export_plugins! {
    plugin "loop-basic": Basic {
        services: [provide agent_loop],
        needs: [
            llm "^1" "add the llm-adapter row from checks/01-foundations/rows.yml",
            tools "^1" "add the tools row from checks/01-foundations/rows.yml",
        ],
        wants: [dispatch "^1", turn_policy "^1", context "^1"],
        commands: [run = agent_loop "run" "Works on a task"],
        config: include_str!("../config.schema.json"),
        runtime: none,
    }
}
