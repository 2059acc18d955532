//! The row's `config`; `config.schema.json` says what each key means, and gives the defaults.
use serde::Deserialize;

/// Of every limit, 0 is none.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "described once, in the schema")]
pub struct Config {
    pub steps_max: u64,
    pub tool_calls_max: u64,
    pub input_tokens_max: u64,
    pub output_tokens_max: u64,
    pub cost_usd_max: f64,
    pub elapsed_ms_max: u64,
    pub warn_percent: u64,
    pub input_usd_per_million: Option<f64>,
    pub output_usd_per_million: Option<f64>,
    pub cache_read_usd_per_million: Option<f64>,
    pub cache_write_usd_per_million: Option<f64>,
}
