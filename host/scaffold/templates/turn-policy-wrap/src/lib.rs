//! `template-turn-policy-wrap`: adds to what the policies below decide.
//!
//! A wrap asks below first, and changes no answer that it does not care for: a step that was rejected stays rejected.
mod reminder;

use contracts::turn_policy::{self, Enter, StepFacts, Stop, TurnFacts, TurnPolicy};
use plugin_sdk::*;
pub use reminder::Reminder;
use serde::Deserialize;

/// The row's `config`; `config.schema.json` says what each key means, and gives the defaults.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "described once, in the schema")]
pub struct Config {
    pub at_step: u32,
    pub text: String,
}

struct Reminding {
    /// Whatever is mounted below, which may be nothing.
    below: turn_policy::Client,
    reminder: Reminder,
}

impl Plugin for Reminding {
    type Config = Config;
    async fn create(ctx: Ctx, config: Config) -> Result<Self> {
        Ok(Reminding { below: ctx.below::<turn_policy::Contract>()?, reminder: Reminder::new(config) })
    }
}

impl TurnPolicy for Reminding {
    async fn before_step(&self, facts: StepFacts, cx: &Cx) -> Result<Enter> {
        let decided = self.below.before_step(&facts, cx).await?;
        Ok(self.reminder.added_to(decided, &facts))
    }

    async fn before_stop(&self, facts: TurnFacts, cx: &Cx) -> Result<Stop> {
        self.below.before_stop(&facts, cx).await
    }
}

export_plugins! {
    plugin "template-turn-policy-wrap": Reminding {
        services: [wrap turn_policy],
        config: include_str!("../config.schema.json"),
        runtime: none,
    }
}
