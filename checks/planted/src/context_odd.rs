//! A context service that plans, as its config says, one thing of each kind, or a stretch that is not there.
use plugin_sdk::{
    contracts::context::{Context, Facts, Plan, Replace},
    *,
};
use serde::Deserialize;

pub(crate) struct OddContext(Config);

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    system: Option<String>,
    append: Option<String>,
    overflow: bool,
    bad_span: bool,
}

fn message(text: String) -> Part {
    Message { source: Some("context-odd".into()), ..Message::user(text) }.part()
}

impl Plugin for OddContext {
    type Config = Config;
    async fn create(_: Ctx, config: Config) -> Result<Self> {
        Ok(OddContext(config))
    }
}

impl Context for OddContext {
    async fn prepare(&self, facts: Facts, history: Parts, _: &Cx) -> Result<Plan> {
        let config = &self.0;
        let len = history.len() as u64;
        let replace = if config.bad_span {
            Some(Replace { from_seq: 0, to_seq: len + 1, with: message("never seen".into()) })
        } else if config.overflow && facts.overflow && len > 1 {
            // All but the task: what stays answers no call that is gone.
            let with = message(format!("summary of {} messages", len - 1));
            Some(Replace { from_seq: 1, to_seq: len, with })
        } else {
            None
        };
        let append = config.append.clone().filter(|_| facts.step == 1 && !facts.overflow);
        Ok(Plan {
            system: config.system.as_deref().map(Part::new),
            append: append.map(message).into_iter().collect(),
            replace,
        })
    }
}
