//! How long the provider asks to wait.
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use std::time::SystemTime;

/// `retry-after-ms` (a header of OpenAI's), else `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3). Nothing
/// that is zero, past, too large to count or unreadable.
pub(super) fn milliseconds(headers: &HeaderMap) -> Option<u64> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let wait = |text: Option<&str>, unit: u64| digits(text?)?.checked_mul(unit).filter(|wait| *wait > 0);
    let retry_after = text(RETRY_AFTER.as_str());
    wait(text("retry-after-ms"), 1).or_else(|| wait(retry_after, 1000)).or_else(|| {
        let until = httpdate::parse_http_date(retry_after?).ok()?;
        // The server's own clock, where it tells: ours may differ.
        let now = text(DATE.as_str()).and_then(|date| httpdate::parse_http_date(date).ok());
        let wait = until.duration_since(now.unwrap_or_else(SystemTime::now)).ok()?;
        u64::try_from(wait.as_millis()).ok().filter(|wait| *wait > 0)
    })
}

/// Not `parse` alone, which takes a plus sign.
fn digits(text: &str) -> Option<u64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}
