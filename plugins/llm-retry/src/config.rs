//! The row's `config`; the schema says what each key means, and gives the defaults.
use plugin_sdk::{Error, Result, contracts::llm::code};
use serde::Deserialize;
use std::time::Duration;

/// What no other request changes: listing one of these would only make a person wait for the same failure.
const HOPELESS: [&str; 9] = [
    code::AUTH,
    code::QUOTA,
    code::INVALID_CREDENTIAL,
    code::MISSING_CREDENTIAL,
    code::INVALID_REQUEST,
    code::CONTEXT_WINDOW_EXCEEDED,
    code::ABORTED,
    code::INVARIANT,
    "CONTENT_FILTER",
];

/// See `config.schema.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "described once, in the schema")]
pub struct Config {
    pub retries_max: u32,
    pub run_retries_max: u32,
    pub run_wait_max_ms: u64,
    pub codes: Vec<String>,
    pub after_output: AfterOutput,
    pub backoff_ms: u64,
    pub backoff_max_ms: u64,
    pub jitter: f64,
    pub retry_after_max_ms: u64,
    pub idle_timeout_ms: u64,
    pub total_timeout_ms: u64,
}

/// Up to which output a request may be tried again.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterOutput {
    /// None at all.
    Never,
    /// Reasoning and calls, which no person has read.
    BeforeText,
    /// Any; what has been read is said once more.
    Always,
}

impl Config {
    pub(crate) fn checked(self) -> Result<Self> {
        match self.codes.iter().find(|code| HOPELESS.contains(&code.as_str())) {
            None => Ok(self),
            Some(code) => {
                let text = format!("llm-retry: `codes` lists `{code}`, which fails again in the same way");
                Err(Error::new("CONFIG_INVALID", text).hint(format!("take `{code}` out of `codes`")))
            }
        }
    }

    pub(crate) fn idle_timeout(&self) -> Option<Duration> {
        limit(self.idle_timeout_ms)
    }

    pub(crate) fn total_timeout(&self) -> Option<Duration> {
        limit(self.total_timeout_ms)
    }
}

fn limit(ms: u64) -> Option<Duration> {
    (ms > 0).then(|| Duration::from_millis(ms))
}
