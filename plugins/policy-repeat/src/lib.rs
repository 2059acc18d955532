//! `policy-repeat`: a model that makes the same calls again and again, to the same results, is told so, and then stopped.
//!
//! `cycle` finds the repetition at the end of a list, `guard` decides what to do about it. Both know only the facts of a question.
mod cycle;
mod guard;

pub use cycle::{Cycle, last_cycle};
pub use guard::{Guard, Verdict};

use contracts::turn_policy::{self, Enter, StepFacts, Stop, TurnFacts, TurnPolicy};
use plugin_sdk::*;
use serde::Deserialize;

/// The row's `config`; `config.schema.json` says what each key means, and gives the defaults.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "described once, in the schema")]
pub struct Config {
    pub nudge_at: usize,
    pub block_at: usize,
    pub cycle_calls_max: usize,
    pub ignore: Vec<String>,
}

struct Repeat {
    /// Whatever is mounted below, which may be nothing.
    below: turn_policy::Client,
    guard: Guard,
    row: String,
}

impl Plugin for Repeat {
    type Config = Config;
    async fn create(ctx: Ctx, config: Config) -> Result<Self> {
        let below = ctx.below::<turn_policy::Contract>()?;
        Ok(Repeat { below, guard: Guard::new(config)?, row: ctx.row().to_owned() })
    }
}

impl TurnPolicy for Repeat {
    async fn before_step(&self, facts: StepFacts, cx: &Cx) -> Result<Enter> {
        let decided = self.below.before_step(&facts, cx).await?;
        let verdict = self.guard.judge(&facts);
        if let (Some(text), Enter::Enter { .. }) = (self.note(&verdict), &decided) {
            cx.note("warn", &text);
        }
        Ok(self.guard.decide(decided, &verdict))
    }

    async fn before_stop(&self, facts: TurnFacts, cx: &Cx) -> Result<Stop> {
        self.below.before_stop(&facts, cx).await
    }
}

impl Repeat {
    /// What the person is told beside the run.
    fn note(&self, verdict: &Verdict) -> Option<String> {
        let row = &self.row;
        match verdict {
            Verdict::Fine | Verdict::Block(_) => None,
            Verdict::Blind => Some(format!(
                "{row}: the loop does not say which calls were made, so repeated ones go unseen"
            )),
            Verdict::Nudge(said) => Some(format!("{row}: the model has made {said}, and is told so")),
        }
    }
}

export_plugins! {
    plugin "policy-repeat": Repeat {
        services: [wrap turn_policy],
        config: include_str!("../config.schema.json"),
        runtime: none,
    }
}
