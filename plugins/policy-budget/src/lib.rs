//! `policy-budget`: what a turn may use, by steps, tool calls, tokens, money and time.
//!
//! `config` says how much of what, `price` what tokens cost, `limit` how a turn stands to each limit, `budget` what follows from that for its
//! next step. All of it is in the facts of the question: nothing is counted here.
mod budget;
mod config;
mod limit;
mod price;

pub use budget::{Budget, Verdict};
pub use config::Config;

use contracts::turn_policy::{self, Enter, StepFacts, Stop, TurnFacts, TurnPolicy};
use plugin_sdk::*;

struct Budgeted {
    /// Whatever is mounted below, which may be nothing.
    below: turn_policy::Client,
    budget: Budget,
    row: String,
}

impl Plugin for Budgeted {
    type Config = Config;
    async fn create(ctx: Ctx, config: Config) -> Result<Self> {
        let below = ctx.below::<turn_policy::Contract>()?;
        Ok(Budgeted { below, budget: Budget::new(config, ctx.row()), row: ctx.row().to_owned() })
    }
}

impl TurnPolicy for Budgeted {
    async fn before_step(&self, facts: StepFacts, cx: &Cx) -> Result<Enter> {
        let decided = self.below.before_step(&facts, cx).await?;
        let verdict = self.budget.judge(&facts);
        if let (Verdict::Warn(used), Enter::Enter { .. }) = (&verdict, &decided) {
            cx.note("warn", &format!("{}: the turn has used {used}, and the model is told so", self.row));
        }
        Ok(verdict.with(decided))
    }

    async fn before_stop(&self, facts: TurnFacts, cx: &Cx) -> Result<Stop> {
        self.below.before_stop(&facts, cx).await
    }
}

export_plugins! {
    plugin "policy-budget": Budgeted {
        services: [wrap turn_policy],
        config: include_str!("../config.schema.json"),
        runtime: none,
    }
}
