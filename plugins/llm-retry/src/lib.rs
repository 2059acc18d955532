//! `llm-retry`: tries a failed model request again, after a wait that suits the failure and that the person is told of.
//!
//! It looks at chunks by their kind alone. What is not a failure passes unopened.
mod attempt;
mod backoff;
mod budget;
mod config;
mod decision;
mod limits;
mod llm;
mod request;
mod wording;

pub use config::{AfterOutput, Config};
pub use request::{Row, retried};

use plugin_sdk::*;
use std::sync::Arc;

pub(crate) struct Retry {
    /// Whatever is mounted below; looked up at each attempt, so a swap there is seen by the next one.
    pub(crate) below: Raw,
    pub(crate) row: Arc<Row>,
}

impl Plugin for Retry {
    type Config = Config;

    async fn create(ctx: Ctx, config: Config) -> Result<Self> {
        Ok(Retry { below: ctx.below::<llm::Contract>()?, row: Arc::new(Row::new(config)?) })
    }

    fn session_closed(&self, session: &str) {
        self.row.forget(session);
    }
}

export_plugins! {
    plugin "llm-retry": Retry {
        services: [wrap llm],
        config: include_str!("../config.schema.json"),
        runtime: none,
    }
}
