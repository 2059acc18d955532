//! `template-loop-wrap`: stands before whatever drives the turns.
//!
//! Tasks go down as they are and events come up as they are; before the end comes a note.
mod noted;

use contracts::agent_loop::{self, AgentLoop, LoopEvent, RunRequest};
pub use noted::noted;
use plugin_sdk::*;
use serde::Deserialize;

/// The row's `config`; `config.schema.json` says what each key means, and gives the defaults.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    label: String,
}

struct Noting {
    /// Whatever is mounted below; looked up at each call, so a swap there is seen by the next one.
    below: agent_loop::Client,
    config: Config,
}

impl Plugin for Noting {
    type Config = Config;
    async fn create(ctx: Ctx, config: Config) -> Result<Self> {
        Ok(Noting { below: ctx.below::<agent_loop::Contract>()?, config })
    }
}

impl AgentLoop for Noting {
    fn run(&self, request: RunRequest, cx: Cx) -> impl Stream<Item = LoopEvent> + Send + 'static {
        noted(self.below.run(&request, &cx), self.config.label.clone(), cx)
    }
}

export_plugins! {
    plugin "template-loop-wrap": Noting {
        services: [wrap agent_loop],
        config: include_str!("../config.schema.json"),
        runtime: none,
    }
}
