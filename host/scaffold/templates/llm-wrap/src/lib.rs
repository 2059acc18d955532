//! `template-llm-wrap`: notes how long each request took, and opens nothing of what it hands on.
//!
//! A wrap that has to understand what passes implements `Llm` in place of this, with `ctx.below::<llm::Contract>()`: that costs
//! reading and writing each chunk anew.
mod llm;
mod timed;

use plugin_sdk::*;
use serde::Deserialize;
pub use timed::timed;

/// The row's `config`; `config.schema.json` says what each key means, and gives the defaults.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "described once, in the schema")]
pub struct Config {
    pub note_ms_min: u64,
}

pub(crate) struct Timing {
    /// Whatever is mounted below; looked up at each call, so a swap there is seen by the next one.
    pub(crate) below: Raw,
    pub(crate) config: Config,
}

impl Plugin for Timing {
    type Config = Config;
    async fn create(ctx: Ctx, config: Config) -> Result<Self> {
        Ok(Timing { below: ctx.below::<llm::Contract>()?, config })
    }
}

export_plugins! {
    plugin "template-llm-wrap": Timing {
        services: [wrap llm],
        config: include_str!("../config.schema.json"),
        runtime: none,
    }
}
