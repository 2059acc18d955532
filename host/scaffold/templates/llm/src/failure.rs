//! What goes wrong on the way to a model, in words and codes.
use contracts::llm::{Failure, code};
use plugin_sdk::{Error, contracts, truncate};
use reqwest::Response;
use serde_json::Value;

/// How much of a provider's own words is shown.
const SHOWN_BYTES_MAX: usize = 2000;
/// How much of an error's body is read.
const BODY_BYTES_MAX: usize = 64 << 10;

/// No connection came about, or it broke.
pub(crate) fn lost(origin: &str, error: reqwest::Error) -> Failure {
    // Its URL may hold a secret in its query.
    let cause = Error::from(error.without_url());
    Failure {
        hint: "check that LLM_BASE_URL is where the server is".into(),
        ..Failure::new(code::TRANSPORT, format!("template-llm: {origin}: {}", cause.message))
    }
}

/// A response whose status is no success.
pub(crate) async fn refused(mut response: Response) -> Failure {
    let status = response.status().as_u16();
    let code = match status {
        401 | 403 => code::AUTH.to_owned(),
        429 => code::RATE_LIMIT.to_owned(),
        400 | 413 | 422 => code::INVALID_REQUEST.to_owned(),
        500.. => code::SERVER.to_owned(),
        _ => format!("HTTP_{status}"),
    };
    let mut body = Vec::new();
    while body.len() < BODY_BYTES_MAX
        && let Ok(Some(bytes)) = response.chunk().await
    {
        body.extend_from_slice(&bytes);
    }
    let message =
        format!("template-llm: the provider answered {status}: {}", words(&String::from_utf8_lossy(&body)));
    let hint = if code == code::AUTH { "check LLM_API_KEY" } else { "" };
    Failure { status: Some(status), hint: hint.into(), ..Failure::new(code, message) }
}

/// An error that came within the stream.
pub(crate) fn reported(data: &str) -> Failure {
    Failure::new(code::SERVER, format!("template-llm: the provider reported: {}", words(data)))
}

/// A payload that is not what the protocol says.
pub(crate) fn malformed(data: &str) -> Failure {
    let shown = truncate::keep_chars(data, 120);
    Failure::new(
        code::MALFORMED_RESPONSE,
        format!("template-llm: the provider sent what cannot be read: {shown}"),
    )
}

/// The text of `{"error": {"message": "…"}}`, else all there is.
fn words(body: &str) -> String {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let message = value["error"]["message"].as_str().or(value["error"].as_str()).unwrap_or(body.trim());
    let message = if message.is_empty() { "nothing more" } else { message };
    truncate::keep_bytes(message, SHOWN_BYTES_MAX).into_owned()
}
