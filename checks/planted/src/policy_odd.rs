//! A turn policy that does, at one place each, everything that a policy may do.
use plugin_sdk::{
    contracts::turn_policy::{Enter, StepFacts, Stop, TurnFacts, TurnPolicy},
    *,
};
use serde::Deserialize;

pub(crate) struct OddPolicy(Config);

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    inject_before_step: Option<String>,
    continue_times: u32,
    reject_at_step: Option<u32>,
    fail: Option<Place>,
    panic: Option<Place>,
    hang: Option<Place>,
}

/// Where it fails.
#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Place {
    BeforeStep,
    BeforeStop,
}

impl OddPolicy {
    #[expect(clippy::panic, reason = "that is the point")]
    fn fail_at(&self, place: Place) -> Result<()> {
        let here = Some(place);
        if self.0.panic == here {
            panic!("planted in a policy");
        }
        if self.0.hang == here {
            loop {
                std::thread::park();
            }
        }
        if self.0.fail == here {
            return Err(Error::new("NO_MOOD", "planted failure of the policy").hint("take another policy"));
        }
        Ok(())
    }
}

fn message(text: String) -> Vec<Part> {
    vec![Message { source: Some("policy-odd".into()), ..Message::user(text) }.part()]
}

impl Plugin for OddPolicy {
    type Config = Config;
    async fn create(_: Ctx, config: Config) -> Result<Self> {
        Ok(OddPolicy(config))
    }
}

impl TurnPolicy for OddPolicy {
    async fn before_step(&self, facts: StepFacts, _: &Cx) -> Result<Enter> {
        self.fail_at(Place::BeforeStep)?;
        if self.0.reject_at_step == Some(facts.step) {
            let message = format!("the policy does not let step {} begin", facts.step);
            return Ok(Enter::Reject {
                code: "NOT_NOW".into(),
                message,
                hint: "wait".into(),
                resumable: true,
            });
        }
        let text = self.0.inject_before_step.clone().filter(|_| facts.step == 1);
        Ok(Enter::Enter { inject: text.map(message).unwrap_or_default() })
    }

    async fn before_stop(&self, facts: TurnFacts, _: &Cx) -> Result<Stop> {
        self.fail_at(Place::BeforeStop)?;
        if facts.continues >= self.0.continue_times {
            return Ok(Stop::Stop);
        }
        Ok(Stop::Continue { inject: message(format!("go on after `{}`", facts.text)) })
    }
}
