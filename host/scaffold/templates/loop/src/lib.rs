//! `template-loop`: the loop of an agent.
//!
//! What follows from what is in [`Turn`], which does no I/O: it takes a response, and says whether to run tools or to end. Here the two
//! services are asked, and the person is told.
mod turn;

use contracts::{
    agent_loop::{self, AgentLoop, End, LoopEvent, RunRequest},
    dispatch::not_started,
    llm::{self, Assembler, LlmRequest, Settings, StreamChunk},
    tools::{self, ToolCall, ToolList},
};
use plugin_sdk::*;
use serde::Deserialize;
use std::sync::Arc;
pub use turn::{Next, Turn};

/// The row's `config`; `config.schema.json` says what each key means, and gives the defaults.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    model: String,
    system: String,
    max_steps: u32,
}

/// What a run uses. A client looks up what is mounted at each call.
struct Services {
    llm: llm::Client,
    tools: tools::Client,
    config: Config,
}

struct SmallLoop(Arc<Services>);

impl Plugin for SmallLoop {
    type Config = Config;
    async fn create(ctx: Ctx, config: Config) -> Result<Self> {
        let (llm, tools) = (ctx.need::<llm::Contract>()?, ctx.need::<tools::Contract>()?);
        Ok(SmallLoop(Arc::new(Services { llm, tools, config })))
    }
}

impl AgentLoop for SmallLoop {
    fn run(&self, request: RunRequest, cx: Cx) -> impl Stream<Item = LoopEvent> + Send + 'static {
        let services = Arc::clone(&self.0);
        emit(|out| async move {
            let mut turn = Turn::new(&request.task, services.config.max_steps);
            let end = match services.steps(&mut turn, &cx, &out).await {
                Ok(end) => end,
                Err(error) => turn.failed(error),
            };
            out.send(LoopEvent::End(End { session: cx.session(), ..end })).await;
        })
    }
}

impl Services {
    /// # Errors
    /// Those of `tools.list`: everything else that fails is an end or an observation.
    async fn steps(&self, turn: &mut Turn, cx: &Cx, out: &Out<LoopEvent>) -> Result<End> {
        let request = self.request(cx).await?;
        loop {
            if let Some(end) = turn.limit() {
                return Ok(end);
            }
            let response = self.respond(&request, turn, cx, out).await;
            match turn.take(response) {
                Next::End(end) => return Ok(end),
                Next::Run(calls) => {
                    for call in calls {
                        self.answer(turn, &call, cx, out).await;
                    }
                }
            }
        }
    }

    /// What every request of the run begins with.
    async fn request(&self, cx: &Cx) -> Result<LlmRequest> {
        let tools = match self.tools.list(None, cx).await? {
            ToolList::Tools { tools, .. } => tools,
            ToolList::Unchanged => Parts::new(),
        };
        let settings = Settings { model: self.config.model.clone(), ..Settings::default() };
        Ok(LlmRequest { settings, tools, system: Some(Part::new(self.config.system.as_str())) })
    }

    /// One request. Text goes to the person as it comes; everything goes into the assembler, which joins what came in pieces.
    async fn respond(&self, request: &LlmRequest, turn: &Turn, cx: &Cx, out: &Out<LoopEvent>) -> Assembler {
        let mut response = Assembler::default();
        let mut chunks = self.llm.stream(request, turn.history(), cx);
        while let Some(chunk) = next(&mut chunks).await {
            if let StreamChunk::TextDelta { text, .. } = &chunk {
                out.send(LoopEvent::Out(text.clone())).await;
            }
            response.push(chunk);
        }
        response
    }

    /// Runs a call, if it may run. Whatever happens, it is answered.
    async fn answer(&self, turn: &mut Turn, call: &ToolCall, cx: &Cx, out: &Out<LoopEvent>) {
        let text = format!("→ {} {}", call.name, truncate::keep_chars(call.arguments_text(), 100));
        out.send(LoopEvent::Note { level: "info".into(), text }).await;
        let result = match Turn::refusal(call) {
            Some(refusal) => refusal,
            None if cx.is_cancelled() => not_started(),
            None => self.tools.result(call, cx).await,
        };
        turn.observe(call, result);
    }
}

export_plugins! {
    plugin "template-loop": SmallLoop {
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
