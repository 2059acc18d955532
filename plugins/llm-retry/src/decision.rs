//! Whether a failed attempt is followed by another one.
use crate::{AfterOutput, Config, backoff};
use plugin_sdk::contracts::llm::Failure;
use std::time::Duration;

/// What of an answer has been handed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub(crate) enum Seen {
    #[default]
    Nothing,
    /// Reasoning, calls, token counts.
    Unread,
    /// Text, which a person may have read.
    Text,
}

/// Why there is no further attempt, where the failure alone does not say it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Why {
    /// Its code is not one of those that are tried again.
    Permanent,
    /// All retries of the request have been used.
    Retries,
    Output,
    /// The provider asks for a longer wait than the row allows.
    Asked(Duration),
    /// There is no time left for that wait.
    Time(Duration),
    RunRetries,
    RunWait,
}

/// A failed attempt.
#[derive(Debug)]
pub(crate) struct Failed<'a> {
    pub(crate) failure: &'a Failure,
    /// Which attempt it was, from 1.
    pub(crate) attempt: u32,
    pub(crate) seen: Seen,
    /// How long the request may still take.
    pub(crate) left: Option<Duration>,
}

/// The wait before the next attempt, or why there is none. `chance` is in `0..1`.
pub(crate) fn decide(config: &Config, failed: &Failed<'_>, chance: f64) -> Result<Duration, Why> {
    let Failed { failure, attempt, seen, left } = failed;
    // A server that does not implement the request, or its version of HTTP, will not learn it.
    let permanent = matches!(failure.status, Some(501 | 505));
    if permanent || !config.codes.contains(&failure.code) {
        return Err(Why::Permanent);
    }
    let allowed = match config.after_output {
        AfterOutput::Never => Seen::Nothing,
        AfterOutput::BeforeText => Seen::Unread,
        AfterOutput::Always => Seen::Text,
    };
    if *seen > allowed {
        return Err(Why::Output);
    }
    if *attempt > config.retries_max {
        return Err(Why::Retries);
    }
    if let Some(asked) = failure.retry_after_ms.filter(|asked| *asked > config.retry_after_max_ms) {
        return Err(Why::Asked(Duration::from_millis(asked)));
    }
    let wait = backoff::wait(config, *attempt, failure.retry_after_ms, chance);
    match left {
        Some(left) if wait >= *left => Err(Why::Time(wait)),
        _ => Ok(wait),
    }
}
