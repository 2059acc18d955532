//! `template-turn-policy`: whether a turn may take its next step.
//!
//! A policy keeps no counters: what a turn has used so far is in the facts of each question, derived from its log.
use contracts::turn_policy::{self, Enter, StepFacts, Stop, TurnFacts, TurnPolicy};
use plugin_sdk::*;
use serde::Deserialize;

/// A code that begins with `LIMIT_` is a limit to whoever reads how a run ended.
const LIMIT: &str = "LIMIT_TOOL_CALLS";

/// The row's `config`; `config.schema.json` says what each key means, and gives the defaults.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "described once, in the schema")]
pub struct Config {
    pub tool_calls_max: u32,
}

/// One mounted row.
#[derive(Debug)]
pub struct CallLimit(Config);

impl CallLimit {
    /// The policy of a row.
    pub fn new(config: Config) -> Self {
        CallLimit(config)
    }
}

impl Plugin for CallLimit {
    type Config = Config;
    async fn create(_: Ctx, config: Config) -> Result<Self> {
        Ok(CallLimit::new(config))
    }
}

impl TurnPolicy for CallLimit {
    async fn before_step(&self, facts: StepFacts, _: &Cx) -> Result<Enter> {
        let (made, most) = (facts.totals.tool_calls, self.0.tool_calls_max);
        if made < most {
            return Ok(Enter::Enter { inject: Vec::new() });
        }
        let message = format!("the turn has made {made} tool calls, and {most} are the most");
        let hint = "raise `tool_calls_max` of this row".to_owned();
        // Nothing is lost: with a higher limit it can go on from here.
        Ok(Enter::Reject { code: LIMIT.into(), message, hint, resumable: true })
    }

    async fn before_stop(&self, _: TurnFacts, _: &Cx) -> Result<Stop> {
        Ok(Stop::Stop)
    }
}

export_plugins! {
    plugin "template-turn-policy": CallLimit {
        services: [provide turn_policy],
        config: include_str!("../config.schema.json"),
        runtime: none,
    }
}
