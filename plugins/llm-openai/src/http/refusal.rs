//! A response that is no success: its status, its headers and what its body says become a failure.
use super::{request_id, retry_after};
use crate::{endpoint::Endpoint, report::Report};
use contracts::llm::Failure;
use plugin_sdk::contracts;
use reqwest::{Response, header::LOCATION};
use std::time::Duration;
use tokio::time::timeout;

/// How much of an error body is read. A longer one is a page, not a message.
const BODY_BYTES_MAX: usize = 64 << 10;
/// How long an error body may take: the status is known already, and says most of it.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// Lets a success through.
///
/// # Errors
/// Any other response, with its status, the request id and the wait that was asked for.
pub(super) async fn check(endpoint: &Endpoint, response: Response) -> Result<Response, Failure> {
    let (status, headers) = (response.status(), response.headers());
    if status.is_success() {
        return Ok(response);
    }
    let known = Failure {
        status: Some(status.as_u16()),
        retry_after_ms: retry_after::milliseconds(headers),
        request_id: request_id(headers),
        ..Failure::default()
    };
    if status.is_redirection() {
        let location = headers.get(LOCATION).and_then(|location| location.to_str().ok());
        let target = location.and_then(|location| response.url().join(location).ok());
        let target =
            target.map(|url| format!(" to {}", url.origin().ascii_serialization())).unwrap_or_default();
        return Err(Failure {
            code: format!("HTTP_{}", status.as_u16()),
            message: format!(
                "llm-openai: {} answered {status}{target}, which is not followed",
                endpoint.origin
            ),
            hint: "set LLM_BASE_URL to where the API is".into(),
            ..known
        });
    }
    let report = Report::read(&String::from_utf8_lossy(&body(response).await));
    let message = if report.message.is_empty() {
        format!("llm-openai: {} answered {status}", endpoint.origin)
    } else {
        format!("llm-openai: {} answered {}: {}", endpoint.origin, status.as_u16(), report.message)
    };
    Err(Failure { code: report.http_code(status.as_u16()), message, ..known })
}

/// What came of the body in its time.
async fn body(mut response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    let reading = async {
        while body.len() < BODY_BYTES_MAX
            && let Ok(Some(bytes)) = response.chunk().await
        {
            body.extend_from_slice(&bytes);
        }
    };
    timeout(BODY_TIMEOUT, reading).await.ok();
    body.truncate(BODY_BYTES_MAX);
    body
}
