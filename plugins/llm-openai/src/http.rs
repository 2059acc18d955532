//! Sends a request and hands back a response that is worth reading; everything else becomes a failure.
mod refusal;
mod retry_after;

use crate::{config::Config, endpoint::Endpoint};
use contracts::llm::{Failure, code};
use plugin_sdk::{Error, Result, blocking, contracts};
use reqwest::{
    Certificate, Client, ClientBuilder, Response, StatusCode, Url,
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, USER_AGENT},
    redirect::Policy,
};
use std::time::Duration;
use tokio::sync::OnceCell;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
const REDIRECTS_MAX: usize = 3;
/// Where providers put their id of a request; the last one is DeepSeek's.
const REQUEST_IDS: [&str; 3] = ["x-request-id", "request-id", "x-deepseek-request-id"];

/// The headers of every request of a row.
///
/// # Errors
/// `INVALID_HEADER`.
pub(crate) fn headers(config: &Config) -> Result<HeaderMap> {
    let ours = concat!("harness/", env!("CARGO_PKG_VERSION"));
    let agent = Some(config.user_agent.trim()).filter(|agent| !agent.is_empty()).unwrap_or(ours);
    let all = [
        (ACCEPT.as_str(), "text/event-stream"),
        (CONTENT_TYPE.as_str(), "application/json"),
        (USER_AGENT.as_str(), agent),
    ];
    let further = config.headers.iter().map(|(name, value)| (name.trim(), value.trim()));
    let mut headers = HeaderMap::new();
    for (name, value) in all.into_iter().chain(further) {
        let parsed = HeaderName::from_bytes(name.as_bytes()).ok().zip(HeaderValue::from_str(value).ok());
        // The value may be a secret.
        let (header, mut value) = parsed.ok_or_else(|| {
            Error::new("INVALID_HEADER", format!("llm-openai: `{name}` can not be sent as a header"))
                .hint("use letters, digits and dashes in the name, visible ASCII in the value")
        })?;
        value.set_sensitive(!all.iter().any(|(ours, _)| *ours == header));
        headers.insert(header, value);
    }
    Ok(headers)
}

/// The client of a row, made when it is first needed.
pub(crate) struct Http {
    headers: HeaderMap,
    ca_file: String,
    client: OnceCell<Client>,
}

impl Http {
    pub(crate) fn new(headers: HeaderMap, ca_file: &str) -> Self {
        Http { headers, ca_file: ca_file.to_owned(), client: OnceCell::new() }
    }

    /// One request, and at most [`REDIRECTS_MAX`] more where the same origin says that it wants it elsewhere.
    ///
    /// # Errors
    /// Whatever ends an exchange before its first byte of content.
    pub(crate) async fn post(
        &self,
        endpoint: &Endpoint,
        headers: HeaderMap,
        body: Vec<u8>,
    ) -> Result<Response, Failure> {
        let client = self.client.get_or_try_init(|| self.connectable(endpoint)).await?;
        let mut request = client.post(endpoint.url.clone()).headers(headers).body(body).build();
        if let Ok(request) = &mut request {
            // Set last, so that the row's own headers win.
            for (name, value) in &self.headers {
                request.headers_mut().insert(name, value.clone());
            }
        }
        let mut request = request.map_err(|error| lost(endpoint, error))?;
        for _ in 0..REDIRECTS_MAX {
            let again = request.try_clone();
            let response = client.execute(request).await.map_err(|error| lost(endpoint, error))?;
            match (elsewhere(endpoint, &response), again) {
                (Some(url), Some(again)) => {
                    request = again;
                    *request.url_mut() = url;
                }
                _ => return refusal::check(endpoint, response).await,
            }
        }
        let response = client.execute(request).await.map_err(|error| lost(endpoint, error))?;
        refusal::check(endpoint, response).await
    }

    /// Reading certificates takes longer than everything else here, so it is left out where nothing is encrypted.
    async fn connectable(&self, endpoint: &Endpoint) -> Result<Client, Failure> {
        // This fails only where a provider is installed already, which is as good.
        rustls::crypto::ring::default_provider().install_default().ok();
        let builder = Client::builder().redirect(Policy::none()).connect_timeout(CONNECT_TIMEOUT);
        let builder = if endpoint.loopback { builder.no_proxy() } else { builder };
        if endpoint.url.scheme() == "http" {
            return built(builder.tls_certs_only([]));
        }
        let ca_file = self.ca_file.clone();
        blocking(move || built(trusting(builder, &ca_file)?)).await?
    }
}

fn built(builder: ClientBuilder) -> Result<Client, Failure> {
    builder.build().map_err(|error| Failure {
        hint: "install the system's CA certificates, or name a PEM file in `ca_file`".into(),
        ..Failure::new(code::TRANSPORT, format!("llm-openai: no HTTPS client: {}", Error::from(error)))
    })
}

fn trusting(builder: ClientBuilder, ca_file: &str) -> Result<ClientBuilder, Failure> {
    if ca_file.is_empty() {
        return Ok(builder);
    }
    let unusable = |why: String| Failure {
        hint: "name a PEM file with at least one certificate".into(),
        ..Failure::new("INVALID_CA_FILE", format!("llm-openai: ca_file `{ca_file}`: {why}"))
    };
    let pem = std::fs::read(ca_file).map_err(|error| unusable(error.to_string()))?;
    match Certificate::from_pem_bundle(&pem) {
        Ok(certificates) if certificates.is_empty() => Err(unusable("it holds no certificate".into())),
        Ok(certificates) => Ok(builder.tls_certs_merge(certificates)),
        Err(error) => Err(unusable(Error::from(error).message)),
    }
}

/// Where a 307 or 308 of the same origin leads: these two keep method and body (RFC 9110, sections 15.4.8 and 15.4.9).
/// Anywhere else neither the key nor the conversation goes.
fn elsewhere(endpoint: &Endpoint, response: &Response) -> Option<Url> {
    if !matches!(response.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT) {
        return None;
    }
    let url = response.url().join(response.headers().get(LOCATION)?.to_str().ok()?).ok()?;
    (url.origin() == endpoint.url.origin() && url.username().is_empty()).then_some(url)
}

/// The connection did not come about, or broke.
pub(crate) fn lost(endpoint: &Endpoint, error: reqwest::Error) -> Failure {
    // Its URL may hold a secret in its query.
    let error = error.without_url();
    let connecting = error.is_connect();
    let cause = innermost(&error);
    let what = if connecting { "no connection to" } else { "the connection broke to" };
    let hint = match (connecting, endpoint.local) {
        _ if cause.contains("certificate") => "name the authority's PEM file in `ca_file`",
        (true, true) => "start the server there, or set LLM_BASE_URL to where it is",
        (true, false) => "check the network, and LLM_BASE_URL",
        (false, _) => "",
    };
    let message = format!("llm-openai: {what} {}: {cause}", endpoint.origin);
    Failure { hint: hint.into(), ..Failure::new(code::TRANSPORT, message) }
}

/// What the layers around the cause add is their own names.
fn innermost(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

/// The provider's id of the request.
pub(crate) fn request_id(headers: &HeaderMap) -> Option<String> {
    let mut ids = REQUEST_IDS.iter().filter_map(|name| headers.get(*name)?.to_str().ok());
    ids.find(|id| !id.is_empty()).map(str::to_owned)
}
