//! How long to wait before the next attempt.
use crate::Config;
use std::time::Duration;

/// The provider's wait is never cut short, and at most a tenth of it is added, so that not all who were told the same come back at
/// the same moment.
const SPREAD: f64 = 0.1;

/// The wait before retry `n`, from 1. `chance` is in `0..1`. With a jitter of 1 the wait is any below the bound, which doubles each time:
/// the "full jitter" of exponential backoff.
pub(crate) fn wait(config: &Config, n: u32, asked_ms: Option<u64>, chance: f64) -> Duration {
    let share = config.jitter * chance;
    if let Some(asked) = asked_ms {
        return Duration::from_millis(asked).mul_f64(1.0 + SPREAD * share);
    }
    let doubled =
        2u64.checked_pow(n.saturating_sub(1)).and_then(|factor| config.backoff_ms.checked_mul(factor));
    let bound = doubled.unwrap_or(u64::MAX).min(config.backoff_max_ms);
    Duration::from_millis(bound).mul_f64((1.0 - share).max(0.0))
}
