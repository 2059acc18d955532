//! `policy-steps`: a turn ends once it has taken its most steps, and can be taken up again.
//!
//! The whole of it is in [`StepLimit::decide`]: how many steps a turn has taken is in the facts of each question, so nothing is counted here.
use contracts::turn_policy::{self, Enter, StepFacts, Stop, TurnFacts, TurnPolicy};
use plugin_sdk::*;
use serde::Deserialize;

/// What this limit is to whoever reads how a run ended.
const LIMIT: &str = "LIMIT_STEPS";

/// The row's `config`; `config.schema.json` says what each key means, and gives the defaults.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "described once, in the schema")]
pub struct Config {
    pub max_steps: u32,
}

/// The most steps of a turn.
#[derive(Debug)]
pub struct StepLimit {
    most: u32,
    row: String,
}

impl StepLimit {
    /// The limit of the row of that id.
    pub fn new(config: Config, row: &str) -> Self {
        StepLimit { most: config.max_steps, row: row.to_owned() }
    }

    /// What the policies below decided, unless they let a step begin that would be one too many.
    pub fn decide(&self, decided: Enter, facts: &StepFacts) -> Enter {
        let (taken, most) = (facts.totals.steps, self.most);
        if most == 0 || taken < most || matches!(decided, Enter::Reject { .. }) {
            return decided;
        }
        let steps = if most == 1 { "step" } else { "steps" };
        Enter::Reject {
            code: LIMIT.into(),
            message: format!("the turn has taken {taken} of {most} {steps}"),
            hint: format!("raise `max_steps` of the row `{}` to go on", self.row),
            resumable: true,
        }
    }
}

struct Steps {
    /// Whatever is mounted below, which may be nothing.
    below: turn_policy::Client,
    limit: StepLimit,
}

impl Plugin for Steps {
    type Config = Config;
    async fn create(ctx: Ctx, config: Config) -> Result<Self> {
        Ok(Steps { below: ctx.below::<turn_policy::Contract>()?, limit: StepLimit::new(config, ctx.row()) })
    }
}

impl TurnPolicy for Steps {
    async fn before_step(&self, facts: StepFacts, cx: &Cx) -> Result<Enter> {
        let decided = self.below.before_step(&facts, cx).await?;
        Ok(self.limit.decide(decided, &facts))
    }

    async fn before_stop(&self, facts: TurnFacts, cx: &Cx) -> Result<Stop> {
        self.below.before_stop(&facts, cx).await
    }
}

export_plugins! {
    plugin "policy-steps": Steps {
        services: [wrap turn_policy],
        config: include_str!("../config.schema.json"),
        runtime: none,
    }
}
