//! `template-tools-wrap`: calls pass here before they reach a tool, and some do not pass.
//!
//! A wrap stands before all rows below it, whatever they are. What it does not care for it forwards as it is.
mod rule;

use contracts::tools::{self, ToolCall, ToolEvent, ToolList, Tools};
use plugin_sdk::*;
pub use rule::Rule;
use serde::Deserialize;
use std::sync::Arc;

/// The row's `config`; `config.schema.json` says what each key means, and gives the defaults.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "described once, in the schema")]
pub struct Config {
    pub refused: Vec<String>,
}

struct Guarded {
    /// Whatever is mounted below; looked up at each call, so a swap there is seen by the next one.
    below: tools::Client,
    rule: Arc<Rule>,
}

impl Plugin for Guarded {
    type Config = Config;
    async fn create(ctx: Ctx, config: Config) -> Result<Self> {
        Ok(Guarded { below: ctx.below::<tools::Contract>()?, rule: Arc::new(Rule::new(config)) })
    }
}

impl Tools for Guarded {
    async fn list(&self, known: Option<String>, cx: &Cx) -> Result<ToolList> {
        self.below.list(known, cx).await
    }

    fn execute(&self, call: ToolCall, cx: Cx) -> impl Stream<Item = ToolEvent> + Send + 'static {
        let (below, rule) = (self.below.clone(), Arc::clone(&self.rule));
        emit(|out| async move {
            if let Some(refusal) = rule.refusal(&call) {
                return out.send(ToolEvent::Result(refusal)).await;
            }
            let mut events = below.execute(&call, &cx);
            while let Some(event) = next(&mut events).await {
                out.send(event).await;
            }
        })
    }
}

export_plugins! {
    plugin "template-tools-wrap": Guarded {
        services: [wrap tools],
        config: include_str!("../config.schema.json"),
        runtime: none,
    }
}
