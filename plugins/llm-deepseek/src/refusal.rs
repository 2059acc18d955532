//! A response that is no success, as a failure.
use crate::{address::Address, failure::failure, said::Said};
use contracts::llm::Failure;
use plugin_sdk::contracts;
use reqwest::{
    Response,
    header::{DATE, HeaderMap, RETRY_AFTER},
};
use std::time::{Duration, SystemTime};
use tokio::time::timeout;

/// Of a body that explains a refusal more than this is not read, nor waited for longer.
const BYTES_MAX: usize = 64 << 10;
const PATIENCE: Duration = Duration::from_secs(5);
/// A header of gateways that speak in milliseconds.
const RETRY_AFTER_MS: &str = "retry-after-ms";

/// Reads what the provider has against the request.
pub(crate) async fn read(from: &Address, mut response: Response) -> Failure {
    let (status, headers) = (response.status().as_u16(), response.headers());
    let (request_id, retry_after_ms) = (request_id(headers), retry_after_ms(headers));
    let mut body = Vec::new();
    let reading = async {
        while let Ok(Some(bytes)) = response.chunk().await {
            let room = BYTES_MAX - body.len();
            body.extend_from_slice(&bytes[..room.min(bytes.len())]);
            if room <= bytes.len() {
                break;
            }
        }
    };
    // The status has said most of it: a body that does not come is done without.
    let _ = timeout(PATIENCE, reading).await;
    let said = Said::in_body(&String::from_utf8_lossy(&body));
    let refused = match &*said.message {
        "" => failure(&said.code(status), format_args!("{from} answered HTTP {status} and nothing else")),
        message => failure(&said.code(status), format_args!("{from} answered HTTP {status}: {message}")),
    };
    let hint = match retry_after_ms {
        Some(wait) => format!("try again in {} s", wait.div_ceil(1000)),
        None => refused.hint.clone(),
    };
    Failure { status: Some(status), request_id, retry_after_ms, hint, ..refused }
}

/// The provider's name for the request, in the header of most providers or in DeepSeek's.
pub(crate) fn request_id(headers: &HeaderMap) -> Option<String> {
    let named = ["x-request-id", "x-deepseek-request-id"].map(|name| text(headers, name));
    named.into_iter().flatten().find(|id| !id.is_empty()).map(str::to_owned)
}

/// Seconds, or a date (RFC 9110, section 10.2.3), as the wait from now on. Zero, the past and nonsense are no wait.
fn retry_after_ms(headers: &HeaderMap) -> Option<u64> {
    // `parse` would take a plus sign as well.
    let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse::<u64>().ok())?;
    let said = text(headers, RETRY_AFTER.as_str());
    let exact = text(headers, RETRY_AFTER_MS).and_then(number);
    let counted = || number(said?)?.checked_mul(1000);
    let dated = || {
        let clock = text(headers, DATE.as_str()).and_then(|date| httpdate::parse_http_date(date).ok());
        let then = httpdate::parse_http_date(said?).ok()?;
        let wait = then.duration_since(clock.unwrap_or_else(SystemTime::now)).ok()?;
        u64::try_from(wait.as_millis()).ok()
    };
    exact.or_else(counted).or_else(dated).filter(|wait| *wait > 0)
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}
