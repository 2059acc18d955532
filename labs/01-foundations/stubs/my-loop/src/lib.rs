//! `stub-loop`: your loop, one task in, the events of a run out.
//!
//! The frame below is complete. Yours to write is [`Services::turn`] in `turn.rs`.

pub mod turn;

use std::sync::Arc;

use contracts::{
    agent_loop::{self, AgentLoop, End, LoopEvent, RunRequest, TurnEnd},
    llm, tools,
};
use plugin_sdk::*;
use serde::Deserialize;

/// The row's `config`; the schema says what each key means.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "described once, in the schema")]
pub struct Config {
    pub model: String,
    pub system: String,
    pub max_steps: u32,
}

/// What a turn works with. A client looks up what is mounted at each call, so a swapped row needs no change here.
pub struct Services {
    /// The model.
    pub llm: llm::Client,
    /// The tools.
    pub tools: tools::Client,
    /// The row.
    pub config: Config,
}

/// One mounted row.
pub struct MyLoop(Arc<Services>);

impl Plugin for MyLoop {
    type Config = Config;
    async fn create(ctx: Ctx, config: Config) -> Result<Self> {
        let (llm, tools) = (ctx.need::<llm::Contract>()?, ctx.need::<tools::Contract>()?);
        Ok(MyLoop(Arc::new(Services { llm, tools, config })))
    }
}

impl AgentLoop for MyLoop {
    fn run(&self, request: RunRequest, cx: Cx) -> impl Stream<Item = LoopEvent> + Send + 'static {
        let services = Arc::clone(&self.0);
        emit(|out| async move {
            // Every way out has a name, an error too.
            let end = services.turn(&request.task, &cx, &out).await.unwrap_or_else(|error| {
                let status = if cx.is_cancelled() { TurnEnd::Aborted } else { TurnEnd::Error };
                let code = Some(error.code.into_owned());
                End { status, code, message: error.message, hint: error.hint, ..End::default() }
            });
            out.send(LoopEvent::End(End { session: cx.session(), ..end })).await;
        })
    }
}

export_plugins! {
    plugin "stub-loop": MyLoop {
        services: [provide agent_loop],
        needs: [
            llm "^1" "add the llm-adapter row from checks/01-foundations/rows.yml",
            tools "^1" "add the tools row from checks/01-foundations/rows.yml",
        ],
        commands: [run = agent_loop "run" "Works on a task"],
        config: include_str!("../config.schema.json"),
        runtime: none,
    }
}
