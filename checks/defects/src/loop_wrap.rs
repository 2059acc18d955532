//! What a loop may say wrong of its own run.
use crate::Config;
use plugin_sdk::contracts::agent_loop::{AgentLoop, Client, Contract, End, LoopEvent, RunRequest, TurnEnd};
use plugin_sdk::*;

pub(crate) struct Runs {
    below: Client,
    config: Config,
}

impl Plugin for Runs {
    type Config = Config;
    async fn create(ctx: Ctx, config: Config) -> Result<Self> {
        Ok(Runs { below: ctx.below::<Contract>()?, config })
    }
}

impl AgentLoop for Runs {
    fn run(&self, request: RunRequest, cx: Cx) -> impl Stream<Item = LoopEvent> + 'static {
        let (mut below, defect) = (self.below.run(&request, &cx), self.config.defect.clone());
        emit(|out| async move {
            while let Some(event) = next(&mut below).await {
                match event {
                    Ok(LoopEvent::End(end)) => out.send(LoopEvent::End(said(&defect, end))).await,
                    Ok(LoopEvent::Out(_)) if defect == "text-withheld" => {}
                    Ok(event) => out.send(event).await,
                    Err(error) => {
                        let end = End { message: error.message, ..End::default() };
                        out.send(LoopEvent::End(end)).await;
                    }
                }
            }
        })
    }
}

fn said(defect: &str, end: End) -> End {
    match (defect, end.status) {
        ("steps-miscounted", TurnEnd::Completed) => End { steps: end.steps + 1, ..end },
        ("last-usage-only", TurnEnd::Completed) => {
            let usage = Usage { output_tokens: end.usage.output_tokens / 2, ..end.usage };
            End { usage, ..end }
        }
        ("cap-without-code", TurnEnd::Blocked) => End { code: None, ..end },
        ("failure-as-completed", TurnEnd::Error) => End { status: TurnEnd::Completed, code: None, ..end },
        ("cap-as-completed", TurnEnd::Blocked) => End { status: TurnEnd::Completed, code: None, ..end },
        _ => end,
    }
}
