//! What the person is told: of a wait, and of a request that is given up.
use crate::{
    Config,
    decision::{Seen, Why},
};
use plugin_sdk::contracts::llm::{Failure, code};
use std::time::Duration;

/// The note before a wait; `n` counts retries, from 1.
pub(crate) fn waiting(config: &Config, failure: &Failure, n: u32, wait: Duration, seen: Seen) -> String {
    let what = match (failure.status, failure.code.as_str()) {
        (Some(status), _) => format!("the model answered {status}"),
        (None, code::TIMEOUT) => "the model was silent for too long".to_owned(),
        (None, code::TRANSPORT) => "the connection to the model failed".to_owned(),
        (None, code::STREAM_CLOSED) => "the model's answer broke off".to_owned(),
        (None, code::MALFORMED_RESPONSE) => "the model's answer cannot be read".to_owned(),
        (None, code::EMPTY_RESPONSE) => "the model answered nothing".to_owned(),
        (None, code) => format!("the model request failed with {code}"),
    };
    let void = if seen == Seen::Text { "; what it has said of this answer is void" } else { "" };
    format!("{what}{void}; trying again in {} ({n} of {})", span(wait), config.retries_max)
}

/// What is added to the failure of a request that was tried so often and is given up; `None` when there is nothing to add.
pub(crate) fn given_up(config: &Config, why: Why, attempts: u32) -> Option<String> {
    let why = match why {
        Why::Permanent | Why::Retries => None,
        Why::Output => Some("not tried again: some of the answer has been handed on".to_owned()),
        Why::Asked(asked) => Some(format!(
            "not tried again: it asks for a wait of {}, and `retry_after_max_ms` allows {}",
            span(asked),
            span(Duration::from_millis(config.retry_after_max_ms))
        )),
        Why::Time(wait) => Some(format!("not tried again: no time is left for a wait of {}", span(wait))),
        Why::RunRetries => {
            Some(format!("not tried again: the run has used its {} retries", config.run_retries_max))
        }
        Why::RunWait => Some(format!(
            "not tried again: the run would wait longer than {} in all",
            span(Duration::from_millis(config.run_wait_max_ms))
        )),
    };
    let tried = (attempts > 1).then(|| format!("tried {attempts} times"));
    match (tried, why) {
        (None, None) => None,
        (Some(one), None) | (None, Some(one)) => Some(one),
        (Some(tried), Some(why)) => Some(format!("{tried}, {why}")),
    }
}

/// A time as a person says it.
pub(crate) fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 => format!("{} ms", time.as_millis()),
        1..60 => {
            let tenths = time.as_millis().div_ceil(100);
            let (whole, tenth) = (tenths / 10, tenths % 10);
            if tenth == 0 { format!("{whole} s") } else { format!("{whole}.{tenth} s") }
        }
        60..3600 => format!("{} min", seconds / 60) + &rest(seconds % 60, "s"),
        _ => format!("{} h", seconds / 3600) + &rest(seconds % 3600 / 60, "min"),
    }
}

fn rest(count: u64, unit: &str) -> String {
    if count == 0 { String::new() } else { format!(" {count} {unit}") }
}
