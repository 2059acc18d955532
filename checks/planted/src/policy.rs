//! A turn policy that lets no step begin, for the reason its config gives.
use plugin_sdk::{
    contracts::turn_policy::{Enter, StepFacts, Stop, TurnFacts, TurnPolicy},
    *,
};
use serde::Deserialize;

pub(crate) struct No {
    code: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    code: String,
}

impl Plugin for No {
    type Config = Config;
    async fn create(_: Ctx, Config { code }: Config) -> Result<Self> {
        Ok(No { code })
    }
}

impl TurnPolicy for No {
    async fn before_step(&self, facts: StepFacts, _: &Cx) -> Result<Enter> {
        let message = format!("the policy does not let step {} begin", facts.step);
        Ok(Enter::Reject { code: self.code.clone(), message, hint: String::new(), resumable: false })
    }

    async fn before_stop(&self, _: TurnFacts, _: &Cx) -> Result<Stop> {
        Ok(Stop::Stop)
    }
}
