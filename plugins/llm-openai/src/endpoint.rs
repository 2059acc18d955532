//! From a base URL, however it is written, to the URL that requests go to.
use crate::preset::Preset;
use plugin_sdk::{Error, Result};
use reqwest::Url;
use std::net::IpAddr;

const PATH: &str = "/chat/completions";

/// Where requests go.
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) url: Url,
    /// Scheme, host and port: what messages name. A query may hold a secret, so they do not name the URL.
    pub(crate) origin: String,
    /// On this machine: no proxy stands before it.
    pub(crate) loopback: bool,
    /// Works without a key.
    pub(crate) local: bool,
    /// What the output limit is called. OpenAI's newer models refuse `max_tokens`, the others know nothing else.
    pub(crate) limit_key: &'static str,
}

impl Endpoint {
    /// The endpoint of a row, `None` when it names none.
    ///
    /// # Errors
    /// `INVALID_BASE_URL`.
    pub(crate) fn resolve(preset: Option<&Preset>, base_url: &str) -> Result<Option<Self>> {
        let base_url = base_url.trim();
        let base_url = match preset {
            _ if !base_url.is_empty() => base_url,
            Some(preset) => preset.base_url,
            None => return Ok(None),
        };
        let url = request_url(base_url)?;
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let loopback = host == "localhost"
            || host.ends_with(".localhost")
            || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        let limit_key = if host == "api.openai.com" { "max_completion_tokens" } else { "max_tokens" };
        Ok(Some(Endpoint {
            origin: url.origin().ascii_serialization(),
            loopback,
            local: loopback || preset.is_some_and(|preset| preset.local),
            limit_key,
            url,
        }))
    }
}

/// The base may end in any number of slashes or in the very path that is to be added; a query stays behind the path.
fn request_url(base_url: &str) -> Result<Url> {
    let mut url =
        Url::parse(base_url).map_err(|error| refused(base_url, &format!("is not a URL: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refused(base_url, "is neither http nor https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused(base_url, "carries a user name or password"));
    }
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix(PATH).unwrap_or(path).trim_end_matches('/');
    url.set_path(&format!("{path}{PATH}"));
    url.set_fragment(None);
    Ok(url)
}

fn refused(base_url: &str, why: &str) -> Error {
    // Whatever stands before an `@` or behind a `?` may be a secret.
    let shown = base_url.split('?').next().unwrap_or_default();
    let shown = if base_url.contains('@') { String::new() } else { format!(" `{shown}`") };
    Error::new("INVALID_BASE_URL", format!("llm-openai: base_url{shown} {why}"))
        .hint("write it as https://host/v1, with the key in api_key")
}
